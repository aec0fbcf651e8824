//===- matrix.hpp - sycl_ext_oneapi_matrix, which is not there
#error "Plumbline has no sycl_ext_oneapi_matrix"
