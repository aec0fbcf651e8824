//===- reusable_events.hpp - sycl_ext_oneapi_reusable_events, not there
#error "Plumbline has no sycl_ext_oneapi_reusable_events"
