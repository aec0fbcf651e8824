//===- syclbin_kernel_bundle.hpp - sycl_ext_oneapi_syclbin, not there
#error "Plumbline has no sycl_ext_oneapi_syclbin"
