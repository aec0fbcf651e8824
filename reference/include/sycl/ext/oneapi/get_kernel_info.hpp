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

} // namespace sycl::ext::oneapi
