//===- bindless_images.hpp - sycl_ext_oneapi_bindless_images, not there
#error "Plumbline has no sycl_ext_oneapi_bindless_images"
