//===- group_local_memory.hpp - sycl_ext_oneapi_local_memory --------------------------------===//
#pragma once

#include <sycl/detail/group_values.hpp>
#include <sycl/multi_ptr.hpp>

#include <new>

#if __cplusplus < 202002L
#define PLSYCL_CALL_SITE void
#else
/// Another type at each place that the template is used at.
#define PLSYCL_CALL_SITE decltype([] {})
#endif

namespace sycl::ext::oneapi {

/// Local memory of a work-group for a `Type`, uninitialized. Every call has memory of its own,
/// which takes C++20's lambda expressions in template arguments to tell.
template <typename Type, typename Group, typename CallSite = PLSYCL_CALL_SITE>
multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory_for_overwrite(Group) {
  static_assert(!std::is_void_v<CallSite>, "group_local_memory needs -std=c++20");
  static_assert(std::is_trivially_destructible_v<Type>, "nobody destroys what is in local memory");
  return multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>(
      static_cast<Type *>(detail::local_bytes<sizeof(Type), CallSite>()));
}

/// The same, constructed by one work-item from the arguments; a barrier follows.
template <typename Type, typename Group, typename... Arguments,
          typename CallSite = PLSYCL_CALL_SITE>
multi_ptr<Type, access::address_space::local_space, access::decorated::legacy>
group_local_memory(Group group, Arguments &&...arguments) {
  const auto memory = group_local_memory_for_overwrite<Type, Group, CallSite>(group);
  if (group.get_local_linear_id() == 0)
    ::new (static_cast<void *>(memory.get_raw())) Type{static_cast<Arguments &&>(arguments)...};
  detail::work_group_barrier();
  return memory;
}

} // namespace sycl::ext::oneapi

#undef PLSYCL_CALL_SITE
