//===- cluster_group_prop.hpp - sycl_ext_oneapi_cuda_cluster_group, not there
#error "Plumbline has no sycl_ext_oneapi_cuda_cluster_group"
