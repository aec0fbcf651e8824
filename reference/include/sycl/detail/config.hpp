//===- config.hpp - what differs between the compilations of a program ----------------------===//
//
// A program is compiled for each device target (__SYCL_DEVICE_ONLY__ is defined) and for the host,
// there by any C++17 compiler. Everything that depends on which one it is has a name here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#define SYCL_IMPLEMENTATION_PLUMBLINE 1

/// Before a function or class that few programs need and that needs many templates: a template over
/// nothing. Compilers instantiate in every program what plain inline functions name, and what
/// templates name where they are called. Where a class would be instantiated as soon as it is read,
/// the template is over a type that is named by default (`Self`, `Node`, `Word`). Not before a
/// function whose name has templates over a type as well: a call that says the type means both. Nor
/// before a member of SYCL's that has its name for itself, since programs take its address: such
/// ones are members of a class template that the class comes from, as `queue_failures` of `queue`.
#define PLSYCL_LATE template <typename = void>

// Upstream's clang, given -fsycl, knows the language's version before any header says it, and makes
// kernels of functions by an attribute of its own. It writes no integration header: host and device
// compilation agree on the names of kernels, and what a kernel takes is said when it is started
// (detail/placed.hpp).
#if defined(SYCL_LANGUAGE_VERSION) && !defined(PLSYCL_INTEGRATED) && defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::sycl_kernel_entry_point)
#define PLSYCL_UPSTREAM 1
#define __PLUMBLINE_HOST__ 1
#endif
#endif
#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif

// Nested, and by no expression: `-frewrite-includes` decides those for the host.
#ifdef __SYCL_DEVICE_ONLY__
#define PLSYCL_GLOBAL __attribute__((opencl_global))
#define PLSYCL_LOCAL __attribute__((opencl_local))
#define PLSYCL_PRIVATE __attribute__((opencl_private))
/// Before a function that kernels call in many places, as those that write text: devices' compilers
/// would take long over as many copies.
#define PLSYCL_OUT_OF_LINE __attribute__((noinline))
#ifdef PLSYCL_UPSTREAM
#define PLSYCL_HOST_FILE
#define PLSYCL_USES_ASPECTS(...)
#define PLSYCL_PART_OF_CALLER
#define PLSYCL_LOGICAL_GROUPS
#define SYCL_EXTERNAL [[clang::sycl_external]]
#define PLSYCL_KERNEL(NAME) [[clang::sycl_kernel_entry_point(NAME)]]
#else
/// Says that no device calls what is defined in this file and is no template. Device compilations
/// leave the bodies out then, which saves half of their time.
#define PLSYCL_HOST_FILE _Pragma("plumbline host_file")
/// Marks a type or function that needs aspects of the device.
#define PLSYCL_USES_ASPECTS(...) [[__sycl_detail__::__uses_aspects__(__VA_ARGS__)]]
/// Marks a function that kernels call: attributes of what it calls are the kernel's.
#define PLSYCL_PART_OF_CALLER __attribute__((annotate("sycl-part-of-caller")))
/// Marks the same of a kernel of parallel_for_work_group: groups that it names are the program's.
#define PLSYCL_LOGICAL_GROUPS __attribute__((annotate("sycl-logical-groups")))
/// Marks a function whose body takes the place of each of its calls before anything else is done
/// with it.
#define PLSYCL_IN_PLACE __attribute__((annotate("sycl-in-place")))
/// Marks a device function that another translation unit may call.
#define SYCL_EXTERNAL __attribute__((annotate("sycl-external")))
/// Opens a kernel: a function template over the kernel's name, its functor and more.
#define PLSYCL_KERNEL(NAME)                                                                        \
  __attribute__((sycl_kernel, used,                                                                \
                 annotate("sycl-kernel", __builtin_sycl_unique_stable_name(NAME))))
#endif
#else
#define PLSYCL_HOST_FILE
#define PLSYCL_GLOBAL
#define PLSYCL_LOCAL
#define PLSYCL_PRIVATE
#define PLSYCL_OUT_OF_LINE
#define PLSYCL_USES_ASPECTS(...)
#define PLSYCL_PART_OF_CALLER
#define PLSYCL_LOGICAL_GROUPS
#define PLSYCL_IN_PLACE
#ifdef PLSYCL_UPSTREAM
#define SYCL_EXTERNAL [[clang::sycl_external]]
#else
#define SYCL_EXTERNAL
#endif
// Attributes that only the device compilation reads.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored_attributes "sycl::,sycl_detail::,intel::,cl::"
#endif
#endif
