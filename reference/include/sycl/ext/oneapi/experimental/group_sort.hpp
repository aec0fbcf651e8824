//===- group_sort.hpp - sycl_ext_oneapi_group_sort, which is not there
#error "Plumbline has no sycl_ext_oneapi_group_sort"
