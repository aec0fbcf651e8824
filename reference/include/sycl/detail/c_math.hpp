//===- c_math.hpp - C's mathematics, which programs take from sycl.hpp --------------------===//
//
// DPC++'s sycl.hpp brings all of <cmath>, and programs use `fabsf` or `NAN` without a header of
// their own. C's part of it is a third of what <cmath> takes to compile.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
// With `abs` of real numbers beside C's of integers, which takes them without a word: as <stdlib.h>
// has it, of which libstdc++ has the part in a file of its own.
#if __has_include(<bits/std_abs.h>)
#include <bits/std_abs.h>
using std::abs;
#else
#include <stdlib.h>
#endif

// libstdc++'s <math.h> is C's where it is asked for that.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

// Names of functions in C++, as <cmath> has it.
#undef fpclassify
#undef isfinite
#undef isgreater
#undef isgreaterequal
#undef isinf
#undef isless
#undef islessequal
#undef islessgreater
#undef isnan
#undef isnormal
#undef isunordered
#undef signbit
