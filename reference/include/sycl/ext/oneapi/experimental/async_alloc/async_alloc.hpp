//===- async_alloc.hpp - sycl_ext_oneapi_async_memory_alloc, not there
#error "Plumbline has no sycl_ext_oneapi_async_memory_alloc"
