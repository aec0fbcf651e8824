//===- atomic_operations.hpp - atomic operations on 32- and 64-bit integers ------------------===//
//
// SPIR-V targets have them as functions that both SPIR-V writers know (clang's own builtins would
// call a library there); NVPTX and the host have clang's and gcc's builtins. The scope is the
// widest, which includes every narrower one, but for NVPTX, where that of the system is not a
// device's.
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

/// Whether objects of the type are added to at once; others are compared and exchanged until it
/// holds.
#ifdef __NVPTX__
template <typename Type>
inline constexpr bool adds_at_once =
    std::is_integral_v<Type> || std::is_same_v<Type, float> || std::is_same_v<Type, double>;
#else
template <typename Type> inline constexpr bool adds_at_once = std::is_integral_v<Type>;
#endif

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
                             memory_order, memory_scope = memory_scope::device) {
  const Type wanted = expected;
  expected = success == memory_order::relaxed
                 ? __spirv_AtomicCompareExchange(place, atomic_scope, 0, 0, desired, wanted)
                 : __spirv_AtomicCompareExchange(place, atomic_scope, consistent, consistent,
                                                 desired, wanted);
  return expected == wanted;
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type>                                                                         \
  Type atomic_##NAME(Type *place, Type value, memory_order order,                                  \
                     memory_scope = memory_scope::device) {                                        \
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

extern "C" int __nvvm_reflect(const char *question);

/// Whether an operation is to be one of the whole system, with the host: LLVM 19 writes those of
/// one device, whatever is asked for. Architectures before sm_60 have no other; there the link
/// leaves nothing of what stands behind the answer.
__attribute__((always_inline)) inline bool is_of_system(memory_scope scope) {
  return __nvvm_reflect("__CUDA_ARCH") >= 600 && scope == memory_scope::system;
}
#define PLSYCL_SYSTEM_ATOMIC(NAME, OPERATION, TYPE, REGISTER)                                      \
  inline TYPE system_##NAME(TYPE *place, TYPE value) {                                             \
    TYPE before;                                                                                   \
    asm volatile("atom.sys." OPERATION " %0, [%1], %2;"                                            \
                 : "=" REGISTER(before)                                                            \
                 : "l"(place), REGISTER(value)                                                     \
                 : "memory");                                                                      \
    return before;                                                                                 \
  }
#define PLSYCL_SYSTEM_ATOMICS(NAME, OPERATION)                                                     \
  PLSYCL_SYSTEM_ATOMIC(NAME, OPERATION "32", std::uint32_t, "r")                                   \
  PLSYCL_SYSTEM_ATOMIC(NAME, OPERATION "64", std::uint64_t, "l")
PLSYCL_SYSTEM_ATOMICS(exchange, "exch.b")
PLSYCL_SYSTEM_ATOMICS(add, "add.u")
PLSYCL_SYSTEM_ATOMICS(and, "and.b")
PLSYCL_SYSTEM_ATOMICS(or, "or.b")
PLSYCL_SYSTEM_ATOMICS(xor, "xor.b")
PLSYCL_SYSTEM_ATOMIC(add, "add.f32", float, "f")
PLSYCL_SYSTEM_ATOMIC(add, "add.f64", double, "d")
#undef PLSYCL_SYSTEM_ATOMICS
#undef PLSYCL_SYSTEM_ATOMIC
#define PLSYCL_SYSTEM_CAS(SIZE, REGISTER)                                                          \
  inline std::uint##SIZE##_t system_compare_exchange(                                              \
      std::uint##SIZE##_t *place, std::uint##SIZE##_t expected, std::uint##SIZE##_t desired) {     \
    std::uint##SIZE##_t before;                                                                    \
    asm volatile("atom.sys.cas.b" #SIZE " %0, [%1], %2, %3;"                                       \
                 : "=" REGISTER(before)                                                            \
                 : "l"(place), REGISTER(expected), REGISTER(desired)                               \
                 : "memory");                                                                      \
    return before;                                                                                 \
  }
PLSYCL_SYSTEM_CAS(32, "r")
PLSYCL_SYSTEM_CAS(64, "l")
#undef PLSYCL_SYSTEM_CAS

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
template <typename Type>
Type atomic_exchange(Type *place, Type value, memory_order order,
                     memory_scope scope = memory_scope::device) {
  order_memory(order);
  const Type before = is_of_system(scope) ? system_exchange(place, value)
                                          : __atomic_exchange_n(place, value, __ATOMIC_RELAXED);
  order_memory(order);
  return before;
}
template <typename Type>
bool atomic_compare_exchange(Type *place, Type &expected, Type desired, memory_order success,
                             memory_order failure, memory_scope scope = memory_scope::device) {
  const memory_order order = success == memory_order::relaxed ? failure : success;
  order_memory(order);
  bool equal = false;
  if (is_of_system(scope)) {
    const Type before = system_compare_exchange(place, expected, desired);
    equal = before == expected;
    expected = before;
  } else {
    equal = __atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
  }
  order_memory(order);
  return equal;
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type>                                                                         \
  Type atomic_##NAME(Type *place, Type value, memory_order order,                                  \
                     memory_scope scope = memory_scope::device) {                                  \
    order_memory(order);                                                                           \
    const Type before = is_of_system(scope)                                                        \
                            ? system_##NAME(place, value)                                          \
                            : __atomic_fetch_##BUILTIN(place, value, __ATOMIC_RELAXED);            \
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
  case memory_order::__consume_unsupported:
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
template <typename Type>
Type atomic_exchange(Type *place, Type value, memory_order order,
                     memory_scope = memory_scope::device) {
  return __atomic_exchange_n(place, value, to_builtin(order));
}
template <typename Type>
bool atomic_compare_exchange(Type *place, Type &expected, Type desired, memory_order success,
                             memory_order failure, memory_scope = memory_scope::device) {
  return __atomic_compare_exchange_n(place, &expected, desired, false, to_builtin(success),
                                     to_builtin(failure));
}
#define PLSYCL_ATOMIC(NAME, SPIRV, BUILTIN)                                                        \
  template <typename Type>                                                                         \
  Type atomic_##NAME(Type *place, Type value, memory_order order,                                  \
                     memory_scope = memory_scope::device) {                                        \
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
