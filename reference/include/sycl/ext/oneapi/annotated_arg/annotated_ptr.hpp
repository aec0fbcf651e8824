//===- annotated_ptr.hpp - sycl_ext_oneapi_annotated_ptr, not there
#error "Plumbline has no sycl_ext_oneapi_annotated_ptr"
