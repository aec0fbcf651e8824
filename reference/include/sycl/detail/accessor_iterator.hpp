//===- accessor_iterator.hpp - the elements that an accessor covers, one after the other -----===//
#pragma once

#include <sycl/detail/element_access.hpp>

#include <iterator>
#include <memory>

namespace sycl::detail {

/// Walks over a box of two or three dimensions as one row after the other; what one dimension
/// covers is contiguous, and pointers do.
template <typename Type, int Dimensions> class box_iterator {
public:
  using difference_type = std::ptrdiff_t;
  using value_type = std::remove_cv_t<Type>;
  using pointer = Type *;
  using reference = Type &;
  using iterator_category = std::random_access_iterator_tag;

  box_iterator() = default;
  /// `first` is the memory's first element; the box starts at `offset`.
  box_iterator(Type *first, const range<Dimensions> &memory, const range<Dimensions> &covered,
               const id<Dimensions> &offset, difference_type place)
      : first(first), memory(memory), covered(covered), offset(offset), place(place) {}
  /// One that only reads.
  template <typename Own = Type, std::enable_if_t<!std::is_const_v<Own>, int> = 0>
  operator box_iterator<const Own, Dimensions>() const {
    return {first, memory, covered, offset, place};
  }

  reference operator*() const {
    id<Dimensions> at = offset;
    std::size_t rest = static_cast<std::size_t>(place);
    for (int i = Dimensions - 1; i >= 0; --i) {
      at[i] += rest % covered[i];
      rest /= covered[i];
    }
    return first[linear_index(at, memory)];
  }
  pointer operator->() const { return std::addressof(**this); }
  reference operator[](difference_type by) const { return *(*this + by); }

  box_iterator &operator+=(difference_type by) {
    place += by;
    return *this;
  }
  box_iterator &operator-=(difference_type by) { return *this += -by; }
  box_iterator &operator++() { return *this += 1; }
  box_iterator &operator--() { return *this -= 1; }
  box_iterator operator++(int) {
    box_iterator before = *this;
    ++*this;
    return before;
  }
  box_iterator operator--(int) {
    box_iterator before = *this;
    --*this;
    return before;
  }
  friend box_iterator operator+(box_iterator at, difference_type by) { return at += by; }
  friend box_iterator operator+(difference_type by, box_iterator at) { return at += by; }
  friend box_iterator operator-(box_iterator at, difference_type by) { return at -= by; }
  friend difference_type operator-(const box_iterator &left, const box_iterator &right) {
    return left.place - right.place;
  }
  friend bool operator==(const box_iterator &left, const box_iterator &right) {
    return left.place == right.place;
  }
  friend bool operator!=(const box_iterator &left, const box_iterator &right) {
    return left.place != right.place;
  }
  friend bool operator<(const box_iterator &left, const box_iterator &right) {
    return left.place < right.place;
  }
  friend bool operator>(const box_iterator &left, const box_iterator &right) {
    return right < left;
  }
  friend bool operator<=(const box_iterator &left, const box_iterator &right) {
    return !(right < left);
  }
  friend bool operator>=(const box_iterator &left, const box_iterator &right) {
    return !(left < right);
  }

private:
  Type *first = nullptr;
  range<Dimensions> memory;
  range<Dimensions> covered;
  id<Dimensions> offset;
  difference_type place = 0;
};

} // namespace sycl::detail
