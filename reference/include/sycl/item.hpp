//===- item.hpp - a work-item of a kernel over a range --------------------------------------===//
#pragma once

#include <sycl/id.hpp>

namespace sycl {

/// One work-item: its place and the whole range.
template <int Dimensions = 1, bool WithOffset = true>
class item : public detail::number<item<Dimensions, WithOffset>, Dimensions> {
public:
  static constexpr int dimensions = Dimensions;

  /// The runtime makes items; programs receive them.
  constexpr item(const id<Dimensions> &place, const range<Dimensions> &space,
                 const id<Dimensions> &offset = id<Dimensions>()) noexcept
      : place(place), space(space), first(offset) {}

  constexpr id<Dimensions> get_id() const noexcept { return place; }
  constexpr std::size_t get_id(int dimension) const noexcept { return place[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return place[dimension]; }
  constexpr range<Dimensions> get_range() const noexcept { return space; }
  constexpr std::size_t get_range(int dimension) const noexcept { return space[dimension]; }
  template <bool HasOffset = WithOffset, std::enable_if_t<HasOffset, int> = 0>
  constexpr id<Dimensions> get_offset() const noexcept {
    return first;
  }
  constexpr std::size_t get_linear_id() const noexcept {
    return detail::linear_index(place - first, space);
  }

  /// An item serves where one with or without an offset is asked for.
  template <bool Other, std::enable_if_t<Other != WithOffset, int> = 0>
  constexpr item(const item<Dimensions, Other> &from) noexcept
      : item(from.get_id(), from.get_range()) {
    if constexpr (Other)
      place = place - from.get_offset();
  }

  friend constexpr bool operator==(const item &left, const item &right) {
    return left.place == right.place && left.space == right.space && left.first == right.first;
  }
  friend constexpr bool operator!=(const item &left, const item &right) { return !(left == right); }

private:
  id<Dimensions> place;
  range<Dimensions> space;
  id<Dimensions> first;
};

} // namespace sycl
