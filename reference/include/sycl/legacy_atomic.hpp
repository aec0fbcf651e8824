//===- legacy_atomic.hpp - SYCL 1.2.1's atomics, deprecated ---------------------------------===//
#pragma once

#include <sycl/atomic.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

/// Atomic access to an object in global or local memory. atomic_ref is SYCL 2020's.
template <typename Type, access::address_space Space = access::address_space::global_space>
class atomic {
  static_assert(sizeof(Type) == 4 || sizeof(Type) == 8, "atomic objects have four or eight bytes");
  using reference = atomic_ref<Type, memory_order::relaxed, memory_scope::device>;

public:
  template <typename Other, access::decorated Decorated>
  atomic(multi_ptr<Other, Space, Decorated> object)
      : object(reinterpret_cast<Type *>(object.get_raw())) {
    static_assert(sizeof(Other) == sizeof(Type), "the object has the size of the type");
  }

  void store(Type value, memory_order order = memory_order::relaxed) {
    reference(*object).store(value, order);
  }
  Type load(memory_order order = memory_order::relaxed) const {
    return reference(*object).load(order);
  }
  Type exchange(Type value, memory_order order = memory_order::relaxed) {
    return reference(*object).exchange(value, order);
  }
  bool compare_exchange_strong(Type &expected, Type desired,
                               memory_order success = memory_order::relaxed,
                               memory_order failure = memory_order::relaxed) {
    return reference(*object).compare_exchange_strong(expected, desired, success, failure);
  }
  Type fetch_add(Type by, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_add(by, order);
  }
  Type fetch_sub(Type by, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_sub(by, order);
  }
  Type fetch_and(Type with, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_and(with, order);
  }
  Type fetch_or(Type with, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_or(with, order);
  }
  Type fetch_xor(Type with, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_xor(with, order);
  }
  Type fetch_min(Type with, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_min(with, order);
  }
  Type fetch_max(Type with, memory_order order = memory_order::relaxed) {
    return reference(*object).fetch_max(with, order);
  }

private:
  Type *object;
};

template <typename Type, access::address_space Space>
Type atomic_load(atomic<Type, Space> object, memory_order order = memory_order::relaxed) {
  return object.load(order);
}
template <typename Type, access::address_space Space>
void atomic_store(atomic<Type, Space> object, Type value,
                  memory_order order = memory_order::relaxed) {
  object.store(value, order);
}
template <typename Type, access::address_space Space>
bool atomic_compare_exchange_strong(atomic<Type, Space> object, Type &expected, Type desired,
                                    memory_order success = memory_order::relaxed,
                                    memory_order failure = memory_order::relaxed) {
  return object.compare_exchange_strong(expected, desired, success, failure);
}
#define PLSYCL_LEGACY_ATOMIC(NAME)                                                                 \
  template <typename Type, access::address_space Space>                                            \
  Type atomic_##NAME(atomic<Type, Space> object, Type value,                                       \
                     memory_order order = memory_order::relaxed) {                                 \
    return object.NAME(value, order);                                                              \
  }
PLSYCL_LEGACY_ATOMIC(exchange)
PLSYCL_LEGACY_ATOMIC(fetch_add)
PLSYCL_LEGACY_ATOMIC(fetch_sub)
PLSYCL_LEGACY_ATOMIC(fetch_and)
PLSYCL_LEGACY_ATOMIC(fetch_or)
PLSYCL_LEGACY_ATOMIC(fetch_xor)
PLSYCL_LEGACY_ATOMIC(fetch_min)
PLSYCL_LEGACY_ATOMIC(fetch_max)
#undef PLSYCL_LEGACY_ATOMIC

} // namespace sycl
