//===- properties.hpp - sycl_ext_oneapi_kernel_properties, not there
#error "Plumbline has no sycl_ext_oneapi_kernel_properties"
