//===- sycl.hpp - SYCL under the names of SYCL 1.2.1; deprecated ----------------------------===//
//
// SYCL 2020, "Headers": programs include <sycl/sycl.hpp> and write sycl::.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/sycl.hpp>

#if defined(__GNUC__) && !defined(SYCL2020_DISABLE_DEPRECATION_WARNINGS)
#pragma message("CL/sycl.hpp is deprecated, include sycl/sycl.hpp")
#endif

namespace cl {
namespace sycl = ::sycl;
}

namespace sycl {

// SYCL 1.2.1's names of what the standard library has.
template <typename Type, typename Allocator = std::allocator<Type>>
using vector_class [[deprecated("use std::vector")]] = std::vector<Type, Allocator>;
using string_class [[deprecated("use std::string")]] = std::string;
template <typename Signature>
using function_class [[deprecated("use std::function")]] = std::function<Signature>;
using mutex_class [[deprecated("use std::mutex")]] = std::mutex;
template <typename Type>
using unique_ptr_class [[deprecated("use std::unique_ptr")]] = std::unique_ptr<Type>;
template <typename Type>
using shared_ptr_class [[deprecated("use std::shared_ptr")]] = std::shared_ptr<Type>;
template <typename Type>
using weak_ptr_class [[deprecated("use std::weak_ptr")]] = std::weak_ptr<Type>;
template <typename Type> using hash_class [[deprecated("use std::hash")]] = std::hash<Type>;
using exception_ptr_class [[deprecated("use std::exception_ptr")]] = std::exception_ptr;

// OpenCL's scalar types outside of their namespace.
using opencl::cl_bool;
using opencl::cl_char;
using opencl::cl_double;
using opencl::cl_float;
using opencl::cl_half;
using opencl::cl_int;
using opencl::cl_long;
using opencl::cl_short;
using opencl::cl_uchar;
using opencl::cl_uint;
using opencl::cl_ulong;
using opencl::cl_ushort;

} // namespace sycl
