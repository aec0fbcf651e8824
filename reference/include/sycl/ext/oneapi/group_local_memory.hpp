//===- group_local_memory.hpp - sycl_ext_oneapi_local_memory --------------------------------===//
#pragma once

#include <sycl/detail/group_values.hpp>
#include <sycl/multi_ptr.hpp>

#include <new>
#include <type_traits>

#ifdef PLSYCL_UPSTREAM
#error "Plumbline has no sycl_ext_oneapi_local_memory for upstream's compiler"
#endif

namespace sycl {
#ifdef __SYCL_DEVICE_ONLY__
/// Local memory of which each call in the code has its own, as the lowering gives it
/// (`frontend/local_memory.rs`); both arguments are constants.
extern "C" PLSYCL_LOCAL void *__plumbline_memory_of_call(std::size_t size, std::size_t alignment);
#endif

namespace detail {
/// Memory of the work-group's that only this call has; a caller that is put in its place has as
/// many as it has places.
template <typename Type> PLSYCL_IN_PLACE void *memory_of_call() {
  static_assert(std::is_trivially_destructible_v<Type>, "nobody destroys what is in local memory");
#ifdef __SYCL_DEVICE_ONLY__
  return __plumbline_memory_of_call(sizeof(Type), alignof(Type));
#else
  return nullptr;
#endif
}
} // namespace detail

namespace ext::oneapi {

/// Local memory of a work-group for a `Type`. Every call has memory of its own. The object is
/// initialized as std::make_shared_for_overwrite does it: where `Type` has a default constructor
/// that does something, one work-item runs it, and a barrier follows; else the memory stays as it
/// is.
template <typename Type, typename Group>
PLSYCL_IN_PLACE multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory_for_overwrite([[maybe_unused]] Group group) {
  void *memory = detail::memory_of_call<Type>();
  if constexpr (!std::is_trivially_default_constructible_v<Type>) {
    if (group.get_local_linear_id() == 0)
      ::new (memory) Type;
    detail::work_group_barrier();
  }
  return multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>(
      static_cast<Type *>(memory));
}

/// The same, constructed once, by one work-item from the arguments; a barrier follows.
template <typename Type, typename Group, typename... Arguments>
PLSYCL_IN_PLACE multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory(Group group, Arguments &&...arguments) {
  void *memory = detail::memory_of_call<Type>();
  if (group.get_local_linear_id() == 0)
    ::new (memory) Type{static_cast<Arguments &&>(arguments)...};
  detail::work_group_barrier();
  return multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>(
      static_cast<Type *>(memory));
}

} // namespace ext::oneapi

// DPC++'s former names.
using ext::oneapi::group_local_memory;
using ext::oneapi::group_local_memory_for_overwrite;
} // namespace sycl
