//===- opencl.hpp - objects of SYCL as OpenCL knows them (SYCL 2020, "OpenCL backend") -------===//
//
// With OpenCL's own names, where the system has its headers: they are what programs hand over.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#else
#include <sycl/detail/opencl_codes.hpp>
#endif
#include <sycl/backend.hpp>
#include <sycl/kernel_bundle.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl::detail {
inline constexpr std::uint32_t opencl_kind_of(const _cl_context *) { return PLSYCL_OPENCL_CONTEXT; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_command_queue *) {
  return PLSYCL_OPENCL_QUEUE;
}
inline constexpr std::uint32_t opencl_kind_of(const _cl_mem *) { return PLSYCL_OPENCL_MEMORY; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_event *) { return PLSYCL_OPENCL_EVENT; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_program *) { return PLSYCL_OPENCL_PROGRAM; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_kernel *) { return PLSYCL_OPENCL_KERNEL; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_sampler *) { return PLSYCL_OPENCL_SAMPLER; }
inline constexpr std::uint32_t opencl_kind_of(const _cl_device_id *) {
  return PLSYCL_OPENCL_DEVICE;
}

/// Of the devices `wanted` alone, all of which a bundle has to be for: errc::build where it is not.
template <bundle_state State>
kernel_bundle<State> narrowed(const kernel_bundle<State> &bundle,
                              const std::vector<device> &wanted) {
  for (const device &each : wanted)
    if (!bundle.get_contents()->has_device(each))
      fail(errc::build, "an OpenCL program of the bundle is not for all of its devices");
  auto contents = shared<bundle_contents>::make(bundle.get_context(), without_repeats(wanted));
  for (const auto &image : bundle.get_contents()->images)
    contents->add(image);
  return kernel_bundle<State>(std::move(contents));
}
} // namespace sycl::detail

// SYCL 2020, "OpenCL backend".
namespace sycl::opencl {

/// How often the program and the driver hold an object; errc::runtime for what is none.
template <typename Object>::cl_uint get_reference_count(Object object) {
  std::uint32_t count = 0;
  sycl::detail::check(
      plsycl_opencl_references(sycl::detail::opencl_kind_of(object), object, &count));
  return count;
}

/// The number by which OpenCL told the failure, 0 (CL_SUCCESS) where it was none of OpenCL's.
inline ::cl_int get_error_code(const sycl::exception &failure) { return failure.get_opencl_code(); }

/// OpenCL's programs as one bundle for devices of theirs. For an executable bundle those that are
/// not linked yet are linked with each other. errc::build where OpenCL fails; errc::invalid for
/// programs that are past the state.
template <bundle_state State>
kernel_bundle<State> create_bundle(const context &owner, const std::vector<device> &devices,
                                   const std::vector<::cl_program> &programs) {
  std::vector<kernel_bundle<State>> all;
  if constexpr (State == bundle_state::executable) {
    // Of types that only a call makes.
    constexpr auto object = State == bundle_state::executable ? bundle_state::object : State;
    std::vector<kernel_bundle<object>> unlinked;
    for (::cl_program program : programs) {
      try {
        unlinked.push_back(make_kernel_bundle<backend::opencl, object>(program, owner));
      } catch (const exception &failure) {
        if (failure.code() != errc::invalid)
          throw;
        all.push_back(make_kernel_bundle<backend::opencl, State>(program, owner));
      }
    }
    if (!unlinked.empty())
      all.push_back(link(unlinked, devices));
  } else {
    for (::cl_program program : programs)
      all.push_back(make_kernel_bundle<backend::opencl, State>(program, owner));
  }
  if (all.empty())
    return kernel_bundle<State>(
        sycl::detail::shared<sycl::detail::bundle_contents>::make(owner, devices));
  for (kernel_bundle<State> &each : all)
    each = sycl::detail::narrowed(each, devices);
  return join(all);
}

/// The programs of OpenCL's kernels as one bundle for devices of theirs.
template <typename Late = void>
kernel_bundle<bundle_state::executable> create_bundle(const context &owner,
                                                      const std::vector<device> &devices,
                                                      const std::vector<::cl_kernel> &kernels) {
  constexpr auto state = std::is_void_v<Late> ? bundle_state::executable : bundle_state::input;
  std::vector<kernel_bundle<state>> all;
  for (::cl_kernel each : kernels)
    all.push_back(sycl::detail::narrowed(
        make_kernel<backend::opencl>(each, owner).get_kernel_bundle(), devices));
  if (all.empty())
    return kernel_bundle<state>(
        sycl::detail::shared<sycl::detail::bundle_contents>::make(owner, devices));
  return join(all);
}

} // namespace sycl::opencl
