//===- image_sampling.hpp - what a sampler gives of an image ---------------------------------===//
//
// By the equations of OpenCL's "Image addressing and filtering", which SYCL 2020 refers to.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/image_pixels.hpp>
#include <sycl/image_sampler.hpp>

#include <cstdint>

namespace sycl::detail {

/// Where an image's pixels are: sizes, and steps from one pixel, row and slice to the next in
/// bytes. The first dimension is the width.
struct image_layout {
  pixel_format format;
  std::int32_t size[3];
  std::size_t pixel_pitch;
  std::size_t row_pitch;
  std::size_t slice_pitch;

  std::size_t place(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return x * pixel_pitch + y * row_pitch + z * slice_pitch;
  }
  bool holds(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return x >= 0 && x < size[0] && y >= 0 && y < size[1] && z >= 0 && z < size[2];
  }
};

/// A coordinate of a number or a vector.
template <typename Number, typename Coordinates>
Number coordinate(const Coordinates &coordinates, int dimension) {
  if constexpr (std::is_arithmetic_v<Coordinates>)
    return static_cast<Number>(coordinates);
  else
    return static_cast<Number>(coordinates[dimension]);
}
template <typename Coordinates> struct coordinate_count {
  static constexpr int value = 0;
};
template <typename Number, int Count> struct coordinate_count<vec<Number, Count>> {
  static constexpr int value = Count;
};
/// As programs give them: a number, a vector of two, a vector of four.
template <typename Coordinates, int Dimensions>
inline constexpr bool are_coordinates =
    std::is_arithmetic_v<Coordinates> ? Dimensions == 1
                                      : coordinate_count<Coordinates>::value >= Dimensions;

/// The greatest whole number that is no greater; far away what is still a pixel's number.
inline std::int32_t whole_below(float value) {
  constexpr float far = 1 << 30;
  if (!(value > -far)) // nor is what is no number
    return -(1 << 30);
  if (value > far)
    return 1 << 30;
  const auto number = static_cast<std::int32_t>(value);
  return static_cast<float>(number) > value ? number - 1 : number;
}
/// The same as a number; all that are so great are whole.
inline float floor_of(float value) {
  constexpr float all_whole = 1 << 23;
  return value > -all_whole && value < all_whole ? static_cast<float>(whole_below(value)) : value;
}
inline std::int32_t between(std::int32_t value, std::int32_t least, std::int32_t most) {
  return value < least ? least : value > most ? most : value;
}

/// The pixels of one dimension that a sampler looks at, and how far it is from one to the other.
struct sampled_axis {
  std::int32_t first;
  std::int32_t second;
  float part;

  sampled_axis(const image_sampler &sampler, bool is_linear, float given, std::int32_t size) {
    const bool is_normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
    const auto extent = static_cast<float>(size);
    float at = is_normalized ? given * extent : given;
    const bool repeats = is_normalized && sampler.addressing == addressing_mode::repeat;
    const bool mirrors = is_normalized && sampler.addressing == addressing_mode::mirrored_repeat;
    if (repeats) {
      at = (given - floor_of(given)) * extent;
    } else if (mirrors) {
      const float away = given - 2.0f * floor_of(0.5f * given + 0.5f);
      at = (away < 0 ? -away : away) * extent;
    }
    if (is_linear)
      at -= 0.5f;
    first = whole_below(at);
    second = first + 1;
    part = at - floor_of(at);
    if (repeats) {
      first = first < 0 ? first + size : first >= size ? first - size : first;
      second = second >= size ? second - size : second;
    } else if (sampler.addressing == addressing_mode::clamp) {
      first = between(first, -1, size);
      second = between(second, -1, size);
    } else {
      first = between(first, 0, size - 1);
      second = between(second, 0, size - 1);
    }
  }
};

/// A pixel, or what lies beyond an image that is clamped. Processors run it faster so, too: their
/// compilers make vectors of what is in line, with all formats for each corner.
template <typename Computed>
PLSYCL_OUT_OF_LINE pixel<Computed> pixel_or_border(const std::byte *data, const image_layout &image,
                                                   std::int32_t x, std::int32_t y, std::int32_t z) {
  if (!image.holds(x, y, z))
    return {{0, 0, 0, static_cast<Computed>(image.format.is_opaque_outside ? 1 : 0)}};
  return load_pixel<Computed>(data + image.place(x, y, z), image.format);
}

template <typename Computed, int Dimensions, typename Coordinates>
pixel<Computed> sample(const std::byte *data, const image_layout &image,
                       const image_sampler &sampler, const Coordinates &coordinates) {
  // Between whole numbers there is nothing: OpenCL leaves open what linear filtering gives then.
  const bool is_linear =
      std::is_same_v<Computed, float> && sampler.filtering == filtering_mode::linear;
  const auto axis = [&](int dimension) {
    if (dimension >= Dimensions)
      return sampled_axis({addressing_mode::clamp_to_edge,
                           coordinate_normalization_mode::unnormalized, filtering_mode::nearest},
                          false, 0.0f, 1);
    return sampled_axis(sampler, is_linear, coordinate<float>(coordinates, dimension),
                        image.size[dimension]);
  };
  const sampled_axis x = axis(0), y = axis(1), z = axis(2);
  if constexpr (std::is_same_v<Computed, float>) {
    if (is_linear) {
      pixel<float> sum;
      for (int corner = 0; corner < 1 << Dimensions; ++corner) {
        const bool far[3] = {(corner & 1) != 0, (corner & 2) != 0, (corner & 4) != 0};
        float weight = far[0] ? x.part : 1 - x.part;
        if constexpr (Dimensions > 1)
          weight *= far[1] ? y.part : 1 - y.part;
        if constexpr (Dimensions > 2)
          weight *= far[2] ? z.part : 1 - z.part;
        const auto found =
            pixel_or_border<float>(data, image, far[0] ? x.second : x.first,
                                   far[1] ? y.second : y.first, far[2] ? z.second : z.first);
        for (int i = 0; i < 4; ++i)
          sum.channels[i] += weight * found.channels[i];
      }
      return sum;
    }
  }
  return pixel_or_border<Computed>(data, image, x.first, y.first, z.first);
}

template <typename Data> Data to_data(const pixel<typename pixel_traits<Data>::Computed> &from) {
  using channel = typename pixel_traits<Data>::channel;
  return Data(static_cast<channel>(from.channels[0]), static_cast<channel>(from.channels[1]),
              static_cast<channel>(from.channels[2]), static_cast<channel>(from.channels[3]));
}
template <typename Data> pixel<typename pixel_traits<Data>::Computed> from_data(const Data &data) {
  using Computed = typename pixel_traits<Data>::Computed;
  return {{static_cast<Computed>(data[0]), static_cast<Computed>(data[1]),
           static_cast<Computed>(data[2]), static_cast<Computed>(data[3])}};
}

} // namespace sycl::detail
