//===- atomic.hpp - atomic access to any object ----------------------------------------------===//
//
// Eight-byte objects need aspect::atomic64. As FEAT's appendix has it, the attribute stands on a
// partial specialization for their size, so that other instantiations need nothing.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/aspects.hpp>
#include <sycl/detail/atomic_operations.hpp>
#include <sycl/detail/config.hpp>

#include <cstring>

namespace sycl {
namespace detail {

/// What a load may have of an order that also releases, and a store of one that also acquires.
constexpr memory_order for_load(memory_order order) {
  return order == memory_order::acq_rel || order == memory_order::release ? memory_order::acquire
                                                                          : order;
}
constexpr memory_order for_store(memory_order order) {
  return order == memory_order::acq_rel || order == memory_order::acquire ? memory_order::release
                                                                          : order;
}

/// Every operation, as a loop over compare-and-exchange of the object's bytes where devices have
/// none for its type.
template <typename Type, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_base {
  static_assert(std::is_trivially_copyable_v<Type>, "atomic objects are copied as bytes");
  static_assert(sizeof(Type) == 4 || sizeof(Type) == 8, "atomic objects have four or eight bytes");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel ||
                    DefaultOrder == memory_order::seq_cst,
                "the default order is one of what reads and writes");
  using bits = typename integer_of_size<sizeof(Type)>::type;
  template <bool Condition> using if_true = std::enable_if_t<Condition, int>;

public:
  using value_type = Type;
  using difference_type = std::conditional_t<std::is_pointer_v<Type>, std::ptrdiff_t, Type>;
  static constexpr std::size_t required_alignment = sizeof(Type);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_order default_read_order = for_load(DefaultOrder);
  static constexpr memory_order default_write_order = for_store(DefaultOrder);
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref_base(Type &object) : object(&object) {}
  atomic_ref_base(const atomic_ref_base &) noexcept = default;
  /// Would it have the other's object, or its value? As std::atomic_ref, neither.
  atomic_ref_base &operator=(const atomic_ref_base &) = delete;

  bool is_lock_free() const noexcept { return true; }

  Type load(memory_order order = default_read_order, memory_scope = default_scope) const noexcept {
    return from_bits(atomic_load(place(), for_load(order)));
  }
  void store(Type value, memory_order order = default_write_order,
             memory_scope = default_scope) const noexcept {
    atomic_store(place(), to_bits(value), for_store(order));
  }
  Type exchange(Type value, memory_order order = DefaultOrder,
                memory_scope scope = default_scope) const noexcept {
    return from_bits(atomic_exchange(place(), to_bits(value), order, scope));
  }
  operator Type() const noexcept { return load(); }
  Type operator=(Type value) const noexcept {
    store(value);
    return value;
  }

