//===- virtual_mem.hpp - sycl_ext_oneapi_virtual_mem, which is not there --------------------===//
//
// Its names are, as headers that dpct writes beside every program mention them. Who uses one is
// told.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace sycl::ext::oneapi::experimental {

enum class address_access_mode : char { none = 0, read = 1, read_write = 2 };

#define PLSYCL_OF_VIRTUAL_MEMORY(NAME)                                                             \
  template <typename... Given> std::size_t NAME(const Given &...) {                                \
    static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_virtual_mem");          \
    return 0;                                                                                      \
  }
class physical_mem {
public:
  template <typename... Given> explicit physical_mem(const Given &...) {
    static_assert(sizeof...(Given) > 64, "Plumbline has no sycl_ext_oneapi_virtual_mem");
  }
  PLSYCL_OF_VIRTUAL_MEMORY(map)
};
PLSYCL_OF_VIRTUAL_MEMORY(get_mem_granularity)
PLSYCL_OF_VIRTUAL_MEMORY(reserve_virtual_mem)
PLSYCL_OF_VIRTUAL_MEMORY(free_virtual_mem)
PLSYCL_OF_VIRTUAL_MEMORY(unmap)
PLSYCL_OF_VIRTUAL_MEMORY(set_access_mode)
#undef PLSYCL_OF_VIRTUAL_MEMORY

} // namespace sycl::ext::oneapi::experimental
