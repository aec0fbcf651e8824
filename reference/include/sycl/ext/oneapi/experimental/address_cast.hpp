//===- address_cast.hpp - pointers into a space (sycl_ext_oneapi_address_cast) ---------------===//
//
// What sycl_khr_static_addrspace_cast and sycl_khr_dynamic_addrspace_cast came from.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/khr/dynamic_addrspace_cast.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

namespace sycl::ext::oneapi::experimental {

inline constexpr access::address_space global_space = access::address_space::global_space;
inline constexpr access::address_space local_space = access::address_space::local_space;
inline constexpr access::address_space private_space = access::address_space::private_space;
inline constexpr access::address_space generic_space = access::address_space::generic_space;

/// The program knows that the pointer, a plain or a generic one, is into that space.
template <access::address_space Space, typename Pointer> auto static_address_cast(Pointer place) {
  return khr::static_addrspace_cast<Space>(place);
}
/// Null where it is into another.
template <access::address_space Space, typename Pointer> auto dynamic_address_cast(Pointer place) {
  return khr::dynamic_addrspace_cast<Space>(place);
}

// Before it took generic pointers the document had the program say what the result is.
template <access::address_space Space, access::decorated Decorated, typename ElementType>
multi_ptr<ElementType, Space, Decorated> static_address_cast(ElementType *place) {
  return sycl::detail::asserted_cast<Space, Decorated>(place);
}
template <access::address_space Space, access::decorated Decorated, typename ElementType>
multi_ptr<ElementType, Space, Decorated> dynamic_address_cast(ElementType *place) {
  return sycl::detail::checked_cast<Space, Decorated>(place);
}

} // namespace sycl::ext::oneapi::experimental
