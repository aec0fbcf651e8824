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
/// Its bits, as DPC++ has it.
template <> struct native_element<ext::oneapi::bfloat16> {
  using type = std::uint16_t;
};
#endif

} // namespace detail

/// `Elements` values of one arithmetic type: 1, 2, 3, 4, 8 or 16.
template <typename Type, int Elements>
class alignas(sizeof(Type) * detail::vec_storage(Elements)) vec
    : public detail::vec_interface<vec<Type, Elements>, Type, Elements> {
  static_assert(detail::is_vec_size<Elements>, "a vec has 1, 2, 3, 4, 8 or 16 elements");
  template <typename Other>
  using if_scalar = std::enable_if_t<detail::is_vec_scalar<Other, Type, Elements>, int>;
  using truth = vec<detail::vec_truth<Type>, Elements>;

public:
  vec() = default;
  /// A number becomes a vector of one by itself.
  template <int Own = Elements, std::enable_if_t<Own == 1, int> = 0>
  constexpr vec(const Type &value) : values{value} {}
  /// In braces too, as longer ones take numbers of other types.
  template <typename Other, std::enable_if_t<Elements == 1 && std::is_arithmetic_v<Other> &&
                                                 !std::is_same_v<Other, Type>,
                                             int> = 0>
  explicit constexpr vec(Other value) : values{static_cast<Type>(value)} {}
  template <int Own = Elements, std::enable_if_t<(Own > 1), int> = 0>
  explicit constexpr vec(const Type &value) : values{} {
    for (Type &element : values)
      element = value;
  }
  /// Values and vectors that make up all elements together.
  template <typename... Parts,
            std::enable_if_t<((sizeof...(Parts) > 1 || detail::is_swizzled<Parts>) && ...) &&
                                 ((detail::vec_elements<Type, Parts> > 0) && ...) &&
                                 (detail::vec_elements<Type, Parts> + ... + 0) == Elements,
                             int> = 0>
  constexpr vec(const Parts &...parts) : values{} {
    int next = 0;
    (put(next, parts), ...);
  }
  constexpr vec(const vec &) = default;
  constexpr vec &operator=(const vec &) = default;
  template <typename Other, std::enable_if_t<std::is_convertible_v<const Other &, Type>, int> = 0>
  constexpr vec &operator=(const Other &value) {
    const Type element = value;
    for (Type &each : values)
      each = element;
    return *this;
  }

#ifdef __SYCL_DEVICE_ONLY__
  /// The compiler's own vector of the kind.
  using vector_t =
      typename detail::native_element<Type>::type __attribute__((ext_vector_type(Elements)));
  template <typename Native, std::enable_if_t<std::is_same_v<Native, vector_t>, int> = 0>
  vec(Native native) {
    std::memcpy(static_cast<void *>(this), &native, sizeof(native));
  }
  /// A template, as the compiler's operators of its own vectors would compete with these.
  template <typename Native, std::enable_if_t<std::is_same_v<Native, vector_t>, int> = 0>
  operator Native() const {
    Native native;
    std::memcpy(&native, static_cast<const void *>(this), sizeof(native));
    return native;
  }
  // What has an operator of its own.
  using own_vector = vector_t;
#else
  using own_vector = void;
#endif
  /// A vector of one is its number.
  constexpr operator detail::single_element<Type, Elements>() const {
    return detail::single_element<Type, Elements>(values[0]);
  }
  template <typename Other, int Only = Elements, detail::if_explicit<Other, Type, Only> = 0,
            std::enable_if_t<!std::is_same_v<Other, own_vector>, int> = 0>
  explicit constexpr operator Other() const {
    return static_cast<Other>(values[0]);
  }

  /// Loads the elements of the vector that stands `offset` vectors behind `from`, packed.
  void load(std::size_t offset, const Type *from) {
    for (int i = 0; i < Elements; ++i)
      values[i] = from[offset * Elements + static_cast<std::size_t>(i)];
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<const Type, Space, Decorated> from) {
    load(offset, from.get_raw());
  }
  /// Template arguments are not converted: this is for pointers that may write.
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<Type, Space, Decorated> from) {
    load(offset, from.get_raw());
  }
  /// DPC++'s: out of what an accessor reaches.
  template <typename Accessor, detail::if_accessor<Accessor> = 0>
  void load(std::size_t offset, const Accessor &from) {
    load(offset, from.template get_multi_ptr<access::decorated::no>());
  }

  // For vec_interface.
  constexpr Type &element(int index) { return values[index]; }
  constexpr const Type &element(int index) const { return values[index]; }
  template <int... Indices> auto chosen() {
    return detail::swizzled<Type, Elements, Indices...>(*this);
  }
  template <int... Indices> auto chosen() const {
    return detail::swizzled<const Type, Elements, Indices...>(*this);
  }

