//===- fpga_lsu.hpp - loads and stores as hardware makes them (sycl_ext_intel_fpga_lsu) ------===//
//
// The parameters say what a load or store becomes on an FPGA; elsewhere they are without effect.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/multi_ptr.hpp>

#include <cstdint>

namespace sycl::ext::intel {

template <bool Enable> struct burst_coalesce_impl {
  static constexpr bool value = Enable;
};
template <std::int32_t Size> struct cache {
  static_assert(Size >= 0, "a cache has no negative size");
  static constexpr std::int32_t value = Size;
};
template <bool Enable> struct prefetch_impl {
  static constexpr bool value = Enable;
};
template <bool Enable> struct statically_coalesce_impl {
  static constexpr bool value = Enable;
};
template <bool Enable> using burst_coalesce = burst_coalesce_impl<Enable>;
template <bool Enable> using prefetch = prefetch_impl<Enable>;
template <bool Enable> using statically_coalesce = statically_coalesce_impl<Enable>;

template <typename... Parameters> class lsu {
public:
  template <typename Type, access::address_space Space, access::decorated Decorated>
  static Type load(multi_ptr<Type, Space, Decorated> from) {
    static_assert(is_global<Space>, "an LSU is for global memory");
    return *from;
  }
  template <typename Type, access::address_space Space, access::decorated Decorated>
  static void store(multi_ptr<Type, Space, Decorated> to, Type value) {
    static_assert(is_global<Space>, "an LSU is for global memory");
    *to = value;
  }

private:
  template <access::address_space Space>
  static constexpr bool is_global = Space == access::address_space::global_space ||
                                    Space == access::address_space::ext_intel_global_device_space;
};

} // namespace sycl::ext::intel
