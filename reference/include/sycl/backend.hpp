//===- backend.hpp - objects of SYCL as their drivers know them (SYCL 2020, "Backends") ------===//
//
// What get_native gives of a context or queue is a reference of the program's own, as the backend
// specifications have it; platforms and devices are not counted.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/native_types.hpp>
#include <sycl/kernel_bundle.hpp>
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

template <backend Backend> backend_return_t<Backend, event> get_native(const event &object) {
  if (object.get_backend() != Backend)
    detail::fail(errc::backend_mismatch, "the object is of another backend");
  void *native = nullptr;
  if (object.get())
    detail::check(plsycl_event_native(object.get(), &native));
  using result = backend_return_t<Backend, event>;
  if constexpr (std::is_pointer_v<result>)
    return static_cast<result>(native);
  else
    return native ? result{static_cast<typename result::value_type>(native)} : result();
}
/// As the kernel is built for the first device of its bundle.
template <backend Backend> backend_return_t<Backend, kernel> get_native(const kernel &object) {
  const detail::bundle_contents &bundle = *object.get_contents();
  const auto ask = [&](plsycl_context owner, void **native) {
    return plsycl_kernel_native(owner, bundle.devices.front().get(), object.get_id().get_name(),
                                native);
  };
  return detail::native_of<Backend, backend_return_t<Backend, kernel>>(*bundle.owner, ask);
}
template <backend Backend>
backend_return_t<Backend, kernel_bundle<bundle_state::executable>>
get_native(const kernel_bundle<bundle_state::executable> &object) {
  const detail::bundle_contents &bundle = *object.get_contents();
  const std::vector<plsycl_spec_constant> values = bundle.constants.records();
  backend_return_t<Backend, kernel_bundle<bundle_state::executable>> all;
  using native_program = typename decltype(all)::value_type;
  for (const auto &image : bundle.images)
    for (const device &target : bundle.devices)
      if (image->fits(target)) {
        const auto ask = [&](plsycl_context owner, void **native) {
          return plsycl_image_native(image->object.get(), owner, target.get(), values.data(),
                                     values.size(), native);
        };
        all.push_back(detail::native_of<Backend, native_program>(*bundle.owner, ask));
      }
  return all;
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
