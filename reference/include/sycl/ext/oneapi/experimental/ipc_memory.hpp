//===- ipc_memory.hpp - sycl_ext_oneapi_ipc_memory, not there
#error "Plumbline has no sycl_ext_oneapi_ipc_memory"
