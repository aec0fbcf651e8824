//===- range.hpp - sizes of iteration spaces and memory objects -----------------------------===//
#pragma once

#include <sycl/detail/array.hpp>

namespace sycl {

/// The size of a one-, two- or three-dimensional space, outermost dimension first.
template <int Dimensions = 1> class range : public detail::array<Dimensions> {
public:
  static constexpr int dimensions = Dimensions;

  constexpr range() noexcept { // zero in each dimension
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0>
  constexpr range(std::size_t a) noexcept {
    this->values[0] = a;
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 2, int> = 0>
  constexpr range(std::size_t a, std::size_t b) noexcept {
    this->values[0] = a;
    this->values[1] = b;
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 3, int> = 0>
  constexpr range(std::size_t a, std::size_t b, std::size_t c) noexcept {
    this->values[0] = a;
    this->values[1] = b;
    this->values[2] = c;
  }

  /// The number of elements.
  constexpr std::size_t size() const noexcept {
    std::size_t product = 1;
    for (int i = 0; i < Dimensions; ++i)
      product *= this->values[i];
    return product;
  }

  PLSYCL_ARRAY_OPERATORS(range)
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

} // namespace sycl
