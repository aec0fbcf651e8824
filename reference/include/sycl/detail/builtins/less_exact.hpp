//===- less_exact.hpp - functions that may be less exact (SYCL 2020, 4.17.5) -----------------===//
//
// PTX has instructions for single precision that are fast and near. They are the native functions
// there, and the half-precision ones as far as they err by no more than 8192 units in the last
// place, wherever the argument lies. All others, and all elsewhere, are as exact as those of any
// precision.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/builtins/mathematics.hpp>

namespace sycl {

namespace detail::numbers {
template <typename Type> Type divide(Type x, Type y) { return static_cast<Type>(x / y); }
template <typename Type> Type recip(Type x) { return static_cast<Type>(Type(1) / x); }

#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
namespace instructions {
inline float power_of_two(float x) { return __nvvm_ex2_approx_f(x); }
inline float log2(float x) { return __nvvm_lg2_approx_f(x); }
inline float exp(float x) { return power_of_two(x * 1.44269504f); }
inline float exp10(float x) { return power_of_two(x * 3.32192809f); }
inline float exp2(float x) { return power_of_two(x); }
inline float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
inline float sqrt(float x) { return __nvvm_sqrt_approx_f(x); }
inline float divide(float x, float y) { return __nvvm_div_approx_f(x, y); }
inline float recip(float x) { return __nvvm_div_approx_f(1, x); }
inline float cos(float x) { return __nvvm_cos_approx_f(x); }
inline float log(float x) { return log2(x) * 0.693147181f; }
inline float log10(float x) { return log2(x) * 0.301029996f; }
inline float powr(float x, float y) { return power_of_two(y * log2(x)); }
inline float sin(float x) { return __nvvm_sin_approx_f(x); }
inline float tan(float x) { return __nvvm_div_approx_f(sin(x), cos(x)); }
} // namespace instructions
#define PLSYCL_INSTRUCTION(NAME) using sycl::detail::numbers::instructions::NAME;
#else
#define PLSYCL_INSTRUCTION(NAME)
#endif
} // namespace detail::numbers

// The macros of functions look for `detail::numbers` from where they stand: each namespace has its
// own.
#define PLSYCL_LESS_EXACT(APPLY)                                                                   \
  APPLY(cos)                                                                                       \
  APPLY(divide)                                                                                    \
  APPLY(exp)                                                                                       \
  APPLY(exp10)                                                                                     \
  APPLY(exp2)                                                                                      \
  APPLY(log)                                                                                       \
  APPLY(log10)                                                                                     \
  APPLY(log2)                                                                                      \
  APPLY(powr)                                                                                      \
  APPLY(recip)                                                                                     \
  APPLY(rsqrt)                                                                                     \
  APPLY(sin)                                                                                       \
  APPLY(sqrt)                                                                                      \
  APPLY(tan)
#define PLSYCL_EXACT(NAME) using sycl::detail::numbers::NAME;
#define PLSYCL_SINGLE_1(NAME)                                                                      \
  PLSYCL_FUNCTION_1(NAME, if_single_floats)                                                        \
  inline float NAME(float x) { return detail::numbers::NAME(x); }
#define PLSYCL_SINGLE_2(NAME)                                                                      \
  PLSYCL_FUNCTION_2(NAME, if_single_floats)                                                        \
  inline float NAME(float x, float y) { return detail::numbers::NAME(x, y); }
#define PLSYCL_FUNCTIONS                                                                           \
  PLSYCL_SINGLE_1(cos)                                                                             \
  PLSYCL_SINGLE_2(divide)                                                                          \
  PLSYCL_SINGLE_1(exp)                                                                             \
  PLSYCL_SINGLE_1(exp10)                                                                           \
  PLSYCL_SINGLE_1(exp2)                                                                            \
  PLSYCL_SINGLE_1(log)                                                                             \
  PLSYCL_SINGLE_1(log10)                                                                           \
  PLSYCL_SINGLE_1(log2)                                                                            \
  PLSYCL_SINGLE_2(powr)                                                                            \
  PLSYCL_SINGLE_1(recip)                                                                           \
  PLSYCL_SINGLE_1(rsqrt)                                                                           \
  PLSYCL_SINGLE_1(sin)                                                                             \
  PLSYCL_SINGLE_1(sqrt)                                                                            \
  PLSYCL_SINGLE_1(tan)

namespace native {
namespace detail {
using namespace sycl::detail;
namespace numbers {
PLSYCL_LESS_EXACT(PLSYCL_EXACT)
PLSYCL_LESS_EXACT(PLSYCL_INSTRUCTION)
} // namespace numbers
} // namespace detail
PLSYCL_FUNCTIONS
} // namespace native

namespace half_precision {
namespace detail {
using namespace sycl::detail;
namespace numbers {
PLSYCL_LESS_EXACT(PLSYCL_EXACT)
PLSYCL_INSTRUCTION(exp)
PLSYCL_INSTRUCTION(exp10)
PLSYCL_INSTRUCTION(exp2)
PLSYCL_INSTRUCTION(recip)
PLSYCL_INSTRUCTION(rsqrt)
PLSYCL_INSTRUCTION(sqrt)
} // namespace numbers
} // namespace detail
PLSYCL_FUNCTIONS
} // namespace half_precision

#undef PLSYCL_FUNCTIONS
#undef PLSYCL_SINGLE_2
#undef PLSYCL_SINGLE_1
#undef PLSYCL_EXACT
#undef PLSYCL_LESS_EXACT
#undef PLSYCL_INSTRUCTION

} // namespace sycl
