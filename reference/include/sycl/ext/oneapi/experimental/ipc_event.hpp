//===- ipc_event.hpp - sycl_ext_oneapi_ipc_event, not there
#error "Plumbline has no sycl_ext_oneapi_ipc_event"
