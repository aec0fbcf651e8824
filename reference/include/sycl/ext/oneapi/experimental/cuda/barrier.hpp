//===- barrier.hpp - sycl_ext_oneapi_cuda_async_barrier, not there
#error "Plumbline has no sycl_ext_oneapi_cuda_async_barrier"
