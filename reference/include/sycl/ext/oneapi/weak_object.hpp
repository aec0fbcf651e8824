//===- weak_object.hpp - sycl_ext_oneapi_weak_object, not there
#error "Plumbline has no sycl_ext_oneapi_weak_object"
