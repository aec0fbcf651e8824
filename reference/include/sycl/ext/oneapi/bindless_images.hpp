//===- bindless_images.hpp - sycl_ext_oneapi_bindless_images, which is not there ------------===//
//
// Names that programs with a path of their own for such images mention beside others. Who reads or
// writes one is told.
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

#define PLSYCL_OF_BINDLESS_IMAGES(NAME, HANDLE)                                                    \
  template <typename Type = void, typename... Rest, typename... Given>                             \
  Type NAME(const HANDLE &, const Given &...) {                                                    \
    static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_bindless_images");      \
  }
PLSYCL_OF_BINDLESS_IMAGES(fetch_image, unsampled_image_handle)
PLSYCL_OF_BINDLESS_IMAGES(fetch_image, sampled_image_handle)
PLSYCL_OF_BINDLESS_IMAGES(sample_image, sampled_image_handle)
PLSYCL_OF_BINDLESS_IMAGES(write_image, unsampled_image_handle)
#undef PLSYCL_OF_BINDLESS_IMAGES

} // namespace sycl::ext::oneapi::experimental
