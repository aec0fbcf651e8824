//===- esimd.hpp - sycl_ext_intel_esimd, not there
#error "Plumbline has no sycl_ext_intel_esimd"
