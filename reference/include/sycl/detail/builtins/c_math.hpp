//===- c_math.hpp - C's mathematical functions ----------------------------------------------===//
//
// As compilers know them, for <cmath> brings C++'s special functions with it, which cost more than
// all of these.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

namespace sycl::detail::c_math {

#define PLSYCL_C_1(NAME)                                                                           \
  inline float NAME(float x) { return __builtin_##NAME##f(x); }                                    \
  inline double NAME(double x) { return __builtin_##NAME(x); }
#define PLSYCL_C_2(NAME)                                                                           \
  inline float NAME(float x, float y) { return __builtin_##NAME##f(x, y); }                        \
  inline double NAME(double x, double y) { return __builtin_##NAME(x, y); }
PLSYCL_C_1(acos)
PLSYCL_C_1(acosh)
PLSYCL_C_1(asin)
PLSYCL_C_1(asinh)
PLSYCL_C_1(atan)
PLSYCL_C_1(atanh)
PLSYCL_C_1(cbrt)
PLSYCL_C_1(ceil)
PLSYCL_C_1(cos)
PLSYCL_C_1(cosh)
PLSYCL_C_1(erf)
PLSYCL_C_1(erfc)
PLSYCL_C_1(exp)
PLSYCL_C_1(exp2)
PLSYCL_C_1(expm1)
PLSYCL_C_1(fabs)
PLSYCL_C_1(floor)
PLSYCL_C_1(lgamma)
PLSYCL_C_1(log)
PLSYCL_C_1(log10)
PLSYCL_C_1(log1p)
PLSYCL_C_1(log2)
PLSYCL_C_1(logb)
PLSYCL_C_1(rint)
PLSYCL_C_1(round)
PLSYCL_C_1(sin)
PLSYCL_C_1(sinh)
PLSYCL_C_1(sqrt)
PLSYCL_C_1(tan)
PLSYCL_C_1(tanh)
PLSYCL_C_1(tgamma)
PLSYCL_C_1(trunc)
PLSYCL_C_2(atan2)
PLSYCL_C_2(copysign)
PLSYCL_C_2(fdim)
PLSYCL_C_2(fmax)
PLSYCL_C_2(fmin)
PLSYCL_C_2(fmod)
PLSYCL_C_2(hypot)
PLSYCL_C_2(nextafter)
PLSYCL_C_2(pow)
PLSYCL_C_2(remainder)
#undef PLSYCL_C_2
#undef PLSYCL_C_1

inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float ldexp(float x, int k) { return __builtin_ldexpf(x, k); }
inline double ldexp(double x, int k) { return __builtin_ldexp(x, k); }
inline float frexp(float x, int *k) { return __builtin_frexpf(x, k); }
inline double frexp(double x, int *k) { return __builtin_frexp(x, k); }
inline int ilogb(float x) { return __builtin_ilogbf(x); }
inline int ilogb(double x) { return __builtin_ilogb(x); }

} // namespace sycl::detail::c_math
