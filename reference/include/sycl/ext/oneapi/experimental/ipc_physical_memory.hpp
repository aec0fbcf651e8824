//===- ipc_physical_memory.hpp - sycl_ext_oneapi_ipc_physical_memory, not there
#error "Plumbline has no sycl_ext_oneapi_ipc_physical_memory"
