//===- properties.hpp - what kernels may be told (sycl_ext_oneapi_kernel_properties) ---------===//
//
// Given beside a functor or by its `get`, a property is what the attribute of SYCL 2020 is that it
// stands for: a function that carries the attribute is called by the kernel, from which the
// lowering takes it as from a call operator.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

// A name of SYCL's attributes, of which programs may have made a macro.
#pragma push_macro("device_has")
#undef device_has

#include <sycl/aspects.hpp>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sycl::ext::oneapi::experimental {

struct work_group_size_key {
  template <std::size_t... Sizes>
  using value_t =
      property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct work_group_size_hint_key {
  template <std::size_t... Sizes>
  using value_t =
      property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct sub_group_size_key {
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
struct device_has_key {
  template <aspect... Aspects>
  using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};
/// Of sycl_ext_oneapi_root_group.
struct use_root_sync_key {
  using value_t = property_value<use_root_sync_key>;
};

namespace detail {
/// Sizes of a work-group, in the order of a `range`.
template <std::size_t... Sizes> struct group_sizes {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3,
                "a work-group has 1 to 3 dimensions");
  static_assert(((Sizes > 0) && ...), "a work-group has at least one work-item");
  constexpr std::size_t operator[](int dimension) const {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[static_cast<std::size_t>(dimension)];
  }
};
} // namespace detail

template <std::size_t... Sizes>
struct property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...>
    : detail::group_sizes<Sizes...> {
  using key_t = work_group_size_key;
};
template <std::size_t... Sizes>
struct property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...>
    : detail::group_sizes<Sizes...> {
  using key_t = work_group_size_hint_key;
};
template <std::uint32_t Size>
struct property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>> {
  using key_t = sub_group_size_key;
  using value_t = std::integral_constant<std::uint32_t, Size>;
  static constexpr std::uint32_t value = Size;
};
template <aspect... Aspects>
struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};

/// Sizes that a device chooses (sycl_ext_oneapi_named_sub_group_sizes): one that has all of SYCL's
/// core features, or any.
enum named_sub_group_size : std::uint32_t { automatic = 0, primary = 0xffff'ffff };

namespace detail {
template <std::uint32_t Size> struct sized_sub_group {
  static_assert(Size > 0, "a sub-group has at least one work-item");
  static_assert(Size != named_sub_group_size::primary, "sub_group_size_primary says this");
  using type = sub_group_size_key::value_t<Size>;
};
} // namespace detail

template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;
template <std::uint32_t Size>
inline constexpr typename detail::sized_sub_group<Size>::type sub_group_size;
inline constexpr sub_group_size_key::value_t<named_sub_group_size::primary> sub_group_size_primary;
inline constexpr sub_group_size_key::value_t<named_sub_group_size::automatic>
    sub_group_size_automatic;
template <aspect... Aspects> inline constexpr device_has_key::value_t<Aspects...> device_has;

inline constexpr use_root_sync_key::value_t use_root_sync;

template <> struct is_property_key<use_root_sync_key> : std::true_type {};
template <> struct is_property_key<work_group_size_key> : std::true_type {};
template <> struct is_property_key<work_group_size_hint_key> : std::true_type {};
template <> struct is_property_key<sub_group_size_key> : std::true_type {};
template <> struct is_property_key<device_has_key> : std::true_type {};

/// Whether a property makes another kernel of a functor.
template <typename Value> struct has_compile_time_kernel_effect : std::false_type {};
template <typename... Sizes>
struct has_compile_time_kernel_effect<property_value<work_group_size_key, Sizes...>>
    : std::true_type {};
template <typename... Sizes>
struct has_compile_time_kernel_effect<property_value<work_group_size_hint_key, Sizes...>>
    : std::true_type {};
template <typename... Sizes>
struct has_compile_time_kernel_effect<property_value<sub_group_size_key, Sizes...>>
    : std::true_type {};
template <typename... Aspects>
struct has_compile_time_kernel_effect<property_value<device_has_key, Aspects...>> : std::true_type {
};
template <typename Value>
inline constexpr bool has_compile_time_kernel_effect_v =
    has_compile_time_kernel_effect<Value>::value;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <typename... Values>
struct syncs_root<ext::oneapi::experimental::properties<
    ext::oneapi::experimental::detail::property_types<Values...>>>
    : std::bool_constant<(
          std::is_same_v<Values, ext::oneapi::experimental::use_root_sync_key::value_t> || ...)> {};

template <typename... Values>
struct device_demands<ext::oneapi::experimental::properties<
    ext::oneapi::experimental::detail::property_types<Values...>>>
    : std::disjunction<device_demand<Values>...> {
  template <typename Device> static void check(const Device &target) {
    (device_demand<Values>::check(target), ...);
  }
};

#if (defined(__SYCL_DEVICE_ONLY__) || defined(PLSYCL_SOURCE_BUNDLE)) && !defined(PLSYCL_UPSTREAM)

/// What a property that stands before a function says of it, as the annotation has it: which
/// attribute it stands for, and its numbers, or for aspects a bit each. Others say nothing.
template <typename Value> struct said_of_function {
  static constexpr std::uint64_t values[4] = {};
};
template <std::size_t... Sizes>
struct said_of_function<ext::oneapi::experimental::work_group_size_key::value_t<Sizes...>> {
  static constexpr std::uint64_t values[4] = {1, Sizes...};
};
template <std::size_t... Sizes>
struct said_of_function<ext::oneapi::experimental::work_group_size_hint_key::value_t<Sizes...>> {
  static constexpr std::uint64_t values[4] = {2, Sizes...};
};
template <std::uint32_t Size>
struct said_of_function<ext::oneapi::experimental::sub_group_size_key::value_t<Size>> {
  static constexpr std::uint64_t values[4] = {3, Size};
};
template <aspect... Aspects>
struct said_of_function<ext::oneapi::experimental::device_has_key::value_t<Aspects...>> {
  static constexpr std::uint64_t word(int place) {
    return ((static_cast<int>(Aspects) / 64 == place
                 ? std::uint64_t(1) << static_cast<int>(Aspects) % 64
                 : 0) |
            ... | std::uint64_t(0));
  }
  static constexpr std::uint64_t values[4] = {4, word(0), word(1), word(2)};
};

/// A function that carries what a property says; a property of something else says nothing.
template <typename Value> struct stated_property {
  static void state() {}
};
#define PLSYCL_STATED(KEY, TYPE, ANNOTATION)                                                       \
  template <TYPE... Numbers>                                                                       \
  struct stated_property<ext::oneapi::experimental::property_value<                                \
      ext::oneapi::experimental::KEY, std::integral_constant<TYPE, Numbers>...>> {                 \
    __attribute__((annotate(ANNOTATION, Numbers...))) static void state() {}                       \
  };
PLSYCL_STATED(work_group_size_key, std::size_t, "sycl-reqd-work-group-size")
PLSYCL_STATED(work_group_size_hint_key, std::size_t, "sycl-work-group-size-hint")
PLSYCL_STATED(sub_group_size_key, std::uint32_t, "sycl-reqd-sub-group-size")
PLSYCL_STATED(device_has_key, aspect, "sycl-device-has")
#undef PLSYCL_STATED
#define PLSYCL_STATED_NAME(NAME, PLACE)                                                            \
  template <>                                                                                      \
  struct stated_property<ext::oneapi::experimental::sub_group_size_key::value_t<                   \
      ext::oneapi::experimental::named_sub_group_size::NAME>> {                                    \
    __attribute__((annotate("sycl-named-sub-group-size", PLACE))) static void state() {}           \
  };
PLSYCL_STATED_NAME(automatic, 0)
PLSYCL_STATED_NAME(primary, 1)
#undef PLSYCL_STATED_NAME

template <typename... Values>
struct stated_properties<ext::oneapi::experimental::properties<
    ext::oneapi::experimental::detail::property_types<Values...>>> {
  PLSYCL_PART_OF_CALLER static void state() { (stated_property<Values>::state(), ...); }
};

#endif

} // namespace sycl::detail

#pragma pop_macro("device_has")
