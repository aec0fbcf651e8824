//===- get_kernel_info.hpp - what is known of a kernel (sycl_ext_oneapi_get_kernel_info) -----===//
#pragma once

#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi {

/// What `kernel::get_info` answers of the kernel of that name. It is built for that, as for its
/// first command.
template <typename KernelName, typename Param>
typename Param::return_type get_kernel_info(const context &owner) {
  const auto bundle = get_kernel_bundle<KernelName, bundle_state::executable>(owner);
  return bundle.template get_kernel<KernelName>().template get_info<Param>();
}
template <typename KernelName, typename Param>
typename Param::return_type get_kernel_info(const context &owner, const device &target) {
  const auto bundle = get_kernel_bundle<KernelName, bundle_state::executable>(owner, {target});
  return bundle.template get_kernel<KernelName>().template get_info<Param>(target);
}
template <typename KernelName, typename Param>
typename Param::return_type get_kernel_info(const queue &where) {
  return get_kernel_info<KernelName, Param>(where.get_context(), where.get_device());
}

namespace experimental {

/// What `kernel::ext_oneapi_get_info` answers of a work-group's size, as a number or a range, with
/// the properties and the bytes of local memory that a command would be started with.
template <typename KernelName, typename Param, typename Size, typename... Start>
typename Param::of_commands get_kernel_info(const context &owner, const device &target,
                                            const Size &size, const Start &...start) {
  const auto bundle =
      sycl::get_kernel_bundle<KernelName, bundle_state::executable>(owner, {target});
  return bundle.template get_kernel<KernelName>().template ext_oneapi_get_info<Param>(target, size,
                                                                                      start...);
}
template <typename KernelName, typename Param, typename Size, typename... Start>
typename Param::of_commands get_kernel_info(const queue &where, const Size &size,
                                            const Start &...start) {
  return experimental::get_kernel_info<KernelName, Param>(where.get_context(), where.get_device(),
                                                          size, start...);
}
/// The same of a function that is a kernel.
template <auto *Function, typename Param, typename Size, typename... Start>
typename Param::of_commands get_kernel_info(const context &owner, const device &target,
                                            const Size &size, const Start &...start) {
  const auto bundle = sycl::get_kernel_bundle<bundle_state::executable>(
      owner, {target}, {experimental::get_kernel_id<Function>()});
  return bundle.template ext_oneapi_get_kernel<Function>().template ext_oneapi_get_info<Param>(
      target, size, start...);
}
template <auto *Function, typename Param, typename Size, typename... Start>
typename Param::of_commands get_kernel_info(const queue &where, const Size &size,
                                            const Start &...start) {
  return experimental::get_kernel_info<Function, Param>(where.get_context(), where.get_device(),
                                                        size, start...);
}

} // namespace experimental
} // namespace sycl::ext::oneapi
