//===- group_helpers_sorters.hpp - groups with memory, and what sorts by comparing
//-------------===//
//
// sycl_ext_oneapi_group_sort. What sorts by bits is in group_radix_sorters.hpp.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/strided.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/span.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
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

/// Where among those of the group a work-item's own values stand, before and after sorting: beside
/// each other, or every so manieth.
enum class group_algorithm_data_placement : std::uint8_t { blocked, striped };
struct input_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<input_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
struct output_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<output_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
template <group_algorithm_data_placement Placement>
inline constexpr input_data_placement_key::value_t<Placement> input_data_placement;
template <group_algorithm_data_placement Placement>
inline constexpr output_data_placement_key::value_t<Placement> output_data_placement;
template <> struct is_property_key<input_data_placement_key> : std::true_type {};
template <> struct is_property_key<output_data_placement_key> : std::true_type {};

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
      sycl::detail::each_strided(start + own, step, size - distance, [&](std::size_t low) {
        const std::size_t high = low + distance;
        if ((low - start) / distance % 2 != 0 || low / (2 * run) != high / (2 * run))
          return;
        if (compare(first[high], first[low])) {
          const sycl::detail::element_of<Pointer> moved = first[low];
          first[low] = first[high];
          first[high] = moved;
        }
      });
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

/// Where the work-item's own value of a number stands among those of the group.
template <typename Key, typename Properties, typename Group>
std::size_t sorting_place(Group group, std::size_t item, std::size_t items) {
  if constexpr (Properties::template has_property<Key>()) {
    if constexpr (decltype(Properties::template get_property<Key>())::value ==
                  group_algorithm_data_placement::striped)
      return item * group.get_local_linear_range() + group.get_local_linear_id();
  }
  return group.get_local_linear_id() * items + item;
}

/// Sorts what the work-items of a group have, `Count` elements each, in memory that all of them may
/// use. `load` tells an element by its number, and is told its place among those of the group;
/// `store` takes what is in the place of it then.
template <typename Element, std::size_t Count, typename Properties, typename Group,
          typename Compare, typename Load, typename Store>
void sort_own(Group group, std::byte *scratch, const Compare &compare, const Load &load,
              const Store &store) {
  Element *const all = aligned_in<Element>(scratch);
  for (std::size_t i = 0; i < Count; ++i) {
    const std::size_t place = sorting_place<input_data_placement_key, Properties>(group, i, Count);
    all[place] = load(i, place);
  }
  merge_exchange(group, all, group.get_local_linear_range() * Count, compare);
  for (std::size_t i = 0; i < Count; ++i)
    store(i, all[sorting_place<output_data_placement_key, Properties>(group, i, Count)]);
  // The memory may be used for something else now.
  group_barrier(group);
}

template <typename Key, typename Value> struct key_and_value {
  Key key;
  Value value;
};

/// An element, and the place from which it comes.
template <typename Element> struct ranked {
  Element element;
  std::uint32_t rank;
};
/// Compares by the keys; elements with equal ones keep their order.
template <typename Compare> struct by_key {
  template <typename Pair>
  bool operator()(const ranked<Pair> &left, const ranked<Pair> &right) const {
    if (compare(left.element.key, right.element.key))
      return true;
    // In parentheses: `std::rank` is a template, which a program may have made visible before.
    return (left.rank) < right.rank && !compare(right.element.key, left.element.key);
  }
  Compare compare;
};
/// What is sorted in the place of a value at a place, and the value of that again.
template <typename Element, typename Plain>
Element placed(const Plain &plain, [[maybe_unused]] std::size_t place) {
  if constexpr (std::is_same_v<Element, Plain>)
    return plain;
  else
    return {plain, static_cast<std::uint32_t>(place)};
}
template <typename Plain> const Plain &plain_of(const Plain &element) { return element; }
template <typename Plain> const Plain &plain_of(const ranked<Plain> &element) {
  return element.element;
}

/// Sorts a sequence that all work-items of the group name, in memory that is nearer.
template <typename Element, typename Group, typename Pointer, typename Compare>
void sort_near(Group group, std::byte *scratch, Pointer first, std::size_t count,
               const Compare &compare) {
  Element *const near = aligned_in<Element>(scratch);
  const std::size_t own = group.get_local_linear_id(), step = group.get_local_linear_range();
  sycl::detail::each_strided(own, step, count, [&](std::size_t i) {
    near[i] = placed<Element, sycl::detail::element_of<Pointer>>(first[i], i);
  });
  merge_exchange(group, near, count, compare);
  sycl::detail::each_strided(own, step, count,
                             [&](std::size_t i) { first[i] = plain_of(near[i]); });
  group_barrier(group);
}

