//===- register_host_memory.hpp - sycl_ext_oneapi_register_host_memory, not there
#error "Plumbline has no sycl_ext_oneapi_register_host_memory"
