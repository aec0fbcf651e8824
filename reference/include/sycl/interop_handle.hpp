//===- interop_handle.hpp - the driver's own objects behind a host task ----------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/queue_state.hpp>

// As the drivers' own headers declare them.
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_mem;
struct _ze_command_list_handle_t;
struct _ze_context_handle_t;
struct _ze_device_handle_t;

namespace sycl {

class queue;

namespace detail {

/// What objects of SYCL are to a driver.
template <backend Backend> struct native_types;
template <> struct native_types<backend::opencl> {
  using queue = _cl_command_queue *;
  using context = _cl_context *;
  using device = _cl_device_id *;
  using memory = _cl_mem *;
};
template <> struct native_types<backend::ext_oneapi_level_zero> {
  using queue = _ze_command_list_handle_t *; // An immediate command list.
  using context = _ze_context_handle_t *;
  using device = _ze_device_handle_t *;
  using memory = void *;
};

template <backend Backend, typename Type> struct native_type;
template <backend Backend> struct native_type<Backend, sycl::queue> {
  using type = typename native_types<Backend>::queue;
};
template <backend Backend> struct native_type<Backend, context> {
  using type = typename native_types<Backend>::context;
};
template <backend Backend> struct native_type<Backend, device> {
  using type = typename native_types<Backend>::device;
};
template <backend Backend, typename Type, int Dimensions, typename Allocator>
struct native_type<Backend, buffer<Type, Dimensions, Allocator>> {
  using type = typename native_types<Backend>::memory;
};

} // namespace detail

template <backend Backend> struct backend_traits {
  template <typename Type> using return_type = typename detail::native_type<Backend, Type>::type;
};
template <backend Backend, typename Type>
using backend_return_t = typename backend_traits<Backend>::template return_type<Type>;

/// What a host task speaks to the driver by. The objects stay the runtime's, and are good while the
/// task runs.
class interop_handle {
public:
  interop_handle() = delete;
  /// For the implementation.
  explicit interop_handle(std::shared_ptr<detail::queue_state> queue) : state(std::move(queue)) {}

  backend get_backend() const noexcept { return state->device.get_backend(); }

  template <backend Backend> backend_return_t<Backend, queue> get_native_queue() const {
    return ask<Backend, backend_return_t<Backend, queue>>(plsycl_queue_native);
  }
  template <backend Backend> backend_return_t<Backend, context> get_native_context() const {
    return ask<Backend, backend_return_t<Backend, context>>(plsycl_queue_native_context);
  }
  template <backend Backend> backend_return_t<Backend, device> get_native_device() const {
    return ask<Backend, backend_return_t<Backend, device>>(plsycl_queue_native_device);
  }
  /// The buffer that a required accessor reaches.
  template <backend Backend, typename Type, int Dimensions, access_mode Mode, target Target,
            access::placeholder Holder>
  backend_return_t<Backend, buffer<Type, Dimensions>>
  get_native_mem(const accessor<Type, Dimensions, Mode, Target, Holder> &required) const {
    static_assert(Target == target::device, "only device accessors reach the driver's memory");
    plsycl_memory memory = detail::memory_of(required.get_memory());
    auto native = [&](plsycl_queue queue, void **place) {
      return plsycl_memory_native(memory, queue, place);
    };
    return ask<Backend, backend_return_t<Backend, buffer<Type, Dimensions>>>(native);
  }

private:
  template <backend Backend, typename Native, typename Query> Native ask(const Query &query) const {
    if (get_backend() != Backend)
      detail::fail(errc::backend_mismatch, "the queue of the host task is of another backend");
    void *native = nullptr;
    detail::check(query(state->owned.get(), &native));
    return static_cast<Native>(native);
  }

  std::shared_ptr<detail::queue_state> state;
};

} // namespace sycl
