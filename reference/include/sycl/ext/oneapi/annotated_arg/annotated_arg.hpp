//===- annotated_arg.hpp - sycl_ext_oneapi_annotated_arg, not there
#error "Plumbline has no sycl_ext_oneapi_annotated_arg"
