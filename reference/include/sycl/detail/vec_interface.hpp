//===- vec_interface.hpp - what vectors and swizzled vectors share ---------------------------===//
#pragma once

#include <sycl/bit_cast.hpp>
#include <sycl/detail/convert.hpp>
#include <sycl/detail/elements.hpp>
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

template <int Count>
inline constexpr bool is_vec_size =
    Count == 1 || Count == 2 || Count == 3 || Count == 4 || Count == 8 || Count == 16;
/// A vector of three lies in the space of four.
constexpr int vec_storage(int elements) { return elements == 3 ? 4 : elements; }

/// The signed integer that a comparison of elements of `Type` yields: all bits or none.
template <typename Type> using vec_truth = std::make_signed_t<bits_of<Type>>;

/// Chosen where a type reaches memory as an accessor does.
template <typename Accessor>
using if_accessor = std::enable_if_t<
    (sizeof(std::declval<const Accessor &>().template get_multi_ptr<access::decorated::no>()) > 0),
    int>;

template <typename Type, int Size, int... Indices> class swizzled;
template <typename Type> inline constexpr bool is_swizzled = false;
template <typename Type, int Size, int... Indices>
inline constexpr bool is_swizzled<swizzled<Type, Size, Indices...>> = true;
template <typename Type> inline constexpr bool is_vec = false;
template <typename Type, int Count> inline constexpr bool is_vec<vec<Type, Count>> = true;

/// How many elements an argument gives a constructor of vectors of `Type`: none if it cannot.
template <typename Type, typename Part>
inline constexpr int vec_elements = std::is_convertible_v<const Part &, Type> ? 1 : 0;
template <typename Type, int Count>
inline constexpr int vec_elements<Type, vec<Type, Count>> = Count;
template <typename Type, int Size, int... Indices>
inline constexpr int vec_elements<Type, swizzled<Type, Size, Indices...>> = sizeof...(Indices);
template <typename Type, int Size, int... Indices>
inline constexpr int vec_elements<Type, swizzled<const Type, Size, Indices...>> =
    sizeof...(Indices);

/// Whether a value can be an operand beside a vector, as a number for each of its elements. (What
/// has one element itself is, beside a vector of one, a vector.)
template <typename Value, typename Type, int Count>
inline constexpr bool is_vec_scalar = std::is_convertible_v<const Value &, Type> &&
                                      !(Count == 1 && (is_vec<Value> || is_swizzled<Value>));

/// To what a vector of one number converts where that is asked for.
template <typename Other, typename Type, int Count,
          typename = decltype(static_cast<Other>(std::declval<const Type &>()))>
using if_explicit = std::enable_if_t<
    Count == 1 && !std::is_same_v<Other, Type> && !is_vec<Other> && !is_swizzled<Other>, int>;

