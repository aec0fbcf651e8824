//===- user_defined_reductions.hpp - sycl_ext_oneapi_user_defined_reductions, not there
#error "Plumbline has no sycl_ext_oneapi_user_defined_reductions"
