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

/// Whether the bytes of a `T` are a copy of it, also on another device. Programs may specialize it
/// for types of their own whose copies, moves and destruction do no more than that.
template <typename T> struct is_device_copyable;

namespace detail {
/// What holds for an unqualified type holds for its qualified forms.
template <typename T>
using plain_device_copyable =
    std::conditional_t<std::is_same_v<T, std::remove_cv_t<T>>, std::is_trivially_copyable<T>,
                       is_device_copyable<std::remove_cv_t<T>>>;
} // namespace detail

template <typename T> struct is_device_copyable : detail::plain_device_copyable<T> {};

template <typename T> inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

template <typename T> struct is_device_copyable<std::array<T, 0>> : std::true_type {};
template <typename T, std::size_t Size>
struct is_device_copyable<std::array<T, Size>> : is_device_copyable<T> {};
template <typename T, std::size_t Size>
struct is_device_copyable<T[Size]> : is_device_copyable<T> {};
template <typename T> struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <typename First, typename Second>
struct is_device_copyable<std::pair<First, Second>>
    : std::conjunction<is_device_copyable<First>, is_device_copyable<Second>> {};
template <typename... T>
struct is_device_copyable<std::tuple<T...>> : std::conjunction<is_device_copyable<T>...> {};
template <typename... T>
struct is_device_copyable<std::variant<T...>> : std::conjunction<is_device_copyable<T>...> {};
template <typename Character, typename Traits>
struct is_device_copyable<std::basic_string_view<Character, Traits>> : std::true_type {};
#if __cplusplus >= 202002L
template <typename T, std::size_t Extent>
struct is_device_copyable<std::span<T, Extent>> : std::true_type {};
#endif

} // namespace sycl
