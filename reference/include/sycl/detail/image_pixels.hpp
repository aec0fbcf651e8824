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

/// The channels of SYCL 1.2.1's images in the order in which they stand in memory.
enum class image_channel_order : unsigned int {
  a,
  r,
  rx,
  rg,
  rgx,
  ra,
  rgb,
  rgbx,
  rgba,
  argb,
  bgra,
  intensity,
  luminance,
  abgr,
};
/// What a channel of them is in memory; three types have all channels in one number.
enum class image_channel_type : unsigned int {
  snorm_int8,
  snorm_int16,
  unorm_int8,
  unorm_int16,
  unorm_short_565,
  unorm_short_555,
  unorm_int_101010,
  signed_int8,
  signed_int16,
  signed_int32,
  unsigned_int8,
  unsigned_int16,
  unsigned_int32,
  fp16,
  fp32,
};

namespace detail {

/// What the channels of a format are to a program.
enum class channel_kind { real, signed_integer, unsigned_integer };

constexpr channel_kind kind_of(image_channel_type type) {
  switch (type) {
  case image_channel_type::signed_int8:
  case image_channel_type::signed_int16:
  case image_channel_type::signed_int32:
    return channel_kind::signed_integer;
  case image_channel_type::unsigned_int8:
  case image_channel_type::unsigned_int16:
  case image_channel_type::unsigned_int32:
    return channel_kind::unsigned_integer;
  default:
    return channel_kind::real;
  }
}

/// Bytes of a channel; of a pixel where all channels are in one number.
constexpr std::size_t channel_size(image_channel_type type) {
  switch (type) {
  case image_channel_type::snorm_int8:
  case image_channel_type::unorm_int8:
  case image_channel_type::signed_int8:
  case image_channel_type::unsigned_int8:
    return 1;
  case image_channel_type::unorm_int_101010:
  case image_channel_type::signed_int32:
  case image_channel_type::unsigned_int32:
  case image_channel_type::fp32:
    return 4;
  default:
    return 2;
  }
}

/// Bits of the blue channel where all are in one number: as many have red, and green which may have
/// one more. Else none.
constexpr std::uint32_t packed_bits(image_channel_type type) {
  switch (type) {
  case image_channel_type::unorm_short_565:
  case image_channel_type::unorm_short_555:
    return 5;
  case image_channel_type::unorm_int_101010:
    return 10;
  default:
    return 0;
  }
}

/// How a pixel stands in memory.
struct pixel_format {
  /// What stands for a channel that memory does not have.
  enum : std::int8_t { zero = -1, one = -2 };

  image_channel_type type;
  /// Which of the numbers in memory are red, green, blue and alpha.
  std::int8_t places[4];
  /// How many there are.
  std::uint8_t count;
  /// Whether alpha is one beyond the image's edge, where a sampler clamps.
  bool is_opaque_outside;

