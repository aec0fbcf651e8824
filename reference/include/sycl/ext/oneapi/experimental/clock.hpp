//===- clock.hpp - the device's time in kernels (sycl_ext_oneapi_clock) -----------------------===//
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/exception.hpp>

#include <cstdint>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern std::uint64_t __spirv_ReadClockKHR(int scope);
#endif

namespace sycl::ext::oneapi::experimental {

/// Whose clock: values are compared within one device, work-group or sub-group. SPIR-V's numbers.
enum class clock_scope : int { device = 1, work_group = 2, sub_group = 3 };

namespace detail {
template <clock_scope Scope> std::uint64_t read_clock() {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  // Of the device in nanoseconds, of a multiprocessor in its cycles.
  if constexpr (Scope == clock_scope::device)
    return __nvvm_read_ptx_sreg_globaltimer();
  else
    return __nvvm_read_ptx_sreg_clock64();
#elif defined(__SYCL_DEVICE_ONLY__)
  return __spirv_ReadClockKHR(static_cast<int>(Scope));
#else
  throw exception(make_error_code(errc::runtime), "only kernels read the clock of a device");
#endif
}
} // namespace detail

/// Units that have passed since some moment, as long as a kernel runs.
template <clock_scope Scope> std::uint64_t clock();

template <>
PLSYCL_USES_ASPECTS(aspect::ext_oneapi_clock_device)
inline std::uint64_t clock<clock_scope::device>() {
  return detail::read_clock<clock_scope::device>();
}
template <>
PLSYCL_USES_ASPECTS(aspect::ext_oneapi_clock_work_group)
inline std::uint64_t clock<clock_scope::work_group>() {
  return detail::read_clock<clock_scope::work_group>();
}
template <>
PLSYCL_USES_ASPECTS(aspect::ext_oneapi_clock_sub_group)
inline std::uint64_t clock<clock_scope::sub_group>() {
  return detail::read_clock<clock_scope::sub_group>();
}

} // namespace sycl::ext::oneapi::experimental
