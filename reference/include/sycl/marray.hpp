//===- marray.hpp - arrays of a fixed size that compute element by element -------------------===//
#pragma once

#include <sycl/detail/elements.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sycl {

template <typename Type, std::size_t Elements> class marray;

namespace detail {

/// How many elements an argument gives a constructor of arrays of `Type`: none if it cannot.
template <typename Type, typename Part>
inline constexpr std::size_t marray_elements = std::is_convertible_v<const Part &, Type> ? 1 : 0;
template <typename Type, std::size_t Elements>
inline constexpr std::size_t marray_elements<Type, marray<Type, Elements>> = Elements;
/// Whether it can give any, be it none.
template <typename Type, typename Part>
inline constexpr bool is_marray_part = std::is_convertible_v<const Part &, Type>;
template <typename Type, std::size_t Elements>
inline constexpr bool is_marray_part<Type, marray<Type, Elements>> = true;
template <typename Type> inline constexpr bool is_marray = false;
template <typename Type, std::size_t Elements>
inline constexpr bool is_marray<marray<Type, Elements>> = true;

} // namespace detail

/// As many elements as one likes, none too, laid out as an array of them.
template <typename Type, std::size_t Elements> class marray {
  /// What can be an operand as a number for each element. (An array of one is, beside another, an
  /// array.)
  template <typename Other>
  using if_scalar = std::enable_if_t<std::is_convertible_v<const Other &, Type> &&
                                         !(Elements == 1 && detail::is_marray<Other>),
                                     int>;

public:
  using value_type = Type;
  using reference = Type &;
  using const_reference = const Type &;
  using iterator = Type *;
  using const_iterator = const Type *;

  constexpr marray() = default;
  /// A number becomes an array of one by itself.
  template <std::size_t Own = Elements, std::enable_if_t<Own == 1, int> = 0>
  constexpr marray(const Type &value) : values{value} {}
  /// The value in every element.
  template <std::size_t Own = Elements, std::enable_if_t<Own != 1, int> = 0>
  explicit constexpr marray(const Type &value) : marray(std::make_index_sequence<Own>(), value) {}
  /// As many elements.
  template <typename... Parts,
            std::enable_if_t<(sizeof...(Parts) > 1) && sizeof...(Parts) == Elements &&
                                 (std::is_convertible_v<const Parts &, Type> && ...),
                             int> = 0>
  constexpr marray(const Parts &...parts) : values{static_cast<Type>(parts)...} {}
  /// Elements and arrays of them, in a row.
  template <
      typename... Parts,
      std::enable_if_t<(sizeof...(Parts) > 1) && (detail::is_marray_part<Type, Parts> && ...) &&
                           !(std::is_convertible_v<const Parts &, Type> && ...) &&
                           (detail::marray_elements<Type, Parts> + ... + 0) == Elements,
                       int> = 0>
  constexpr marray(const Parts &...parts)
      : marray(std::make_index_sequence<Elements>(), parts...) {}
  constexpr marray &operator=(const Type &value) { return *this = marray(value); }

  static constexpr std::size_t size() noexcept { return Elements; }
  constexpr operator detail::single_element<Type, Elements>() const {
    return detail::single_element<Type, Elements>(values[0]);
  }

  constexpr reference operator[](std::size_t index) { return values[index]; }
  constexpr const_reference operator[](std::size_t index) const { return values[index]; }
  constexpr iterator begin() { return values; }
  constexpr iterator end() { return values + Elements; }
  constexpr const_iterator begin() const { return values; }
  constexpr const_iterator end() const { return values + Elements; }

#define PLSYCL_MARRAY_BINARY(OP, CONDITION)                                                        \
  template <typename Own = Type, detail::CONDITION<Own> = 0>                                       \
  friend constexpr marray operator OP(const marray &left, const marray &right) {                   \
    marray result{};                                                                               \
    for (std::size_t i = 0; i < Elements; ++i)                                                     \
      result[i] = static_cast<Type>(left[i] OP right[i]);                                          \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr marray operator OP(const marray &left, const Other &right) {                    \
    return left OP each(right);                                                                    \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr marray operator OP(const Other &left, const marray &right) {                    \
    return each(left) OP right;                                                                    \
  }                                                                                                \
  template <typename Own = Type, detail::CONDITION<Own> = 0>                                       \
  friend constexpr marray &operator OP##=(marray & left, const marray & right) {                   \
    return left = left OP right;                                                                   \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr marray &operator OP##=(marray & left, const Other & right) {                    \
    return left = left OP right;                                                                   \
  }
  PLSYCL_MARRAY_BINARY(+, if_any)
  PLSYCL_MARRAY_BINARY(-, if_any)
  PLSYCL_MARRAY_BINARY(*, if_any)
  PLSYCL_MARRAY_BINARY(/, if_any)
  PLSYCL_MARRAY_BINARY(%, if_integral_element)
  PLSYCL_MARRAY_BINARY(&, if_integral_element)
  PLSYCL_MARRAY_BINARY(|, if_integral_element)
  PLSYCL_MARRAY_BINARY(^, if_integral_element)
  PLSYCL_MARRAY_BINARY(<<, if_integral_element)
  PLSYCL_MARRAY_BINARY(>>, if_integral_element)
#undef PLSYCL_MARRAY_BINARY

#define PLSYCL_MARRAY_COMPARISON(OP)                                                               \
  friend constexpr marray<bool, Elements> operator OP(const marray & left, const marray & right) { \
    marray<bool, Elements> result{};                                                               \
    for (std::size_t i = 0; i < Elements; ++i)                                                     \
      result[i] = left[i] OP right[i];                                                             \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0>                                                  \
  friend constexpr marray<bool, Elements> operator OP(const marray & left, const Other & right) {  \
    return left OP each(right);                                                                    \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0>                                                  \
  friend constexpr marray<bool, Elements> operator OP(const Other & left, const marray & right) {  \
    return each(left) OP right;                                                                    \
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
    marray result{};
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(-value[i]);
    return result;
  }
  template <typename Own = Type, detail::if_integral_element<Own> = 0>
  friend constexpr marray operator~(const marray &value) {
    marray result{};
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(~value[i]);
    return result;
  }
  friend constexpr marray<bool, Elements> operator!(const marray &value) {
    marray<bool, Elements> result{};
    for (std::size_t i = 0; i < Elements; ++i)
      result[i] = !value[i];
    return result;
  }
#define PLSYCL_MARRAY_STEP(OP, STEP)                                                               \
  friend constexpr marray &operator OP(marray & value) { return value STEP Type(1); }              \
  friend constexpr marray operator OP(marray &value, int) {                                        \
    const marray before = value;                                                                   \
    OP value;                                                                                      \
    return before;                                                                                 \
  }
  PLSYCL_MARRAY_STEP(++, +=)
  PLSYCL_MARRAY_STEP(--, -=)
#undef PLSYCL_MARRAY_STEP

private:
  /// An array of one value.
  template <typename Other> static constexpr marray each(const Other &value) {
    const Type element = value;
    return marray(element);
  }
  /// Element by element, as elements need not have a value of their own.
  template <std::size_t... Index, typename... Parts>
  constexpr marray(std::index_sequence<Index...>, const Parts &...parts)
      : values{at<(sizeof...(Parts) == 1 ? 0 : Index)>(parts...)...} {}
  /// Of parts in a row, the element of a number.
  template <std::size_t Index, typename First, typename... Rest>
  static constexpr Type at(const First &first, const Rest &...rest) {
    constexpr std::size_t own = detail::marray_elements<Type, First>;
    if constexpr (Index >= own)
      return at<Index - own>(rest...);
    else if constexpr (std::is_same_v<First, marray<Type, own>>)
      return first[Index];
    else
      return static_cast<Type>(first);
  }

  Type values[Elements == 0 ? 1 : Elements] = {};
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
PLSYCL_MARRAY_NAMES(mschar, std::int8_t)
PLSYCL_MARRAY_NAMES(muchar, std::uint8_t)
PLSYCL_MARRAY_NAMES(mshort, std::int16_t)
PLSYCL_MARRAY_NAMES(mushort, std::uint16_t)
PLSYCL_MARRAY_NAMES(mint, std::int32_t)
PLSYCL_MARRAY_NAMES(muint, std::uint32_t)
PLSYCL_MARRAY_NAMES(mlong, std::int64_t)
PLSYCL_MARRAY_NAMES(mulong, std::uint64_t)
PLSYCL_MARRAY_NAMES(mlonglong, std::int64_t)
PLSYCL_MARRAY_NAMES(mulonglong, std::uint64_t)
PLSYCL_MARRAY_NAMES(mhalf, half)
PLSYCL_MARRAY_NAMES(mfloat, float)
PLSYCL_MARRAY_NAMES(mdouble, double)
#undef PLSYCL_MARRAY_NAMES

} // namespace sycl
