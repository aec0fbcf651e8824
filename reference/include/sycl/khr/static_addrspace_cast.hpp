//===- static_addrspace_cast.hpp - sycl_khr_static_addrspace_cast ----------------------------===//
#pragma once

#include <sycl/multi_ptr.hpp>

namespace sycl::khr {

/// The pointer as one into `Space`, which what it points to must lie in; nothing is asked at run
/// time.
template <access::address_space Space, typename ElementType>
multi_ptr<ElementType, Space, access::decorated::no> static_addrspace_cast(ElementType *place) {
  return sycl::detail::asserted_cast<Space, access::decorated::no>(place);
}
template <access::address_space Space, typename ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> static_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> place) {
  return sycl::detail::asserted_cast<Space, DecorateAddress>(place.get_raw());
}

} // namespace sycl::khr
