//===- bindless_images.hpp - sycl_ext_oneapi_bindless_images, which is not there ------------===//
//
// Its names are, as programs with a path of their own for them mention them beside others. Who uses
// one is told; aspects of devices say that they are not there.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace sycl::ext::oneapi::experimental {

struct unsampled_image_handle {
  std::uint64_t raw_handle = 0;
};
struct sampled_image_handle {
  std::uint64_t raw_handle = 0;
};
struct image_mem_handle {
  std::uint64_t raw_handle = 0;
};

#define PLSYCL_OF_BINDLESS_IMAGES(NAME)                                                            \
  template <typename Type = void, typename... Rest, typename... Given>                             \
  Type NAME(const Given &...) {                                                                    \
    static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_bindless_images");      \
  }
PLSYCL_OF_BINDLESS_IMAGES(fetch_image)
PLSYCL_OF_BINDLESS_IMAGES(sample_image)
PLSYCL_OF_BINDLESS_IMAGES(sample_mipmap)
PLSYCL_OF_BINDLESS_IMAGES(write_image)
PLSYCL_OF_BINDLESS_IMAGES(create_image)
PLSYCL_OF_BINDLESS_IMAGES(destroy_image_handle)
PLSYCL_OF_BINDLESS_IMAGES(alloc_image_mem)
PLSYCL_OF_BINDLESS_IMAGES(free_image_mem)
#undef PLSYCL_OF_BINDLESS_IMAGES

} // namespace sycl::ext::oneapi::experimental
