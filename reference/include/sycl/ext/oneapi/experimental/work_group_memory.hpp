//===- work_group_memory.hpp - sycl_ext_oneapi_work_group_memory, not there
#error "Plumbline has no sycl_ext_oneapi_work_group_memory"
