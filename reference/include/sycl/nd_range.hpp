//===- nd_range.hpp - an iteration space divided into work-groups ---------------------------===//
#pragma once

#include <sycl/id.hpp>

namespace sycl {

namespace detail {
/// What a work-group's size holds that the implementation chooses (auto_local_range.hpp).
inline constexpr std::size_t automatic_size = static_cast<std::size_t>(-1);
} // namespace detail

/// A global range and the size of the work-groups that divide it.
template <int Dimensions = 1> class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  /// Of nothing, as variables begin that programs migrated by dpct have; DPC++'s headers have it
  /// too.
  constexpr nd_range() noexcept = default;
  constexpr nd_range(range<Dimensions> global_size, range<Dimensions> local_size,
                     id<Dimensions> offset = id<Dimensions>()) noexcept
      : global_size(global_size), local_size(local_size), first(offset) {}

  constexpr range<Dimensions> get_global_range() const noexcept { return global_size; }
  constexpr range<Dimensions> get_local_range() const noexcept { return local_size; }
  /// The number of work-groups in each dimension.
  constexpr range<Dimensions> get_group_range() const noexcept { return global_size / local_size; }
  constexpr id<Dimensions> get_offset() const noexcept { return first; }

  friend constexpr bool operator==(const nd_range &left, const nd_range &right) {
    return left.global_size == right.global_size && left.local_size == right.local_size &&
           left.first == right.first;
  }
  friend constexpr bool operator!=(const nd_range &left, const nd_range &right) {
    return !(left == right);
  }

private:
  range<Dimensions> global_size;
  range<Dimensions> local_size;
  id<Dimensions> first;
};

} // namespace sycl
