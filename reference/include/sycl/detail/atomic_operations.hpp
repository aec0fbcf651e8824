//===- atomic_operations.hpp - atomic operations on 32- and 64-bit integers ------------------===//
//
// SPIR-V targets have them as functions that both SPIR-V writers know (clang's own builtins would
// call a library there); other targets and the host have clang's and gcc's builtins. The scope is
// always the widest, which includes every narrower one.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/group.hpp>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
#define PLSYCL_ATOMICS(T)                                                                          \
  extern T __spirv_AtomicLoad(T *, int scope, int semantics);                                      \
  extern void __spirv_AtomicStore(T *, int scope, int semantics, T);                               \
  extern T __spirv_AtomicExchange(T *, int scope, int semantics, T);                               \
  extern T __spirv_AtomicCompareExchange(T *, int scope, int equal, int unequal, T value,          \
                                         T comparator);                                            \
  extern T __spirv_AtomicIAdd(T *, int scope, int semantics, T);                                   \
  extern T __spirv_AtomicAnd(T *, int scope, int semantics, T);                                    \
  extern T __spirv_AtomicOr(T *, int scope, int semantics, T);                                     \
  extern T __spirv_AtomicXor(T *, int scope, int semantics, T);
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

/// SPIR-V's memory semantics of an order.
constexpr int to_semantics(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return 0;
  case memory_order::acquire:
    return spirv_semantics::acquire;
  case memory_order::release:
    return spirv_semantics::release;
  case memory_order::acq_rel:
    return spirv_semantics::acquire_release;
  case memory_order::consume_unsupported:
  case memory_order::seq_cst:
    break;
  }
  return spirv_semantics::sequentially_consistent;
}

inline constexpr int atomic_scope = static_cast<int>(spirv_scope::cross_device);

template <typename T> T atomic_load(T *place, memory_order order) {
  return __spirv_AtomicLoad(place, atomic_scope, to_semantics(order));
}
template <typename T> void atomic_store(T *place, T value, memory_order order) {
  __spirv_AtomicStore(place, atomic_scope, to_semantics(order), value);
}
template <typename T> T atomic_exchange(T *place, T value, memory_order order) {
  return __spirv_AtomicExchange(place, atomic_scope, to_semantics(order), value);
}
template <typename T>
bool atomic_compare_exchange(T *place, T &expected, T desired, memory_order success,
                             memory_order failure) {
  const T wanted = expected;
  expected = __spirv_AtomicCompareExchange(place, atomic_scope, to_semantics(success),
                                           to_semantics(failure), desired, wanted);
  return expected == wanted;
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename T> T atomic_##NAME(T *place, T value, memory_order order) {                   \
    return __spirv_Atomic##SPIRV(place, atomic_scope, to_semantics(order), value);                 \
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

template <typename T> T atomic_load(T *place, memory_order order) {
  return __atomic_load_n(place, to_builtin(order));
}
template <typename T> void atomic_store(T *place, T value, memory_order order) {
  __atomic_store_n(place, value, to_builtin(order));
}
template <typename T> T atomic_exchange(T *place, T value, memory_order order) {
  return __atomic_exchange_n(place, value, to_builtin(order));
}
template <typename T>
bool atomic_compare_exchange(T *place, T &expected, T desired, memory_order success,
                             memory_order failure) {
  return __atomic_compare_exchange_n(place, &expected, desired, false, to_builtin(success),
                                     to_builtin(failure));
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename T> T atomic_##NAME(T *place, T value, memory_order order) {                   \
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
