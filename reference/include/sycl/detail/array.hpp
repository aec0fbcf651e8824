//===- array.hpp - one to three numbers: what range and id share ---------------------------===//
#pragma once

#include <cstddef>
#include <type_traits>

namespace sycl::detail {

/// `Dimensions` numbers, outermost dimension first.
template <int Dimensions> class array {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "one to three dimensions");

public:
  constexpr std::size_t get(int dimension) const noexcept { return values[dimension]; }
  constexpr std::size_t &operator[](int dimension) noexcept { return values[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return values[dimension]; }

protected:
  constexpr array() noexcept = default;

  template <typename Type>
  static constexpr bool all_equal(const Type &left, const Type &right) noexcept {
    for (int i = 0; i < Dimensions; ++i)
      if (left[i] != right[i])
        return false;
    return true;
  }

  std::size_t values[Dimensions] = {};
};

template <typename Type> using if_integral = std::enable_if_t<std::is_integral_v<Type>, int>;

/// Lets a one-dimensional place be used as a number.
template <typename Place, int Dimensions> class number {};
template <typename Place> class number<Place, 1> {
public:
  constexpr operator std::size_t() const noexcept { return static_cast<const Place &>(*this)[0]; }

  // Without these, a number could as well become a place as a place a number.
  template <typename Type, if_integral<Type> = 0>
  friend constexpr bool operator==(const Place &left, Type right) noexcept {
    return left[0] == static_cast<std::size_t>(right);
  }
  template <typename Type, if_integral<Type> = 0>
  friend constexpr bool operator==(Type left, const Place &right) noexcept {
    return static_cast<std::size_t>(left) == right[0];
  }
  template <typename Type, if_integral<Type> = 0>
  friend constexpr bool operator!=(const Place &left, Type right) noexcept {
    return left[0] != static_cast<std::size_t>(right);
  }
  template <typename Type, if_integral<Type> = 0>
  friend constexpr bool operator!=(Type left, const Place &right) noexcept {
    return static_cast<std::size_t>(left) != right[0];
  }
};

} // namespace sycl::detail

// The operators that SYCL gives range and id, element by element. The scalar forms are templates so
// that `id<1> + 1` does not compete with the arithmetic of the number that an id<1> converts to.
#define PLSYCL_ARRAY_BINARY(TYPE, OP)                                                              \
  friend constexpr TYPE operator OP(const TYPE &left, const TYPE &right) noexcept {                \
    TYPE result(left);                                                                             \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      result[i] = left[i] OP right[i];                                                             \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Type, ::sycl::detail::if_integral<Type> = 0>                                  \
  friend constexpr TYPE operator OP(const TYPE &left, Type right) noexcept {                       \
    TYPE result(left);                                                                             \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      result[i] = left[i] OP static_cast<std::size_t>(right);                                      \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Type, ::sycl::detail::if_integral<Type> = 0>                                  \
  friend constexpr TYPE operator OP(Type left, const TYPE &right) noexcept {                       \
    TYPE result(right);                                                                            \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      result[i] = static_cast<std::size_t>(left) OP right[i];                                      \
    return result;                                                                                 \
  }

#define PLSYCL_ARRAY_ASSIGN(TYPE, OP)                                                              \
  friend constexpr TYPE &operator OP(TYPE & left, const TYPE & right) noexcept {                   \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      left[i] OP right[i];                                                                         \
    return left;                                                                                   \
  }                                                                                                \
  template <typename Type, ::sycl::detail::if_integral<Type> = 0>                                  \
  friend constexpr TYPE &operator OP(TYPE & left, Type right) noexcept {                           \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      left[i] OP static_cast<std::size_t>(right);                                                  \
    return left;                                                                                   \
  }

#define PLSYCL_ARRAY_UNARY(TYPE, OP)                                                               \
  friend constexpr TYPE operator OP(const TYPE &value) noexcept {                                  \
    TYPE result(value);                                                                            \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      result[i] = OP value[i];                                                                     \
    return result;                                                                                 \
  }

#define PLSYCL_ARRAY_STEP(TYPE, OP)                                                                \
  friend constexpr TYPE &operator OP(TYPE & value) noexcept {                                      \
    for (int i = 0; i < Dimensions; ++i)                                                           \
      OP value[i];                                                                                 \
    return value;                                                                                  \
  }                                                                                                \
  friend constexpr TYPE operator OP(TYPE &value, int) noexcept {                                   \
    const TYPE before(value);                                                                      \
    OP value;                                                                                      \
    return before;                                                                                 \
  }

#define PLSYCL_ARRAY_OPERATORS(TYPE)                                                               \
  PLSYCL_ARRAY_UNARY(TYPE, +)                                                                      \
  PLSYCL_ARRAY_UNARY(TYPE, -)                                                                      \
  PLSYCL_ARRAY_STEP(TYPE, ++)                                                                      \
  PLSYCL_ARRAY_STEP(TYPE, --)                                                                      \
  PLSYCL_ARRAY_BINARY(TYPE, +)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, -)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, *)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, /)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, %)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, <<)                                                                    \
  PLSYCL_ARRAY_BINARY(TYPE, >>)                                                                    \
  PLSYCL_ARRAY_BINARY(TYPE, &)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, |)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, ^)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, &&)                                                                    \
  PLSYCL_ARRAY_BINARY(TYPE, ||)                                                                    \
  PLSYCL_ARRAY_BINARY(TYPE, <)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, >)                                                                     \
  PLSYCL_ARRAY_BINARY(TYPE, <=)                                                                    \
  PLSYCL_ARRAY_BINARY(TYPE, >=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, +=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, -=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, *=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, /=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, %=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, <<=)                                                                   \
  PLSYCL_ARRAY_ASSIGN(TYPE, >>=)                                                                   \
  PLSYCL_ARRAY_ASSIGN(TYPE, &=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, |=)                                                                    \
  PLSYCL_ARRAY_ASSIGN(TYPE, ^=)                                                                    \
  friend constexpr bool operator==(const TYPE &left, const TYPE &right) noexcept {                 \
    return TYPE::all_equal(left, right);                                                           \
  }                                                                                                \
  friend constexpr bool operator!=(const TYPE &left, const TYPE &right) noexcept {                 \
    return !TYPE::all_equal(left, right);                                                          \
  }
