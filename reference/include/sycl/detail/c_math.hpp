//===- c_math.hpp - the mathematics that programs take from sycl.hpp ------------------------===//
//
// DPC++'s sycl.hpp brought all of <cmath> for years, and programs use `std::sqrt`, `fabsf` or `NAN`
// without a header of their own. The special functions of C++17 are most of what <cmath> takes to
// compile and wait for a program that includes it: `cmath` beside sycl.hpp brings them.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_CMATH)
#pragma push_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#include <cmath>
#pragma pop_macro("_GLIBCXX_USE_STD_SPEC_FUNCS")
#else
#include <cmath>
#endif

// C's abs of integers takes real numbers without a word.
using std::abs;
