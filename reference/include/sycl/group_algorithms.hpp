//===- group_algorithms.hpp - what the work-items of a group compute together ----------------===//
//
// Over the group instructions of SPIR-V, for the arithmetic types and the operations that they
// have: plus, minimum, maximum. For NVPTX a device library has them as functions.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/functional.hpp>
#include <sycl/sub_group.hpp>

#include <limits>

#ifdef __SYCL_DEVICE_ONLY__
#define PLSYCL_GROUP(NAME, Type)                                                                   \
  extern __attribute__((convergent)) Type __spirv_Group##NAME(unsigned scope, unsigned operation,  \
                                                              Type value);
#define PLSYCL_GROUP_INTEGERS(NAME, T32, T64) PLSYCL_GROUP(NAME, T32) PLSYCL_GROUP(NAME, T64)
PLSYCL_GROUP_INTEGERS(IAdd, std::int32_t, std::int64_t)
PLSYCL_GROUP_INTEGERS(IAdd, std::uint32_t, std::uint64_t)
PLSYCL_GROUP_INTEGERS(SMin, std::int32_t, std::int64_t)
PLSYCL_GROUP_INTEGERS(UMin, std::uint32_t, std::uint64_t)
PLSYCL_GROUP_INTEGERS(SMax, std::int32_t, std::int64_t)
PLSYCL_GROUP_INTEGERS(UMax, std::uint32_t, std::uint64_t)
PLSYCL_GROUP_INTEGERS(FAdd, float, double)
PLSYCL_GROUP_INTEGERS(FMin, float, double)
PLSYCL_GROUP_INTEGERS(FMax, float, double)
#undef PLSYCL_GROUP_INTEGERS
#undef PLSYCL_GROUP
extern __attribute__((convergent)) bool __spirv_GroupAll(unsigned scope, bool value);
extern __attribute__((convergent)) bool __spirv_GroupAny(unsigned scope, bool value);
#define PLSYCL_GROUP(Type)                                                                         \
  extern __attribute__((convergent)) Type __spirv_GroupBroadcast(unsigned scope, Type value,       \
                                                                 std::uint64_t from);
PLSYCL_GROUP(std::int32_t)
PLSYCL_GROUP(std::uint32_t)
PLSYCL_GROUP(std::int64_t)
PLSYCL_GROUP(std::uint64_t)
PLSYCL_GROUP(float)
PLSYCL_GROUP(double)
#undef PLSYCL_GROUP
#endif