template <typename Properties>
using if_sorting_properties = std::enable_if_t<is_property_list_v<Properties>, int>;
template <typename Type> using if_comparison = std::enable_if_t<!is_property_list_v<Type>, int>;

/// Sorts the values that the work-items of a group have, as elements that are compared.
template <typename Type, typename Element, typename Compare, std::size_t ElementsPerWorkItem>
class values_sorter {
public:
  template <typename Group> Type operator()(Group group, Type value) const {
    static_assert(ElementsPerWorkItem == 1, "several values of a work-item are given as a span");
    (*this)(group, span<Type, 1>(std::addressof(value), 1), empty_properties_t());
    return value;
  }
  template <typename Group, typename Properties, if_sorting_properties<Properties> = 0>
  void operator()(Group group, span<Type, ElementsPerWorkItem> values, Properties) const {
    sort_own<Element, ElementsPerWorkItem, Properties>(
        group, scratch, compare,
        [&](std::size_t i, std::size_t place) { return placed<Element, Type>(values[i], place); },
        [&](std::size_t i, const Element &sorted) { values[i] = plain_of(sorted); });
  }

  /// The bytes that sorting the values of a group of so many work-items takes, on any device.
  static std::size_t memory_required(const device &, memory_scope scope, std::size_t range_size) {
    return memory_required(scope, range_size);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return bytes_of<Element>(range_size * ElementsPerWorkItem);
  }

protected:
  values_sorter(std::byte *scratch, const Compare &compare) : scratch(scratch), compare(compare) {}

private:
  std::byte *scratch;
  Compare compare;
};

/// The same of keys, and with each its value.
template <typename Key, typename Value, typename Element, typename Compare,
          std::size_t ElementsPerWorkItem>
class keys_sorter {
  using pair = key_and_value<Key, Value>;

public:
  template <typename Group>
  std::tuple<Key, Value> operator()(Group group, Key key, Value value) const {
    static_assert(ElementsPerWorkItem == 1, "several keys of a work-item are given as a span");
    (*this)(group, span<Key, 1>(std::addressof(key), 1), span<Value, 1>(std::addressof(value), 1),
            empty_properties_t());
    return {key, value};
  }
  template <typename Group, typename Properties, if_sorting_properties<Properties> = 0>
  void operator()(Group group, span<Key, ElementsPerWorkItem> keys,
                  span<Value, ElementsPerWorkItem> values, Properties) const {
    sort_own<Element, ElementsPerWorkItem, Properties>(
        group, scratch, compare,
        [&](std::size_t i, std::size_t place) {
          return placed<Element, pair>({keys[i], values[i]}, place);
        },
        [&](std::size_t i, const Element &sorted) {
          keys[i] = plain_of(sorted).key;
          values[i] = plain_of(sorted).value;
        });
  }

  /// The bytes that sorting the keys of a group of so many work-items takes.
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return bytes_of<Element>(range_size * ElementsPerWorkItem);
  }

protected:
  keys_sorter(std::byte *scratch, const Compare &compare) : scratch(scratch), compare(compare) {}

private:
  std::byte *scratch;
  Compare compare;
};

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
    detail::sort_near<element>(group, scratch, first, count, compare);
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

/// Sorts the values that the work-items of a group have. The order of equal ones may change.
template <typename Type, typename Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_sorter : public detail::values_sorter<Type, Type, Compare, ElementsPerWorkItem> {
public:
  template <std::size_t Extent>
  explicit group_sorter(span<std::byte, Extent> scratch, Compare compare = {})
      : detail::values_sorter<Type, Type, Compare, ElementsPerWorkItem>(scratch.data(), compare) {}
};

/// Sorts the keys that the work-items of a group have, and with each its value. Those of equal keys
/// keep their order.
template <typename Key, typename Value, typename Compare = std::less<>,
          std::size_t ElementsPerWorkItem = 1>
class group_key_value_sorter
    : public detail::keys_sorter<Key, Value, detail::ranked<detail::key_and_value<Key, Value>>,
                                 detail::by_key<Compare>, ElementsPerWorkItem> {
  using sorter = detail::keys_sorter<Key, Value, detail::ranked<detail::key_and_value<Key, Value>>,
                                     detail::by_key<Compare>, ElementsPerWorkItem>;

public:
  template <std::size_t Extent>
  explicit group_key_value_sorter(span<std::byte, Extent> scratch, Compare compare = {})
      : sorter(scratch.data(), detail::by_key<Compare>{compare}) {}
};

} // namespace default_sorters

} // namespace sycl::ext::oneapi::experimental
