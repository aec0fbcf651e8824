//===- elements.hpp - what vectors and arrays ask about their elements -----------------------===//
#pragma once

#include <sycl/half.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl::ext::oneapi {
class bfloat16;
}

namespace sycl::detail {

template <typename Type>
inline constexpr bool is_number = std::is_arithmetic_v<Type> || std::is_same_v<Type, half>;
/// What can be calculated with: numbers of SYCL, and of the extension for short ones.
template <typename Type>
inline constexpr bool is_calculable =
    is_number<Type> || std::is_same_v<Type, ext::oneapi::bfloat16>;
/// Whether bits of elements can be combined.
template <typename Type>
inline constexpr bool has_bits = std::is_integral_v<Type> || std::is_same_v<Type, std::byte>;

/// What several elements convert to in the place of one: nothing that programs know.
template <typename Type> struct no_element {
  explicit constexpr no_element(const Type &) {}
};
/// What `Count` elements convert to. The conversion of one must be no template, which could not
/// convert any further (SYCL 2020, 4.14.2.1).
template <typename Type, std::size_t Count>
using single_element = std::conditional_t<Count == 1, Type, no_element<Type>>;

// Which operators there are.
template <typename Type> using if_any = std::enable_if_t<sizeof(Type) != 0, int>;
template <typename Type> using if_bits = std::enable_if_t<has_bits<Type>, int>;
template <typename Type> using if_calculable = std::enable_if_t<is_calculable<Type>, int>;
template <typename Type>
using if_countable = std::enable_if_t<is_calculable<Type> && !std::is_same_v<Type, bool>, int>;
template <typename Type>
using if_integral_element = std::enable_if_t<std::is_integral_v<Type>, int>;

} // namespace sycl::detail
