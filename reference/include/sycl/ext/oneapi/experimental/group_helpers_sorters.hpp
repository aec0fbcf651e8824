//===- group_helpers_sorters.hpp - groups with memory, and what sorts (sycl_ext_oneapi_group_sort)
//-===//
#pragma once

#include <sycl/device.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/span.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace sycl::ext::oneapi::experimental {

/// A group, and memory that all of its work-items may use for what they do together.
template <typename Group, std::size_t Extent> class group_with_scratchpad {
public:
  group_with_scratchpad(Group group, span<std::byte, Extent> scratch)
      : group(group), scratch(scratch) {}

  Group get_group() const { return group; }
  span<std::byte, Extent> get_memory() const { return scratch; }

private:
  Group group;
  span<std::byte, Extent> scratch;
};

template <typename Group, std::size_t Extent>
group_with_scratchpad(Group, span<std::byte, Extent>) -> group_with_scratchpad<Group, Extent>;

namespace detail {

/// A group helper is what has a group and memory.
template <typename Type, typename = void> constexpr bool is_group_helper = false;
template <typename Type>
constexpr bool is_group_helper<Type, std::void_t<decltype(std::declval<Type>().get_group()),
                                                 decltype(std::declval<Type>().get_memory())>> =
    true;

template <typename Type> using if_group_helper = std::enable_if_t<is_group_helper<Type>, int>;

/// Sorts what all work-items of the group name, by Batcher's merge exchange (Knuth, "The Art of
/// Computer Programming", volume 3, 5.2.2): exchanges of one distance do not depend on each other.
template <typename Group, typename Pointer, typename Compare>
void merge_exchange(Group group, Pointer first, std::size_t size, Compare compare) {
  const std::size_t own = group.get_local_linear_id(), step = group.get_local_linear_range();
  for (std::size_t run = 1; run < size; run *= 2)
    for (std::size_t distance = run; distance > 0; distance /= 2) {
      const std::size_t start = distance % run;
      group_barrier(group);
      for (std::size_t low = start + own; low + distance < size; low += step) {
        const std::size_t high = low + distance;
        if ((low - start) / distance % 2 != 0 || low / (2 * run) != high / (2 * run))
          continue;
        if (compare(first[high], first[low])) {
          const sycl::detail::element_of<Pointer> moved = first[low];
          first[low] = first[high];
          first[high] = moved;
        }
      }
    }
  group_barrier(group);
}

/// The first place in the memory where a value of the type may stand.
template <typename Type> Type *aligned_in(std::byte *memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return reinterpret_cast<Type *>(memory +
                                  (alignof(Type) - address % alignof(Type)) % alignof(Type));
}

/// Bytes in which so many values can stand, wherever they begin.
template <typename Type> constexpr std::size_t bytes_of(std::size_t count) {
  return count * sizeof(Type) + alignof(Type) - 1;
}

} // namespace detail

namespace default_sorters {

/// Sorts a sequence that all work-items of a group name. The order of equal elements may change.
template <typename Compare = std::less<>> class joint_sorter {
public:
  template <std::size_t Extent>
  explicit joint_sorter(span<std::byte, Extent> scratch, Compare compare = {})
      : scratch(scratch.data()), size(scratch.size()), compare(compare) {}

  template <typename Group, typename Pointer>
  void operator()(Group group, Pointer first, Pointer last) const {
    using element = sycl::detail::element_of<Pointer>;
    const auto count = static_cast<std::size_t>(last - first);
    if (memory_required<element>(memory_scope::work_group, count) > size) {
      detail::merge_exchange(group, first, count, compare);
      return;
    }
    // There is nearer memory.
    element *const near = detail::aligned_in<element>(scratch);
    const std::size_t own = group.get_local_linear_id(), step = group.get_local_linear_range();
    for (std::size_t i = own; i < count; i += step)
      near[i] = first[i];
    detail::merge_exchange(group, near, count, compare);
    for (std::size_t i = own; i < count; i += step)
      first[i] = near[i];
    group_barrier(group);
  }

  /// The bytes that sorting so many elements takes, on any device.
  template <typename Type>
  static std::size_t memory_required(const device &, memory_scope scope, std::size_t range_size) {
    return memory_required<Type>(scope, range_size);
  }
  template <typename Type>
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::bytes_of<Type>(range_size);
  }

private:
  std::byte *scratch;
  std::size_t size;
  Compare compare;
};

template <std::size_t Extent, typename Compare>
joint_sorter(span<std::byte, Extent>, Compare) -> joint_sorter<Compare>;
template <std::size_t Extent> joint_sorter(span<std::byte, Extent>) -> joint_sorter<>;

/// Sorts the values that the work-items of a group have, one each.
template <typename Type, typename Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_sorter {
  static_assert(ElementsPerWorkItem == 1, "Plumbline sorts one value of each work-item");

public:
  template <std::size_t Extent>
  explicit group_sorter(span<std::byte, Extent> scratch, Compare compare = {})
      : scratch(scratch.data()), compare(compare) {}

  template <typename Group> Type operator()(Group group, Type value) const {
    Type *const all = detail::aligned_in<Type>(scratch);
    const std::size_t own = group.get_local_linear_id();
    all[own] = value;
    detail::merge_exchange(group, all, group.get_local_linear_range(), compare);
    const Type sorted = all[own];
    // The memory may be used for something else now.
    group_barrier(group);
    return sorted;
  }

  /// The bytes that sorting the values of a group of so many work-items takes, on any device.
  static std::size_t memory_required(const device &, memory_scope scope, std::size_t range_size) {
    return memory_required(scope, range_size);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::bytes_of<Type>(range_size);
  }

private:
  std::byte *scratch;
  Compare compare;
};

} // namespace default_sorters

} // namespace sycl::ext::oneapi::experimental
