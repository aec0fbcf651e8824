//===- hints.hpp - DPC++'s properties that tell drivers what would be fast --------------------===//
//
// sycl_ext_oneapi_queue_priority, sycl_ext_oneapi_discard_queue_events,
// sycl_ext_intel_queue_immediate_command_list, sycl_ext_oneapi_usm_device_read_only,
// sycl_ext_oneapi_copy_optimize, sycl_ext_oneapi_accessor_properties,
// sycl_ext_intel_buffer_location, sycl_ext_intel_runtime_buffer_location. They are taken and passed
// by: what a program computes is the same without. Those of queues stand in property_list.hpp.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/queue.hpp>

namespace sycl {

namespace ext::oneapi::property {
namespace usm {
/// Kernels only read what is allocated.
struct device_read_only {};
} // namespace usm
/// No other accessor of a command reaches the same memory.
struct no_alias {
  using constant = bool;
  template <bool = true> struct instance {};
};
/// The accessor begins where its buffer does.
struct no_offset {
  using constant = bool;
  template <bool = true> struct instance {};
};
template <bool First, bool Second>
constexpr bool operator==(no_alias::instance<First>, no_alias::instance<Second>) {
  return First == Second;
}
template <bool First, bool Second>
constexpr bool operator==(no_offset::instance<First>, no_offset::instance<Second>) {
  return First == Second;
}
} // namespace ext::oneapi::property

namespace ext::intel::property {
/// Which of the board's memories a buffer lies in.
struct buffer_location {
  using constant = int;
  template <int Number> struct instance {
    static constexpr int get_location() { return Number; }
  };
};
template <int First, int Second>
constexpr bool operator==(buffer_location::instance<First>, buffer_location::instance<Second>) {
  return First == Second;
}
} // namespace ext::intel::property

namespace detail {
/// The property that a value of compile time is of; of others, none.
template <typename Value> struct constant_property_of {};
template <bool Is> struct constant_property_of<ext::oneapi::property::no_alias::instance<Is>> {
  using type = ext::oneapi::property::no_alias;
};
template <bool Is> struct constant_property_of<ext::oneapi::property::no_offset::instance<Is>> {
  using type = ext::oneapi::property::no_offset;
};
template <int Number>
struct constant_property_of<ext::intel::property::buffer_location::instance<Number>> {
  using type = ext::intel::property::buffer_location;
};
/// Whether a property's values are of compile time.
template <typename Property, typename Value = void>
inline constexpr bool is_constant_property = false;
template <typename Property>
inline constexpr bool is_constant_property<Property, std::void_t<typename Property::constant>> =
    true;
template <typename Property, typename Value, typename = void>
inline constexpr bool is_value_of_property = false;
template <typename Property, typename Value>
inline constexpr bool
    is_value_of_property<Property, Value, std::void_t<typename constant_property_of<Value>::type>> =
        std::is_same_v<typename constant_property_of<Value>::type, Property>;
/// The first value of a property among others; nothing where there is none.
template <typename Property> void constant_value() {}
template <typename Property, typename First, typename... Rest> constexpr auto constant_value() {
  if constexpr (is_value_of_property<Property, First>)
    return First();
  else
    return constant_value<Property, Rest...>();
}
} // namespace detail

namespace ext::oneapi {
inline constexpr property::no_alias::instance<> no_alias;
inline constexpr property::no_offset::instance<> no_offset;

/// Properties of an accessor, of which compilers may know the types. What it promises is passed by;
/// no_init is what it is in any list.
template <typename... Properties> class accessor_property_list {
  template <typename Property>
  using if_constant = std::enable_if_t<sycl::detail::is_constant_property<Property>, int>;
  template <typename Property>
  using if_other = std::enable_if_t<!sycl::detail::is_constant_property<Property>, int>;

public:
  accessor_property_list(Properties... properties) : list(properties...) {}
  operator const property_list &() const { return list; }

  template <typename Property, if_constant<Property> = 0>
  static constexpr bool has_property() noexcept {
    return (... || sycl::detail::is_value_of_property<Property, Properties>);
  }
  template <typename Property, if_other<Property> = 0> bool has_property() const noexcept {
    return list.has_property<Property>();
  }
  template <typename Property, if_constant<Property> = 0> static constexpr auto get_property() {
    return sycl::detail::constant_value<Property, Properties...>();
  }
  template <typename Property, if_other<Property> = 0> Property get_property() const {
    return list.get_property<Property>();
  }

private:
  property_list list;
};
} // namespace ext::oneapi

namespace ext::intel {
template <int Number> inline constexpr property::buffer_location::instance<Number> buffer_location;
} // namespace ext::intel

namespace ext::intel::experimental::property::usm {
/// Which of the board's memories is allocated.
class buffer_location {
public:
  buffer_location(std::uint64_t location) : location(location) {}
  std::uint64_t get_buffer_location() const { return location; }

private:
  std::uint64_t location;
};
} // namespace ext::intel::experimental::property::usm

namespace ext::oneapi::experimental {

/// The host's memory will be copied to devices of the context, and is where it is until it is
/// released.
inline void prepare_for_device_copy(const void *, std::size_t, const context &) {}
inline void prepare_for_device_copy(const void *, std::size_t, const queue &) {}
inline void release_from_device_copy(const void *, const context &) {}
inline void release_from_device_copy(const void *, const queue &) {}

} // namespace ext::oneapi::experimental

#define PLSYCL_QUEUE_HINT(PROPERTY)                                                                \
  template <> struct is_property<PROPERTY> : std::true_type {};                                    \
  template <> struct is_property_of<PROPERTY, queue> : std::true_type {};
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_low)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_normal)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_high)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::discard_events)
PLSYCL_QUEUE_HINT(ext::intel::property::queue::compute_index)
PLSYCL_QUEUE_HINT(ext::intel::property::queue::immediate_command_list)
PLSYCL_QUEUE_HINT(ext::intel::property::queue::no_immediate_command_list)
#undef PLSYCL_QUEUE_HINT

template <> struct is_property<ext::oneapi::property::usm::device_read_only> : std::true_type {};
template <>
struct is_property<ext::intel::experimental::property::usm::buffer_location> : std::true_type {};
template <> struct is_property<ext::oneapi::property::no_alias> : std::true_type {};
template <> struct is_property<ext::oneapi::property::no_offset> : std::true_type {};
template <> struct is_property<ext::intel::property::buffer_location> : std::true_type {};
#define PLSYCL_ACCESSOR_HINT(PROPERTY)                                                             \
  template <typename Type, int Dimensions, access_mode Mode, target Target,                        \
            access::placeholder Holder>                                                            \
  struct is_property_of<PROPERTY, accessor<Type, Dimensions, Mode, Target, Holder>>                \
      : std::true_type {};
PLSYCL_ACCESSOR_HINT(ext::oneapi::property::no_alias)
PLSYCL_ACCESSOR_HINT(ext::oneapi::property::no_offset)
PLSYCL_ACCESSOR_HINT(ext::intel::property::buffer_location)
#undef PLSYCL_ACCESSOR_HINT
template <bool Is>
struct is_property<ext::oneapi::property::no_alias::instance<Is>> : std::true_type {};
template <bool Is>
struct is_property<ext::oneapi::property::no_offset::instance<Is>> : std::true_type {};
template <int Number>
struct is_property<ext::intel::property::buffer_location::instance<Number>> : std::true_type {};

} // namespace sycl
