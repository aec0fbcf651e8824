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

template <typename Type, std::size_t Extent = dynamic_extent> class span;

namespace detail {

template <typename Type> inline constexpr bool is_array = std::is_array_v<Type>;
template <typename Type, std::size_t Size>
inline constexpr bool is_array<std::array<Type, Size>> = true;
template <typename Type> inline constexpr bool is_span = false;
template <typename Type, std::size_t Extent>
inline constexpr bool is_span<span<Type, Extent>> = true;

/// Whether elements of `From` can be seen as ones of `To`: const may come, nothing else.
template <typename From, typename To>
inline constexpr bool is_seen_as = std::is_convertible_v<From (*)[], To (*)[]>;
/// What `Container` holds in a row; one that goes away is seen as const alone.
template <typename Container>
using element_in_row = std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))>;
template <typename Container, typename Type, typename = element_in_row<Container>,
          typename = decltype(std::size(std::declval<Container &>()))>
using if_row =
    std::enable_if_t<!is_array<std::remove_cv_t<std::remove_reference_t<Container>>> &&
                         !is_span<std::remove_cv_t<std::remove_reference_t<Container>>> &&
                         (std::is_lvalue_reference_v<Container> || std::is_const_v<Type>) &&
                         is_seen_as<element_in_row<Container>, Type>,
                     int>;

/// How many elements there are: where the type says so, nothing is kept.
template <std::size_t Extent> class span_size {
public:
  constexpr explicit span_size(std::size_t) noexcept {}
  constexpr std::size_t get() const noexcept { return Extent; }
};
template <> class span_size<dynamic_extent> {
public:
  constexpr explicit span_size(std::size_t count) noexcept : count(count) {}
  constexpr std::size_t get() const noexcept { return count; }

private:
  std::size_t count;
};

} // namespace detail

