//===- complex.hpp - sycl_ext_oneapi_complex --------------------------------------------------===//
//
// Complex numbers of `half`, `float` and `double` for host and devices, and arrays of them. They
// are computed as `std::complex` is, whose functions the device libraries have, by Annex G of C;
// those of `half` as `float`. The arrays are the ordinary `marray`: of its operators, those that
// complex numbers lack do not compile.
//
// The macro is not predefined: as with DPC++, programs define it before they include this header,
// which does where they have not.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <complex>
#include <cstddef>
#include <istream>
#include <ostream>
#include <type_traits>

#include <sycl/half_type.hpp>
#include <sycl/marray.hpp>
#include <sycl/stream.hpp>

#ifndef SYCL_EXT_ONEAPI_COMPLEX
#define SYCL_EXT_ONEAPI_COMPLEX 1
#endif

namespace sycl::ext::oneapi::experimental {

/// What the parts of a complex number can be.
template <typename Type>
struct is_genfloat : std::bool_constant<std::is_same_v<Type, half> || std::is_same_v<Type, float> ||
                                        std::is_same_v<Type, double>> {};

template <typename Type> class complex;

/// Whether a type is one of complex numbers.
template <typename Type> struct is_gencomplex : std::false_type {};
template <typename Type> struct is_gencomplex<complex<Type>> : is_genfloat<Type> {};
template <typename Type> inline constexpr bool is_gencomplex_v = is_gencomplex<Type>::value;

namespace complex_detail {

/// What `std::complex` computes in for parts of the type.
template <typename Type>
using computed = std::conditional_t<std::is_same_v<Type, half>, float, Type>;

} // namespace complex_detail

/// A complex number; real operands are such with an imaginary part of 0.
template <typename Type> class complex {
  static_assert(is_genfloat<Type>::value,
                "the parts of a complex number are half, float or double");
  using computed = std::complex<complex_detail::computed<Type>>;

public:
  using value_type = Type;

  constexpr complex(value_type re = value_type(), value_type im = value_type()) : re(re), im(im) {}
  template <typename Other>
  constexpr complex(const complex<Other> &other)
      : re(static_cast<Type>(other.real())), im(static_cast<Type>(other.imag())) {}
  template <typename Other>
  constexpr complex(const std::complex<Other> &other)
      : re(static_cast<Type>(other.real())), im(static_cast<Type>(other.imag())) {}
  complex &operator=(value_type value) { return *this = complex(value); }

  template <typename Other> constexpr operator std::complex<Other>() const {
    return std::complex<Other>(static_cast<Other>(re), static_cast<Other>(im));
  }

  constexpr value_type real() const { return re; }
  constexpr value_type imag() const { return im; }
  void real(value_type value) { re = value; }
  void imag(value_type value) { im = value; }

#define PLSYCL_COMPLEX_BINARY(OP)                                                                  \
  friend complex operator OP(const complex &left, const complex &right) {                          \
    return complex(computed(left) OP computed(right));                                             \
  }                                                                                                \
  friend complex operator OP(const complex &left, value_type right) {                              \
    return left OP complex(right);                                                                 \
  }                                                                                                \
  friend complex operator OP(value_type left, const complex &right) {                              \
    return complex(left) OP right;                                                                 \
  }                                                                                                \
  friend complex &operator OP##=(complex & left, value_type right) {                               \
    return left = left OP right;                                                                   \
  }                                                                                                \
  template <typename Other>                                                                        \
  friend complex &operator OP##=(complex & left, const complex<Other> &right) {                    \
    return left = left OP complex(right);                                                          \
  }
  PLSYCL_COMPLEX_BINARY(+)
  PLSYCL_COMPLEX_BINARY(-)
  PLSYCL_COMPLEX_BINARY(*)
  PLSYCL_COMPLEX_BINARY(/)
