//===- id.hpp - one place in an iteration space or memory object ----------------------------===//
#pragma once

#include <sycl/range.hpp>

namespace sycl {

template <int Dimensions, bool WithOffset> class item;

/// A place in a one-, two- or three-dimensional space.
template <int Dimensions = 1>
class id : public detail::array<Dimensions>, public detail::number<id<Dimensions>, Dimensions> {
public:
  static constexpr int dimensions = Dimensions;

  constexpr id() noexcept { // zero in each dimension
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0>
  constexpr id(std::size_t a) noexcept {
    this->values[0] = a;
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 2, int> = 0>
  constexpr id(std::size_t a, std::size_t b) noexcept {
    this->values[0] = a;
    this->values[1] = b;
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 3, int> = 0>
  constexpr id(std::size_t a, std::size_t b, std::size_t c) noexcept {
    this->values[0] = a;
    this->values[1] = b;
    this->values[2] = c;
  }
  constexpr id(const range<Dimensions> &from) noexcept {
    for (int i = 0; i < Dimensions; ++i)
      this->values[i] = from[i];
  }
  template <bool WithOffset> constexpr id(const item<Dimensions, WithOffset> &from) noexcept {
    for (int i = 0; i < Dimensions; ++i)
      this->values[i] = from.get_id(i);
  }

  /// DPC++'s.
  [[deprecated("SYCL 2020 has no conversion of a place to a range")]] explicit constexpr
  operator range<Dimensions>() const noexcept {
    range<Dimensions> size;
    for (int i = 0; i < Dimensions; ++i)
      size[i] = (*this)[i];
    return size;
  }

  PLSYCL_ARRAY_OPERATORS(id)
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

namespace detail {

/// The place's number when the last dimension varies fastest.
template <int Dimensions>
constexpr std::size_t linear_index(const id<Dimensions> &place,
                                   const range<Dimensions> &space) noexcept {
  std::size_t index = 0;
  for (int i = 0; i < Dimensions; ++i)
    index = index * space[i] + place[i];
  return index;
}

} // namespace detail
} // namespace sycl
