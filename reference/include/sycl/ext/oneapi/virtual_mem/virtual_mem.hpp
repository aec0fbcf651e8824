//===- virtual_mem.hpp - sycl_ext_oneapi_virtual_mem, which is not there
//-----------------------===//
//
// Its names are, as headers that dpct writes beside every program mention them. Who uses one is
// told.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace sycl::ext::oneapi::experimental {

enum class address_access_mode : char { none = 0, read = 1, read_write = 2 };

class physical_mem {
public:
  template <typename... Given> explicit physical_mem(const Given &...) {
    static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_virtual_mem");
  }
};

template <typename... Given> std::size_t reserve_virtual_mem(const Given &...) {
  static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_virtual_mem");
  return 0;
}

} // namespace sycl::ext::oneapi::experimental
