//===- properties.hpp - properties of device globals (sycl_ext_oneapi_device_global) ---------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename Type, typename Properties = empty_properties_t> class device_global;

/// One device image alone has the variable, in which the value then stands itself.
struct device_image_scope_key {
  using value_t = property_value<device_image_scope_key>;
};
inline constexpr device_image_scope_key::value_t device_image_scope;

/// How the program promises to copy.
enum class host_access_enum : unsigned { read, write, read_write, none };
struct host_access_key {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
template <host_access_enum Access> inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read;
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write;
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write;
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none;

// What follows is for FPGA hardware, and without effect elsewhere.

enum class init_mode_enum : unsigned { reprogram, reset };
struct init_mode_key {
  template <init_mode_enum Trigger>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Trigger>>;
};
template <init_mode_enum Trigger> inline constexpr init_mode_key::value_t<Trigger> init_mode;
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram;
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset;

struct implement_in_csr_key {
  template <bool Enable>
  using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};
template <bool Enable> inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr;
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on;
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off;

#define PLSYCL_OF_DEVICE_GLOBAL(KEY)                                                               \
  template <> struct is_property_key<KEY> : std::true_type {};                                     \
  template <typename Type, typename Properties>                                                    \
  struct is_property_key_of<KEY, device_global<Type, Properties>> : std::true_type {};
PLSYCL_OF_DEVICE_GLOBAL(device_image_scope_key)
PLSYCL_OF_DEVICE_GLOBAL(host_access_key)
PLSYCL_OF_DEVICE_GLOBAL(init_mode_key)
PLSYCL_OF_DEVICE_GLOBAL(implement_in_csr_key)
#undef PLSYCL_OF_DEVICE_GLOBAL

} // namespace sycl::ext::oneapi::experimental
