//===- online_compiler.hpp - sycl_ext_intel_online_compiler, not there
#error "Plumbline has no sycl_ext_intel_online_compiler"
