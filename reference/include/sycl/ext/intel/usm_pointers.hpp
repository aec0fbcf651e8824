//===- usm_pointers.hpp - sycl_ext_intel_usm_address_spaces, not there
#error "Plumbline has no sycl_ext_intel_usm_address_spaces"
