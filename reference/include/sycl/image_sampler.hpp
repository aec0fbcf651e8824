//===- image_sampler.hpp - how images are sampled (SYCL 2020, "Image samplers") --------------===//
#pragma once

namespace sycl {

/// What coordinates outside of an image mean.
enum class addressing_mode : unsigned int { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
/// Whether coordinates count pixels or parts of the image.
enum class coordinate_normalization_mode : unsigned int { normalized, unnormalized };
/// Whether the nearest pixel is taken, or what lies between those around the place.
enum class filtering_mode : unsigned int { nearest, linear };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;

  friend bool operator==(const image_sampler &left, const image_sampler &right) {
    return left.addressing == right.addressing && left.coordinate == right.coordinate &&
           left.filtering == right.filtering;
  }
  friend bool operator!=(const image_sampler &left, const image_sampler &right) {
    return !(left == right);
  }
};

} // namespace sycl
