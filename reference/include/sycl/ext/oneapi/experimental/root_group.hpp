//===- root_group.hpp - sycl_ext_oneapi_root_group, which is not there
#error "Plumbline has no sycl_ext_oneapi_root_group"