#undef PLSYCL_COMPLEX_BINARY

  friend complex operator+(const complex &value) { return value; }
  friend complex operator-(const complex &value) { return complex(-value.re, -value.im); }

  friend constexpr bool operator==(const complex &left, const complex &right) {
    return left.re == right.re && left.im == right.im;
  }
  friend constexpr bool operator==(const complex &left, value_type right) {
    return left == complex(right);
  }
  friend constexpr bool operator==(value_type left, const complex &right) {
    return complex(left) == right;
  }
  friend constexpr bool operator!=(const complex &left, const complex &right) {
    return !(left == right);
  }
  friend constexpr bool operator!=(const complex &left, value_type right) {
    return !(left == right);
  }
  friend constexpr bool operator!=(value_type left, const complex &right) {
    return !(left == right);
  }

  /// `re`, `(re)` or `(re,im)`, on the host.
  template <typename Char, typename Traits>
  friend std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream,
                                                      complex &value) {
    computed read;
    if (stream >> read)
      value = complex(read);
    return stream;
  }
  /// `(re,im)`, on the host.
  template <typename Char, typename Traits>
  friend std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream,
                                                      const complex &value) {
    return stream << computed(value);
  }
  friend const stream &operator<<(const stream &out, const complex &value) {
    return out << '(' << value.re << ',' << value.im << ')';
  }

private:
  value_type re, im;
};

namespace complex_detail {

/// What a real argument of functions is computed as: whole numbers as double.
template <typename Type>
using real_of = std::enable_if_t<is_genfloat<Type>::value || std::is_integral_v<Type>,
                                 std::conditional_t<std::is_integral_v<Type>, double, Type>>;

/// What the parts of a function's complex argument are. A call that says another type
/// (`conj<bool>(true)`) means the function of real numbers, and makes no complex number of it.
template <typename Type> using part_of = std::enable_if_t<is_genfloat<Type>::value, Type>;

/// The number in the type that computes it.
template <typename Type>
constexpr std::complex<computed<Type>> to_compute(const complex<Type> &value) {
  return value;
}

/// The parts of a power: the widest of both operands' or real numbers; whole ones have no say.
template <typename Base, typename Exponent> struct power {
  template <typename Type>
  static constexpr bool has = std::is_same_v<Base, Type> || std::is_same_v<Exponent, Type>;
  using type = std::conditional_t<has<double>, double, std::conditional_t<has<float>, float, half>>;
};
/// What a power is for operands with such parts, one of which may be a real number.
template <typename Part, typename Other>
using power_of = std::enable_if_t<is_genfloat<Part>::value &&
                                      (is_genfloat<Other>::value || std::is_integral_v<Other>),
                                  complex<typename power<Part, Other>::type>>;

} // namespace complex_detail

// Values.

template <typename Type> constexpr complex_detail::part_of<Type> real(const complex<Type> &value) {
  return value.real();
}
template <typename Type> constexpr complex_detail::real_of<Type> real(Type value) {
  return static_cast<complex_detail::real_of<Type>>(value);
}
template <typename Type> constexpr complex_detail::part_of<Type> imag(const complex<Type> &value) {
  return value.imag();
}
template <typename Type> constexpr complex_detail::real_of<Type> imag(Type) {
  return complex_detail::real_of<Type>(0);
}

#define PLSYCL_COMPLEX_PART(NAME)                                                                  \
  template <typename Type> complex_detail::part_of<Type> NAME(const complex<Type> &value) {        \
    return static_cast<Type>(std::NAME(complex_detail::to_compute(value)));                        \
  }
PLSYCL_COMPLEX_PART(abs)
PLSYCL_COMPLEX_PART(arg)
PLSYCL_COMPLEX_PART(norm)
#undef PLSYCL_COMPLEX_PART

#define PLSYCL_COMPLEX_UNARY(NAME)                                                                 \
  template <typename Type>                                                                         \
  complex<complex_detail::part_of<Type>> NAME(const complex<Type> &value) {                        \
    return complex<Type>(std::NAME(complex_detail::to_compute(value)));                            \
  }
PLSYCL_COMPLEX_UNARY(proj)
// Transcendentals.
PLSYCL_COMPLEX_UNARY(acos)
PLSYCL_COMPLEX_UNARY(acosh)
PLSYCL_COMPLEX_UNARY(asin)
PLSYCL_COMPLEX_UNARY(asinh)
PLSYCL_COMPLEX_UNARY(atan)
PLSYCL_COMPLEX_UNARY(atanh)
PLSYCL_COMPLEX_UNARY(cos)
PLSYCL_COMPLEX_UNARY(cosh)
PLSYCL_COMPLEX_UNARY(exp)
PLSYCL_COMPLEX_UNARY(log)
PLSYCL_COMPLEX_UNARY(log10)
PLSYCL_COMPLEX_UNARY(sin)
PLSYCL_COMPLEX_UNARY(sinh)
PLSYCL_COMPLEX_UNARY(sqrt)
PLSYCL_COMPLEX_UNARY(tan)
PLSYCL_COMPLEX_UNARY(tanh)
#undef PLSYCL_COMPLEX_UNARY