/// Members of `Self`, which has the elements: `element(i)` refers to one, `chosen<...>()` to some.
template <typename Self, typename Type, int Count> class vec_interface {
  static constexpr int half_size = Count > 1 ? vec_storage(Count) / 2 : 1;
  using half_indices = std::make_integer_sequence<int, half_size>;
  template <int... Indices>
  static constexpr bool are_elements =
      is_vec_size<sizeof...(Indices)> && ((Indices >= 0 && Indices < Count) && ...);

public:
  using element_type = Type;
  using value_type = Type;

  static constexpr std::size_t size() noexcept { return Count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(Type) * vec_storage(Count); }
  /// Deprecated names of both.
  static constexpr std::size_t get_count() { return size(); }
  static constexpr std::size_t get_size() { return byte_size(); }

#define PLSYCL_VEC_ELEMENT(NAME, INDEX, CONDITION)                                                 \
  template <int Within = Count, std::enable_if_t<(INDEX < Within) && (CONDITION), int> = 0>        \
  constexpr decltype(auto) NAME() {                                                                \
    return self().element(INDEX);                                                                  \
  }                                                                                                \
  template <int Within = Count, std::enable_if_t<(INDEX < Within) && (CONDITION), int> = 0>        \
  constexpr decltype(auto) NAME() const {                                                          \
    return self().element(INDEX);                                                                  \
  }
  PLSYCL_VEC_ELEMENT(x, 0, Within <= 4)
  PLSYCL_VEC_ELEMENT(y, 1, Within <= 4)
  PLSYCL_VEC_ELEMENT(z, 2, Within <= 4)
  PLSYCL_VEC_ELEMENT(w, 3, Within <= 4)
  PLSYCL_VEC_ELEMENT(r, 0, Within == 4)
  PLSYCL_VEC_ELEMENT(g, 1, Within == 4)
  PLSYCL_VEC_ELEMENT(b, 2, Within == 4)
  PLSYCL_VEC_ELEMENT(a, 3, Within == 4)
  PLSYCL_VEC_ELEMENT(s0, 0, true)
  PLSYCL_VEC_ELEMENT(s1, 1, true)
  PLSYCL_VEC_ELEMENT(s2, 2, true)
  PLSYCL_VEC_ELEMENT(s3, 3, true)
  PLSYCL_VEC_ELEMENT(s4, 4, true)
  PLSYCL_VEC_ELEMENT(s5, 5, true)
  PLSYCL_VEC_ELEMENT(s6, 6, true)
  PLSYCL_VEC_ELEMENT(s7, 7, true)
  PLSYCL_VEC_ELEMENT(s8, 8, true)
  PLSYCL_VEC_ELEMENT(s9, 9, true)
  PLSYCL_VEC_ELEMENT(sA, 10, true)
  PLSYCL_VEC_ELEMENT(sB, 11, true)
  PLSYCL_VEC_ELEMENT(sC, 12, true)
  PLSYCL_VEC_ELEMENT(sD, 13, true)
  PLSYCL_VEC_ELEMENT(sE, 14, true)
  PLSYCL_VEC_ELEMENT(sF, 15, true)
#undef PLSYCL_VEC_ELEMENT
  constexpr decltype(auto) operator[](int index) { return self().element(index); }
  constexpr decltype(auto) operator[](int index) const { return self().element(index); }

  /// A view of chosen elements; of a vector that is not const they can be assigned.
  template <int... Indices, std::enable_if_t<are_elements<Indices...>, int> = 0> auto swizzle() {
    return self().template chosen<Indices...>();
  }
  template <int... Indices, std::enable_if_t<are_elements<Indices...>, int> = 0>
  auto swizzle() const {
    return self().template chosen<Indices...>();
  }
#define PLSYCL_VEC_HALF(NAME, FIRST, STEP)                                                         \
  template <int Within = Count, std::enable_if_t<(Within > 1), int> = 0> auto NAME() {             \
    return half_of<FIRST, STEP>(self(), half_indices());                                           \
  }                                                                                                \
  template <int Within = Count, std::enable_if_t<(Within > 1), int> = 0> auto NAME() const {       \
    return half_of<FIRST, STEP>(self(), half_indices());                                           \
  }
  PLSYCL_VEC_HALF(lo, 0, 1)
  PLSYCL_VEC_HALF(hi, half_size, 1)
  PLSYCL_VEC_HALF(even, 0, 2)
  PLSYCL_VEC_HALF(odd, 1, 2)
#undef PLSYCL_VEC_HALF

#ifdef SYCL_SIMPLE_SWIZZLES
#include <sycl/detail/simple_swizzles.inc>
#endif

  template <typename To, rounding_mode Mode = rounding_mode::automatic>
  vec<To, Count> convert() const {
    const auto all = static_cast<vec<Type, Count>>(self());
    vec<To, Count> result{};
    for (int i = 0; i < Count; ++i)
      result[i] = converted<To, Mode, Type>(all[i]);
    return result;
  }
  /// The same bytes as another type.
  template <typename Other> Other as() const {
    return sycl::bit_cast<Other>(static_cast<vec<Type, Count>>(self()));
  }

  /// Writes the elements `offset` vectors behind `to`, packed.
  void store(std::size_t offset, Type *to) const {
    const auto all = static_cast<vec<Type, Count>>(self());
    for (int i = 0; i < Count; ++i)
      to[offset * Count + static_cast<std::size_t>(i)] = all[i];
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<Type, Space, Decorated> to) const {
    store(offset, to.get_raw());
  }
  /// DPC++'s: into what an accessor reaches.
  template <typename Accessor, if_accessor<Accessor> = 0>
  void store(std::size_t offset, const Accessor &to) const {
    store(offset, to.template get_multi_ptr<access::decorated::no>());
  }

private:
  constexpr Self &self() { return static_cast<Self &>(*this); }
  constexpr const Self &self() const { return static_cast<const Self &>(*this); }

  template <int First, int Step, typename Whole, int... Index>
  static auto half_of(Whole &whole, std::integer_sequence<int, Index...>) {
    return whole.template chosen<(First + Index * Step)...>();
  }
};

} // namespace detail
} // namespace sycl
