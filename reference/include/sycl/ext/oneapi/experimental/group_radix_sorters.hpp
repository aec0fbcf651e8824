//===- group_radix_sorters.hpp - what sorts by the bits of numbers (sycl_ext_oneapi_group_sort)
//===//
//
// The order is that of the bits, and of those that are equal in them the one they had. It is found
// by comparing, as the other sorters do: how many bits a pass takes changes nothing.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

#include <bitset>

namespace sycl::ext::oneapi::experimental {

enum class sorting_order { ascending, descending };

namespace detail {

/// An element, and the place from which it comes.
template <typename Element> struct ranked {
  Element element;
  std::uint32_t rank;
};

/// Compares by bits of numbers: the first of a mask that are set beside each other.
template <typename Number, sorting_order Order> class by_bits {
  static_assert(std::is_arithmetic_v<Number> || std::is_same_v<Number, half> ||
                    std::is_same_v<Number, bfloat16>,
                "only numbers are sorted by their bits");
  static constexpr int size = sizeof(Number) * 8;
  using bits = std::conditional_t<
      size == 8, std::uint8_t,
      std::conditional_t<size == 16, std::uint16_t,
                         std::conditional_t<size == 32, std::uint32_t, std::uint64_t>>>;
  static_assert(sizeof(bits) == sizeof(Number), "no device has such numbers");

public:
  using mask = std::bitset<size>;

  explicit by_bits(const mask &wanted) {
    int first = 0, last;
    while (first < size && !wanted[static_cast<std::size_t>(first)])
      ++first;
    for (last = first; last < size && wanted[static_cast<std::size_t>(last)]; ++last)
      chosen = static_cast<bits>(chosen | static_cast<bits>(bits(1) << last));
  }

  template <typename Element>
  bool operator()(const ranked<Element> &left, const ranked<Element> &right) const {
    const bits first = in_order(number_of(left.element)),
               second = in_order(number_of(right.element));
    if (first != second)
      return (first < second) == (Order == sorting_order::ascending);
    return left.rank < right.rank;
  }

private:
  static Number number_of(const Number &number) { return number; }
  template <typename Value> static Number number_of(const key_and_value<Number, Value> &element) {
    return element.key;
  }
  /// The bits that are compared, greater for greater numbers.
  bits in_order(const Number &number) const {
    constexpr bits sign = static_cast<bits>(bits(1) << (size - 1));
    bits own = sycl::bit_cast<bits>(number);
    if constexpr (std::is_integral_v<Number>) {
      if constexpr (std::is_signed_v<Number>)
        own = static_cast<bits>(own ^ sign);
    } else {
      own = static_cast<bits>((own & sign) != 0 ? ~own : own | sign);
    }
    return static_cast<bits>(own & chosen);
  }

  bits chosen = 0;
};

} // namespace detail

namespace radix_sorters {

/// Sorts a sequence that all work-items of a group name.
template <typename Type, sorting_order Order = sorting_order::ascending,
          unsigned int BitsPerPass = 4>
class joint_sorter {
  using order = detail::by_bits<Type, Order>;
  using element = detail::ranked<Type>;

public:
  template <std::size_t Extent>
  explicit joint_sorter(span<std::byte, Extent> scratch,
                        typename order::mask bits = typename order::mask{}.set())
      : scratch(scratch.data()), compare(bits) {}

  template <typename Group, typename Pointer>
  void operator()(Group group, Pointer first, Pointer last) const {
    const auto count = static_cast<std::size_t>(last - first);
    element *const near = detail::aligned_in<element>(scratch);
    const std::size_t own = group.get_local_linear_id(), step = group.get_local_linear_range();
    for (std::size_t i = own; i < count; i += step)
      near[i] = {first[i], static_cast<std::uint32_t>(i)};
    detail::merge_exchange(group, near, count, compare);
    for (std::size_t i = own; i < count; i += step)
      first[i] = near[i].element;
    group_barrier(group);
  }

  /// The bytes that sorting so many elements takes.
  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::bytes_of<element>(range_size);
  }

private:
  std::byte *scratch;
  order compare;
};

/// Sorts the values that the work-items of a group have.
template <typename Type, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned int BitsPerPass = 4>
class group_sorter {
  using order = detail::by_bits<Type, Order>;
  using element = detail::ranked<Type>;

public:
  template <std::size_t Extent>
  explicit group_sorter(span<std::byte, Extent> scratch,
                        typename order::mask bits = typename order::mask{}.set())
      : scratch(scratch.data()), compare(bits) {}

  template <typename Group> Type operator()(Group group, Type value) const {
    static_assert(ElementsPerWorkItem == 1, "several values of a work-item are given as a span");
    (*this)(group, span<Type, 1>(&value, 1), empty_properties_t());
    return value;
  }
  template <typename Group, typename Properties, detail::if_sorting_properties<Properties> = 0>
  void operator()(Group group, span<Type, ElementsPerWorkItem> values, Properties) const {
    detail::sort_own<element, ElementsPerWorkItem, Properties>(
        group, scratch, compare,
        [&](std::size_t i, std::size_t place) {
          return element{values[i], static_cast<std::uint32_t>(place)};
        },
        [&](std::size_t i, const element &sorted) { values[i] = sorted.element; });
  }

  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::bytes_of<element>(range_size * ElementsPerWorkItem);
  }

private:
  std::byte *scratch;
  order compare;
};

/// Sorts the keys that the work-items of a group have, and with each its value.
template <typename Key, typename Value, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned int BitsPerPass = 4>
class group_key_value_sorter {
  using order = detail::by_bits<Key, Order>;
  using element = detail::ranked<detail::key_and_value<Key, Value>>;

public:
  template <std::size_t Extent>
  explicit group_key_value_sorter(span<std::byte, Extent> scratch,
                                  typename order::mask bits = typename order::mask{}.set())
      : scratch(scratch.data()), compare(bits) {}

  template <typename Group>
  std::tuple<Key, Value> operator()(Group group, Key key, Value value) const {
    static_assert(ElementsPerWorkItem == 1, "several keys of a work-item are given as a span");
    (*this)(group, span<Key, 1>(&key, 1), span<Value, 1>(&value, 1), empty_properties_t());
    return {key, value};
  }
  template <typename Group, typename Properties, detail::if_sorting_properties<Properties> = 0>
  void operator()(Group group, span<Key, ElementsPerWorkItem> keys,
                  span<Value, ElementsPerWorkItem> values, Properties) const {
    detail::sort_own<element, ElementsPerWorkItem, Properties>(
        group, scratch, compare,
        [&](std::size_t i, std::size_t place) {
          return element{{keys[i], values[i]}, static_cast<std::uint32_t>(place)};
        },
        [&](std::size_t i, const element &sorted) {
          keys[i] = sorted.element.key;
          values[i] = sorted.element.value;
        });
  }

  static constexpr std::size_t memory_required(memory_scope, std::size_t range_size) {
    return detail::bytes_of<element>(range_size * ElementsPerWorkItem);
  }

private:
  std::byte *scratch;
  order compare;
};

} // namespace radix_sorters

} // namespace sycl::ext::oneapi::experimental
