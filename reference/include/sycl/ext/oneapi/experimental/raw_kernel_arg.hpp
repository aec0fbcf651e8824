//===- raw_kernel_arg.hpp - bytes for a kernel's parameter (sycl_ext_oneapi_raw_kernel_arg) --===//
#pragma once

#include <cstddef>

namespace sycl::ext::oneapi::experimental {

/// What `handler::set_arg` hands to the driver as it is. The bytes are read at that call.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void *bytes, std::size_t size) : bytes(bytes), size(size) {}

  // For the implementation.
  const void *get_bytes() const { return bytes; }
  std::size_t get_size() const { return size; }

private:
  const void *bytes;
  std::size_t size;
};

} // namespace sycl::ext::oneapi::experimental
