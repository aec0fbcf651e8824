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
#define PLSYCL_GROUP(NAME, T)                                                                      \
  extern __attribute__((convergent)) T __spirv_Group##NAME(unsigned scope, unsigned operation,     \
                                                           T value);
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
#define PLSYCL_GROUP(T)                                                                            \
  extern __attribute__((convergent)) T __spirv_GroupBroadcast(unsigned scope, T value,             \
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

/// The type among those that the group instructions know that holds a `T`.
template <typename T>
using group_value = std::conditional_t<
    std::is_floating_point_v<T>, std::conditional_t<sizeof(T) == 8, double, float>,
    std::conditional_t<sizeof(T) == 8,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

/// A minimum or maximum of such values as a `T`. An exclusive scan begins with the identity of the
/// wider type, which must become that of the narrower one.
template <typename T> constexpr T within(group_value<T> value) {
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    if (value < static_cast<group_value<T>>(limits::lowest()))
      return limits::lowest();
    if (value > static_cast<group_value<T>>(limits::max()))
      return limits::max();
  }
  return static_cast<T>(value);
}

template <typename Group, group_operation Kind, typename T, typename Operation>
T over_group(T given, Operation) {
  static_assert(std::is_arithmetic_v<T>, "groups compute with arithmetic types");
  static_assert(is_plus<Operation> || is_minimum<Operation> || is_maximum<Operation>,
                "groups compute plus, minimum and maximum");
#ifdef __SYCL_DEVICE_ONLY__
  [[maybe_unused]] constexpr unsigned scope = scope_of<Group>();
  [[maybe_unused]] constexpr auto operation = static_cast<unsigned>(Kind);
  [[maybe_unused]] const auto value = static_cast<group_value<T>>(given);
  constexpr bool real = std::is_floating_point_v<T>, with_sign = std::is_signed_v<T>;
  if constexpr (is_plus<Operation> && real)
    return static_cast<T>(__spirv_GroupFAdd(scope, operation, value));
  else if constexpr (is_plus<Operation>)
    return static_cast<T>(__spirv_GroupIAdd(scope, operation, value));
  else if constexpr (is_minimum<Operation> && real)
    return static_cast<T>(__spirv_GroupFMin(scope, operation, value));
  else if constexpr (is_minimum<Operation> && with_sign)
    return within<T>(__spirv_GroupSMin(scope, operation, value));
  else if constexpr (is_minimum<Operation>)
    return within<T>(__spirv_GroupUMin(scope, operation, value));
  else if constexpr (real)
    return static_cast<T>(__spirv_GroupFMax(scope, operation, value));
  else if constexpr (with_sign)
    return within<T>(__spirv_GroupSMax(scope, operation, value));
  else
    return within<T>(__spirv_GroupUMax(scope, operation, value));
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
template <typename Group, typename T, typename Predicate>
bool any_of_group(Group group, T value, Predicate predicate) {
  return any_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename T, typename Predicate>
bool all_of_group(Group group, T value, Predicate predicate) {
  return all_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename T, typename Predicate>
bool none_of_group(Group group, T value, Predicate predicate) {
  return !any_of_group(group, value, predicate);
}

/// The value of the work-item with the linear number `from`; the group must be one-dimensional.
template <typename Group, typename T>
T group_broadcast(Group, T value, typename Group::linear_id_type from = 0) {
  static_assert(Group::dimensions == 1, "a broadcast counts work-items in one dimension");
#ifdef __SYCL_DEVICE_ONLY__
  const auto sent = static_cast<detail::group_value<T>>(value);
  constexpr unsigned scope = detail::scope_of<Group>();
  return static_cast<T>(__spirv_GroupBroadcast(scope, sent, static_cast<std::uint64_t>(from)));
#else
  (void)from;
  return value;
#endif
}

template <typename Group, typename T, typename Operation>
T reduce_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::reduce>(value, operation);
}
template <typename Group, typename T, typename Operation>
T reduce_over_group(Group group, T value, T start, Operation operation) {
  return operation(start, reduce_over_group(group, value, operation));
}
template <typename Group, typename T, typename Operation>
T inclusive_scan_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::inclusive_scan>(value, operation);
}
template <typename Group, typename T, typename Operation>
T exclusive_scan_over_group(Group, T value, Operation operation) {
  return detail::over_group<Group, detail::group_operation::exclusive_scan>(value, operation);
}
template <typename Group, typename T, typename Operation>
T exclusive_scan_over_group(Group group, T value, T start, Operation operation) {
  return operation(start, exclusive_scan_over_group(group, value, operation));
}

/// Reduces a sequence that all work-items of the group name.
template <typename Group, typename Pointer, typename Operation>
auto joint_reduce(Group group, Pointer first, Pointer last, Operation operation) {
  using T = std::decay_t<decltype(*first)>;
  T part = detail::identity<Operation, T>();
  const auto step = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  const auto own = static_cast<std::ptrdiff_t>(group.get_local_linear_id());
  for (Pointer at = first; last - at > own; at += step)
    part = operation(part, at[own]);
  return reduce_over_group(group, part, operation);
}

} // namespace sycl
