//===- dynamic_addrspace_cast.hpp - sycl_khr_dynamic_addrspace_cast --------------------------===//
#pragma once

#include <sycl/multi_ptr.hpp>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern PLSYCL_GLOBAL void *__spirv_GenericCastToPtrExplicit_ToGlobal(void *place, int storage);
extern PLSYCL_LOCAL void *__spirv_GenericCastToPtrExplicit_ToLocal(void *place, int storage);
extern PLSYCL_PRIVATE void *__spirv_GenericCastToPtrExplicit_ToPrivate(void *place, int storage);
#endif

namespace sycl::detail {

/// Whether the device finds the pointer to point into the space.
template <access::address_space Space> bool points_into([[maybe_unused]] void *place) {
  using access::address_space;
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  if constexpr (Space == address_space::global_space)
    return __nvvm_isspacep_global(place);
  else if constexpr (Space == address_space::local_space)
    return __nvvm_isspacep_shared(place);
  else if constexpr (Space == address_space::private_space)
    return __nvvm_isspacep_local(place);
#elif defined(__SYCL_DEVICE_ONLY__)
  // SPIR-V's numbers of the spaces.
  if constexpr (Space == address_space::global_space)
    return __spirv_GenericCastToPtrExplicit_ToGlobal(place, 5) != nullptr;
  else if constexpr (Space == address_space::local_space)
    return __spirv_GenericCastToPtrExplicit_ToLocal(place, 4) != nullptr;
  else if constexpr (Space == address_space::private_space)
    return __spirv_GenericCastToPtrExplicit_ToPrivate(place, 7) != nullptr;
#endif
  return true;
}

/// The pointer as one into the space; null where the device finds that it points elsewhere.
template <access::address_space Space, access::decorated DecorateAddress, typename ElementType>
multi_ptr<ElementType, Space, DecorateAddress> checked_cast(ElementType *place) {
  if (!points_into<Space>((void *)place))
    return nullptr;
  return asserted_cast<Space, DecorateAddress>(place);
}

} // namespace sycl::detail

namespace sycl::khr {

/// The pointer as one into `Space`, null where what it points to lies elsewhere. The calling
/// work-item must be able to reach that.
template <access::address_space Space, typename ElementType>
multi_ptr<ElementType, Space, access::decorated::no> dynamic_addrspace_cast(ElementType *place) {
  return sycl::detail::checked_cast<Space, access::decorated::no>(place);
}
template <access::address_space Space, typename ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> dynamic_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> place) {
  return sycl::detail::checked_cast<Space, DecorateAddress>(place.get_raw());
}

} // namespace sycl::khr
