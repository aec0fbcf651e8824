//===- span.hpp - a sequence that lies elsewhere (SYCL 2020, 4.5.1.2) ------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace sycl {

#if __cplusplus >= 202002L
using std::dynamic_extent;
using std::span;
#else
inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

/// What C++20's std::span is, for C++17.
template <typename Type, std::size_t Extent = dynamic_extent> class span {
public:
  using element_type = Type;
  using value_type = std::remove_cv_t<Type>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = Type *;
  using const_pointer = const Type *;
  using reference = Type &;
  using const_reference = const Type &;
  using iterator = Type *;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr std::size_t extent = Extent;

  template <std::size_t Own = Extent, std::enable_if_t<Own == dynamic_extent || Own == 0, int> = 0>
  constexpr span() noexcept {}
  constexpr span(pointer first, size_type count) : first(first), count(count) {}
  constexpr span(pointer first, pointer last)
      : first(first), count(static_cast<size_type>(last - first)) {}
  template <std::size_t Count,
            std::enable_if_t<Extent == dynamic_extent || Extent == Count, int> = 0>
  constexpr span(Type (&all)[Count]) noexcept : first(all), count(Count) {}
  template <
      typename Container,
      std::enable_if_t<std::is_convertible_v<decltype(std::declval<Container &>().data()), pointer>,
                       int> = 0>
  constexpr span(Container &all) : first(all.data()), count(all.size()) {}

  constexpr size_type size() const noexcept { return count; }
  constexpr size_type size_bytes() const noexcept { return count * sizeof(Type); }
  constexpr bool empty() const noexcept { return count == 0; }
  constexpr reference operator[](size_type index) const { return first[index]; }
  constexpr reference front() const { return first[0]; }
  constexpr reference back() const { return first[count - 1]; }
  constexpr pointer data() const noexcept { return first; }
  constexpr iterator begin() const noexcept { return first; }
  constexpr iterator end() const noexcept { return first + count; }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  constexpr span<Type> subspan(size_type from, size_type length = dynamic_extent) const {
    return {first + from, length == dynamic_extent ? count - from : length};
  }

private:
  pointer first = nullptr;
  size_type count = 0;
};

template <typename Type, std::size_t Count> span(Type (&)[Count]) -> span<Type, Count>;
template <typename Type> span(Type *, std::size_t) -> span<Type>;
template <typename Container>
span(Container &) -> span<std::remove_pointer_t<decltype(std::declval<Container &>().data())>>;
#endif

} // namespace sycl
