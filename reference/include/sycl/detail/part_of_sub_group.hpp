//===- part_of_sub_group.hpp - groups of some work-items of a sub-group ----------------------===//
//
// Its work-items may be alone in their control flow, where instructions over sub-groups may not be
// used. Values go by shuffles, which every lane does for itself: PTX's name the lanes that take
// part, those of SPV_INTEL_subgroups work among the lanes that are there.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/group_algorithms.hpp>

#include <cstdint>

#ifdef __SYCL_DEVICE_ONLY__
#ifdef __NVPTX__
extern __attribute__((convergent)) std::uint32_t
__devicelib_shuffle_among(std::uint32_t members, std::uint32_t word, std::uint32_t lane);
extern __attribute__((convergent)) void __devicelib_barrier_among(std::uint32_t members);
#else
extern __attribute__((convergent)) std::uint32_t __spirv_SubgroupShuffleINTEL(std::uint32_t word,
                                                                              std::uint32_t lane);
#endif
#endif

namespace sycl::detail {

/// Work-items of a sub-group, a bit for each.
using lane_bits = std::uint64_t;

inline std::uint32_t count_lanes(lane_bits lanes) {
  std::uint32_t count = 0;
  for (; lanes != 0; lanes &= lanes - 1)
    ++count;
  return count;
}
/// The lane that has so many before it.
inline std::uint32_t lane_at(lane_bits lanes, std::uint32_t place) {
  for (; place != 0; --place)
    lanes &= lanes - 1;
  std::uint32_t lane = 0;
  while (lane < 63 && (lanes >> lane & 1) == 0)
    ++lane;
  return lane;
}
/// The first lanes.
inline lane_bits lanes_below(std::uint32_t count) {
  return count < 64 ? (lane_bits(1) << count) - 1 : ~lane_bits(0);
}

/// The word of a lane, which each of the members may name for itself.
inline std::uint32_t word_among([[maybe_unused]] lane_bits members, std::uint32_t word,
                                [[maybe_unused]] std::uint32_t lane) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  return __devicelib_shuffle_among(static_cast<std::uint32_t>(members), word, lane);
#elif defined(__SYCL_DEVICE_ONLY__)
  return sub_group_size() == 1 ? word : __spirv_SubgroupShuffleINTEL(word, lane);
#else
  return word;
#endif
}
template <typename Type>
Type value_among(lane_bits members, const Type &value, std::uint32_t lane) {
  return by_words(value, [=](std::uint32_t word) { return word_among(members, word, lane); });
}

/// Some work-items of a sub-group, of which the calling one is one.
class part_of_sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id_type get_group_id() const { return number; }
  id_type get_local_id() const { return get_local_linear_id(); }
  range_type get_group_range() const { return count; }
  range_type get_local_range() const { return get_local_linear_range(); }
  linear_id_type get_group_linear_id() const { return number; }
  linear_id_type get_local_linear_id() const {
    return count_lanes(members & lanes_below(sub_group_local_id()));
  }
  linear_id_type get_group_linear_range() const { return count; }
  linear_id_type get_local_linear_range() const { return count_lanes(members); }
  bool leader() const { return get_local_linear_id() == 0; }

  /// For the implementation: the part of this number, of so many.
  part_of_sub_group(lane_bits members, std::uint32_t number, std::uint32_t count)
      : members(members), number(number), count(count) {}
  lane_bits get_members() const { return members; }

private:
  lane_bits members;
  std::uint32_t number;
  std::uint32_t count;
};

template <typename Group>
using if_part = std::enable_if_t<std::is_base_of_v<part_of_sub_group, Group>, int>;

/// Scans the part in the order of its work-items.
template <typename Type, typename Operation>
scanned<Type> scan_values(const part_of_sub_group &part, const Type &value, Operation operation) {
  const lane_bits members = part.get_members();
  const std::uint32_t own = sub_group_local_id();
  const std::uint32_t first = lane_at(members, 0);
  scanned<Type> result{value, value, value_among(members, value, first), own == first};
  for (lane_bits rest = members & (members - 1); rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lane_at(rest, 0);
    const Type sent = value_among(members, value, lane);
    if (lane == own)
      result.exclusive = result.total;
    result.total = operation(result.total, sent);
    if (lane == own)
      result.inclusive = result.total;
  }
  return result;
}

/// The lanes of a group whose work-items say so; all of them call.
inline lane_bits lanes_that_say(const part_of_sub_group &part, bool says) {
  const lane_bits own = says ? lane_bits(1) << sub_group_local_id() : 0;
  return scan_values(part, own, bit_or<lane_bits>()).total;
}
inline lane_bits lanes_that_say(const sub_group &whole, bool says) {
  const lane_bits own = says ? lane_bits(1) << sub_group_local_id() : 0;
  return reduce_over_group(whole, own, bit_or<lane_bits>());
}
inline lane_bits lanes_of(const part_of_sub_group &part) { return part.get_members(); }
inline lane_bits lanes_of(const sub_group &whole) {
  return lanes_below(whole.get_local_linear_range());
}

} // namespace sycl::detail

namespace sycl {

/// Waits for all work-items of the part, and makes their memory visible to one another. SPIR-V has
/// no barrier for some of a sub-group: they meet in passing a word on.
template <typename Group, detail::if_part<Group> = 0>
void group_barrier(Group group, memory_scope = Group::fence_scope) {
  const detail::lane_bits members = group.get_members();
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  __devicelib_barrier_among(static_cast<std::uint32_t>(members));
#else
  using namespace detail;
  memory_barrier<spirv_scope::cross_device, barrier_semantics>();
  word_among(members, 0, lane_at(members, 0));
  memory_barrier<spirv_scope::cross_device, barrier_semantics>();
#endif
}

template <typename Group, typename Type, detail::if_part<Group> = 0>
Type group_broadcast(Group group, Type value, std::uint32_t from = 0) {
  const detail::lane_bits members = group.get_members();
  return detail::value_among(members, value, detail::lane_at(members, from));
}
template <typename Group, typename Type, detail::if_part<Group> = 0>
Type group_broadcast(Group group, Type value, id<1> from) {
  return group_broadcast(group, value, static_cast<std::uint32_t>(from[0]));
}
/// The value of the work-item that each names by its number in the part; unspecified where there is
/// none, as for those below.
template <typename Group, typename Type, detail::if_part<Group> = 0>
Type select_from_group(Group group, Type value, id<1> from) {
  const std::size_t size = group.get_local_linear_range();
  return group_broadcast(group, value, from[0] < size ? from : group.get_local_id());
}
template <typename Group, typename Type, detail::if_part<Group> = 0>
Type shift_group_left(Group group, Type value, std::uint32_t by = 1) {
  return select_from_group(group, value, group.get_local_linear_id() + by);
}
template <typename Group, typename Type, detail::if_part<Group> = 0>
Type shift_group_right(Group group, Type value, std::uint32_t by = 1) {
  return select_from_group(group, value, group.get_local_linear_id() - by);
}
template <typename Group, typename Type, detail::if_part<Group> = 0>
Type permute_group_by_xor(Group group, Type value, std::uint32_t mask) {
  return select_from_group(group, value, group.get_local_linear_id() ^ mask);
}

} // namespace sycl
