//===- types.hpp - sycl_ext_oneapi_fp4, not there
#error "Plumbline has no sycl_ext_oneapi_fp4"
