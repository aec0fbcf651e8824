//===- box.hpp - the bytes that an accessor covers, row by row -------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/bit_cast.hpp>

#include <cstdint>

namespace sycl::detail {

/// A box's extent: planes of rows of contiguous bytes.
struct box_rows {
  std::uint64_t planes;
  std::uint64_t rows;
  std::uint64_t row_size;
};

template <typename Type, int Dimensions> box_rows rows_of(const range<Dimensions> &covered) {
  return {Dimensions > 2 ? covered[0] : 1, Dimensions > 1 ? covered[Dimensions - 2] : 1,
          covered[Dimensions - 1] * sizeof(Type)};
}

/// The box of `covered` elements that starts at element `first` of memory of the shape `whole`.
template <typename Type, int Dimensions>
plsycl_box box_at(plsycl_memory memory, void *bytes, const range<Dimensions> &whole,
                  std::size_t first) {
  std::uint64_t row_stride = whole[Dimensions - 1] * sizeof(Type);
  std::uint64_t plane_stride = row_stride * (Dimensions > 1 ? whole[Dimensions - 2] : 1);
  return {memory, bytes, first * sizeof(Type), plane_stride, row_stride};
}

template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
plsycl_box box_of(const accessor<Type, Dims, Mode, Target, Holder> &view) {
  const global_memory &memory = view.get_memory();
  constexpr int dimensions = buffer_dimensions(Dims);
  return box_at<Type>(memory_of(memory), nullptr, shape_of<dimensions>(memory),
                      element_index(memory, id<dimensions>()));
}

/// Whether a box of one range lies in one of the other.
template <int Dimensions, int Others>
bool fits_in([[maybe_unused]] const range<Dimensions> &box,
             [[maybe_unused]] const range<Others> &other) {
  if constexpr (Dimensions == Others) {
    for (int i = 0; i < Dimensions; ++i)
      if (box[i] > other[i])
        return false;
  }
  return Dimensions == Others;
}

/// What an accessor covers; no dimension is one of a single element.
template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
range<buffer_dimensions(Dims)> range_of(const accessor<Type, Dims, Mode, Target, Holder> &view) {
  return covered_range<buffer_dimensions(Dims)>(view.get_memory());
}
/// Whether it is contiguous: whole but in the dimension that varies slowest.
template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
bool is_one_row(const accessor<Type, Dims, Mode, Target, Holder> &view) {
  const global_memory &memory = view.get_memory();
  for (int i = 1; i < Dims; ++i)
    if (memory.access_range[i] != memory.memory_range[i])
      return false;
  return true;
}

/// A kernel that copies between accessors of different shapes, element by element in the order of
/// their linear indices.
template <typename Source, typename Destination> struct linear_copy {
  Source source;
  Destination destination;

  void operator()(id<1> linear) const {
    using element = typename Destination::value_type;
    element_at(destination, linear[0]) = sycl::bit_cast<element>(element_at(source, linear[0]));
  }

private:
  template <typename View> static decltype(auto) element_at(const View &view, std::size_t linear) {
    const auto covered = view.get_range();
    id<decltype(covered)::dimensions> at;
    for (int i = decltype(covered)::dimensions - 1; i >= 0; --i) {
      at[i] = linear % covered[i];
      linear /= covered[i];
    }
    return view[at];
  }
};
template <typename Source, typename Destination>
linear_copy(Source, Destination) -> linear_copy<Source, Destination>;

/// Keeps a parameter out of template argument deduction.
template <typename Type> struct undeduced {
  using type = Type;
};
template <typename Type> using same_type = typename undeduced<std::remove_const_t<Type>>::type;

/// Host memory that holds just the covered elements.
template <typename Type, int Dimensions>
plsycl_box packed_box(const range<Dimensions> &covered, void *bytes) {
  return box_at<Type>(nullptr, bytes, covered, 0);
}

/// Copies a range or an id into the C interface's numbers; unused dimensions hold `rest`.
template <int Dimensions>
void copy_numbers(const array<Dimensions> &values, std::uint64_t (&result)[3], std::uint64_t rest) {
  for (int i = 0; i < 3; ++i)
    result[i] = i < Dimensions ? values[i] : rest;
}

} // namespace sycl::detail
