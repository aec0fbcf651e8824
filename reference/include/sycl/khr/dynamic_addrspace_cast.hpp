//===- dynamic_addrspace_cast.hpp - sycl_khr_dynamic_addrspace_cast --------------------------===//
#pragma once

#include <sycl/multi_ptr.hpp>

namespace sycl::khr {

/// The pointer as one into `Space`, null where what it points to lies elsewhere. The calling
/// work-item must be able to reach that.
template <access::address_space Space, typename ElementType>
multi_ptr<ElementType, Space, access::decorated::no> dynamic_addrspace_cast(ElementType *place) {
  return address_space_cast<Space, access::decorated::no>(place);
}
template <access::address_space Space, typename ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> dynamic_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> place) {
  return address_space_cast<Space, DecorateAddress>(place.get_raw());
}

} // namespace sycl::khr
