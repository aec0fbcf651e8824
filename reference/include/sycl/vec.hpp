//===- vec.hpp - short vectors --------------------------------------------------------------===//
//
// Elements lie in an array of the vector's own alignment, so that host and device agree about every
// vector, whatever vector registers their compilers know.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/swizzled.hpp>

#include <cstdint>

namespace sycl {
namespace detail {

/// Whether bits of elements can be combined.
template <typename Type>
inline constexpr bool has_bits = std::is_integral_v<Type> || std::is_same_v<Type, std::byte>;

#ifdef __SYCL_DEVICE_ONLY__
/// The compiler's own type for an element, in vectors of its own.
template <typename Type> struct native_element {
  using type = Type;
};
template <> struct native_element<half> {
  using type = _Float16;
};
template <> struct native_element<bool> {
  using type = std::int8_t;
};
template <> struct native_element<std::byte> {
  using type = std::uint8_t;
};
#endif

} // namespace detail

/// `Elements` values of one arithmetic type: 1, 2, 3, 4, 8 or 16.
template <typename Type, int Elements>
class alignas(sizeof(Type) * detail::vec_storage(Elements)) vec
    : public detail::vec_interface<vec<Type, Elements>, Type, Elements> {
  static_assert(Elements == 1 || Elements == 2 || Elements == 3 || Elements == 4 || Elements == 8 ||
                    Elements == 16,
                "a vec has 1, 2, 3, 4, 8 or 16 elements");
  template <typename Other>
  using if_element = std::enable_if_t<std::is_convertible_v<Other, Type> &&
                                          !detail::is_vec<Other> && !detail::is_swizzled<Other>,
                                      int>;
  template <typename Other>
  using if_number = std::enable_if_t<!std::is_same_v<Other, std::byte>, int>;
  template <typename Other> using if_integral = std::enable_if_t<std::is_integral_v<Other>, int>;
  template <typename Other> using if_bits = std::enable_if_t<detail::has_bits<Other>, int>;
  using truth = vec<detail::vec_truth<Type>, Elements>;

public:
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
  constexpr vec(const vec &) = default;
  constexpr vec &operator=(const vec &) = default;
  template <typename Other, if_element<Other> = 0> constexpr vec &operator=(const Other &value) {
    return *this = vec(value);
  }

#ifdef __SYCL_DEVICE_ONLY__
  /// The compiler's own vector of the kind.
  using vector_t =
      typename detail::native_element<Type>::type __attribute__((ext_vector_type(Elements)));
  template <typename Native, std::enable_if_t<std::is_same_v<Native, vector_t>, int> = 0>
  vec(Native native) {
    std::memcpy(static_cast<void *>(this), &native, sizeof(native));
  }
  operator vector_t() const {
    vector_t native;
    std::memcpy(&native, static_cast<const void *>(this), sizeof(native));
    return native;
  }
#endif
  template <int Only = Elements, std::enable_if_t<Only == 1, int> = 0>
  constexpr operator Type() const {
    return values[0];
  }

  // For vec_interface.
  constexpr Type &element(int index) { return values[index]; }
  constexpr const Type &element(int index) const { return values[index]; }
  template <int... Indices> auto chosen() { return detail::swizzled<vec, Indices...>(*this); }
  template <int... Indices> vec<Type, sizeof...(Indices)> chosen() const {
    return vec<Type, sizeof...(Indices)>(values[Indices]...);
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
  PLSYCL_VEC_BINARY(+, if_number)
  PLSYCL_VEC_BINARY(-, if_number)
  PLSYCL_VEC_BINARY(*, if_number)
  PLSYCL_VEC_BINARY(/, if_number)
  PLSYCL_VEC_BINARY(%, if_integral)
  PLSYCL_VEC_BINARY(&, if_bits)
  PLSYCL_VEC_BINARY(|, if_bits)
  PLSYCL_VEC_BINARY(^, if_bits)
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
  template <typename Other = Type, if_bits<Other> = 0>
  friend constexpr vec operator~(const vec &value) {
    vec result;
    for (int i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(~value[i]);
    return result;
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
  template <typename Other> constexpr void put(int &next, const Other &value) {
    values[next++] = static_cast<Type>(value);
  }
  template <typename Other, int Count>
  constexpr void put(int &next, const vec<Other, Count> &part) {
    for (int i = 0; i < Count; ++i)
      values[next++] = static_cast<Type>(part[i]);
  }
  template <typename Whole, int... Indices>
  constexpr void put(int &next, const detail::swizzled<Whole, Indices...> &part) {
    put(next, part.read());
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
PLSYCL_VEC_NAMES(schar, std::int8_t)
PLSYCL_VEC_NAMES(longlong, std::int64_t)
PLSYCL_VEC_NAMES(ulonglong, std::uint64_t)
PLSYCL_VEC_NAMES(long, std::int64_t)
PLSYCL_VEC_NAMES(ulong, std::uint64_t)
PLSYCL_VEC_NAMES(half, half)
PLSYCL_VEC_NAMES(float, float)
PLSYCL_VEC_NAMES(double, double)
#undef PLSYCL_VEC_NAMES

} // namespace sycl
