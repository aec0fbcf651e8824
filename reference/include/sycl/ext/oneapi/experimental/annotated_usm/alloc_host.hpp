//===- alloc_host.hpp - sycl_ext_oneapi_annotated_usm, not there
#error "Plumbline has no sycl_ext_oneapi_annotated_usm"
