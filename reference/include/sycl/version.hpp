//===- version.hpp - which of DPC++'s releases the headers go with ----------------------------===//
//
// Programs and libraries ask before they use what DPC++ changed: these headers have the names of
// oneAPI 2025.1, as clang says which gcc it goes with.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#define __SYCL_COMPILER_VERSION 20250312
#define __LIBSYCL_MAJOR_VERSION 8
#define __LIBSYCL_MINOR_VERSION 1
#define __LIBSYCL_PATCH_VERSION 0
