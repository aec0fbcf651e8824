//===- arguments.hpp - the numbers, vectors and arrays that built-in functions take ----------===//
//
// SYCL 2020, 4.17: a function of numbers is one of vectors (also swizzled ones) and arrays too,
// element by element. Where one argument has several elements, a number stands for that many.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/vec.hpp>

#include <limits>
#include <type_traits>

namespace sycl::detail {

/// The type in which a floating-point number is computed.
template <typename Type>
using computed = std::conditional_t<std::is_same_v<Type, half>, float, Type>;

template <typename Type> struct type_of {
  using type = Type;
};

/// What an argument is: its element, the type of the whole, the same of other elements.
template <typename Type> struct argument {
  using element = Type;
  using whole = Type;
  template <typename Other> using of = Other;
  static constexpr int count = 1;
  static constexpr bool is_several = false;
};
template <typename Type, int Count> struct argument<vec<Type, Count>> {
  using element = Type;
  using whole = vec<Type, Count>;
  template <typename Other> using of = vec<Other, Count>;
  static constexpr int count = Count;
  static constexpr bool is_several = true;
};
template <typename Type, int Size, int... Indices>
struct argument<swizzled<Type, Size, Indices...>>
    : argument<vec<std::remove_const_t<Type>, sizeof...(Indices)>> {};
template <typename Type, std::size_t Count> struct argument<marray<Type, Count>> {
  using element = Type;
  using whole = marray<Type, Count>;
  template <typename Other> using of = marray<Other, Count>;
  static constexpr int count = Count;
  static constexpr bool is_several = true;
};

/// As the value is that is read.
template <typename Type> struct argument<volatile Type> : argument<Type> {};

/// How much an argument has to say in what a call computes: most with several elements, then with
/// one in a vector or an array (which stands for as many as the others have), then a floating-point
/// number.
template <typename Type>
inline constexpr int argument_rank =
    argument<Type>::is_several ? (argument<Type>::count > 1 ? 3 : 2)
                               : is_floating<typename argument<Type>::element>;
/// The first of those that have most to say.
template <typename First, typename... Rest> constexpr auto find_leading() {
  if constexpr (sizeof...(Rest) == 0) {
    return type_of<First>();
  } else {
    using rest = decltype(find_leading<Rest...>());
    return std::conditional_t<(argument_rank<typename rest::type> > argument_rank<First>), rest,
                              type_of<First>>();
  }
}
template <typename... Arguments>
using leading = argument<typename decltype(find_leading<Arguments...>())::type>;
template <typename... Arguments> using whole_of = typename leading<Arguments...>::whole;
template <typename... Arguments> using element_of_all = typename leading<Arguments...>::element;

/// The specification's genfloat: bfloat16 has functions of its own.
template <typename Type>
inline constexpr bool is_genfloat =
    is_floating<Type> && !std::is_same_v<Type, ext::oneapi::bfloat16>;

/// Whether a number may stand where another type leads: for each of several elements, or as an
/// integer beside a floating-point number. Of two integers, or of two others, neither leads.
template <typename Type, typename Leading>
inline constexpr bool stands_for_element =
    std::is_convertible_v<const Type &, typename Leading::element> &&
    (Leading::is_several || (std::is_integral_v<Type> && is_floating<typename Leading::element>));
/// Whether a call has one shape: an argument is of the leading one's, or a number for each element.
template <typename... Arguments> constexpr bool is_one_shape() {
  using Leading = leading<Arguments...>;
  return ((std::is_same_v<typename argument<Arguments>::whole, typename Leading::whole> ||
           stands_for_element<Arguments, Leading>) &&
          ...);
}
template <typename... Arguments>
using if_floating =
    std::enable_if_t<is_one_shape<Arguments...>() && is_genfloat<element_of_all<Arguments...>>,
                     int>;
template <typename... Arguments>
using if_integer = std::enable_if_t<is_one_shape<Arguments...>() &&
                                        std::is_integral_v<element_of_all<Arguments...>> &&
                                        !std::is_same_v<element_of_all<Arguments...>, bool>,
                                    int>;
/// What is integers or truth values.
template <typename Type>
using if_integer_or_truth =
    std::enable_if_t<std::is_integral_v<typename argument<Type>::element>, int>;
template <typename... Arguments>
using if_number =
    std::enable_if_t<is_one_shape<Arguments...>() && is_number<element_of_all<Arguments...>>, int>;
/// The same where all arguments have several elements or none has.
template <typename First, typename... Rest>
using if_alike =
    std::enable_if_t<((argument<First>::is_several == argument<Rest>::is_several) && ...) &&
                         is_one_shape<First, Rest...>() &&
                         is_genfloat<element_of_all<First, Rest...>>,
                     int>;
/// What is several floating-point numbers.
template <typename Type>
using if_floats =
    std::enable_if_t<argument<Type>::is_several && is_genfloat<typename argument<Type>::element>,
                     int>;
template <typename Type> using element_type_of = typename argument<Type>::element;
/// What is several numbers of single precision, or numbers beside it.
template <typename... Arguments>
using if_single_floats =
    std::enable_if_t<is_one_shape<Arguments...>() && leading<Arguments...>::is_several &&
                         std::is_same_v<element_of_all<Arguments...>, float>,
                     int>;

/// Where a second result goes: a pointer to `Result`, which is not const.
template <typename Pointer, typename Result> inline constexpr bool is_out = false;
template <typename Type, typename Result>
inline constexpr bool is_out<Type *, Result> =
    std::is_same_v<typename remove_decoration<Type>::type, Result>;
template <access::address_space Space, access::decorated Decorated, typename Result>
inline constexpr bool is_out<multi_ptr<Result, Space, Decorated>, Result> =
    Space != access::address_space::constant_space;
/// Second results as the first argument is, and integers for its numbers.
template <typename Pointer, typename First>
using if_out_alike = std::enable_if_t<is_out<Pointer, typename argument<First>::whole>, int>;
template <typename Pointer, typename First>
using if_out_integer =
    std::enable_if_t<is_out<Pointer, typename argument<First>::template of<int>>, int>;

template <typename Type>
constexpr decltype(auto) element_at(const Type &value, [[maybe_unused]] int index) {
  if constexpr (argument<Type>::is_several)
    return value[argument<Type>::count > 1 ? index : 0];
  else
    return value;
}

/// What `operation` makes of the elements that stand at one place of the arguments, converted to
/// the leading argument's type.
template <typename Operation, typename... Arguments>
constexpr auto each_element(Operation operation, const Arguments &...arguments) {
  using Leading = leading<Arguments...>;
  using Element = typename Leading::element;
  if constexpr (!Leading::is_several) {
    return operation(static_cast<Element>(arguments)...);
  } else {
    typename Leading::template of<decltype(operation(
        static_cast<Element>(element_at(arguments, 0))...))>
        result{};
    for (int i = 0; i < Leading::count; ++i)
      result[i] = operation(static_cast<Element>(element_at(arguments, i))...);
    return result;
  }
}
/// The same where later arguments have types of their own.
template <typename Operation, typename First, typename... Rest>
constexpr auto each_place(Operation operation, const First &first, const Rest &...rest) {
  using Leading = argument<First>;
  if constexpr (!Leading::is_several) {
    return operation(first, rest...);
  } else {
    typename Leading::template of<decltype(operation(first[0], element_at(rest, 0)...))> result{};
    for (int i = 0; i < Leading::count; ++i)
      result[i] =
          operation(static_cast<typename Leading::element>(first[i]), element_at(rest, i)...);
    return result;
  }
}
/// The same with a result behind a pointer besides: `operation` takes a reference to its element.
template <typename Operation, typename Pointer, typename First, typename... Rest>
auto with_result_at(Operation operation, Pointer out, const First &first, const Rest &...rest) {
  using Leading = argument<First>;
  using Out = std::remove_cv_t<std::remove_reference_t<decltype(out[0])>>;
  using Second = typename remove_decoration<Out>::type;
  Second second{};
  if constexpr (!Leading::is_several) {
    const auto result = operation(second, first, rest...);
    *out = second;
    return result;
  } else {
    typename Leading::whole result{};
    for (int i = 0; i < Leading::count; ++i)
      result[i] = operation(second[i], static_cast<typename Leading::element>(first[i]),
                            element_at(rest, i)...);
    *out = second;
    return result;
  }
}

} // namespace sycl::detail

