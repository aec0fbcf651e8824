//===- defines_elementary.hpp - what SYCLcompat takes from DPC++'s header of this name
#pragma once

#include <iostream>

#define __SYCL_ALWAYS_INLINE inline __attribute__((always_inline))
#define __SYCL_REPORT_EXCEPTION_TO_STREAM(TEXT, FAILURE)                                           \
  static_cast<void>(::std::cerr << (TEXT) << ": " << (FAILURE).what() << '\n')