/// What C++20's std::span is, for C++17. (Of iterators it takes pointers: C++17 cannot tell which
/// others are contiguous.)
template <typename Type, std::size_t Extent> class span : detail::span_size<Extent> {
  static constexpr bool is_fixed = Extent != dynamic_extent;
  template <typename Other> using if_seen = std::enable_if_t<detail::is_seen_as<Other, Type>, int>;
  template <std::size_t Count>
  using if_fits = std::enable_if_t<!is_fixed || Count == dynamic_extent || Count == Extent, int>;
  /// Whether another extent becomes this one by itself: it does not where it may be wrong.
  template <std::size_t Count> using if_safe = std::enable_if_t<!is_fixed || Count == Extent, int>;
  template <std::size_t Count>
  using if_unsafe = std::enable_if_t<is_fixed && Count == dynamic_extent, int>;
  template <bool Wanted> using if_extent = std::enable_if_t<is_fixed == Wanted, int>;
  static constexpr std::size_t part(std::size_t offset, std::size_t count) {
    return count != dynamic_extent ? count : is_fixed ? Extent - offset : dynamic_extent;
  }

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
  static constexpr size_type extent = Extent;

  template <std::size_t Own = Extent, std::enable_if_t<Own == dynamic_extent || Own == 0, int> = 0>
  constexpr span() noexcept : span(nullptr, count_tag(), 0) {}
  template <typename Other, if_seen<Other> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own == dynamic_extent, int> = 0>
  constexpr span(Other *first, size_type count) : span(first, count_tag(), count) {}
  template <typename Other, if_seen<Other> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own != dynamic_extent, int> = 0>
  constexpr explicit span(Other *first, size_type count) : span(first, count_tag(), count) {}
  template <typename Other, if_seen<Other> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own == dynamic_extent, int> = 0>
  constexpr span(Other *first, Other *last)
      : span(first, count_tag(), static_cast<size_type>(last - first)) {}
  template <typename Other, if_seen<Other> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own != dynamic_extent, int> = 0>
  constexpr explicit span(Other *first, Other *last)
      : span(first, count_tag(), static_cast<size_type>(last - first)) {}
  template <std::size_t Count, if_safe<Count> = 0>
  constexpr span(std::remove_reference_t<Type> (&all)[Count]) noexcept
      : span(all, count_tag(), Count) {}
  template <typename Other, std::size_t Count, if_seen<Other> = 0, if_safe<Count> = 0>
  constexpr span(std::array<Other, Count> &all) noexcept : span(all.data(), count_tag(), Count) {}
  template <typename Other, std::size_t Count, if_seen<const Other> = 0, if_safe<Count> = 0>
  constexpr span(const std::array<Other, Count> &all) noexcept
      : span(all.data(), count_tag(), Count) {}
  template <typename Container, detail::if_row<Container, Type> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own == dynamic_extent, int> = 0>
  constexpr span(Container &&all) : span(std::data(all), count_tag(), std::size(all)) {}
  template <typename Container, detail::if_row<Container, Type> = 0, std::size_t Own = Extent,
            std::enable_if_t<Own != dynamic_extent, int> = 0>
  constexpr explicit span(Container &&all) : span(std::data(all), count_tag(), std::size(all)) {}
  template <typename Other, std::size_t Count, if_seen<Other> = 0, if_safe<Count> = 0>
  constexpr span(const span<Other, Count> &all) noexcept
      : span(all.data(), count_tag(), all.size()) {}
  template <typename Other, std::size_t Count, if_seen<Other> = 0, if_unsafe<Count> = 0>
  constexpr explicit span(const span<Other, Count> &all) noexcept
      : span(all.data(), count_tag(), all.size()) {}

  constexpr size_type size() const noexcept { return this->get(); }
  constexpr size_type size_bytes() const noexcept { return size() * sizeof(Type); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  constexpr reference operator[](size_type index) const { return start[index]; }
  constexpr reference front() const { return start[0]; }
  constexpr reference back() const { return start[size() - 1]; }
  constexpr pointer data() const noexcept { return start; }
  constexpr iterator begin() const noexcept { return start; }
  constexpr iterator end() const noexcept { return start + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  template <std::size_t Count> constexpr span<Type, Count> first() const {
    return span<Type, Count>(start, Count);
  }
  template <std::size_t Count> constexpr span<Type, Count> last() const {
    return span<Type, Count>(start + (size() - Count), Count);
  }
  template <std::size_t Offset, std::size_t Count = dynamic_extent> constexpr auto subspan() const {
    return span<Type, part(Offset, Count)>(start + Offset,
                                           Count == dynamic_extent ? size() - Offset : Count);
  }
  constexpr span<Type> first(size_type count) const { return {start, count}; }
  constexpr span<Type> last(size_type count) const { return {start + (size() - count), count}; }
  constexpr span<Type> subspan(size_type from, size_type count = dynamic_extent) const {
    return {start + from, count == dynamic_extent ? size() - from : count};
  }

private:
  struct count_tag {};
  constexpr span(pointer first, count_tag, size_type count) noexcept
      : detail::span_size<Extent>(count), start(first) {}

  pointer start;
};

template <typename Type, std::size_t Count> span(Type (&)[Count]) -> span<Type, Count>;
template <typename Type, std::size_t Count> span(std::array<Type, Count> &) -> span<Type, Count>;
template <typename Type, std::size_t Count>
span(const std::array<Type, Count> &) -> span<const Type, Count>;
template <typename Type> span(Type *, std::size_t) -> span<Type>;
template <typename Type> span(Type *, Type *) -> span<Type>;
template <typename Container> span(Container &&) -> span<detail::element_in_row<Container>>;

/// The bytes of the elements.
template <typename Type, std::size_t Extent> auto as_bytes(span<Type, Extent> all) noexcept {
  constexpr std::size_t size = Extent == dynamic_extent ? Extent : Extent * sizeof(Type);
  return span<const std::byte, size>(reinterpret_cast<const std::byte *>(all.data()),
                                     all.size_bytes());
}
template <typename Type, std::size_t Extent, std::enable_if_t<!std::is_const_v<Type>, int> = 0>
auto as_writable_bytes(span<Type, Extent> all) noexcept {
  constexpr std::size_t size = Extent == dynamic_extent ? Extent : Extent * sizeof(Type);
  return span<std::byte, size>(reinterpret_cast<std::byte *>(all.data()), all.size_bytes());
}
#endif

} // namespace sycl
