//===- physical_mem.hpp - sycl_ext_oneapi_virtual_mem, not there
#error "Plumbline has no sycl_ext_oneapi_virtual_mem"
