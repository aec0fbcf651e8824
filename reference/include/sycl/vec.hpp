//===- vec.hpp - short vectors --------------------------------------------------------------===//
//
// Elements lie in an array of the vector's own alignment, so that host and device agree about every
// vector, whatever vector registers their compilers know.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/half.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace sycl {

/// How a floating-point number becomes an integer.
enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

template <typename Type, int Elements> class vec;

namespace detail {

/// A vector of three lies in the space of four.
constexpr int vec_storage(int elements) { return elements == 3 ? 4 : elements; }

/// The signed integer that a comparison of elements of `Type` yields: all bits or none.
template <typename Type>
using vec_truth = std::conditional_t<
    sizeof(Type) == 1, std::int8_t,
    std::conditional_t<sizeof(Type) == 2, std::int16_t,
                       std::conditional_t<sizeof(Type) == 4, std::int32_t, std::int64_t>>>;

/// How many elements an argument of a vector's constructor gives.
template <typename Type> inline constexpr int vec_elements = 1;
template <typename Type, int Elements>
inline constexpr int vec_elements<vec<Type, Elements>> = Elements;
template <typename Type> inline constexpr bool is_vec = false;
template <typename Type, int Elements> inline constexpr bool is_vec<vec<Type, Elements>> = true;

/// Rounds to an integral value as `Mode` says; the conversion itself goes towards zero.
template <rounding_mode Mode, typename Type> Type rounded(Type value) {
  using Computed = std::conditional_t<std::is_same_v<Type, half>, float, Type>;
  if constexpr (Mode == rounding_mode::rte)
    return static_cast<Type>(std::rint(static_cast<Computed>(value)));
  else if constexpr (Mode == rounding_mode::rtp)
    return static_cast<Type>(std::ceil(static_cast<Computed>(value)));
  else if constexpr (Mode == rounding_mode::rtn)
    return static_cast<Type>(std::floor(static_cast<Computed>(value)));
  else
    return value;
}

template <typename Vector, int... Indices> class swizzled;
template <typename Type> inline constexpr bool is_swizzled = false;
template <typename Vector, int... Indices>
inline constexpr bool is_swizzled<swizzled<Vector, Indices...>> = true;

/// Chosen elements of a vector, which can be read and assigned as a vector of their number.
template <typename Vector, int... Indices> class swizzled {
public:
  using element_type = typename Vector::element_type;
  using result = vec<element_type, sizeof...(Indices)>;

  explicit swizzled(Vector &whole) : whole(whole) {}
  swizzled(const swizzled &) = default;
  /// Takes a copy: the values may be those of the vector that is assigned to.
  swizzled &operator=(result values) {
    int next = 0;
    ((whole[Indices] = values[next++]), ...);
    return *this;
  }
  swizzled &operator=(const swizzled &other) { return *this = other.read(); }
  operator result() const { return read(); }
  result read() const { return result(whole[Indices]...); }

#define PLSYCL_SWIZZLED_BINARY(OP)                                                                 \
  template <typename Right> friend result operator OP(const swizzled &left, const Right &right) {  \
    if constexpr (is_swizzled<Right>)                                                              \
      return left.read() OP right.read();                                                          \
    else                                                                                           \
      return left.read() OP right;                                                                 \
  }                                                                                                \
  template <typename Left, std::enable_if_t<!is_swizzled<Left>, int> = 0>                          \
  friend result operator OP(const Left &left, const swizzled &right) {                             \
    return left OP right.read();                                                                   \
  }                                                                                                \
  template <typename Right> swizzled &operator OP##=(const Right & right) {                        \
    return *this = *this OP right;                                                                 \
  }
  PLSYCL_SWIZZLED_BINARY(+)
  PLSYCL_SWIZZLED_BINARY(-)
  PLSYCL_SWIZZLED_BINARY(*)
  PLSYCL_SWIZZLED_BINARY(/)
#undef PLSYCL_SWIZZLED_BINARY

private:
  Vector &whole;
};

} // namespace detail

/// `Elements` values of one arithmetic type: 1, 2, 3, 4, 8 or 16.
template <typename Type, int Elements>
class alignas(sizeof(Type) * detail::vec_storage(Elements)) vec {
  static_assert(Elements == 1 || Elements == 2 || Elements == 3 || Elements == 4 || Elements == 8 ||
                    Elements == 16,
                "a vec has 1, 2, 3, 4, 8 or 16 elements");
  template <typename Other>
  using if_element =
      std::enable_if_t<std::is_convertible_v<Other, Type> && !detail::is_vec<Other>, int>;
  template <typename Other> using if_integral = std::enable_if_t<std::is_integral_v<Other>, int>;
  using truth = vec<detail::vec_truth<Type>, Elements>;

public:
  using element_type = Type;
  using value_type = Type;

