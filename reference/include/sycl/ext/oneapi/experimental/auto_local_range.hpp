//===- auto_local_range.hpp - sycl_ext_oneapi_auto_local_range, not there
#error "Plumbline has no sycl_ext_oneapi_auto_local_range"
