//===- sub_group_mask.hpp - sycl_ext_oneapi_sub_group_mask, which is not there
#error "Plumbline has no sycl_ext_oneapi_sub_group_mask"
