//===- backend.hpp - objects of SYCL as their drivers know them (SYCL 2020, "Backends") ------===//
//
// What get_native gives of a context or queue is a reference of the program's own, as the backend
// specifications have it; platforms and devices are not counted.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/queue.hpp>

#define SYCL_BACKEND_OPENCL 1

namespace sycl {

namespace detail {

template <backend Backend, typename Native, typename Object, typename Query>
Native native_of(const Object &object, const Query &query) {
  if (object.get_backend() != Backend)
    fail(errc::backend_mismatch, "the object is of another backend");
  void *native = nullptr;
  check(query(object.get(), &native));
  return static_cast<Native>(native);
}

} // namespace detail

template <backend Backend> backend_return_t<Backend, platform> get_native(const platform &object) {
  return detail::native_of<Backend, backend_return_t<Backend, platform>>(object,
                                                                         plsycl_platform_native);
}
template <backend Backend> backend_return_t<Backend, device> get_native(const device &object) {
  return detail::native_of<Backend, backend_return_t<Backend, device>>(object,
                                                                       plsycl_device_native);
}
template <backend Backend> backend_return_t<Backend, context> get_native(const context &object) {
  return detail::native_of<Backend, backend_return_t<Backend, context>>(object,
                                                                        plsycl_context_native);
}
template <backend Backend> backend_return_t<Backend, queue> get_native(const queue &object) {
  return detail::native_of<Backend, backend_return_t<Backend, queue>>(object,
                                                                      plsycl_queue_native_owned);
}

/// The platform or device that the driver knows by this; errc::invalid for one that programs do not
/// see.
template <backend Backend>
platform make_platform(const backend_input_t<Backend, platform> &native) {
  for (const platform &each : platform::get_platforms())
    if (each.get_backend() == Backend && get_native<Backend>(each) == native)
      return each;
  detail::fail(errc::invalid, "the driver's platform is none that programs see");
}
template <backend Backend> device make_device(const backend_input_t<Backend, device> &native) {
  for (const device &each : device::get_devices())
    if (each.get_backend() == Backend && get_native<Backend>(each) == native)
      return each;
  detail::fail(errc::invalid, "the driver's device is none that programs see");
}

} // namespace sycl
