//===- alloca.hpp - sycl_ext_oneapi_private_alloca, not there
#error "Plumbline has no sycl_ext_oneapi_private_alloca"
