//===- config.hpp - what differs between the compilations of a program ----------------------===//
//
// A program is compiled for each device target (__SYCL_DEVICE_ONLY__ is defined) and for the host,
// there by any C++17 compiler. Everything that depends on which one it is has a name here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#define SYCL_IMPLEMENTATION_PLUMBLINE 1
#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif

#ifdef __SYCL_DEVICE_ONLY__
/// Says that no device calls what is defined in this file and is no template. Device compilations
/// leave the bodies out then, which saves half of their time.
#define PLSYCL_HOST_FILE _Pragma("plumbline host_file")
#define PLSYCL_GLOBAL __attribute__((opencl_global))
#define PLSYCL_LOCAL __attribute__((opencl_local))
#define PLSYCL_PRIVATE __attribute__((opencl_private))
/// Marks a type or function that needs aspects of the device.
#define PLSYCL_USES_ASPECTS(...) [[__sycl_detail__::__uses_aspects__(__VA_ARGS__)]]
/// Marks a device function that another translation unit may call.
#define SYCL_EXTERNAL __attribute__((annotate("sycl-external"), used))
/// Opens a kernel: a function template over the kernel's name, its functor and more.
#define PLSYCL_KERNEL(NAME)                                                                        \
  __attribute__((sycl_kernel, used,                                                                \
                 annotate("sycl-kernel", __builtin_sycl_unique_stable_name(NAME))))
#else
#define PLSYCL_HOST_FILE
#define PLSYCL_GLOBAL
#define PLSYCL_LOCAL
#define PLSYCL_PRIVATE
#define PLSYCL_USES_ASPECTS(...)
#define SYCL_EXTERNAL
// Attributes that only the device compilation reads.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored_attributes "sycl::,sycl_detail::,intel::"
#endif
#endif