  constexpr std::size_t size() const {
    return packed_bits(type) != 0 ? channel_size(type) : channel_size(type) * count;
  }
};

constexpr pixel_format format_of(image_channel_order order, image_channel_type type) {
  constexpr std::int8_t zero = pixel_format::zero, one = pixel_format::one;
  switch (order) {
  case image_channel_order::a:
    return {type, {zero, zero, zero, 0}, 1, false};
  case image_channel_order::r:
  case image_channel_order::rx:
    return {type, {0, zero, zero, one}, 1, order == image_channel_order::r};
  case image_channel_order::rg:
  case image_channel_order::rgx:
    return {type, {0, 1, zero, one}, 2, order == image_channel_order::rg};
  case image_channel_order::ra:
    return {type, {0, zero, zero, 1}, 2, false};
  case image_channel_order::rgb:
  case image_channel_order::rgbx:
    return {type, {0, 1, 2, one}, 3, order == image_channel_order::rgb};
  case image_channel_order::argb:
    return {type, {1, 2, 3, 0}, 4, false};
  case image_channel_order::bgra:
    return {type, {2, 1, 0, 3}, 4, false};
  case image_channel_order::intensity:
    return {type, {0, 0, 0, 0}, 1, false};
  case image_channel_order::luminance:
    return {type, {0, 0, 0, one}, 1, true};
  case image_channel_order::abgr:
    return {type, {3, 2, 1, 0}, 4, false};
  default:
    return {type, {0, 1, 2, 3}, 4, false};
  }
}

constexpr image_channel_type channel_type_of(image_format format) {
  switch (format) {
  case image_format::r16g16b16a16_unorm:
    return image_channel_type::unorm_int16;
  case image_format::r8g8b8a8_sint:
    return image_channel_type::signed_int8;
  case image_format::r16g16b16a16_sint:
    return image_channel_type::signed_int16;
  case image_format::r32b32g32a32_sint:
    return image_channel_type::signed_int32;
  case image_format::r8g8b8a8_uint:
    return image_channel_type::unsigned_int8;
  case image_format::r16g16b16a16_uint:
    return image_channel_type::unsigned_int16;
  case image_format::r32b32g32a32_uint:
    return image_channel_type::unsigned_int32;
  case image_format::r16b16g16a16_sfloat:
    return image_channel_type::fp16;
  case image_format::r32g32b32a32_sfloat:
    return image_channel_type::fp32;
  default:
    return image_channel_type::unorm_int8;
  }
}
constexpr pixel_format format_of(image_format format) {
  return format_of(format == image_format::b8g8r8a8_unorm ? image_channel_order::bgra
                                                          : image_channel_order::rgba,
                   channel_type_of(format));
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

/// The bits of a channel in a number that has all of them: from which, and how many.
struct packed_channel {
  std::uint32_t shift;
  std::uint32_t most;

  packed_channel(image_channel_type type, int number) {
    const std::uint32_t bits = packed_bits(type);
    const std::uint32_t green = type == image_channel_type::unorm_short_565 ? 6 : bits;
    shift = number == 0 ? bits + green : number == 1 ? bits : 0;
    most = (1u << (number == 1 ? green : bits)) - 1;
  }
};
inline std::uint32_t load_packed(const std::byte *place, image_channel_type type) {
  return channel_size(type) == 2 ? channel<const std::uint16_t>(place, 0)
                                 : channel<const std::uint32_t>(place, 0);
}

/// A number of a pixel in memory as a channel's value.
template <typename Computed>
Computed load_channel(const std::byte *place, image_channel_type type, int number) {
  if constexpr (std::is_same_v<Computed, float>) {
    switch (type) {
    case image_channel_type::unorm_int8:
      return channel<const std::uint8_t>(place, number) / 255.0f;
    case image_channel_type::unorm_int16:
      return channel<const std::uint16_t>(place, number) / 65535.0f;
    case image_channel_type::snorm_int8: {
      const float value = channel<const std::int8_t>(place, number) / 127.0f;
      return value < -1.0f ? -1.0f : value;
    }
    case image_channel_type::snorm_int16: {
      const float value = channel<const std::int16_t>(place, number) / 32767.0f;
      return value < -1.0f ? -1.0f : value;
    }
    case image_channel_type::unorm_short_565:
    case image_channel_type::unorm_short_555:
    case image_channel_type::unorm_int_101010: {
      const packed_channel packed(type, number);
      return static_cast<float>(load_packed(place, type) >> packed.shift & packed.most) /
             static_cast<float>(packed.most);
    }
    case image_channel_type::fp16:
      return half_impl::to_float(channel<const std::uint16_t>(place, number));
    default:
      return channel<const float>(place, number);
    }
  } else if constexpr (std::is_signed_v<Computed>) {
    if (type == image_channel_type::signed_int8)
      return channel<const std::int8_t>(place, number);
    if (type == image_channel_type::signed_int16)
      return channel<const std::int16_t>(place, number);
    return channel<const std::int32_t>(place, number);
  } else {
    if (type == image_channel_type::unsigned_int8)
      return channel<const std::uint8_t>(place, number);
    if (type == image_channel_type::unsigned_int16)
      return channel<const std::uint16_t>(place, number);
    return channel<const std::uint32_t>(place, number);
  }
}

/// The channels of a pixel in memory.
template <typename Computed>
pixel<Computed> load_pixel(const std::byte *place, const pixel_format &format) {
  pixel<Computed> result;
  for (int i = 0; i < 4; ++i) {
    const int number = format.places[i];
    result.channels[i] = number >= 0 ? load_channel<Computed>(place, format.type, number)
                                     : static_cast<Computed>(number == pixel_format::one ? 1 : 0);
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
/// The same with a sign; what is below -1 is the least number, which reads as -1 too.
inline std::int32_t to_snorm(float value, std::uint32_t most) {
  const float scaled = value * static_cast<float>(most);
  if (scaled < -static_cast<float>(most) - 0.5f)
    return -static_cast<std::int32_t>(most) - 1;
  return value < 0.0f ? -static_cast<std::int32_t>(to_unorm(-value, most))
                      : static_cast<std::int32_t>(to_unorm(value, most));
}
template <typename Stored, typename Value> Stored saturated(Value value) {
  using limits = std::numeric_limits<Stored>;
  if (value > static_cast<Value>(limits::max()))
    return limits::max();
  if (value < static_cast<Value>(limits::min()))
    return limits::min();
  return static_cast<Stored>(value);
}

/// Puts a channel's value into a number of a pixel in memory.
template <typename Computed>
void store_channel(std::byte *place, image_channel_type type, int number, Computed value) {
  if constexpr (std::is_same_v<Computed, float>) {
    switch (type) {
    case image_channel_type::unorm_int8:
      channel<std::uint8_t>(place, number) = static_cast<std::uint8_t>(to_unorm(value, 255));
      break;
    case image_channel_type::unorm_int16:
      channel<std::uint16_t>(place, number) = static_cast<std::uint16_t>(to_unorm(value, 65535));
      break;
    case image_channel_type::snorm_int8:
      channel<std::int8_t>(place, number) = static_cast<std::int8_t>(to_snorm(value, 127));
      break;
    case image_channel_type::snorm_int16:
      channel<std::int16_t>(place, number) = static_cast<std::int16_t>(to_snorm(value, 32767));
      break;
    case image_channel_type::fp16:
      channel<std::uint16_t>(place, number) = half_impl::from_float(value);
      break;
    default:
      channel<float>(place, number) = value;
    }
  } else if constexpr (std::is_signed_v<Computed>) {
    if (type == image_channel_type::signed_int8)
      channel<std::int8_t>(place, number) = saturated<std::int8_t>(value);
    else if (type == image_channel_type::signed_int16)
      channel<std::int16_t>(place, number) = saturated<std::int16_t>(value);
    else
      channel<std::int32_t>(place, number) = value;
  } else {
    if (type == image_channel_type::unsigned_int8)
      channel<std::uint8_t>(place, number) = saturated<std::uint8_t>(value);
    else if (type == image_channel_type::unsigned_int16)
      channel<std::uint16_t>(place, number) = saturated<std::uint16_t>(value);
    else
      channel<std::uint32_t>(place, number) = value;
  }
}

/// Puts red, green and blue into a number that has all of them.
inline void store_packed(std::byte *place, image_channel_type type, const pixel<float> &from) {
  std::uint32_t all = 0;
  for (int i = 0; i < 3; ++i) {
    const packed_channel packed(type, i);
    all |= to_unorm(from.channels[i], packed.most) << packed.shift;
  }
  if (channel_size(type) == 2)
    channel<std::uint16_t>(place, 0) = static_cast<std::uint16_t>(all);
  else
    channel<std::uint32_t>(place, 0) = all;
}

/// Puts channels into a pixel in memory; of several that are one there, red.
template <typename Computed>
void store_pixel(std::byte *place, const pixel_format &format, const pixel<Computed> &from) {
  if constexpr (std::is_same_v<Computed, float>)
    if (packed_bits(format.type) != 0)
      return store_packed(place, format.type, from);
  for (int i = 3; i >= 0; --i)
    if (format.places[i] >= 0)
      store_channel<Computed>(place, format.type, format.places[i], from.channels[i]);
}

} // namespace detail
} // namespace sycl