namespace sycl {
namespace detail {

/// SPIR-V's number of a group operation.
enum class group_operation : unsigned { reduce = 0, inclusive_scan = 1, exclusive_scan = 2 };

template <typename Group> constexpr unsigned scope_of() {
  return static_cast<unsigned>(to_spirv(Group::fence_scope));
}

/// The type among those that the group instructions know that holds a `Type`.
template <typename Type>
using group_value = std::conditional_t<
    std::is_floating_point_v<Type>, std::conditional_t<sizeof(Type) == 8, double, float>,
    std::conditional_t<sizeof(Type) == 8,
                       std::conditional_t<std::is_signed_v<Type>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<Type>, std::int32_t, std::uint32_t>>>;

/// A minimum or maximum of such values as a `Type`. An exclusive scan begins with the identity of
/// the wider type, which must become that of the narrower one.
template <typename Type> constexpr Type within(group_value<Type> value) {
  if constexpr (std::is_integral_v<Type>) {
    using limits = std::numeric_limits<Type>;
    if (value < static_cast<group_value<Type>>(limits::lowest()))
      return limits::lowest();
    if (value > static_cast<group_value<Type>>(limits::max()))
      return limits::max();
  }
  return static_cast<Type>(value);
}

template <typename Group, group_operation Kind, typename Type, typename Operation>
Type over_group(Type given, Operation) {
  static_assert(std::is_arithmetic_v<Type>, "groups compute with arithmetic types");
  static_assert(is_plus<Operation> || is_minimum<Operation> || is_maximum<Operation>,
                "groups compute plus, minimum and maximum");
#ifdef __SYCL_DEVICE_ONLY__
  [[maybe_unused]] constexpr unsigned scope = scope_of<Group>();
  [[maybe_unused]] constexpr auto operation = static_cast<unsigned>(Kind);
  [[maybe_unused]] const auto value = static_cast<group_value<Type>>(given);
  constexpr bool real = std::is_floating_point_v<Type>, with_sign = std::is_signed_v<Type>;
  if constexpr (is_plus<Operation> && real)
    return static_cast<Type>(__spirv_GroupFAdd(scope, operation, value));
  else if constexpr (is_plus<Operation>)
    return static_cast<Type>(__spirv_GroupIAdd(scope, operation, value));
  else if constexpr (is_minimum<Operation> && real)
    return static_cast<Type>(__spirv_GroupFMin(scope, operation, value));
  else if constexpr (is_minimum<Operation> && with_sign)
    return within<Type>(__spirv_GroupSMin(scope, operation, value));
  else if constexpr (is_minimum<Operation>)
    return within<Type>(__spirv_GroupUMin(scope, operation, value));
  else if constexpr (real)
    return static_cast<Type>(__spirv_GroupFMax(scope, operation, value));
  else if constexpr (with_sign)
    return within<Type>(__spirv_GroupSMax(scope, operation, value));
  else
    return within<Type>(__spirv_GroupUMax(scope, operation, value));
#else
  return given; // Only a kernel has groups.
#endif
}

} // namespace detail

// Each of these must be reached by all work-items of the group.

template <typename Group> bool any_of_group(Group, bool value) {
#ifdef __SYCL_DEVICE_ONLY__
  constexpr unsigned scope = detail::scope_of<Group>();
  return __spirv_GroupAny(scope, value);
#else
  return value;
#endif
}
template <typename Group> bool all_of_group(Group, bool value) {
#ifdef __SYCL_DEVICE_ONLY__
  constexpr unsigned scope = detail::scope_of<Group>();
  return __spirv_GroupAll(scope, value);
#else
  return value;
#endif
}
template <typename Group> bool none_of_group(Group group, bool value) {
  return !any_of_group(group, value);
}
template <typename Group, typename Type, typename Predicate>
bool any_of_group(Group group, Type value, Predicate predicate) {
  return any_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename Type, typename Predicate>
bool all_of_group(Group group, Type value, Predicate predicate) {
  return all_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename Type, typename Predicate>
bool none_of_group(Group group, Type value, Predicate predicate) {
  return !any_of_group(group, value, predicate);
}

/// The value of the work-item with the linear number `from`; the group must be one-dimensional.
template <typename Group, typename Type>
Type group_broadcast(Group, Type value, typename Group::linear_id_type from = 0) {
  static_assert(Group::dimensions == 1, "a broadcast counts work-items in one dimension");
#ifdef __SYCL_DEVICE_ONLY__
  const auto sent = static_cast<detail::group_value<Type>>(value);
  constexpr unsigned scope = detail::scope_of<Group>();
  return static_cast<Type>(__spirv_GroupBroadcast(scope, sent, static_cast<std::uint64_t>(from)));
#else
  (void)from;
  return value;
#endif
}

template <typename Group, typename Type, typename Operation>
Type reduce_over_group(Group, Type value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::reduce>(value, operation);
}
template <typename Group, typename Type, typename Operation>
Type reduce_over_group(Group group, Type value, Type start, Operation operation) {
  return operation(start, reduce_over_group(group, value, operation));
}
template <typename Group, typename Type, typename Operation>
Type inclusive_scan_over_group(Group, Type value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::inclusive_scan>(value, operation);
}
template <typename Group, typename Type, typename Operation>
Type exclusive_scan_over_group(Group, Type value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::exclusive_scan>(value, operation);
}
template <typename Group, typename Type, typename Operation>
Type exclusive_scan_over_group(Group group, Type value, Type start, Operation operation) {
  return operation(start, exclusive_scan_over_group(group, value, operation));
}

/// Reduces a sequence that all work-items of the group name.
template <typename Group, typename Pointer, typename Operation>
auto joint_reduce(Group group, Pointer first, Pointer last, Operation operation) {
  using Type = std::decay_t<decltype(*first)>;
  Type part = detail::identity<Operation, Type>();
  const auto step = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  const auto own = static_cast<std::ptrdiff_t>(group.get_local_linear_id());
  for (Pointer at = first; last - at > own; at += step)
    part = operation(part, at[own]);
  return reduce_over_group(group, part, operation);
}

} // namespace sycl
