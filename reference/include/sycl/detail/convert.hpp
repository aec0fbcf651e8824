//===- convert.hpp - numbers of one type as those of another, rounded as asked ---------------===//
#pragma once

#include <sycl/detail/builtins/c_math.hpp>
#include <sycl/half.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sycl {

namespace ext::oneapi {
class bfloat16;
}

/// How a number becomes one of a type that does not have it (SYCL 2020, 4.14.2.3). By itself,
/// numbers with a fraction go to the nearest, and to the even one of two: so does every vec of
/// them.
enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

namespace detail {

template <typename Type>
inline constexpr bool is_floating = std::is_floating_point_v<Type> || std::is_same_v<Type, half> ||
                                    std::is_same_v<Type, ext::oneapi::bfloat16>;

/// The unsigned integer of a number's size.
template <typename Type>
using bits_of = std::conditional_t<
    sizeof(Type) == 1, std::uint8_t,
    std::conditional_t<sizeof(Type) == 2, std::uint16_t,
                       std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>>>;

/// The floating-point number next to one that is not zero, away from zero or towards it.
template <typename Type> Type neighbour(Type value, int away) {
  bits_of<Type> bits;
  std::memcpy(&bits, &value, sizeof(Type));
  bits = static_cast<bits_of<Type>>(bits + static_cast<bits_of<Type>>(away));
  std::memcpy(static_cast<void *>(&value), &bits, sizeof(Type));
  return value;
}

/// How `near`, which is a number's nearest, compares with the number: below 0, 0, above 0.
template <typename Near, typename From> int compare_exactly(Near near, From from) {
  // As wide as the two need: devices without double convert between the others too.
  constexpr bool is_double = std::is_same_v<Near, double> || std::is_same_v<From, double>;
  using Wide = std::conditional_t<is_double, double, float>;
  const auto left = static_cast<Wide>(near);
  if constexpr (std::is_integral_v<From>) {
    using limits = std::numeric_limits<From>;
    // The greatest number of a wide type has a nearest one outside of it, the least one is itself.
    constexpr auto greatest = static_cast<Wide>(limits::max());
    constexpr bool is_outside = limits::digits > std::numeric_limits<Wide>::digits;
    if (left > greatest || (is_outside && left == greatest))
      return 1;
    if (left < static_cast<Wide>(limits::min()))
      return -1;
    const auto back = static_cast<From>(left);
    return (back > from) - (back < from);
  } else {
    const auto right = static_cast<Wide>(from);
    return (left > right) - (left < right);
  }
}

/// Towards an integer, as a floating-point number.
template <rounding_mode Mode, typename Type> Type rounded(Type value) {
  using Computed = std::conditional_t<std::is_same_v<Type, half>, float, Type>;
  const auto number = static_cast<Computed>(value);
  if constexpr (Mode == rounding_mode::rte || Mode == rounding_mode::automatic)
    return static_cast<Type>(c_math::rint(number));
  else if constexpr (Mode == rounding_mode::rtp)
    return static_cast<Type>(c_math::ceil(number));
  else if constexpr (Mode == rounding_mode::rtn)
    return static_cast<Type>(c_math::floor(number));
  else
    return value;
}

/// One number as another type's.
template <typename To, rounding_mode Mode, typename From> To converted(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, bool> || !(is_floating<To> || is_floating<From>)) {
    return static_cast<To>(from);
  } else if constexpr (!is_floating<To>) {
    return static_cast<To>(rounded<Mode>(from));
  } else {
    const To near = static_cast<To>(from);
    constexpr bool may_round =
        !(is_floating<From> && sizeof(From) < sizeof(To)) && !std::is_same_v<From, bool>;
    if constexpr (!may_round || Mode == rounding_mode::automatic || Mode == rounding_mode::rte) {
      return near;
    } else {
      const int above = compare_exactly(near, from);
      const bool negative = near < To(0) || (near == To(0) && above > 0);
      if (above == 0 || near != near)
        return near;
      // A number has been rounded to zero only if it was tiny.
      const bool down = Mode == rounding_mode::rtn || (Mode == rounding_mode::rtz && !negative);
      if (above > 0 && down)
        return near == To(0) ? -std::numeric_limits<To>::denorm_min()
                             : neighbour(near, negative ? 1 : -1);
      if (above < 0 && !down)
        return near == To(0) ? std::numeric_limits<To>::denorm_min()
                             : neighbour(near, negative ? -1 : 1);
      return near;
    }
  }
}

} // namespace detail
} // namespace sycl
