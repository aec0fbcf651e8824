//===- sub_group_mask.hpp - a bit a work-item (sycl_ext_oneapi_sub_group_mask) ---------------===//
#pragma once

#include <sycl/group_algorithms.hpp>
#include <sycl/marray.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl::ext::oneapi {

class sub_group_mask;
/// Which work-items of the sub-group say so.
template <typename Group> sub_group_mask group_ballot(Group group, bool says = true);

/// A bit for each work-item of a sub-group, the first one's lowest.
class sub_group_mask {
public:
  /// The most work-items of a sub-group that have a bit.
  static constexpr std::size_t max_bits = 64;

  /// A bit that can be written.
  class reference {
  public:
    reference(sub_group_mask &mask, std::size_t place) : mask(mask), place(place) {}
    reference(const reference &) = default;
    reference &operator=(bool value) {
      mask.set(place, value);
      return *this;
    }
    reference &operator=(const reference &other) { return *this = static_cast<bool>(other); }
    reference &flip() {
      mask.flip(place);
      return *this;
    }
    bool operator~() const { return !static_cast<bool>(*this); }
    operator bool() const { return mask.test(place); }

  private:
    sub_group_mask &mask;
    std::size_t place;
  };

  /// No bit, of as many as the work-item's sub-group can have work-items.
  sub_group_mask() : sub_group_mask(0ull) {}
  /// The lowest bits of the value.
  sub_group_mask(unsigned long long value) : bits(value), width(own_width()) { bits &= every(); }
  /// Those of the numbers, the first one's lowest.
  template <typename Type, std::size_t Count, std::enable_if_t<std::is_integral_v<Type>, int> = 0>
  sub_group_mask(const marray<Type, Count> &values) : sub_group_mask() {
    insert_bits(values);
  }

  bool operator[](id<1> place) const { return test(place); }
  reference operator[](id<1> place) { return {*this, place[0]}; }
  bool test(id<1> place) const { return (bits >> place[0] & 1) != 0; }

  bool all() const { return bits == every(); }
  bool any() const { return bits != 0; }
  bool none() const { return bits == 0; }
  std::uint32_t count() const {
    std::uint32_t result = 0;
    for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
      ++result;
    return result;
  }
  /// How many work-items have a bit: the most that a sub-group has.
  std::uint32_t size() const { return width; }
  /// The lowest bit that is set, or size().
  id<1> find_low() const {
    std::uint32_t place = 0;
    while (place < width && !test(place))
      ++place;
    return place;
  }
  /// The highest bit that is set, or size().
  id<1> find_high() const {
    std::uint32_t place = width;
    while (place > 0 && !test(place - 1))
      --place;
    return place == 0 ? width : place - 1;
  }

  void set() { bits = every(); }
  void set(id<1> place, bool value = true) {
    value ? bits |= bit(place) : bits &= ~bit(place);
    bits &= every();
  }
  void reset() { bits = 0; }
  void reset(id<1> place) { bits &= ~bit(place); }
  void reset_low() { bits &= bits - 1; }
  void reset_high() {
    if (any())
      reset(find_high());
  }
  void flip() { bits ^= every(); }
  void flip(id<1> place) { bits = (bits ^ bit(place)) & every(); }

  /// Writes all bits of `given` that there is room for, from `place` on.
  template <typename Type, std::enable_if_t<std::is_integral_v<Type>, int> = 0>
  void insert_bits(const Type &given, id<1> place = 0) {
    insert(static_cast<std::uint64_t>(given), sizeof(Type) * 8, place[0]);
  }
  template <typename Type, std::size_t Count>
  void insert_bits(const marray<Type, Count> &given, id<1> place = 0) {
    for (std::size_t i = 0; i < Count; ++i)
      insert_bits(given[i], place[0] + i * sizeof(Type) * 8);
  }
  /// Reads as many bits as `taken` has, from `place` on; what is not in the mask is 0.
  template <typename Type, std::enable_if_t<std::is_integral_v<Type>, int> = 0>
  void extract_bits(Type &taken, id<1> place = 0) const {
    constexpr std::size_t count = sizeof(Type) * 8;
    const std::uint64_t found = place[0] < max_bits ? bits >> place[0] : 0;
    taken = static_cast<Type>(count < max_bits ? found & ((1ull << count) - 1) : found);
  }
  template <typename Type, std::size_t Count>
  void extract_bits(marray<Type, Count> &taken, id<1> place = 0) const {
    for (std::size_t i = 0; i < Count; ++i)
      extract_bits(taken[i], place[0] + i * sizeof(Type) * 8);
  }

  sub_group_mask &operator&=(const sub_group_mask &other) {
    bits &= other.bits;
    return *this;
  }
  sub_group_mask &operator|=(const sub_group_mask &other) {
    bits |= other.bits;
    return *this;
  }
  sub_group_mask &operator^=(const sub_group_mask &other) {
    bits ^= other.bits;
    return *this;
  }
  sub_group_mask &operator<<=(std::size_t by) {
    bits = by < max_bits ? bits << by & every() : 0;
    return *this;
  }
  sub_group_mask &operator>>=(std::size_t by) {
    bits = by < max_bits ? bits >> by : 0;
    return *this;
  }
  sub_group_mask operator~() const {
    sub_group_mask result = *this;
    result.flip();
    return result;
  }
  sub_group_mask operator<<(std::size_t by) const { return sub_group_mask(*this) <<= by; }
  sub_group_mask operator>>(std::size_t by) const { return sub_group_mask(*this) >>= by; }

  friend sub_group_mask operator&(sub_group_mask left, const sub_group_mask &right) {
    return left &= right;
  }
  friend sub_group_mask operator|(sub_group_mask left, const sub_group_mask &right) {
    return left |= right;
  }
  friend sub_group_mask operator^(sub_group_mask left, const sub_group_mask &right) {
    return left ^= right;
  }
  friend bool operator==(const sub_group_mask &left, const sub_group_mask &right) {
    return left.bits == right.bits && left.width == right.width;
  }
  friend bool operator!=(const sub_group_mask &left, const sub_group_mask &right) {
    return !(left == right);
  }

private:
  template <typename Group> friend sub_group_mask group_ballot(Group, bool);

  sub_group_mask(std::uint64_t bits, std::uint32_t width) : bits(bits), width(width) {}

  /// The host has no sub-groups: there the mask has all its bits.
  static std::uint32_t own_width() {
    const std::uint32_t most = sycl::detail::sub_group_max_size();
    return most == 0 || most > max_bits ? max_bits : most;
  }
  static std::uint64_t bit(id<1> place) { return place[0] < max_bits ? 1ull << place[0] : 0; }
  std::uint64_t every() const { return width < max_bits ? (1ull << width) - 1 : ~0ull; }
  void insert(std::uint64_t given, std::size_t count, std::size_t place) {
    if (place >= max_bits)
      return;
    const std::uint64_t room = (count < max_bits ? (1ull << count) - 1 : ~0ull) << place;
    bits = ((bits & ~room) | (given << place & room)) & every();
  }

  std::uint64_t bits;
  std::uint32_t width;
};

template <typename Group> sub_group_mask group_ballot(Group group, bool says) {
  static_assert(std::is_same_v<Group, sub_group>, "only sub-groups have masks");
  const std::uint64_t own = says ? 1ull << group.get_local_linear_id() : 0;
  return {reduce_over_group(group, own, bit_or<std::uint64_t>()),
          static_cast<std::uint32_t>(group.get_max_local_range()[0])};
}

} // namespace sycl::ext::oneapi