// A function of one kind of arguments, by one of numbers of one type, `detail::numbers::NAME`.
#define PLSYCL_FUNCTION_1(NAME, CONDITION)                                                         \
  template <typename First, detail::CONDITION<First> = 0> constexpr auto NAME(const First &x) {    \
    return detail::each_element([](auto a) { return detail::numbers::NAME(a); }, x);               \
  }
#define PLSYCL_FUNCTION_2(NAME, CONDITION)                                                         \
  template <typename First, typename Second, detail::CONDITION<First, Second> = 0>                 \
  constexpr auto NAME(const First &x, const Second &y) {                                           \
    return detail::each_element([](auto a, auto b) { return detail::numbers::NAME(a, b); }, x, y); \
  }
#define PLSYCL_FUNCTION_3(NAME, CONDITION)                                                         \
  template <typename First, typename Second, typename Third,                                       \
            detail::CONDITION<First, Second, Third> = 0>                                           \
  constexpr auto NAME(const First &x, const Second &y, const Third &z) {                           \
    return detail::each_element(                                                                   \
        [](auto a, auto b, auto c) { return detail::numbers::NAME(a, b, c); }, x, y, z);           \
  }

// The same, for what converts to a floating-point number as well. They are templates of nothing
// that one could name: where a program uses this namespace beside `std`, the library's functions of
// the same numbers are meant.
#define PLSYCL_REAL_FUNCTION_1(NAME)                                                               \
  PLSYCL_FUNCTION_1(NAME, if_floating)                                                             \
  template <int = 0> inline auto NAME(float x) { return detail::numbers::NAME(x); }                \
  template <int = 0> inline auto NAME(double x) { return detail::numbers::NAME(x); }               \
  template <int = 0> inline auto NAME(half x) { return detail::numbers::NAME(x); }
