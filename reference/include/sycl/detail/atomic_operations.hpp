//===- atomic_operations.hpp - atomic operations on 32- and 64-bit integers ------------------===//
//
// SPIR-V targets have them as functions that both SPIR-V writers know (clang's own builtins would
// call a library there); NVPTX and the host have clang's and gcc's builtins. The scope is
// always the widest, which includes every narrower one.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/group.hpp>

#include <cstdint>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
#define PLSYCL_ATOMICS(Type)                                                                       \
  extern Type __spirv_AtomicLoad(Type *, int scope, int semantics);                                \
  extern void __spirv_AtomicStore(Type *, int scope, int semantics, Type);                         \
  extern Type __spirv_AtomicExchange(Type *, int scope, int semantics, Type);                      \
  extern Type __spirv_AtomicCompareExchange(Type *, int scope, int equal, int unequal, Type value, \
                                            Type comparator);                                      \
  extern Type __spirv_AtomicIAdd(Type *, int scope, int semantics, Type);                          \
  extern Type __spirv_AtomicAnd(Type *, int scope, int semantics, Type);                           \
  extern Type __spirv_AtomicOr(Type *, int scope, int semantics, Type);                            \
  extern Type __spirv_AtomicXor(Type *, int scope, int semantics, Type);
PLSYCL_ATOMICS(std::uint32_t)
PLSYCL_ATOMICS(std::uint64_t)
#undef PLSYCL_ATOMICS
#endif

namespace sycl::detail {

/// The integer that holds an object's bytes.
template <std::size_t Size> struct integer_of_size;
template <> struct integer_of_size<4> {
  using type = std::uint32_t;
};
template <> struct integer_of_size<8> {
  using type = std::uint64_t;
};

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)

// Device compilers want scope and semantics as constants, at every optimization level: what is not
// relaxed is sequentially consistent, which includes every other order.
inline constexpr int atomic_scope = static_cast<int>(spirv_scope::cross_device);
inline constexpr int consistent = spirv_semantics::sequentially_consistent;

template <typename Type> Type atomic_load(Type *place, memory_order order) {
  return order == memory_order::relaxed ? __spirv_AtomicLoad(place, atomic_scope, 0)
                                        : __spirv_AtomicLoad(place, atomic_scope, consistent);
}
template <typename Type> void atomic_store(Type *place, Type value, memory_order order) {
  if (order == memory_order::relaxed)
    __spirv_AtomicStore(place, atomic_scope, 0, value);
  else
    __spirv_AtomicStore(place, atomic_scope, consistent, value);
}
template <typename Type>
bool atomic_compare_exchange(Type *place, Type &expected, Type desired, memory_order success,
                             memory_order) {
  const Type wanted = expected;
  expected = success == memory_order::relaxed
                 ? __spirv_AtomicCompareExchange(place, atomic_scope, 0, 0, desired, wanted)
                 : __spirv_AtomicCompareExchange(place, atomic_scope, consistent, consistent,
                                                 desired, wanted);
  return expected == wanted;
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type> Type atomic_##NAME(Type *place, Type value, memory_order order) {       \
    return order == memory_order::relaxed                                                          \
               ? __spirv_Atomic##SPIRV(place, atomic_scope, 0, value)                              \
               : __spirv_Atomic##SPIRV(place, atomic_scope, consistent, value);                    \
  }
PLSYCL_ATOMIC(exchange, Exchange, exchange)

#elif defined(__SYCL_DEVICE_ONLY__)

// LLVM has relaxed atomics for NVPTX: loads and stores of other orders it refuses, and of other
// operations it drops the order. What is not relaxed stands between barriers of memory.
inline void order_memory(memory_order order) {
  if (order != memory_order::relaxed)
    memory_barrier<spirv_scope::cross_device, spirv_semantics::sequentially_consistent>();
}

template <typename Type> Type atomic_load(Type *place, memory_order order) {
  order_memory(order);
  const Type value = __atomic_load_n(place, __ATOMIC_RELAXED);
  order_memory(order);
  return value;
}
template <typename Type> void atomic_store(Type *place, Type value, memory_order order) {
  order_memory(order);
  __atomic_store_n(place, value, __ATOMIC_RELAXED);
  order_memory(order);
}
template <typename Type> Type atomic_exchange(Type *place, Type value, memory_order order) {
  order_memory(order);
  const Type before = __atomic_exchange_n(place, value, __ATOMIC_RELAXED);
  order_memory(order);
  return before;
}
template <typename Type>
bool atomic_compare_exchange(Type *place, Type &expected, Type desired, memory_order success,
                             memory_order failure) {
  const memory_order order = success == memory_order::relaxed ? failure : success;
  order_memory(order);
  const bool equal = __atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED);
  order_memory(order);
  return equal;
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type> Type atomic_##NAME(Type *place, Type value, memory_order order) {       \
    order_memory(order);                                                                           \
    const Type before = __atomic_fetch_##BUILTIN(place, value, __ATOMIC_RELAXED);                  \
    order_memory(order);                                                                           \
    return before;                                                                                 \
  }

#else

/// clang's and gcc's number of an order.
constexpr int to_builtin(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return __ATOMIC_RELAXED;
  case memory_order::acquire:
    return __ATOMIC_ACQUIRE;
  case memory_order::release:
    return __ATOMIC_RELEASE;
  case memory_order::acq_rel:
    return __ATOMIC_ACQ_REL;
  case memory_order::consume_unsupported:
  case memory_order::seq_cst:
    break;
  }
  return __ATOMIC_SEQ_CST;
}

template <typename Type> Type atomic_load(Type *place, memory_order order) {
  return __atomic_load_n(place, to_builtin(order));
}
template <typename Type> void atomic_store(Type *place, Type value, memory_order order) {
  __atomic_store_n(place, value, to_builtin(order));
}
template <typename Type> Type atomic_exchange(Type *place, Type value, memory_order order) {
  return __atomic_exchange_n(place, value, to_builtin(order));
}
template <typename Type>
bool atomic_compare_exchange(Type *place, Type &expected, Type desired, memory_order success,
                             memory_order failure) {
  return __atomic_compare_exchange_n(place, &expected, desired, false, to_builtin(success),
                                     to_builtin(failure));
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type> Type atomic_##NAME(Type *place, Type value, memory_order order) {       \
    return __atomic_fetch_##BUILTIN(place, value, to_builtin(order));                              \
  }

#endif

// Each gives the value before.
PLSYCL_ATOMIC(add, IAdd, add)
PLSYCL_ATOMIC(and, And, and)
PLSYCL_ATOMIC(or, Or, or)
PLSYCL_ATOMIC(xor, Xor, xor)
#undef PLSYCL_ATOMIC

} // namespace sycl::detail
