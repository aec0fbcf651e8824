//===- interop_handle.hpp - the driver's own objects behind a host task ----------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/native_types.hpp>
#include <sycl/detail/queue_state.hpp>

#include <algorithm>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl {

/// What a host task speaks to the driver by. The objects stay the runtime's, and are good while the
/// task runs. As with DPC++, they are OpenCL's unless the program says another backend.
class interop_handle {
public:
  interop_handle() = delete;
  /// For the implementation.
  interop_handle(detail::shared<detail::queue_state> queue, std::vector<plsycl_memory> required)
      : state(std::move(queue)), memories(std::move(required)) {}

  backend get_backend() const noexcept { return state->device.get_backend(); }

  template <backend Backend = backend::opencl>
  backend_return_t<Backend, queue> get_native_queue() const {
    return ask<Backend, backend_return_t<Backend, queue>>(plsycl_queue_native);
  }
  template <backend Backend = backend::opencl>
  backend_return_t<Backend, context> get_native_context() const {
    return ask<Backend, backend_return_t<Backend, context>>(plsycl_queue_native_context);
  }
  template <backend Backend = backend::opencl>
  backend_return_t<Backend, device> get_native_device() const {
    return ask<Backend, backend_return_t<Backend, device>>(plsycl_queue_native_device);
  }
  /// The buffer that a required accessor is of; of a part of one the driver's object of that part.
  /// errc::invalid for an accessor that the command group does not require.
  template <backend Backend = backend::opencl, typename Type, int Dimensions, access_mode Mode,
            target Target, access::placeholder Holder>
  backend_return_t<Backend, buffer<Type, Dimensions>>
  get_native_mem(const accessor<Type, Dimensions, Mode, Target, Holder> &required) const {
    static_assert(Target == target::device, "only device accessors reach the driver's memory");
    plsycl_memory memory = detail::memory_of(required.get_memory());
    if (std::find(memories.begin(), memories.end(), memory) == memories.end())
      detail::fail(errc::invalid, "the accessor is none that the command group requires");
    const std::size_t origin = detail::origin_of(required.get_memory()) * sizeof(Type);
    auto native = [&](plsycl_queue queue, void **place) {
      return plsycl_memory_native(memory, origin, queue, place);
    };
    return ask<Backend, backend_return_t<Backend, buffer<Type, Dimensions>>>(native);
  }

  /// Whether the driver records what the task gives it: it never does, graphs are kept by the host.
  bool ext_codeplay_has_graph() const noexcept { return false; }
  /// So this is always errc::invalid.
  template <backend Backend = backend::opencl>
  typename detail::native_types<Backend>::graph ext_codeplay_get_native_graph() const {
    detail::fail(errc::invalid, "the driver records nothing of what the function gives it");
  }

private:
  template <backend Backend, typename Native, typename Query> Native ask(const Query &query) const {
    if (get_backend() != Backend)
      detail::fail(errc::backend_mismatch, "the queue of the host task is of another backend");
    void *native = nullptr;
    detail::check(query(state->owned.get(), &native));
    return detail::from_handle<Native>(native);
  }

  detail::shared<detail::queue_state> state;
  /// What the command group requires.
  std::vector<plsycl_memory> memories;
};

} // namespace sycl
