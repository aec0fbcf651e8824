//===- properties.hpp - properties of annotated arguments and pointers -----------------------===//
//
// sycl_ext_oneapi_annotated_arg and _ptr. All but the alignment are about the interface that an
// argument becomes on an FPGA, and without effect here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

struct alignment_key {
  template <int Bytes>
  using value_t = property_value<alignment_key, std::integral_constant<int, Bytes>>;
};
template <int Bytes> inline constexpr alignment_key::value_t<Bytes> alignment;

struct restrict_key {
  using value_t = property_value<restrict_key>;
};
inline constexpr restrict_key::value_t restrict;

template <> struct is_property_key<alignment_key> : std::true_type {};
template <> struct is_property_key<restrict_key> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::ext::intel::experimental {

#define PLSYCL_INTERFACE(NAME, TYPE)                                                               \
  struct NAME##_key {                                                                              \
    template <TYPE Value>                                                                          \
    using value_t =                                                                                \
        oneapi::experimental::property_value<NAME##_key, std::integral_constant<TYPE, Value>>;     \
  };                                                                                               \
  template <TYPE Value> inline constexpr NAME##_key::value_t<Value> NAME;
PLSYCL_INTERFACE(buffer_location, int)
PLSYCL_INTERFACE(awidth, int)
PLSYCL_INTERFACE(dwidth, int)
PLSYCL_INTERFACE(latency, int)
PLSYCL_INTERFACE(maxburst, int)
PLSYCL_INTERFACE(wait_request, bool)
#undef PLSYCL_INTERFACE
inline constexpr wait_request_key::value_t<true> wait_request_requested;
inline constexpr wait_request_key::value_t<false> wait_request_not_requested;

#define PLSYCL_INTERFACE(NAME)                                                                     \
  struct NAME##_key {                                                                              \
    using value_t = oneapi::experimental::property_value<NAME##_key>;                              \
  };                                                                                               \
  inline constexpr NAME##_key::value_t NAME;
PLSYCL_INTERFACE(conduit)
PLSYCL_INTERFACE(register_map)
PLSYCL_INTERFACE(stable)
#undef PLSYCL_INTERFACE

enum class read_write_mode_enum : unsigned { read_write, read, write };
struct read_write_mode_key {
  template <read_write_mode_enum Mode>
  using value_t =
      oneapi::experimental::property_value<read_write_mode_key,
                                           std::integral_constant<read_write_mode_enum, Mode>>;
};
template <read_write_mode_enum Mode>
inline constexpr read_write_mode_key::value_t<Mode> read_write_mode;
inline constexpr read_write_mode_key::value_t<read_write_mode_enum::read> read_write_mode_read;
inline constexpr read_write_mode_key::value_t<read_write_mode_enum::write> read_write_mode_write;
inline constexpr read_write_mode_key::value_t<read_write_mode_enum::read_write>
    read_write_mode_readwrite;

} // namespace sycl::ext::intel::experimental
