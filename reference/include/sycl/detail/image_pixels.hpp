//===- image_pixels.hpp - pixels in memory and as programs have them -------------------------===//
//
// An image is memory like a buffer's, and host and device compute what samplers give of it. The
// image types of SPIR-V have values that cannot stand in memory, and so in no kernel functor: a
// kernel would have to be rewritten so that each use of a member is a use of the parameter, which
// holds for no functor that goes by address.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/half.hpp>
#include <sycl/vec.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sycl {

/// How a pixel's four channels stand in memory.
enum class image_format : unsigned int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm,
};

namespace detail {

/// What the channels of a format are to a program.
enum class channel_kind { real, signed_integer, unsigned_integer };

constexpr channel_kind kind_of(image_format format) {
  switch (format) {
  case image_format::r8g8b8a8_sint:
  case image_format::r16g16b16a16_sint:
  case image_format::r32b32g32a32_sint:
    return channel_kind::signed_integer;
  case image_format::r8g8b8a8_uint:
  case image_format::r16g16b16a16_uint:
  case image_format::r32b32g32a32_uint:
    return channel_kind::unsigned_integer;
  default:
    return channel_kind::real;
  }
}

/// Bytes of a pixel.
constexpr std::size_t pixel_size(image_format format) {
  switch (format) {
  case image_format::r8g8b8a8_unorm:
  case image_format::r8g8b8a8_sint:
  case image_format::r8g8b8a8_uint:
  case image_format::b8g8r8a8_unorm:
    return 4;
  case image_format::r32b32g32a32_sint:
  case image_format::r32b32g32a32_uint:
  case image_format::r32g32b32a32_sfloat:
    return 16;
  default:
    return 8;
  }
}

/// What programs read and write: vectors of four, of a number that computes as `Computed`.
template <typename Data> struct pixel_traits {
  static constexpr bool is_pixel = false;
};
template <typename Channel, typename Computed_, channel_kind Kind> struct pixel_of {
  static constexpr bool is_pixel = true;
  static constexpr channel_kind kind = Kind;
  using channel = Channel;
  using Computed = Computed_;
};
template <>
struct pixel_traits<vec<std::int32_t, 4>>
    : pixel_of<std::int32_t, std::int32_t, channel_kind::signed_integer> {};
template <>
struct pixel_traits<vec<std::uint32_t, 4>>
    : pixel_of<std::uint32_t, std::uint32_t, channel_kind::unsigned_integer> {};
template <> struct pixel_traits<vec<float, 4>> : pixel_of<float, float, channel_kind::real> {};
template <> struct pixel_traits<vec<half, 4>> : pixel_of<half, float, channel_kind::real> {};

/// Four channels while they are computed with. A type of its own: what a kernel computes in half
/// needs an aspect, what it reads as float does not.
template <typename Computed> struct pixel {
  Computed channels[4] = {};
};

template <typename Stored, typename Place> Stored &channel(Place *place, int number) {
  return reinterpret_cast<Stored *>(place)[number];
}

/// The channels of a pixel in memory.
template <typename Computed>
pixel<Computed> load_pixel(const std::byte *place, image_format format) {
  pixel<Computed> result;
  for (int i = 0; i < 4; ++i) {
    Computed &value = result.channels[i];
    if constexpr (std::is_same_v<Computed, float>) {
      if (format == image_format::r8g8b8a8_unorm)
        value = channel<const std::uint8_t>(place, i) / 255.0f;
      else if (format == image_format::b8g8r8a8_unorm)
        value = channel<const std::uint8_t>(place, i < 3 ? 2 - i : i) / 255.0f;
      else if (format == image_format::r16g16b16a16_unorm)
        value = channel<const std::uint16_t>(place, i) / 65535.0f;
      else if (format == image_format::r16b16g16a16_sfloat)
        value = half_impl::to_float(channel<const std::uint16_t>(place, i));
      else
        value = channel<const float>(place, i);
    } else if constexpr (std::is_signed_v<Computed>) {
      if (format == image_format::r8g8b8a8_sint)
        value = channel<const std::int8_t>(place, i);
      else if (format == image_format::r16g16b16a16_sint)
        value = channel<const std::int16_t>(place, i);
      else
        value = channel<const std::int32_t>(place, i);
    } else {
      if (format == image_format::r8g8b8a8_uint)
        value = channel<const std::uint8_t>(place, i);
      else if (format == image_format::r16g16b16a16_uint)
        value = channel<const std::uint16_t>(place, i);
      else
        value = channel<const std::uint32_t>(place, i);
    }
  }
  return result;
}

/// A part of one as a number up to `most`: the nearest, of two the even one.
inline std::uint32_t to_unorm(float value, std::uint32_t most) {
  if (!(value > 0.0f)) // nor is what is no number
    return 0;
  const float scaled = value * static_cast<float>(most);
  if (scaled >= static_cast<float>(most))
    return most;
  const auto below = static_cast<std::uint32_t>(scaled);
  const float rest = scaled - static_cast<float>(below);
  return below + (rest > 0.5f || (rest == 0.5f && below % 2) ? 1 : 0);
}
template <typename Stored, typename Value> Stored saturated(Value value) {
  using limits = std::numeric_limits<Stored>;
  if (value > static_cast<Value>(limits::max()))
    return limits::max();
  if (value < static_cast<Value>(limits::min()))
    return limits::min();
  return static_cast<Stored>(value);
}

/// Puts channels into a pixel in memory.
template <typename Computed>
void store_pixel(std::byte *place, image_format format, const pixel<Computed> &from) {
  for (int i = 0; i < 4; ++i) {
    const Computed value = from.channels[i];
    if constexpr (std::is_same_v<Computed, float>) {
      if (format == image_format::r8g8b8a8_unorm)
        channel<std::uint8_t>(place, i) = static_cast<std::uint8_t>(to_unorm(value, 255));
      else if (format == image_format::b8g8r8a8_unorm)
        channel<std::uint8_t>(place, i < 3 ? 2 - i : i) =
            static_cast<std::uint8_t>(to_unorm(value, 255));
      else if (format == image_format::r16g16b16a16_unorm)
        channel<std::uint16_t>(place, i) = static_cast<std::uint16_t>(to_unorm(value, 65535));
      else if (format == image_format::r16b16g16a16_sfloat)
        channel<std::uint16_t>(place, i) = half_impl::from_float(value);
      else
        channel<float>(place, i) = value;
    } else if constexpr (std::is_signed_v<Computed>) {
      if (format == image_format::r8g8b8a8_sint)
        channel<std::int8_t>(place, i) = saturated<std::int8_t>(value);
      else if (format == image_format::r16g16b16a16_sint)
        channel<std::int16_t>(place, i) = saturated<std::int16_t>(value);
      else
        channel<std::int32_t>(place, i) = value;
    } else {
      if (format == image_format::r8g8b8a8_uint)
        channel<std::uint8_t>(place, i) = saturated<std::uint8_t>(value);
      else if (format == image_format::r16g16b16a16_uint)
        channel<std::uint16_t>(place, i) = saturated<std::uint16_t>(value);
      else
        channel<std::uint32_t>(place, i) = value;
    }
  }
}

} // namespace detail
} // namespace sycl
