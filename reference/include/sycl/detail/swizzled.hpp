//===- swizzled.hpp - chosen elements of a vector (SYCL 2020, 4.14.2.4) ----------------------===//
#pragma once

#include <sycl/detail/vec_interface.hpp>

namespace sycl::detail {

template <int... Indices> constexpr bool are_different() {
  const int indices[] = {Indices...};
  for (std::size_t i = 0; i < sizeof...(Indices); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (indices[i] == indices[j])
        return false;
  return true;
}

/// A view of elements of a vector of `Size` elements, which can be read and swizzled again. Where
/// none is there twice and `Type` is not const, they can be assigned.
///
/// Its template arguments name no class of SYCL but a `Type` that is one: they are where calls look
/// for functions (SYCL 2020, "The swizzled vector classes").
template <typename Type, int Size, int... Indices>
class swizzled : public vec_interface<swizzled<Type, Size, Indices...>, std::remove_const_t<Type>,
                                      static_cast<int>(sizeof...(Indices))> {
  static constexpr int count = sizeof...(Indices);
  static constexpr int indices[count] = {Indices...};
  static constexpr bool is_assignable = !std::is_const_v<Type> && are_different<Indices...>();

public:
  using element_type = std::remove_const_t<Type>;
  using result = vec<element_type, count>;

private:
  using whole_type =
      std::conditional_t<std::is_const_v<Type>, const vec<element_type, Size>, vec<Type, Size>>;
  using truth = vec<vec_truth<element_type>, count>;
  struct no_view {};
  template <typename Own>
  using if_assignable = std::enable_if_t<std::is_same_v<Own, Type> && is_assignable, int>;
  template <typename Own> using if_byte = std::enable_if_t<std::is_same_v<Own, std::byte>, int>;
  /// What stands for a vector of as many elements, or for one of them each.
  template <typename Value>
  using if_operand =
      std::enable_if_t<std::is_convertible_v<const Value &, result> ||
                           (is_vec_scalar<Value, element_type, count> && !is_swizzled<Value>),
                       int>;
  template <typename Value>
  using if_left =
      std::enable_if_t<!is_swizzled<Value> && (std::is_convertible_v<const Value &, result> ||
                                               is_vec_scalar<Value, element_type, count>),
                       int>;
  template <int Index> void assign([[maybe_unused]] const element_type &value) const {
    if constexpr (Index >= 0)
      whole[Index] = value;
  }
  template <typename Value> static decltype(auto) operand(const Value &value) {
    if constexpr (std::is_convertible_v<const Value &, result>)
      return static_cast<result>(value);
    else
      return static_cast<element_type>(value);
  }

public:
  swizzled() = delete;
  swizzled(const swizzled &) = delete;

  // Copies first: the values may be those of the vector that is assigned to.
  template <typename Own = Type, if_assignable<Own> = 0>
  const swizzled &operator=(const result &values) const {
    const result copy = values;
    int next = 0;
    (assign<Indices>(copy[next++]), ...);
    return *this;
  }
  /// (Where it takes no view, the assignment that the language writes is deleted.)
  const swizzled &
  operator=(const std::conditional_t<is_assignable, swizzled, no_view> &other) const {
    return *this = other.read();
  }
  template <typename Other, int OtherSize, int... Others, typename Own = Type,
            if_assignable<Own> = 0,
            std::enable_if_t<std::is_same_v<std::remove_const_t<Other>, Own> &&
                                 sizeof...(Others) == sizeof...(Indices),
                             int> = 0>
  const swizzled &operator=(const swizzled<Other, OtherSize, Others...> &other) const {
    return *this = other.read();
  }
  template <typename Own = Type, if_assignable<Own> = 0>
  const swizzled &operator=(const element_type &value) const {
    return *this = result(value);
  }

  operator result() const { return read(); }
  operator single_element<element_type, count>() const {
    return single_element<element_type, count>(element(0));
  }
  template <typename Other, int Only = count,
            if_explicit<Other, std::remove_const_t<Type>, Only> = 0>
  explicit operator Other() const {
    return static_cast<Other>(element(0));
  }
  // Written out: of a loop over many elements compilers keep the table of their indices.
  result read() const {
    result values;
    int next = 0;
    ((values[next++] = whole[Indices < 0 ? 0 : Indices]), ...);
    return values;
  }

  /// Loads the elements that stand `offset` views behind `from`, packed.
  template <typename From, access::address_space Space, access::decorated Decorated,
            typename Own = Type, if_assignable<Own> = 0>
  void load(std::size_t offset, multi_ptr<From, Space, Decorated> from) const {
    load(offset, static_cast<const element_type *>(from.get_raw()));
  }
  template <typename Own = Type, if_assignable<Own> = 0>
  void load(std::size_t offset, const element_type *from) const {
    result values;
    values.load(offset, from);
    *this = values;
  }

  // For vec_interface.
  constexpr Type &element(int index) const {
    return whole[indices[index] < 0 ? 0 : indices[index]];
  }
  template <int... Chosen> auto chosen() const {
    return swizzled<Type, Size, index_of(Chosen)...>(whole);
  }

#define PLSYCL_SWIZZLED_BINARY(OP, CONDITION, RESULT)                                              \
  template <typename Right, if_operand<Right> = 0, typename Own = element_type,                    \
            CONDITION<Own> = 0>                                                                    \
  friend RESULT operator OP(const swizzled &left, const Right &right) {                            \
    return left.read() OP operand(right);                                                          \
  }                                                                                                \
  template <typename Left, if_left<Left> = 0, typename Own = element_type, CONDITION<Own> = 0>     \
  friend RESULT operator OP(const Left &left, const swizzled &right) {                             \
    return operand(left) OP right.read();                                                          \
  }
#define PLSYCL_SWIZZLED_ASSIGN(OP, CONDITION)                                                      \
  PLSYCL_SWIZZLED_BINARY(OP, CONDITION, result)                                                    \
  template <typename Right, if_operand<Right> = 0, typename Own = Type, if_assignable<Own> = 0,    \
            CONDITION<Own> = 0>                                                                    \
  friend const swizzled &operator OP##=(const swizzled & left, const Right & right) {              \
    return left = left.read() OP operand(right);                                                   \
  }
  PLSYCL_SWIZZLED_ASSIGN(+, if_calculable)
  PLSYCL_SWIZZLED_ASSIGN(-, if_calculable)
  PLSYCL_SWIZZLED_ASSIGN(*, if_calculable)
  PLSYCL_SWIZZLED_ASSIGN(/, if_calculable)
  PLSYCL_SWIZZLED_ASSIGN(%, if_integral_element)
  PLSYCL_SWIZZLED_ASSIGN(&, if_bits)
  PLSYCL_SWIZZLED_ASSIGN(|, if_bits)
  PLSYCL_SWIZZLED_ASSIGN(^, if_bits)
  PLSYCL_SWIZZLED_ASSIGN(<<, if_integral_element)
  PLSYCL_SWIZZLED_ASSIGN(>>, if_integral_element)
  PLSYCL_SWIZZLED_BINARY(==, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(!=, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(<, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(>, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(<=, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(>=, if_any, truth)
  PLSYCL_SWIZZLED_BINARY(&&, if_calculable, truth)
  PLSYCL_SWIZZLED_BINARY(||, if_calculable, truth)
#undef PLSYCL_SWIZZLED_ASSIGN
#undef PLSYCL_SWIZZLED_BINARY

// A byte is shifted by numbers of bits.
#define PLSYCL_SWIZZLED_BYTES(OP)                                                                  \
  template <typename Own = element_type, if_byte<Own> = 0>                                         \
  friend result operator OP(const swizzled &left, int bits) {                                      \
    return left.read() OP bits;                                                                    \
  }                                                                                                \
  template <typename Own = Type, if_assignable<Own> = 0, if_byte<Own> = 0>                         \
  friend const swizzled &operator OP##=(const swizzled & left, int bits) {                         \
    return left = left.read() OP bits;                                                             \
  }
  PLSYCL_SWIZZLED_BYTES(<<)
  PLSYCL_SWIZZLED_BYTES(>>)
#undef PLSYCL_SWIZZLED_BYTES

#define PLSYCL_SWIZZLED_UNARY(OP, CONDITION, RESULT)                                               \
  template <typename Own = element_type, CONDITION<Own> = 0>                                       \
  friend RESULT operator OP(const swizzled &view) {                                                \
    return OP view.read();                                                                         \
  }
#define PLSYCL_SWIZZLED_STEP(OP, STEP)                                                             \
  template <typename Own = Type, if_assignable<Own> = 0, if_countable<Own> = 0>                    \
  friend const swizzled &operator OP(const swizzled & view) {                                      \
    return view STEP element_type(1);                                                              \
  }                                                                                                \
  template <typename Own = Type, if_assignable<Own> = 0, if_countable<Own> = 0>                    \
  friend result operator OP(const swizzled &view, int) {                                           \
    const result before = view.read();                                                             \
    OP view;                                                                                       \
    return before;                                                                                 \
  }
  PLSYCL_SWIZZLED_UNARY(+, if_calculable, result)
  PLSYCL_SWIZZLED_UNARY(-, if_calculable, result)
  PLSYCL_SWIZZLED_UNARY(~, if_bits, result)
  PLSYCL_SWIZZLED_UNARY(!, if_calculable, truth)
  PLSYCL_SWIZZLED_STEP(++, +=)
  PLSYCL_SWIZZLED_STEP(--, -=)
#undef PLSYCL_SWIZZLED_STEP
#undef PLSYCL_SWIZZLED_UNARY

private:
  template <typename, int> friend class sycl::vec;
  template <typename, int, int...> friend class swizzled;

  explicit constexpr swizzled(whole_type &whole) : whole(whole) {}

  /// The fourth of three elements has no meaning, and no place.
  static constexpr int index_of(int index) { return index < count ? indices[index] : -1; }

  whole_type &whole;
};

} // namespace sycl::detail