  constexpr vec() = default;
  template <typename Other, if_element<Other> = 0> explicit constexpr vec(const Other &value) {
    for (Type &element : values)
      element = static_cast<Type>(value);
  }
  /// Values and vectors that make up all elements together.
  template <typename... Parts,
            std::enable_if_t<
                (sizeof...(Parts) > 1) && (detail::vec_elements<Parts> + ...) == Elements, int> = 0>
  constexpr vec(const Parts &...parts) {
    int next = 0;
    (put(next, parts), ...);
  }

  static constexpr std::size_t size() noexcept { return Elements; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }

  constexpr Type &operator[](int index) { return values[index]; }
  constexpr const Type &operator[](int index) const { return values[index]; }
  template <int Only = Elements, std::enable_if_t<Only == 1, int> = 0>
  constexpr operator Type() const {
    return values[0];
  }

#define PLSYCL_VEC_ELEMENT(NAME, INDEX)                                                            \
  template <int Within = Elements, std::enable_if_t<(INDEX < Within), int> = 0>                    \
  constexpr Type &NAME() {                                                                         \
    return values[INDEX];                                                                          \
  }                                                                                                \
  template <int Within = Elements, std::enable_if_t<(INDEX < Within), int> = 0>                    \
  constexpr const Type &NAME() const {                                                             \
    return values[INDEX];                                                                          \
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

  template <int... Indices> auto swizzle() {
    static_assert(has_all<Indices...>, "no such element");
    return detail::swizzled<vec, Indices...>(*this);
  }
  template <int... Indices> vec<Type, sizeof...(Indices)> swizzle() const {
    static_assert(has_all<Indices...>, "no such element");
    return {values[Indices]...};
  }
  auto lo() { return half_of<0, 1>(*this, half_indices()); }
  auto hi() { return half_of<half_size, 1>(*this, half_indices()); }
  auto even() { return half_of<0, 2>(*this, half_indices()); }
  auto odd() { return half_of<1, 2>(*this, half_indices()); }
  auto lo() const { return half_of<0, 1>(*this, half_indices()); }
  auto hi() const { return half_of<half_size, 1>(*this, half_indices()); }
  auto even() const { return half_of<0, 2>(*this, half_indices()); }
  auto odd() const { return half_of<1, 2>(*this, half_indices()); }

  template <typename To, rounding_mode Mode = rounding_mode::automatic>
  vec<To, Elements> convert() const {
    vec<To, Elements> result;
    for (int i = 0; i < Elements; ++i)
      if constexpr (std::is_integral_v<To> && !std::is_integral_v<Type>)
        result[i] = static_cast<To>(detail::rounded<Mode>(values[i]));
      else
        result[i] = static_cast<To>(values[i]);
    return result;
  }
  /// The same bytes as another vector.
  template <typename Other> Other as() const {
    static_assert(sizeof(Other) == sizeof(vec), "as() keeps the size");
    Other result;
    std::memcpy(&result, this, sizeof(vec));
    return result;
  }

  /// Elements of the vector that stands `offset` vectors behind `from`.
  void load(std::size_t offset, const Type *from) {
    for (int i = 0; i < Elements; ++i)
      values[i] = from[offset * Elements + i];
  }
  void store(std::size_t offset, Type *to) const {
    for (int i = 0; i < Elements; ++i)
      to[offset * Elements + i] = values[i];
  }

#define PLSYCL_VEC_BINARY(OP, CONDITION)                                                           \
  template <typename Other = Type, CONDITION<Other> = 0>                                           \
  friend constexpr vec operator OP(const vec &left, const vec &right) {                            \
    vec result;                                                                                    \
    for (int i = 0; i < Elements; ++i)                                                             \
      result[i] = static_cast<Type>(left[i] OP right[i]);                                          \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0, typename Own = Type, CONDITION<Own> = 0>        \
  friend constexpr vec operator OP(const vec &left, const Other &right) {                          \
    return left OP vec(right);                                                                     \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0, typename Own = Type, CONDITION<Own> = 0>        \
  friend constexpr vec operator OP(const Other &left, const vec &right) {                          \
    return vec(left) OP right;                                                                     \
  }                                                                                                \
  template <typename Other> constexpr vec &operator OP##=(const Other & right) {                   \
    return *this = *this OP right;                                                                 \
  }
  PLSYCL_VEC_BINARY(+, if_element)
  PLSYCL_VEC_BINARY(-, if_element)
  PLSYCL_VEC_BINARY(*, if_element)
  PLSYCL_VEC_BINARY(/, if_element)
  PLSYCL_VEC_BINARY(%, if_integral)
  PLSYCL_VEC_BINARY(&, if_integral)
  PLSYCL_VEC_BINARY(|, if_integral)
  PLSYCL_VEC_BINARY(^, if_integral)
  PLSYCL_VEC_BINARY(<<, if_integral)
  PLSYCL_VEC_BINARY(>>, if_integral)
#undef PLSYCL_VEC_BINARY

// Comparisons give -1 where they hold and 0 where they do not.
#define PLSYCL_VEC_COMPARISON(OP)                                                                  \
  friend constexpr truth operator OP(const vec &left, const vec &right) {                          \
    truth result;                                                                                  \
    for (int i = 0; i < Elements; ++i)                                                             \
      result[i] = left[i] OP right[i] ? -1 : 0;                                                    \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0>                                                 \
  friend constexpr truth operator OP(const vec &left, const Other &right) {                        \
    return left OP vec(right);                                                                     \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0>                                                 \
  friend constexpr truth operator OP(const Other &left, const vec &right) {                        \
    return vec(left) OP right;                                                                     \
  }
  PLSYCL_VEC_COMPARISON(==)
  PLSYCL_VEC_COMPARISON(!=)
  PLSYCL_VEC_COMPARISON(<)
  PLSYCL_VEC_COMPARISON(>)
  PLSYCL_VEC_COMPARISON(<=)
  PLSYCL_VEC_COMPARISON(>=)
  PLSYCL_VEC_COMPARISON(&&)
  PLSYCL_VEC_COMPARISON(||)
#undef PLSYCL_VEC_COMPARISON

  friend constexpr vec operator+(const vec &value) { return value; }
  friend constexpr vec operator-(const vec &value) {
    vec result;
    for (int i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(-value[i]);
    return result;
  }
  template <typename Other = Type, if_integral<Other> = 0>
  friend constexpr vec operator~(const vec &value) {
    return value ^ vec(static_cast<Type>(~Type(0)));
  }
  friend constexpr truth operator!(const vec &value) { return value == vec(Type(0)); }
  constexpr vec &operator++() { return *this += Type(1); }
  constexpr vec &operator--() { return *this -= Type(1); }
  constexpr vec operator++(int) {
    const vec before = *this;
    ++*this;
    return before;
  }
  constexpr vec operator--(int) {
    const vec before = *this;
    --*this;
    return before;
  }

private:
  /// The halves of three elements are those of four, of which the last has no meaning.
  template <int... Indices>
  static constexpr bool has_all =
      ((Indices >= 0 && Indices < detail::vec_storage(Elements)) && ...);
  static constexpr int half_size = Elements > 1 ? detail::vec_storage(Elements) / 2 : 1;
  using half_indices = std::make_integer_sequence<int, half_size>;

  template <int First, int Step, typename Self, int... Nth>
  static auto half_of(Self &self, std::integer_sequence<int, Nth...>) {
    return self.template swizzle<(First + Nth * Step)...>();
  }
  template <typename Other> constexpr void put(int &next, const Other &value) {
    values[next++] = static_cast<Type>(value);
  }
  template <typename Other, int Count>
  constexpr void put(int &next, const vec<Other, Count> &part) {
    for (int i = 0; i < Count; ++i)
      values[next++] = static_cast<Type>(part[i]);
  }

  Type values[detail::vec_storage(Elements)] = {};
};

template <typename... Values>
vec(Values...) -> vec<std::common_type_t<Values...>, sizeof...(Values)>;

#define PLSYCL_VEC_NAMES(NAME, TYPE)                                                               \
  using NAME##2 = vec<TYPE, 2>;                                                                    \
  using NAME##3 = vec<TYPE, 3>;                                                                    \
  using NAME##4 = vec<TYPE, 4>;                                                                    \
  using NAME##8 = vec<TYPE, 8>;                                                                    \
  using NAME##16 = vec<TYPE, 16>;
PLSYCL_VEC_NAMES(char, std::int8_t)
PLSYCL_VEC_NAMES(uchar, std::uint8_t)
PLSYCL_VEC_NAMES(short, std::int16_t)
PLSYCL_VEC_NAMES(ushort, std::uint16_t)
PLSYCL_VEC_NAMES(int, std::int32_t)
PLSYCL_VEC_NAMES(uint, std::uint32_t)
PLSYCL_VEC_NAMES(long, std::int64_t)
PLSYCL_VEC_NAMES(ulong, std::uint64_t)
PLSYCL_VEC_NAMES(half, half)
PLSYCL_VEC_NAMES(float, float)
PLSYCL_VEC_NAMES(double, double)
#undef PLSYCL_VEC_NAMES

} // namespace sycl