template <typename Type> complex<complex_detail::part_of<Type>> conj(const complex<Type> &value) {
  return complex<Type>(value.real(), -value.imag());
}

// Of real numbers, as complex ones with an imaginary part of 0.

template <typename Type> complex_detail::real_of<Type> arg(Type value) {
  return arg(complex(complex_detail::real_of<Type>(value)));
}
template <typename Type> complex_detail::real_of<Type> norm(Type value) {
  return norm(complex(complex_detail::real_of<Type>(value)));
}
template <typename Type> complex<complex_detail::real_of<Type>> conj(Type value) {
  return conj(complex(complex_detail::real_of<Type>(value)));
}
template <typename Type> complex<complex_detail::real_of<Type>> proj(Type value) {
  return proj(complex(complex_detail::real_of<Type>(value)));
}

/// The number of this magnitude, which is not negative, and finite angle.
template <typename Type, std::enable_if_t<is_genfloat<Type>::value, int> = 0>
complex<Type> polar(const Type &rho, const Type &theta = Type()) {
  using computed = complex_detail::computed<Type>;
  const computed length = rho, angle = theta;
  return complex<Type>(static_cast<Type>(length * std::cos(angle)),
                       static_cast<Type>(length * std::sin(angle)));
}

/// In the type of the result, which both operands are made.
template <typename Type>
complex<complex_detail::part_of<Type>> pow(const complex<Type> &base,
                                           const complex<Type> &exponent) {
  return complex<Type>(
      std::pow(complex_detail::to_compute(base), complex_detail::to_compute(exponent)));
}
template <typename Base, typename Exponent>
complex_detail::power_of<Base, complex_detail::part_of<Exponent>>
pow(const complex<Base> &base, const complex<Exponent> &exponent) {
  using result = complex_detail::power_of<Base, Exponent>;
  return experimental::pow(result(base), result(exponent));
}
template <typename Base, typename Exponent>
complex_detail::power_of<Base, Exponent> pow(const complex<Base> &base, const Exponent &exponent) {
  using result = complex_detail::power_of<Base, Exponent>;
  return experimental::pow(result(base),
                           result(static_cast<typename result::value_type>(exponent)));
}
template <typename Base, typename Exponent>
complex_detail::power_of<Exponent, Base> pow(const Base &base, const complex<Exponent> &exponent) {
  using result = complex_detail::power_of<Exponent, Base>;
  return experimental::pow(result(static_cast<typename result::value_type>(base)),
                           result(exponent));
}

// Of arrays, element by element; a single operand goes with each.

namespace complex_detail {

template <typename Type> struct elements_of {
  static constexpr std::size_t count = 0;
  using type = Type;
  static constexpr const Type &at(const Type &single, std::size_t) { return single; }
};
template <typename Type, std::size_t Elements> struct elements_of<marray<Type, Elements>> {
  static constexpr std::size_t count = Elements;
  using type = Type;
  static constexpr const Type &at(const marray<Type, Elements> &array, std::size_t index) {
    return array[index];
  }
};
template <typename Type> using element_of = typename elements_of<Type>::type;
template <typename... Types>
inline constexpr std::size_t count_of = [] {
  std::size_t count = 0;
  ((count = count == 0 ? elements_of<Types>::count : count), ...);
  return count;
}();
/// Whether there is an array, and no two of different lengths.
template <typename... Types>
inline constexpr bool are_arrays =
    count_of<Types...> > 0 &&
    ((elements_of<Types>::count == 0 || elements_of<Types>::count == count_of<Types...>) && ...);

template <typename Operation, typename... Types>
auto of_each(Operation operation, const Types &...values) {
  using result = decltype(operation(elements_of<Types>::at(values, 0)...));
  marray<result, count_of<Types...>> results{};
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] = operation(elements_of<Types>::at(values, i)...);
  return results;
}

} // namespace complex_detail

#define PLSYCL_COMPLEX_ARRAY(NAME)                                                                 \
  template <typename Type, std::size_t Elements>                                                   \
  auto NAME(const marray<complex<Type>, Elements> &values) {                                       \
    return complex_detail::of_each(                                                                \
        [](const complex<Type> &each) { return experimental::NAME(each); }, values);               \
  }
