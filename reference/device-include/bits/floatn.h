// Stands before the C library's header of this name in device compilations.
//
// glibc 2.41 and later take every clang since 3.9 for a compiler with 128-bit floating point, which
// x86-64 has and no device has: what follows from that does not compile for a device. They take one
// compiler out, Intel's compiling SYCL (`__INTEL_LLVM_COMPILER` beside `SYCL_LANGUAGE_VERSION`), so
// device code says for the length of that header that it comes from there. Earlier ones know no
// such word and find by themselves that the type is missing.
#pragma GCC system_header

#ifdef __INTEL_LLVM_COMPILER
#include_next <bits/floatn.h>
#else
#define __INTEL_LLVM_COMPILER 0
#include_next <bits/floatn.h>
#undef __INTEL_LLVM_COMPILER
#endif
