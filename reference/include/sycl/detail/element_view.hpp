//===- element_view.hpp - what accessors of every kind have in common ------------------------===//
//
// SYCL 2020, "Accessors": sizes, ways to the elements and iterators. An accessor says where its
// memory begins and what of it it covers.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/accessor_iterator.hpp>

namespace sycl::detail {

// ---- what an accessor covers, of memory of each kind ----

inline std::size_t covered_elements(const global_memory &memory) {
  return memory.access_range[0] * memory.access_range[1] * memory.access_range[2];
}
inline std::size_t covered_elements(const local_memory &memory) {
  return memory.range[0] * memory.range[1] * memory.range[2];
}
template <int Dimensions> range<Dimensions> covered_range(const global_memory &memory) {
  return to_range<Dimensions>(memory.access_range);
}
template <int Dimensions> range<Dimensions> covered_range(const local_memory &memory) {
  return to_range<Dimensions>(memory.range);
}
template <int Dimensions>
std::size_t element_index(const local_memory &memory, const id<Dimensions> &place) {
  return linear_index(place, covered_range<Dimensions>(memory));
}
/// Element `place` of those covered; pointers do for what is contiguous.
template <int Dimensions, typename Type>
auto iterator_to(Type *first, const global_memory &memory, std::size_t place) {
  if constexpr (Dimensions < 2)
    return first + memory.offset[0] + place;
  else
    return box_iterator<Type, Dimensions>(
        first, to_range<Dimensions>(memory.memory_range), covered_range<Dimensions>(memory),
        to_range<Dimensions>(memory.offset), static_cast<std::ptrdiff_t>(place));
}
template <int Dimensions, typename Type>
Type *iterator_to(Type *first, const local_memory &, std::size_t place) {
  return first + place;
}

/// The members of `Derived`, an accessor in memory of type `Memory` to elements `T` as `Value`.
template <typename Derived, typename Memory, typename Type, typename Value, int Dimensions>
class element_view {
  /// What accessors that have dimensions convert to: nothing that a program knows.
  struct no_element {};

public:
  using value_type = Value;
  using reference = Value &;
  using const_reference = const Type &;
  using iterator =
      decltype(iterator_to<Dimensions>(std::declval<Value *>(), std::declval<const Memory &>(), 0));
  using const_iterator = decltype(iterator_to<Dimensions>(std::declval<const Type *>(),
                                                          std::declval<const Memory &>(), 0));
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = typename std::iterator_traits<iterator>::difference_type;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  /// Without dimensions it is the first element alone.
  size_type size() const noexcept {
    const size_type covered = covered_elements(memory());
    return Dimensions == 0 && covered != 0 ? 1 : covered;
  }
  /// 0 where it accesses nothing.
  size_type max_size() const noexcept { return empty() ? 0 : ~size_type(0) / sizeof(Type); }
  size_type byte_size() const noexcept { return size() * sizeof(Type); }
  bool empty() const noexcept { return size() == 0; }
  // Deprecated names.
  size_type get_count() const noexcept { return size(); }
  size_type get_size() const noexcept { return byte_size(); }

  template <int Dims = Dimensions, std::enable_if_t<(Dims > 0), int> = 0>
  range<Dims> get_range() const {
    return covered_range<Dims>(memory());
  }

  /// Also by what converts to an id. (Without dimensions there is no place to name.)
  reference operator[](id<(Dimensions > 0 ? Dimensions : 1)> place) const {
    return data()[element_index(memory(), place)];
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](size_type index) const {
    return first_subscript<Dims>(static_cast<const Derived &>(*this), index);
  }
  /// No dimension has one element. No template: g++ takes none for operands of built-in operators.
  operator std::conditional_t<Dimensions == 0, reference, no_element>() const {
    if constexpr (Dimensions == 0)
      return *begin();
    else
      return no_element();
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 0 && !std::is_const_v<Value>, int> = 0>
  const Derived &operator=(const Value &value) const {
    *begin() = value;
    return static_cast<const Derived &>(*this);
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 0 && !std::is_const_v<Value>, int> = 0>
  const Derived &operator=(Value &&value) const {
    *begin() = std::move(value);
    return static_cast<const Derived &>(*this);
  }

  iterator begin() const noexcept { return to<Value>(0); }
  iterator end() const noexcept { return to<Value>(size()); }
  const_iterator cbegin() const noexcept { return to<const Type>(0); }
  const_iterator cend() const noexcept { return to<const Type>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

  /// The first element that the accessor covers; for the implementation.
  Value *get_first() const {
    return data() + element_index(memory(), id<(Dimensions > 0 ? Dimensions : 1)>());
  }
  /// The first element of the buffer, or of the local memory, also where the accessor covers less:
  /// what SYCL 2020 has pointers of accessors point to.
  Value *get_start() const { return data() + origin_of(memory()); }

private:
  const Memory &memory() const { return static_cast<const Derived &>(*this).get_memory(); }
  Value *data() const { return static_cast<const Derived &>(*this).get_data(); }
  template <typename Element> auto to(size_type place) const noexcept {
    return iterator_to<Dimensions, Element>(data(), memory(), place);
  }
};

} // namespace sycl::detail
