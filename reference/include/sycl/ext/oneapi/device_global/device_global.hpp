//===- device_global.hpp - sycl_ext_oneapi_device_global, not there
#error "Plumbline has no sycl_ext_oneapi_device_global"
