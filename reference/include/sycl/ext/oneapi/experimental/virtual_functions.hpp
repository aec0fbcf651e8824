//===- virtual_functions.hpp - sycl_ext_oneapi_virtual_functions, not there
#error "Plumbline has no sycl_ext_oneapi_virtual_functions"
