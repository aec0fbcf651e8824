//===- group_algorithms.hpp - what the work-items of a group compute together ----------------===//
//
// SYCL 2020, 4.17.3 and 4.17.4. Over the group instructions of SPIR-Value, for the arithmetic types
// and the operations that they have: plus, minimum, maximum. For NVPTX a device library has them as
// functions. What remains goes from work-item to work-item (detail/group_values.hpp).
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/group_values.hpp>
#include <sycl/detail/strided.hpp>
#include <sycl/functional.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstdint>
#include <iterator>
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
#endif

namespace sycl {

namespace detail {
/// Whether a type is a sub-group. Programs say it of classes of theirs over `sub_group`, which
/// DPC++'s group functions take then.
template <typename Type> struct is_sub_group : std::is_same<Type, sub_group> {};
} // namespace detail

/// Whether a type is a group of work-items.
template <typename Type> struct is_group : detail::is_sub_group<Type> {};
template <int Dimensions> struct is_group<group<Dimensions>> : std::true_type {};
template <typename Type> inline constexpr bool is_group_v = is_group<Type>::value;

namespace detail {

template <typename Group> using if_group = std::enable_if_t<is_group_v<Group>, int>;

/// SPIR-Value's number of a group operation.
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

/// Whether there are instructions over groups like this one: SYCL's own.
template <typename Group> inline constexpr bool has_instructions = is_sub_group<Group>::value;
template <int Dimensions> inline constexpr bool has_instructions<group<Dimensions>> = true;

// Parts of sub-groups have functions of their own (detail/part_of_sub_group.hpp).
template <typename Group> using if_whole = std::enable_if_t<has_instructions<Group>, int>;
template <typename Group> using if_sub_group = std::enable_if_t<is_sub_group<Group>::value, int>;

/// Whether one computes the operation over values of the type.
template <typename Group, typename Operation, typename Type>
inline constexpr bool has_instruction =
    has_instructions<Group> && std::is_arithmetic_v<Type> && !std::is_same_v<Type, bool> &&
    sizeof(Type) <= 8 && (is_plus<Operation> || is_minimum<Operation> || is_maximum<Operation>);

template <typename Group, group_operation Kind, typename Type, typename Operation>
Type by_instruction(Type given, Operation) {
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

/// The elements of a sequence, wherever they lie.
template <typename Pointer>
using element_of = std::remove_cv_t<
    typename undecorated<typename std::iterator_traits<Pointer>::value_type>::type>;

/// A value or none, for what a work-item has of a sequence. None has a value as well, whichever:
/// not every type has a default constructor.
template <typename Type> struct possible {
  Type value;
  bool exists;
};
template <typename Operation> struct of_possible {
  /// Its call may be no const one.
  mutable Operation operation;
  template <typename Type>
  possible<Type> operator()(possible<Type> left, possible<Type> right) const {
    if (left.exists && right.exists)
      return {static_cast<Type>(operation(left.value, right.value)), true};
    return left.exists ? left : right;
  }
};

/// A linear number of a work-item of a group.
inline std::uint32_t linear_of(const sub_group &, const id<1> &place) {
  return static_cast<std::uint32_t>(place[0]);
}
template <int Dimensions>
std::size_t linear_of(const group<Dimensions> &group, const id<Dimensions> &place) {
  return linear_index(place, group.get_local_range());
}

} // namespace detail

// Each of these must be reached by all work-items of the group.

// ---- broadcast, any, all, none ----

/// The value of the work-item with the linear number `from`.
template <typename Group, typename Type, detail::if_whole<Group> = 0>
Type group_broadcast([[maybe_unused]] Group group, Type value,
                     typename Group::linear_id_type from = 0) {
  if constexpr (detail::is_sub_group<Group>::value)
    return detail::value_of_lane(value, from);
  else
    return detail::value_of_sender(value, group.get_local_linear_id() == from);
}
template <typename Group, typename Type, detail::if_whole<Group> = 0>
Type group_broadcast(Group group, Type value, typename Group::id_type from) {
  return group_broadcast(group, value, detail::linear_of(group, from));
}

template <typename Group, detail::if_group<Group> = 0>
bool any_of_group([[maybe_unused]] Group group, bool value) {
  if constexpr (!detail::has_instructions<Group>)
    return detail::scan_values(group, value, logical_or<bool>()).total;
#ifdef __SYCL_DEVICE_ONLY__
  constexpr unsigned scope = detail::scope_of<Group>();
  return __spirv_GroupAny(scope, value);
#else
  return value;
#endif
}
template <typename Group, detail::if_group<Group> = 0>
bool all_of_group([[maybe_unused]] Group group, bool value) {
  if constexpr (!detail::has_instructions<Group>)
    return detail::scan_values(group, value, logical_and<bool>()).total;
#ifdef __SYCL_DEVICE_ONLY__
  constexpr unsigned scope = detail::scope_of<Group>();
  return __spirv_GroupAll(scope, value);
#else
  return value;
#endif
}
template <typename Group, detail::if_group<Group> = 0> bool none_of_group(Group group, bool value) {
  return !any_of_group(group, value);
}
template <typename Group, typename Type, typename Predicate, detail::if_group<Group> = 0>
bool any_of_group(Group group, Type value, Predicate predicate) {
  return any_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename Type, typename Predicate, detail::if_group<Group> = 0>
bool all_of_group(Group group, Type value, Predicate predicate) {
  return all_of_group(group, static_cast<bool>(predicate(value)));
}
template <typename Group, typename Type, typename Predicate, detail::if_group<Group> = 0>
bool none_of_group(Group group, Type value, Predicate predicate) {
  return !any_of_group(group, value, predicate);
}

// Over a sequence that all work-items of the group name.

template <typename Group, typename Pointer, typename Predicate, detail::if_group<Group> = 0>
bool joint_any_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  const auto step = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  const std::ptrdiff_t size = last - first;
  const auto own = static_cast<std::ptrdiff_t>(group.get_local_linear_id());
  detail::each_strided(own, step, size,
                       [&](std::ptrdiff_t i) { found = found || predicate(first[i]); });
  return any_of_group(group, found);
}
template <typename Group, typename Pointer, typename Predicate, detail::if_group<Group> = 0>
bool joint_all_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(group, first, last, [=](const auto &value) { return !predicate(value); });
}
template <typename Group, typename Pointer, typename Predicate, detail::if_group<Group> = 0>
bool joint_none_of(Group group, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(group, first, last, predicate);
}

// ---- shifts and permutations of a sub-group ----

/// The value of the work-item that is `by` behind; unspecified where there is none.
template <typename Group, typename Type, detail::if_sub_group<Group> = 0>
Type shift_group_left(Group group, Type value, typename Group::linear_id_type by = 1) {
  return detail::value_from_lane(value, group.get_local_linear_id() + by);
}
/// The value of the work-item that is `by` before; unspecified where there is none.
template <typename Group, typename Type, detail::if_sub_group<Group> = 0>
Type shift_group_right(Group group, Type value, typename Group::linear_id_type by = 1) {
  return detail::value_from_lane(value, group.get_local_linear_id() - by);
}
/// The value of the work-item whose number is the own one exclusive-or `mask`.
template <typename Group, typename Type, detail::if_sub_group<Group> = 0>
Type permute_group_by_xor(Group group, Type value, typename Group::linear_id_type mask) {
  return detail::value_from_lane(value, group.get_local_linear_id() ^ mask);
}
/// The value of the work-item that each names.
template <typename Group, typename Type, detail::if_sub_group<Group> = 0>
Type select_from_group(Group, Type value, typename Group::id_type from) {
  return detail::value_from_lane(value, static_cast<std::uint32_t>(from[0]));
}

template <typename Type> Type sub_group::shuffle(Type value, id_type from) const {
  return select_from_group(*this, value, from);
}
template <typename Type> Type sub_group::shuffle_down(Type value, linear_id_type by) const {
  return shift_group_left(*this, value, by);
}
template <typename Type> Type sub_group::shuffle_up(Type value, linear_id_type by) const {
  return shift_group_right(*this, value, by);
}
template <typename Type> Type sub_group::shuffle_xor(Type value, id_type mask) const {
  return permute_group_by_xor(*this, value, static_cast<linear_id_type>(mask[0]));
}

// ---- reductions and scans ----

namespace detail {
/// Behind the parameters of a function that libraries have for types of their own as well:
/// argument-dependent lookup finds both, and without a parameter pack theirs is the more
/// specialized one.
template <typename... None> using if_none = std::enable_if_t<sizeof...(None) == 0, int>;
} // namespace detail

template <typename Group, typename Type, typename Operation, detail::if_group<Group> = 0,
          typename... None, detail::if_none<None...> = 0>
Type reduce_over_group(Group group, Type value, Operation operation, None...) {
  if constexpr (detail::has_instruction<Group, Operation, Type>)
    return detail::by_instruction<Group, detail::group_operation::reduce>(value, operation);
  else
    return detail::scan_values(group, value, operation).total;
}
template <typename Group, typename Value, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Type reduce_over_group(Group group, Value value, Type start, Operation operation, None...) {
  return operation(start, reduce_over_group(group, static_cast<Type>(value), operation));
}

template <typename Group, typename Type, typename Operation, detail::if_group<Group> = 0,
          typename... None, detail::if_none<None...> = 0>
Type inclusive_scan_over_group(Group group, Type value, Operation operation, None...) {
  if constexpr (detail::has_instruction<Group, Operation, Type>)
    return detail::by_instruction<Group, detail::group_operation::inclusive_scan>(value, operation);
  else
    return detail::scan_values(group, value, operation).inclusive;
}
template <typename Group, typename Value, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Type inclusive_scan_over_group(Group group, Value value, Operation operation, Type start, None...) {
  return operation(start, inclusive_scan_over_group(group, static_cast<Type>(value), operation));
}

template <typename Group, typename Type, typename Operation, detail::if_group<Group> = 0,
          typename... None, detail::if_none<None...> = 0>
Type exclusive_scan_over_group(Group group, Type value, Operation operation, None...) {
  if constexpr (detail::has_instruction<Group, Operation, Type>) {
    const Type scan =
        detail::by_instruction<Group, detail::group_operation::exclusive_scan>(value, operation);
    // Of sub-groups of one, Intel's CPU driver gives the value itself.
    const bool is_first = detail::is_sub_group<Group>::value && group.get_local_linear_id() == 0;
    return is_first ? detail::identity<Operation, Type>() : scan;
  } else {
    const auto scan = detail::scan_values(group, value, operation);
    return scan.is_first ? detail::identity<Operation, Type>() : scan.exclusive;
  }
}
template <typename Group, typename Value, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Type exclusive_scan_over_group(Group group, Value value, Type start, Operation operation, None...) {
  const auto scan = detail::scan_values(group, static_cast<Type>(value), operation);
  return scan.is_first ? start : static_cast<Type>(operation(start, scan.exclusive));
}

// Over a sequence that all work-items of the group name.

namespace detail {

/// What a work-item's elements of a sequence make together; `any` is some value.
template <typename Type, typename Group, typename Pointer, typename Operation>
possible<Type> part_of(Group group, Pointer first, Pointer last, const Type &any,
                       Operation operation) {
  possible<Type> part{any, false};
  const auto step = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  const std::ptrdiff_t size = last - first;
  const auto own = static_cast<std::ptrdiff_t>(group.get_local_linear_id());
  each_strided(own, step, size, [&](std::ptrdiff_t i) {
    part =
        of_possible<Operation>{operation}(part, possible<Type>{static_cast<Type>(first[i]), true});
  });
  return part;
}

/// Scans a sequence, as many elements at a time as the group has work-items, and hands `put` each
/// place, what is before and what is up to it. `before` is what comes before the sequence.
template <typename Type, typename Group, typename Pointer, typename Operation, typename Put>
void joint_scan(Group group, Pointer first, Pointer last, possible<Type> before,
                Operation operation, const Put &put) {
  const auto step = static_cast<std::ptrdiff_t>(group.get_local_linear_range());
  const auto own = static_cast<std::ptrdiff_t>(group.get_local_linear_id());
  const std::ptrdiff_t size = last - first;
  const of_possible<Operation> combine{operation};
  each_strided(std::ptrdiff_t(0), step, size, [&](std::ptrdiff_t begin) {
    const std::ptrdiff_t i = begin + own;
    const auto value = i < size ? possible<Type>{static_cast<Type>(first[i]), true}
                                : possible<Type>{before.value, false};
    const auto scan = scan_values(group, value, combine);
    if (i < size)
      put(i, scan.is_first ? before : combine(before, scan.exclusive),
          combine(before, scan.inclusive));
    before = combine(before, scan.total);
  });
}

} // namespace detail

template <typename Group, typename Pointer, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Type joint_reduce(Group group, Pointer first, Pointer last, Type start, Operation operation,
                  None...) {
  const auto part = detail::part_of<Type>(group, first, last, start, operation);
  if constexpr (detail::has_identity<Operation, Type>) {
    const Type own = part.exists ? part.value : detail::identity<Operation, Type>();
    return operation(start, reduce_over_group(group, own, operation));
  } else {
    const auto all = reduce_over_group(group, part, detail::of_possible<Operation>{operation});
    return all.exists ? static_cast<Type>(operation(start, all.value)) : start;
  }
}
template <typename Group, typename Pointer, typename Operation, detail::if_group<Group> = 0,
          typename... None, detail::if_none<None...> = 0>
detail::element_of<Pointer> joint_reduce(Group group, Pointer first, Pointer last,
                                         Operation operation, None...) {
  using Type = detail::element_of<Pointer>;
  return joint_reduce(group, first, last, detail::identity<Operation, Type>(), operation);
}

template <typename Group, typename In, typename Out, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Out joint_exclusive_scan(Group group, In first, In last, Out result, Type start,
                         Operation operation, None...) {
  detail::joint_scan<Type>(
      group, first, last, detail::possible<Type>{start, true}, operation,
      [&](std::ptrdiff_t i, const auto &before, const auto &) { result[i] = before.value; });
  return result + (last - first);
}
template <typename Group, typename In, typename Out, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Out joint_exclusive_scan(Group group, In first, In last, Out result, Operation operation, None...) {
  // Begins with the identity of what the results are: an input's may be no value of theirs.
  using Type = detail::element_of<Out>;
  return joint_exclusive_scan(group, first, last, result, detail::identity<Operation, Type>(),
                              operation);
}

template <typename Group, typename In, typename Out, typename Type, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Out joint_inclusive_scan(Group group, In first, In last, Out result, Operation operation,
                         Type start, None...) {
  detail::joint_scan<Type>(
      group, first, last, detail::possible<Type>{start, true}, operation,
      [&](std::ptrdiff_t i, const auto &, const auto &up_to) { result[i] = up_to.value; });
  return result + (last - first);
}
template <typename Group, typename In, typename Out, typename Operation,
          detail::if_group<Group> = 0, typename... None, detail::if_none<None...> = 0>
Out joint_inclusive_scan(Group group, In first, In last, Out result, Operation operation, None...) {
  using Type = detail::element_of<In>;
  if (first == last)
    return result;
  detail::joint_scan<Type>(
      group, first, last, detail::possible<Type>{static_cast<Type>(*first), false}, operation,
      [&](std::ptrdiff_t i, const auto &, const auto &up_to) { result[i] = up_to.value; });
  return result + (last - first);
}

} // namespace sycl
