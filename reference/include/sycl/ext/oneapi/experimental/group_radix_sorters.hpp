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
    // In parentheses: `std::rank` is a template, which a program may have made visible before.
    return (left.rank) < right.rank;
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
    detail::sort_near<element>(group, scratch, first, count, compare);
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
class group_sorter
    : public detail::values_sorter<Type, detail::ranked<Type>, detail::by_bits<Type, Order>,
                                   ElementsPerWorkItem> {
  using order = detail::by_bits<Type, Order>;
  using sorter = detail::values_sorter<Type, detail::ranked<Type>, order, ElementsPerWorkItem>;

public:
  template <std::size_t Extent>
  explicit group_sorter(span<std::byte, Extent> scratch,
                        typename order::mask bits = typename order::mask{}.set())
      : sorter(scratch.data(), order(bits)) {}
};

/// Sorts the keys that the work-items of a group have, and with each its value.
template <typename Key, typename Value, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned int BitsPerPass = 4>
class group_key_value_sorter
    : public detail::keys_sorter<Key, Value, detail::ranked<detail::key_and_value<Key, Value>>,
                                 detail::by_bits<Key, Order>, ElementsPerWorkItem> {
  using order = detail::by_bits<Key, Order>;
  using sorter = detail::keys_sorter<Key, Value, detail::ranked<detail::key_and_value<Key, Value>>,
                                     order, ElementsPerWorkItem>;

public:
  template <std::size_t Extent>
  explicit group_key_value_sorter(span<std::byte, Extent> scratch,
                                  typename order::mask bits = typename order::mask{}.set())
      : sorter(scratch.data(), order(bits)) {}
};

} // namespace radix_sorters

} // namespace sycl::ext::oneapi::experimental
