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

namespace ext::oneapi {

/// Local memory of a work-group for a `Type`, uninitialized. Every call has memory of its own.
template <typename Type, typename Group>
PLSYCL_IN_PLACE multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory_for_overwrite(Group) {
  static_assert(std::is_trivially_destructible_v<Type>, "nobody destroys what is in local memory");
#ifdef __SYCL_DEVICE_ONLY__
  void *memory = __plumbline_memory_of_call(sizeof(Type), alignof(Type));
#else
  void *memory = nullptr;
#endif
  return multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>(
      static_cast<Type *>(memory));
}

/// The same, constructed by one work-item from the arguments; a barrier follows.
template <typename Type, typename Group, typename... Arguments>
PLSYCL_IN_PLACE multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory(Group group, Arguments &&...arguments) {
  const auto memory = group_local_memory_for_overwrite<Type>(group);
  if (group.get_local_linear_id() == 0)
    ::new (static_cast<void *>(memory.get_raw())) Type{static_cast<Arguments &&>(arguments)...};
  detail::work_group_barrier();
  return memory;
}

} // namespace ext::oneapi
} // namespace sycl