#define PLSYCL_REAL_FUNCTION_2(NAME)                                                               \
  PLSYCL_FUNCTION_2(NAME, if_floating)                                                             \
  PLSYCL_NUMBERS_2(NAME)
#define PLSYCL_NUMBERS_2(NAME)                                                                     \
  template <int = 0> inline auto NAME(float x, float y) { return detail::numbers::NAME(x, y); }    \
  template <int = 0> inline auto NAME(double x, double y) { return detail::numbers::NAME(x, y); }  \
  template <int = 0> inline auto NAME(half x, half y) { return detail::numbers::NAME(x, y); }
#define PLSYCL_REAL_FUNCTION_3(NAME)                                                               \
  PLSYCL_FUNCTION_3(NAME, if_floating)                                                             \
  PLSYCL_NUMBERS_3(NAME)
#define PLSYCL_NUMBERS_3(NAME)                                                                     \
  template <int = 0> inline auto NAME(float x, float y, float z) {                                 \
    return detail::numbers::NAME(x, y, z);                                                         \
  }                                                                                                \
  template <int = 0> inline auto NAME(double x, double y, double z) {                              \
    return detail::numbers::NAME(x, y, z);                                                         \
  }                                                                                                \
  template <int = 0> inline auto NAME(half x, half y, half z) {                                    \
    return detail::numbers::NAME(x, y, z);                                                         \
  }