  bool compare_exchange_strong(Type &expected, Type desired, memory_order success,
                               memory_order failure,
                               memory_scope scope = default_scope) const noexcept {
    bits old = to_bits(expected);
    const bool done =
        atomic_compare_exchange(place(), old, to_bits(desired), success, for_load(failure), scope);
    expected = from_bits(old);
    return done;
  }
  bool compare_exchange_strong(Type &expected, Type desired, memory_order order = DefaultOrder,
                               memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, for_load(order), scope);
  }
  bool compare_exchange_weak(Type &expected, Type desired, memory_order success,
                             memory_order failure,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, success, failure, scope);
  }
  bool compare_exchange_weak(Type &expected, Type desired, memory_order order = DefaultOrder,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, for_load(order), scope);
  }

  Type fetch_add(difference_type by, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    if constexpr (std::is_integral_v<Type>)
      return from_bits(atomic_add(place(), to_bits(by), order, scope));
    else if constexpr (adds_at_once<Type>)
      return atomic_add(object, by, order, scope);
    else
      return update(order, scope, [=](Type old) { return old + by; });
  }
  Type fetch_sub(difference_type by, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    if constexpr (adds_at_once<Type>)
      return fetch_add(static_cast<Type>(Type(0) - by), order, scope);
    else
      return update(order, scope, [=](Type old) { return old - by; });
  }
  template <typename Other = Type, if_true<!std::is_pointer_v<Other>> = 0>
  Type fetch_min(Type with, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    return update(order, scope, [=](Type old) { return with < old ? with : old; });
  }
  template <typename Other = Type, if_true<!std::is_pointer_v<Other>> = 0>
  Type fetch_max(Type with, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    return update(order, scope, [=](Type old) { return old < with ? with : old; });
  }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type fetch_and(Type with, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    return from_bits(atomic_and(place(), to_bits(with), order, scope));
  }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type fetch_or(Type with, memory_order order = DefaultOrder,
                memory_scope scope = default_scope) const noexcept {
    return from_bits(atomic_or(place(), to_bits(with), order, scope));
  }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type fetch_xor(Type with, memory_order order = DefaultOrder,
                 memory_scope scope = default_scope) const noexcept {
    return from_bits(atomic_xor(place(), to_bits(with), order, scope));
  }

  Type operator+=(difference_type by) const noexcept { return fetch_add(by) + by; }
  Type operator-=(difference_type by) const noexcept { return fetch_sub(by) - by; }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type operator&=(Type with) const noexcept {
    return fetch_and(with) & with;
  }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type operator|=(Type with) const noexcept {
    return fetch_or(with) | with;
  }
  template <typename Other = Type, if_true<std::is_integral_v<Other>> = 0>
  Type operator^=(Type with) const noexcept {
    return fetch_xor(with) ^ with;
  }
  template <typename Other = Type, if_true<!std::is_floating_point_v<Other>> = 0>
  Type operator++() const noexcept {
    return fetch_add(1) + 1;
  }
  template <typename Other = Type, if_true<!std::is_floating_point_v<Other>> = 0>
  Type operator--() const noexcept {
    return fetch_sub(1) - 1;
  }
  template <typename Other = Type, if_true<!std::is_floating_point_v<Other>> = 0>
  Type operator++(int) const noexcept {
    return fetch_add(1);
  }
  template <typename Other = Type, if_true<!std::is_floating_point_v<Other>> = 0>
  Type operator--(int) const noexcept {
    return fetch_sub(1);
  }

private:
  bits *place() const { return reinterpret_cast<bits *>(object); }
  static bits to_bits(Type value) {
    bits raw;
    std::memcpy(&raw, &value, sizeof(raw));
    return raw;
  }
  static Type from_bits(bits raw) {
    Type value;
    std::memcpy(&value, &raw, sizeof(value));
    return value;
  }

  template <typename Change>
  Type update(memory_order order, memory_scope scope, Change change) const {
    Type old = load(memory_order::relaxed);
    while (!compare_exchange_strong(old, change(old), order, memory_order::relaxed, scope)) {
    }
    return old;
  }

  Type *object;
};

template <typename Type, memory_order DefaultOrder, memory_scope DefaultScope, std::size_t Size>
class atomic_ref_impl : public atomic_ref_base<Type, DefaultOrder, DefaultScope> {
public:
  using atomic_ref_base<Type, DefaultOrder, DefaultScope>::atomic_ref_base;
  using atomic_ref_base<Type, DefaultOrder, DefaultScope>::operator=;
};

/// The instantiations that need an aspect.
template <typename Type, memory_order DefaultOrder, memory_scope DefaultScope>
class PLSYCL_USES_ASPECTS(sycl::aspect::atomic64)
    atomic_ref_impl<Type, DefaultOrder, DefaultScope, 8>
    : public atomic_ref_base<Type, DefaultOrder, DefaultScope> {
public:
  using atomic_ref_base<Type, DefaultOrder, DefaultScope>::atomic_ref_base;
  using atomic_ref_base<Type, DefaultOrder, DefaultScope>::operator=;
};

} // namespace detail

/// Atomic access to an object that lives elsewhere.
template <typename Type, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
class atomic_ref : public detail::atomic_ref_impl<Type, DefaultOrder, DefaultScope, sizeof(Type)> {
public:
  explicit atomic_ref(Type &object)
      : detail::atomic_ref_impl<Type, DefaultOrder, DefaultScope, sizeof(Type)>(object) {}
  using detail::atomic_ref_impl<Type, DefaultOrder, DefaultScope, sizeof(Type)>::operator=;
};

/// Orders memory accesses of the work-item: any order but relaxed as the strictest, any scope as
/// the widest.
inline void atomic_fence(memory_order order, memory_scope) {
  if (order != memory_order::relaxed)
    detail::memory_barrier<detail::spirv_scope::cross_device, detail::barrier_semantics>();
}

} // namespace sycl
