//===- swizzled.hpp - chosen elements of a vector (SYCL 2020, 4.14.2.4) ----------------------===//
#pragma once

#include <sycl/detail/vec_interface.hpp>

namespace sycl::detail {

/// An operand, or the vector that a swizzled one stands for.
template <typename Other> const Other &value_of(const Other &other) { return other; }
template <typename Vector, int... Indices>
vec<typename Vector::element_type, sizeof...(Indices)>
value_of(const swizzled<Vector, Indices...> &other) {
  return other.read();
}

/// A vector's elements as a vector, which can be read, assigned and swizzled again.
template <typename Vector, int... Indices>
class swizzled : public vec_interface<swizzled<Vector, Indices...>, typename Vector::element_type,
                                      static_cast<int>(sizeof...(Indices))> {
  static constexpr int count = sizeof...(Indices);
  static constexpr int indices[count] = {Indices...};

public:
  using element_type = typename Vector::element_type;
  using result = vec<element_type, count>;

  explicit constexpr swizzled(Vector &whole) : whole(whole) {}
  swizzled(const swizzled &) = default;

  // Copies first: the values may be those of the vector that is assigned to.
  swizzled &operator=(const result &values) {
    const result copy = values;
    for (int i = 0; i < count; ++i)
      element(i) = copy[i];
    return *this;
  }
  swizzled &operator=(const swizzled &other) { return *this = other.read(); }
  template <typename Other, int... Others>
  swizzled &operator=(const swizzled<Other, Others...> &other) {
    return *this = other.read();
  }
  swizzled &operator=(const element_type &value) { return *this = result(value); }

  operator result() const { return read(); }
  template <int Only = count, std::enable_if_t<Only == 1, int> = 0> operator element_type() const {
    return element(0);
  }
  result read() const { return result(whole[Indices]...); }

  // For vec_interface.
  constexpr element_type &element(int index) const { return whole[indices[index]]; }
  template <int... Chosen> auto chosen() const {
    return swizzled<Vector, index_of(Chosen)...>(whole);
  }

#define PLSYCL_SWIZZLED_BINARY(OP)                                                                 \
  template <typename Right>                                                                        \
  friend auto operator OP(const swizzled &left, const Right &right)                                \
      ->decltype(left.read() OP value_of(right)) {                                                 \
    return left.read() OP value_of(right);                                                         \
  }                                                                                                \
  template <typename Left, std::enable_if_t<!is_swizzled<Left>, int> = 0>                          \
  friend auto operator OP(const Left &left, const swizzled &right)                                 \
      ->decltype(left OP right.read()) {                                                           \
    return left OP right.read();                                                                   \
  }
#define PLSYCL_SWIZZLED_ASSIGN(OP)                                                                 \
  template <typename Right> swizzled &operator OP##=(const Right & right) {                        \
    return *this = static_cast<result>(read() OP value_of(right));                                 \
  }
  PLSYCL_SWIZZLED_BINARY(+)
  PLSYCL_SWIZZLED_BINARY(-)
  PLSYCL_SWIZZLED_BINARY(*)
  PLSYCL_SWIZZLED_BINARY(/)
  PLSYCL_SWIZZLED_BINARY(%)
  PLSYCL_SWIZZLED_BINARY(&)
  PLSYCL_SWIZZLED_BINARY(|)
  PLSYCL_SWIZZLED_BINARY(^)
  PLSYCL_SWIZZLED_BINARY(<<)
  PLSYCL_SWIZZLED_BINARY(>>)
  PLSYCL_SWIZZLED_BINARY(==)
  PLSYCL_SWIZZLED_BINARY(!=)
  PLSYCL_SWIZZLED_BINARY(<)
  PLSYCL_SWIZZLED_BINARY(>)
  PLSYCL_SWIZZLED_BINARY(<=)
  PLSYCL_SWIZZLED_BINARY(>=)
  PLSYCL_SWIZZLED_BINARY(&&)
  PLSYCL_SWIZZLED_BINARY(||)
  PLSYCL_SWIZZLED_ASSIGN(+)
  PLSYCL_SWIZZLED_ASSIGN(-)
  PLSYCL_SWIZZLED_ASSIGN(*)
  PLSYCL_SWIZZLED_ASSIGN(/)
  PLSYCL_SWIZZLED_ASSIGN(%)
  PLSYCL_SWIZZLED_ASSIGN(&)
  PLSYCL_SWIZZLED_ASSIGN(|)
  PLSYCL_SWIZZLED_ASSIGN(^)
  PLSYCL_SWIZZLED_ASSIGN(<<)
  PLSYCL_SWIZZLED_ASSIGN(>>)
#undef PLSYCL_SWIZZLED_ASSIGN
#undef PLSYCL_SWIZZLED_BINARY

  auto operator+() const { return read(); }
  auto operator-() const { return -read(); }
  auto operator~() const { return ~read(); }
  auto operator!() const { return !read(); }
  swizzled &operator++() { return *this += element_type(1); }
  swizzled &operator--() { return *this -= element_type(1); }
  result operator++(int) {
    const result before = read();
    ++*this;
    return before;
  }
  result operator--(int) {
    const result before = read();
    --*this;
    return before;
  }

private:
  /// The fourth of three elements has no meaning, but it is there.
  static constexpr int index_of(int index) { return index < count ? indices[index] : 0; }

  Vector &whole;
};

} // namespace sycl::detail
