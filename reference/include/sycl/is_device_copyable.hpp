//===- is_device_copyable.hpp - which types a kernel may get a copy of -----------------------===//
//
// The device compilation asks the trait for what kernels capture (SYCL 2020, "Device copyable").
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace sycl {

template <typename Type, std::size_t Elements> class marray;

/// Whether the bytes of a `Type` are a copy of it, also on another device. Programs may specialize
/// it for types of their own whose copies, moves and destruction do no more than that.
template <typename Type> struct is_device_copyable;

namespace detail {
/// What holds for an unqualified type holds for its qualified forms.
template <typename Type>
using plain_device_copyable = std::conditional_t<std::is_same_v<Type, std::remove_cv_t<Type>>,
                                                 std::is_trivially_copyable<Type>,
                                                 is_device_copyable<std::remove_cv_t<Type>>>;
} // namespace detail

template <typename Type> struct is_device_copyable : detail::plain_device_copyable<Type> {};

template <typename Type>
inline constexpr bool is_device_copyable_v = is_device_copyable<Type>::value;

template <typename Type> struct is_device_copyable<std::array<Type, 0>> : std::true_type {};
template <typename Type, std::size_t Size>
struct is_device_copyable<std::array<Type, Size>> : is_device_copyable<Type> {};
template <typename Type, std::size_t Elements>
struct is_device_copyable<marray<Type, Elements>> : is_device_copyable<Type> {};
template <typename Type, std::size_t Size>
struct is_device_copyable<Type[Size]> : is_device_copyable<Type> {};
template <typename Type>
struct is_device_copyable<std::optional<Type>> : is_device_copyable<Type> {};
template <typename First, typename Second>
struct is_device_copyable<std::pair<First, Second>>
    : std::conjunction<is_device_copyable<First>, is_device_copyable<Second>> {};
template <typename... Type>
struct is_device_copyable<std::tuple<Type...>> : std::conjunction<is_device_copyable<Type>...> {};
template <typename... Type>
struct is_device_copyable<std::variant<Type...>> : std::conjunction<is_device_copyable<Type>...> {};
template <typename Character, typename Traits>
struct is_device_copyable<std::basic_string_view<Character, Traits>> : std::true_type {};
#if __cplusplus >= 202002L
template <typename Type, std::size_t Extent>
struct is_device_copyable<std::span<Type, Extent>> : std::true_type {};
#endif

} // namespace sycl
