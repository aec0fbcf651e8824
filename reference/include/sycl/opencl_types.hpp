//===- opencl_types.hpp - names of scalar types (SYCL 2020, "Scalar data types") -------------===//
#pragma once

#include <sycl/detail/native_types.hpp>
#include <sycl/device.hpp>
#include <sycl/half.hpp>
#include <sycl/vec.hpp>

#include <cstdint>

namespace sycl {
using byte = std::uint8_t;

// SYCL 1.2.1's, as DPC++ still takes them.
using schar [[deprecated("use signed char")]] = signed char;
using uchar [[deprecated("use unsigned char")]] = unsigned char;
using ushort [[deprecated("use unsigned short")]] = unsigned short;
using uint [[deprecated("use unsigned int")]] = unsigned int;
using ulong [[deprecated("use unsigned long")]] = unsigned long;
using longlong [[deprecated("use long long")]] = long long;
using ulonglong [[deprecated("use unsigned long long")]] = unsigned long long;
} // namespace sycl

namespace sycl::opencl {

using cl_bool = bool;
using ::cl_char;
using ::cl_int;
using ::cl_long;
using ::cl_short;
using ::cl_uchar;
using ::cl_uint;
using ::cl_ulong;
using ::cl_ushort;
using cl_half = half;
using ::cl_double;
using ::cl_float;

/// Whether OpenCL has an extension there (SYCL 2020, C.8); errc::backend_mismatch where that is
/// another interface's.
template <
    typename Owner,
    std::enable_if_t<std::is_same_v<Owner, platform> || std::is_same_v<Owner, device>, int> = 0>
bool has_extension(const Owner &owner, const std::string &name) {
  if (owner.get_backend() != backend::opencl)
    sycl::detail::fail(errc::backend_mismatch, "only OpenCL has extensions of OpenCL's");
  return owner.has_extension(name);
}

} // namespace sycl::opencl

namespace sycl {

// SYCL 1.2.1's names of OpenCL's types, but those that are other types in C: programs that use this
// namespace mean both by them.
#define PLSYCL_OPENCL_SCALAR(NAME)                                                                 \
  using cl_##NAME [[deprecated("use sycl::opencl::cl_" #NAME)]] = opencl::cl_##NAME;
PLSYCL_OPENCL_SCALAR(char)
PLSYCL_OPENCL_SCALAR(uchar)
PLSYCL_OPENCL_SCALAR(short)
PLSYCL_OPENCL_SCALAR(ushort)
PLSYCL_OPENCL_SCALAR(int)
PLSYCL_OPENCL_SCALAR(uint)
PLSYCL_OPENCL_SCALAR(long)
PLSYCL_OPENCL_SCALAR(ulong)
PLSYCL_OPENCL_SCALAR(float)
PLSYCL_OPENCL_SCALAR(double)
#undef PLSYCL_OPENCL_SCALAR

// SYCL 1.2.1's vectors of OpenCL's types, which SYCL 2020 has under the plain names.
#define PLSYCL_OPENCL_VECTOR(NAME, COUNT)                                                          \
  using cl_##NAME##COUNT [[deprecated("use sycl::" #NAME #COUNT)]] = vec<opencl::cl_##NAME, COUNT>;
#define PLSYCL_OPENCL_VECTORS(NAME)                                                                \
  PLSYCL_OPENCL_VECTOR(NAME, 2)                                                                    \
  PLSYCL_OPENCL_VECTOR(NAME, 3)                                                                    \
  PLSYCL_OPENCL_VECTOR(NAME, 4)                                                                    \
  PLSYCL_OPENCL_VECTOR(NAME, 8)                                                                    \
  PLSYCL_OPENCL_VECTOR(NAME, 16)
PLSYCL_OPENCL_VECTORS(char)
PLSYCL_OPENCL_VECTORS(uchar)
PLSYCL_OPENCL_VECTORS(short)
PLSYCL_OPENCL_VECTORS(ushort)
PLSYCL_OPENCL_VECTORS(int)
PLSYCL_OPENCL_VECTORS(uint)
PLSYCL_OPENCL_VECTORS(long)
PLSYCL_OPENCL_VECTORS(ulong)
PLSYCL_OPENCL_VECTORS(half)
PLSYCL_OPENCL_VECTORS(float)
PLSYCL_OPENCL_VECTORS(double)
#undef PLSYCL_OPENCL_VECTORS
#undef PLSYCL_OPENCL_VECTOR

} // namespace sycl
