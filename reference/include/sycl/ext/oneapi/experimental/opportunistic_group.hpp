//===- opportunistic_group.hpp - sycl_ext_oneapi_non_uniform_groups, not there
#error "Plumbline has no sycl_ext_oneapi_non_uniform_groups"