PLSYCL_COMPLEX_ARRAY(real)
PLSYCL_COMPLEX_ARRAY(imag)
PLSYCL_COMPLEX_ARRAY(abs)
PLSYCL_COMPLEX_ARRAY(arg)
PLSYCL_COMPLEX_ARRAY(norm)
PLSYCL_COMPLEX_ARRAY(conj)
PLSYCL_COMPLEX_ARRAY(proj)
PLSYCL_COMPLEX_ARRAY(acos)
PLSYCL_COMPLEX_ARRAY(acosh)
PLSYCL_COMPLEX_ARRAY(asin)
PLSYCL_COMPLEX_ARRAY(asinh)
PLSYCL_COMPLEX_ARRAY(atan)
PLSYCL_COMPLEX_ARRAY(atanh)
PLSYCL_COMPLEX_ARRAY(cos)
PLSYCL_COMPLEX_ARRAY(cosh)
PLSYCL_COMPLEX_ARRAY(exp)
PLSYCL_COMPLEX_ARRAY(log)
PLSYCL_COMPLEX_ARRAY(log10)
PLSYCL_COMPLEX_ARRAY(sin)
PLSYCL_COMPLEX_ARRAY(sinh)
PLSYCL_COMPLEX_ARRAY(sqrt)
PLSYCL_COMPLEX_ARRAY(tan)
PLSYCL_COMPLEX_ARRAY(tanh)
#undef PLSYCL_COMPLEX_ARRAY

// Complex numbers beside real ones, in either order.
#define PLSYCL_COMPLEX_ARRAYS(OP)                                                                  \
  template <typename Type, std::size_t Elements>                                                   \
  auto operator OP(const marray<complex<Type>, Elements> &left,                                    \
                   const marray<Type, Elements> &right) {                                          \
    return complex_detail::of_each([](const complex<Type> &a, Type b) { return a OP b; }, left,    \
                                   right);                                                         \
  }                                                                                                \
  template <typename Type, std::size_t Elements>                                                   \
  auto operator OP(const marray<Type, Elements> &left,                                             \
                   const marray<complex<Type>, Elements> &right) {                                 \
    return complex_detail::of_each([](Type a, const complex<Type> &b) { return a OP b; }, left,    \
                                   right);                                                         \
  }
PLSYCL_COMPLEX_ARRAYS(+)
PLSYCL_COMPLEX_ARRAYS(-)
PLSYCL_COMPLEX_ARRAYS(*)
PLSYCL_COMPLEX_ARRAYS(/)
PLSYCL_COMPLEX_ARRAYS(==)
PLSYCL_COMPLEX_ARRAYS(!=)
#undef PLSYCL_COMPLEX_ARRAYS

template <typename Type, std::size_t Elements, std::enable_if_t<is_genfloat<Type>::value, int> = 0>
auto proj(const marray<Type, Elements> &values) {
  return complex_detail::of_each([](Type each) { return experimental::proj(each); }, values);
}

template <typename Rho, typename Theta = complex_detail::element_of<Rho>,
          std::enable_if_t<complex_detail::are_arrays<Rho, Theta> &&
                               is_genfloat<complex_detail::element_of<Rho>>::value &&
                               std::is_convertible_v<complex_detail::element_of<Theta>,
                                                     complex_detail::element_of<Rho>>,
                           int> = 0>
auto polar(const Rho &rho, const Theta &theta = Theta()) {
  using type = complex_detail::element_of<Rho>;
  return complex_detail::of_each(
      [](type length, type angle) { return experimental::polar(length, angle); }, rho, theta);
}

template <typename Base, typename Exponent,
          std::enable_if_t<complex_detail::are_arrays<Base, Exponent>, int> = 0,
          typename = decltype(experimental::pow(
              std::declval<const complex_detail::element_of<Base> &>(),
              std::declval<const complex_detail::element_of<Exponent> &>()))>
auto pow(const Base &base, const Exponent &exponent) {
  return complex_detail::of_each(
      [](const complex_detail::element_of<Base> &each,
         const complex_detail::element_of<Exponent> &to) { return experimental::pow(each, to); },
      base, exponent);
}

} // namespace sycl::ext::oneapi::experimental
