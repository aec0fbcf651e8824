//===- invoke_simd.hpp - sycl_ext_oneapi_invoke_simd, not there
#error "Plumbline has no sycl_ext_oneapi_invoke_simd"