#define PLSYCL_VEC_BINARY(OP, CONDITION)                                                           \
  template <typename Own = Type, detail::CONDITION<Own> = 0>                                       \
  friend constexpr vec operator OP(const vec &left, const vec &right) {                            \
    vec result{};                                                                                  \
    for (int i = 0; i < Elements; ++i)                                                             \
      result[i] = static_cast<Type>(left[i] OP right[i]);                                          \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr vec operator OP(const vec &left, const Other &right) {                          \
    return left OP each(right);                                                                    \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr vec operator OP(const Other &left, const vec &right) {                          \
    return each(left) OP right;                                                                    \
  }                                                                                                \
  template <typename Own = Type, detail::CONDITION<Own> = 0>                                       \
  friend constexpr vec &operator OP##=(vec & left, const vec & right) {                            \
    return left = left OP right;                                                                   \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr vec &operator OP##=(vec & left, const Other & right) {                          \
    return left = left OP right;                                                                   \
  }
  PLSYCL_VEC_BINARY(+, if_calculable)
  PLSYCL_VEC_BINARY(-, if_calculable)
  PLSYCL_VEC_BINARY(*, if_calculable)
  PLSYCL_VEC_BINARY(/, if_calculable)
  PLSYCL_VEC_BINARY(%, if_integral_element)
  PLSYCL_VEC_BINARY(&, if_bits)
  PLSYCL_VEC_BINARY(|, if_bits)
  PLSYCL_VEC_BINARY(^, if_bits)
  PLSYCL_VEC_BINARY(<<, if_integral_element)
  PLSYCL_VEC_BINARY(>>, if_integral_element)
#undef PLSYCL_VEC_BINARY

// A byte is shifted by numbers of bits.
#define PLSYCL_VEC_BYTES(OP)                                                                       \
  template <typename Own = Type, std::enable_if_t<std::is_same_v<Own, std::byte>, int> = 0>        \
  friend constexpr vec operator OP(const vec &left, int bits) {                                    \
    vec result{};                                                                                  \
    for (int i = 0; i < Elements; ++i)                                                             \
      result[i] = left[i] OP bits;                                                                 \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Own = Type, std::enable_if_t<std::is_same_v<Own, std::byte>, int> = 0>        \
  friend constexpr vec &operator OP##=(vec & left, int bits) {                                     \
    return left = left OP bits;                                                                    \
  }
  PLSYCL_VEC_BYTES(<<)
  PLSYCL_VEC_BYTES(>>)
#undef PLSYCL_VEC_BYTES

// Comparisons give -1 where they hold and 0 where they do not.
#define PLSYCL_VEC_COMPARISON(OP, CONDITION)                                                       \
  template <typename Own = Type, detail::CONDITION<Own> = 0>                                       \
  friend constexpr truth operator OP(const vec &left, const vec &right) {                          \
    truth result{};                                                                                \
    for (int i = 0; i < Elements; ++i)                                                             \
      result[i] = left[i] OP right[i] ? -1 : 0;                                                    \
    return result;                                                                                 \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr truth operator OP(const vec &left, const Other &right) {                        \
    return left OP each(right);                                                                    \
  }                                                                                                \
  template <typename Other, if_scalar<Other> = 0, typename Own = Type, detail::CONDITION<Own> = 0> \
  friend constexpr truth operator OP(const Other &left, const vec &right) {                        \
    return each(left) OP right;                                                                    \
  }
  PLSYCL_VEC_COMPARISON(==, if_any)
  PLSYCL_VEC_COMPARISON(!=, if_any)
  PLSYCL_VEC_COMPARISON(<, if_any)
  PLSYCL_VEC_COMPARISON(>, if_any)
  PLSYCL_VEC_COMPARISON(<=, if_any)
  PLSYCL_VEC_COMPARISON(>=, if_any)
  PLSYCL_VEC_COMPARISON(&&, if_calculable)
  PLSYCL_VEC_COMPARISON(||, if_calculable)
#undef PLSYCL_VEC_COMPARISON

  template <typename Own = Type, detail::if_calculable<Own> = 0>
  friend constexpr vec operator+(const vec &value) {
    return value;
  }
  template <typename Own = Type, detail::if_calculable<Own> = 0>
  friend constexpr vec operator-(const vec &value) {
    vec result{};
    for (int i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(-value[i]);
    return result;
  }
  template <typename Own = Type, detail::if_bits<Own> = 0>
  friend constexpr vec operator~(const vec &value) {
    vec result{};
    for (int i = 0; i < Elements; ++i)
      result[i] = static_cast<Type>(~value[i]);
    return result;
  }
  template <typename Own = Type, detail::if_calculable<Own> = 0>
  friend constexpr truth operator!(const vec &value) {
    return value == vec(Type(0));
  }
#define PLSYCL_VEC_STEP(OP, STEP)                                                                  \
  template <typename Own = Type, detail::if_countable<Own> = 0>                                    \
  friend constexpr vec &operator OP(vec & value) {                                                 \
    return value STEP Type(1);                                                                     \
  }                                                                                                \
  template <typename Own = Type, detail::if_countable<Own> = 0>                                    \
  friend constexpr vec operator OP(vec &value, int) {                                              \
    const vec before = value;                                                                      \
    OP value;                                                                                      \
    return before;                                                                                 \
  }
  PLSYCL_VEC_STEP(++, +=)
  PLSYCL_VEC_STEP(--, -=)
#undef PLSYCL_VEC_STEP

private:
  /// A vector of one value.
  template <typename Other> static constexpr vec each(const Other &value) {
    const Type element = value;
    return vec(element);
  }
  template <typename Part> constexpr void put(int &next, const Part &part) {
    constexpr int count = detail::vec_elements<Type, Part>;
    if constexpr (detail::is_swizzled<Part> && count > 1)
      put(next, part.read());
    else if constexpr (detail::is_vec<Part> && count > 1)
      for (int i = 0; i < count; ++i)
        values[next++] = part[i];
    else
      values[next++] = static_cast<Type>(part);
  }

  Type values[detail::vec_storage(Elements)];
};

template <typename First, typename... Rest,
          std::enable_if_t<(std::is_same_v<First, Rest> && ...), int> = 0>
vec(First, Rest...) -> vec<First, sizeof...(Rest) + 1>;

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
