//===- marray.hpp - arrays of a fixed size that compute element by element -------------------===//
#pragma once

#include <sycl/half.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {

template <typename Type, std::size_t Elements> class marray;

namespace detail {

/// How many elements an argument of an array's constructor gives.
template <typename Type> inline constexpr std::size_t marray_elements = 1;
template <typename Type, std::size_t Elements>
inline constexpr std::size_t marray_elements<marray<Type, Elements>> = Elements;
template <typename Type> inline constexpr bool is_marray = false;
template <typename Type, std::size_t Elements>
inline constexpr bool is_marray<marray<Type, Elements>> = true;

} // namespace detail

/// As many elements as one likes, laid out as an array of them.
template <typename Type, std::size_t Elements> class marray {
  static_assert(Elements > 0, "an array has elements");
  template <typename Other>
  using if_element = std::enable_if_t<
      std::is_convertible_v<Other, Type> && !detail::is_marray<std::decay_t<Other>>, int>;
  template <typename Other> using if_integral = std::enable_if_t<std::is_integral_v<Other>, int>;

public:
  using value_type = Type;
  using reference = Type &;
  using const_reference = const Type &;
  using iterator = Type *;
  using const_iterator = const Type *;

  constexpr marray() = default;
  /// The value in every element.
  constexpr explicit marray(const Type &value) {
    for (Type &each : values)
      each = value;
  }
  /// Elements, or arrays of them, in a row.
  template <typename First, typename Second, typename... Rest,
            std::enable_if_t<((detail::marray_elements<Rest> + ... +
                               detail::marray_elements<First>)+detail::marray_elements<Second>) ==
                                 Elements,
                             int> = 0>
  constexpr marray(const First &first, const Second &second, const Rest &...rest) {
    std::size_t next = 0;
    put(next, first), put(next, second), (put(next, rest), ...);
  }
  constexpr marray &operator=(const Type &value) { return *this = marray(value); }

  static constexpr std::size_t size() noexcept { return Elements; }
  template <std::size_t Count = Elements, std::enable_if_t<Count == 1, int> = 0>
  constexpr operator Type() const {
    return values[0];
  }

  constexpr reference operator[](std::size_t index) { return values[index]; }
  constexpr const_reference operator[](std::size_t index) const { return values[index]; }
  constexpr iterator begin() { return values; }
  constexpr iterator end() { return values + Elements; }
  constexpr const_iterator begin() const { return values; }
  constexpr const_iterator end() const { return values + Elements; }

#define PLSYCL_MARRAY_BINARY(OP, CONDITION)                                                        \
  template <typename Other = Type, CONDITION<Other> = 0>                                           \
  friend constexpr marray operator OP(const marray &left, const marray &right) {                   \
    marray result;                                                                                 \
    for (std::size_t i = 0; i < Elements; ++i)                                                     \
      result[i] = static_cast<Type>(left[i] OP right[i]);                                          \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0, typename Own = Type, CONDITION<Own> = 0>        \
  friend constexpr marray operator OP(const marray &left, const Other &right) {                    \
    return left OP marray(static_cast<Type>(right));                                               \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0, typename Own = Type, CONDITION<Own> = 0>        \
  friend constexpr marray operator OP(const Other &left, const marray &right) {                    \
    return marray(static_cast<Type>(left)) OP right;                                               \
  }                                                                                                \
  template <typename Other> constexpr marray &operator OP##=(const Other & right) {                \
    return *this = *this OP right;                                                                 \
  }
  PLSYCL_MARRAY_BINARY(+, if_element)
  PLSYCL_MARRAY_BINARY(-, if_element)
  PLSYCL_MARRAY_BINARY(*, if_element)
  PLSYCL_MARRAY_BINARY(/, if_element)
  PLSYCL_MARRAY_BINARY(%, if_integral)
  PLSYCL_MARRAY_BINARY(&, if_integral)
  PLSYCL_MARRAY_BINARY(|, if_integral)
  PLSYCL_MARRAY_BINARY(^, if_integral)
  PLSYCL_MARRAY_BINARY(<<, if_integral)
  PLSYCL_MARRAY_BINARY(>>, if_integral)
#undef PLSYCL_MARRAY_BINARY

#define PLSYCL_MARRAY_COMPARISON(OP)                                                               \
  friend constexpr marray<bool, Elements> operator OP(const marray & left, const marray & right) { \
    marray<bool, Elements> result;                                                                 \
    for (std::size_t i = 0; i < Elements; ++i)                                                     \
      result[i] = left[i] OP right[i];                                                             \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0>                                                 \
  friend constexpr marray<bool, Elements> operator OP(const marray & left, const Other & right) {  \
    return left OP marray(static_cast<Type>(right));                                               \
  }                                                                                                \
  template <typename Other, if_element<Other> = 0>                                                 \
  friend constexpr marray<bool, Elements> operator OP(const Other & left, const marray & right) {  \
    return marray(static_cast<Type>(left)) OP right;                                               \
  }
  PLSYCL_MARRAY_COMPARISON(==)
  PLSYCL_MARRAY_COMPARISON(!=)
  PLSYCL_MARRAY_COMPARISON(<)
  PLSYCL_MARRAY_COMPARISON(>)
  PLSYCL_MARRAY_COMPARISON(<=)
  PLSYCL_MARRAY_COMPARISON(>=)
  PLSYCL_MARRAY_COMPARISON(&&)
  PLSYCL_MARRAY_COMPARISON(||)
#undef PLSYCL_MARRAY_COMPARISON

  friend constexpr marray operator+(const marray &value) { return value; }
  friend constexpr marray operator-(const marray &value) {
    marray result;
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(-value[i]);
    return result;
  }
  template <typename Other = Type, if_integral<Other> = 0>
  friend constexpr marray operator~(const marray &value) {
    marray result;
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(~value[i]);
    return result;
  }
  friend constexpr marray<bool, Elements> operator!(const marray &value) {
    marray<bool, Elements> result;
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = !value[i];
    return result;
  }
  constexpr marray &operator++() { return *this += Type(1); }
  constexpr marray &operator--() { return *this -= Type(1); }
  constexpr marray operator++(int) {
    const marray before = *this;
    ++*this;
    return before;
  }
  constexpr marray operator--(int) {
    const marray before = *this;
    --*this;
    return before;
  }

private:
  template <typename Other> constexpr void put(std::size_t &next, const Other &value) {
    if constexpr (detail::is_marray<Other>)
      for (const auto &each : value)
        values[next++] = static_cast<Type>(each);
    else
      values[next++] = static_cast<Type>(value);
  }

  Type values[Elements] = {};
};

template <typename First, typename... Rest>
marray(First, Rest...) -> marray<First, 1 + sizeof...(Rest)>;

#define PLSYCL_MARRAY_NAMES(NAME, TYPE)                                                            \
  using NAME##2 = marray<TYPE, 2>;                                                                 \
  using NAME##3 = marray<TYPE, 3>;                                                                 \
  using NAME##4 = marray<TYPE, 4>;                                                                 \
  using NAME##8 = marray<TYPE, 8>;                                                                 \
  using NAME##16 = marray<TYPE, 16>;
PLSYCL_MARRAY_NAMES(mbool, bool)
PLSYCL_MARRAY_NAMES(mchar, std::int8_t)
PLSYCL_MARRAY_NAMES(muchar, std::uint8_t)
PLSYCL_MARRAY_NAMES(mshort, std::int16_t)
PLSYCL_MARRAY_NAMES(mushort, std::uint16_t)
PLSYCL_MARRAY_NAMES(mint, std::int32_t)
PLSYCL_MARRAY_NAMES(muint, std::uint32_t)
PLSYCL_MARRAY_NAMES(mlong, std::int64_t)
PLSYCL_MARRAY_NAMES(mulong, std::uint64_t)
PLSYCL_MARRAY_NAMES(mhalf, half)
PLSYCL_MARRAY_NAMES(mfloat, float)
PLSYCL_MARRAY_NAMES(mdouble, double)
#undef PLSYCL_MARRAY_NAMES

} // namespace sycl
