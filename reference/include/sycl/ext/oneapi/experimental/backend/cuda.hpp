//===- cuda.hpp - objects of SYCL as CUDA knows them, under DPC++'s name ---------------------===//
#pragma once

#include <sycl/backend.hpp>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::cuda {

/// The device of CUDA's number.
inline device make_device(backend_input_t<backend::ext_oneapi_cuda, device> native) {
  return sycl::make_device<backend::ext_oneapi_cuda>(native);
}
/// Whether CUDA has an event for a command.
inline bool has_native_event(const event &command) {
  return command.get_backend() == backend::ext_oneapi_cuda &&
         get_native<backend::ext_oneapi_cuda>(command) != nullptr;
}

} // namespace sycl::ext::oneapi::cuda
