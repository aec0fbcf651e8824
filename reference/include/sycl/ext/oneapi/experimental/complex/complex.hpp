//===- complex.hpp - sycl_ext_oneapi_complex, not there
#error "Plumbline has no sycl_ext_oneapi_complex"
