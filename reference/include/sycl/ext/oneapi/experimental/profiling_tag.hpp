//===- profiling_tag.hpp - when a queue got there (sycl_ext_oneapi_profiling_tag) ------------===//
#pragma once

#include <sycl/queue.hpp>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::experimental {

/// An event whose times of profiling are those of the moment at which all that was submitted before
/// is done. The queue has to have `enable_profiling`: no device has
/// aspect::ext_oneapi_queue_profiling_tag, by which one may do without.
PLSYCL_LATE event submit_profiling_tag(queue &where) {
  if (!where.has_property<sycl::property::queue::enable_profiling>())
    sycl::detail::fail(errc::invalid, "a tag needs a queue with enable_profiling");
  return where.ext_oneapi_submit_barrier();
}

} // namespace sycl::ext::oneapi::experimental
