//===- vec_interface.hpp - what vectors and swizzled vectors share ---------------------------===//
#pragma once

#include <sycl/detail/convert.hpp>
#include <sycl/multi_ptr.hpp>

#include <utility>

namespace sycl {

template <typename Type, int Count> class vec;

/// Numbers of elements, to swizzle by.
struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

/// A vector of three lies in the space of four.
constexpr int vec_storage(int elements) { return elements == 3 ? 4 : elements; }

/// The signed integer that a comparison of elements of `Type` yields: all bits or none.
template <typename Type> using vec_truth = std::make_signed_t<bits_of<Type>>;

template <typename Vector, int... Indices> class swizzled;
template <typename Type> inline constexpr bool is_swizzled = false;
template <typename Vector, int... Indices>
inline constexpr bool is_swizzled<swizzled<Vector, Indices...>> = true;
template <typename Type> inline constexpr bool is_vec = false;
template <typename Type, int Count> inline constexpr bool is_vec<vec<Type, Count>> = true;

/// How many elements an argument of a vector's constructor gives.
template <typename Type> inline constexpr int vec_elements = 1;
template <typename Type, int Count> inline constexpr int vec_elements<vec<Type, Count>> = Count;
template <typename Vector, int... Indices>
inline constexpr int vec_elements<swizzled<Vector, Indices...>> = sizeof...(Indices);

/// Members of `Self`, which has the elements: `element(i)` refers to one, `chosen<...>()` to some.
template <typename Self, typename Type, int Count> class vec_interface {
  static constexpr int half_size = Count > 1 ? vec_storage(Count) / 2 : 1;
  using half_indices = std::make_integer_sequence<int, half_size>;

public:
  using element_type = Type;
  using value_type = Type;

  static constexpr std::size_t size() noexcept { return Count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(Type) * vec_storage(Count); }
  /// Deprecated names of both.
  static constexpr std::size_t get_count() { return size(); }
  static constexpr std::size_t get_size() { return byte_size(); }

#define PLSYCL_VEC_ELEMENT(NAME, INDEX)                                                            \
  template <int Within = Count, std::enable_if_t<(INDEX < Within), int> = 0>                       \
  constexpr decltype(auto) NAME() {                                                                \
    return self().element(INDEX);                                                                  \
  }                                                                                                \
  template <int Within = Count, std::enable_if_t<(INDEX < Within), int> = 0>                       \
  constexpr decltype(auto) NAME() const {                                                          \
    return self().element(INDEX);                                                                  \
  }
  PLSYCL_VEC_ELEMENT(x, 0)
  PLSYCL_VEC_ELEMENT(y, 1)
  PLSYCL_VEC_ELEMENT(z, 2)
  PLSYCL_VEC_ELEMENT(w, 3)
  PLSYCL_VEC_ELEMENT(r, 0)
  PLSYCL_VEC_ELEMENT(g, 1)
  PLSYCL_VEC_ELEMENT(b, 2)
  PLSYCL_VEC_ELEMENT(a, 3)
  PLSYCL_VEC_ELEMENT(s0, 0)
  PLSYCL_VEC_ELEMENT(s1, 1)
  PLSYCL_VEC_ELEMENT(s2, 2)
  PLSYCL_VEC_ELEMENT(s3, 3)
  PLSYCL_VEC_ELEMENT(s4, 4)
  PLSYCL_VEC_ELEMENT(s5, 5)
  PLSYCL_VEC_ELEMENT(s6, 6)
  PLSYCL_VEC_ELEMENT(s7, 7)
  PLSYCL_VEC_ELEMENT(s8, 8)
  PLSYCL_VEC_ELEMENT(s9, 9)
  PLSYCL_VEC_ELEMENT(sA, 10)
  PLSYCL_VEC_ELEMENT(sB, 11)
  PLSYCL_VEC_ELEMENT(sC, 12)
  PLSYCL_VEC_ELEMENT(sD, 13)
  PLSYCL_VEC_ELEMENT(sE, 14)
  PLSYCL_VEC_ELEMENT(sF, 15)
#undef PLSYCL_VEC_ELEMENT
  constexpr decltype(auto) operator[](int index) { return self().element(index); }
  constexpr decltype(auto) operator[](int index) const { return self().element(index); }

  /// Chosen elements; of a vector that is not const they can be assigned.
  template <int... Indices> auto swizzle() {
    static_assert(has_all<Indices...>, "no such element");
    return self().template chosen<Indices...>();
  }
  template <int... Indices> auto swizzle() const {
    static_assert(has_all<Indices...>, "no such element");
    return self().template chosen<Indices...>();
  }
  auto lo() { return half_of<0, 1>(self(), half_indices()); }
  auto hi() { return half_of<half_size, 1>(self(), half_indices()); }
  auto even() { return half_of<0, 2>(self(), half_indices()); }
  auto odd() { return half_of<1, 2>(self(), half_indices()); }
  auto lo() const { return half_of<0, 1>(self(), half_indices()); }
  auto hi() const { return half_of<half_size, 1>(self(), half_indices()); }
  auto even() const { return half_of<0, 2>(self(), half_indices()); }
  auto odd() const { return half_of<1, 2>(self(), half_indices()); }

#ifdef SYCL_SIMPLE_SWIZZLES
#include <sycl/detail/simple_swizzles.inc>
#endif

  template <typename To, rounding_mode Mode = rounding_mode::automatic>
  vec<To, Count> convert() const {
    vec<To, Count> result;
    for (int i = 0; i < Count; ++i)
      result[i] = converted<To, Mode, Type>(self().element(i));
    return result;
  }
  /// The same bytes as another vector.
  template <typename Other> Other as() const {
    static_assert(sizeof(Other) == sizeof(vec<Type, Count>), "as() keeps the size");
    const vec<Type, Count> whole(self());
    Other result;
    std::memcpy(static_cast<void *>(&result), static_cast<const void *>(&whole), sizeof(Other));
    return result;
  }

  /// Elements of the vector that stands `offset` vectors behind `from`, whose elements are packed.
  void load(std::size_t offset, const Type *from) {
    for (int i = 0; i < Count; ++i)
      self().element(i) = from[offset * Count + static_cast<std::size_t>(i)];
  }
  void store(std::size_t offset, Type *to) const {
    for (int i = 0; i < Count; ++i)
      to[offset * Count + static_cast<std::size_t>(i)] = self().element(i);
  }
  template <typename From, access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<From, Space, Decorated> from) {
    load(offset, static_cast<const Type *>(from.get_raw()));
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<Type, Space, Decorated> to) const {
    store(offset, to.get_raw());
  }

private:
  /// The halves of three elements are those of four, of which the last has no meaning.
  template <int... Indices>
  static constexpr bool has_all = ((Indices >= 0 && Indices < vec_storage(Count)) && ...);
  constexpr Self &self() { return static_cast<Self &>(*this); }
  constexpr const Self &self() const { return static_cast<const Self &>(*this); }

  template <int First, int Step, typename Whole, int... Index>
  static auto half_of(Whole &whole, std::integer_sequence<int, Index...>) {
    return whole.template chosen<(First + Index * Step)...>();
  }
};

} // namespace detail
} // namespace sycl
