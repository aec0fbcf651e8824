//===- backend.hpp - objects of SYCL as their drivers know them (SYCL 2020, "Backends") ------===//
//
// What get_native gives is a reference of the program's own, as the backend specifications have it;
// platforms and devices are not counted.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/native_types.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/image.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#include <cstdint>
#include <string>
#include <utility>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {

template <backend Backend, typename Native, typename Object, typename Query>
Native native_of(const Object &object, const Query &query) {
  if (object.get_backend() != Backend)
    fail(errc::backend_mismatch, "the object is of another backend");
  void *native = nullptr;
  check(query(object.get(), &native));
  return from_handle<Native>(native);
}

template <backend Backend> void require_backend(const context &owner) {
  if (owner.get_backend() != Backend)
    fail(errc::backend_mismatch, "the context is of another backend");
}

/// A bundle of one program of the driver's.
PLSYCL_LATE detail::shared<bundle_contents> contents_of(const context &owner,
                                                        program_handle program) {
  auto image = detail::shared<image_contents>::make(std::move(program));
  std::vector<device> devices;
  for (const device &each : owner.get_devices())
    if (image->fits(each))
      devices.push_back(each);
  auto contents = detail::shared<bundle_contents>::make(owner, std::move(devices));
  contents->images.push_back(std::move(image));
  return contents;
}

/// Handles as the driver's type has them: several, or one that may be null.
template <typename Result> Result as_native(const std::vector<void *> &natives) {
  Result all = {};
  if constexpr (is_several<Result>::value) {
    for (void *native : natives)
      all.push_back(from_handle<typename Result::value_type>(native));
  } else if (!natives.empty()) {
    all = from_handle<Result>(natives.front());
  }
  return all;
}
/// What programs give as several handles, or as one that may be null.
template <typename Native> std::vector<void *> to_handles(const Native &natives) {
  std::vector<void *> all;
  if constexpr (is_several<Native>::value) {
    all.assign(natives.begin(), natives.end());
  } else if (natives) {
    all.push_back(to_handle(natives));
  }
  return all;
}

/// The pixels of an image of the driver's, and where each stands.
template <backend Backend, int Dimensions, typename Native>
std::pair<memory_handle, image_layout> pixels_of(const Native &native, const context &owner,
                                                 const event &available) {
  require_backend<Backend>(owner);
  plsycl_memory made = nullptr;
  std::uint32_t dimensions = 0, format = 0;
  std::size_t size[3] = {};
  check(plsycl_memory_adopt_image(owner.get(), native, available.get(), &made, &dimensions, &format,
                                  size));
  memory_handle pixels(made);
  if (dimensions != Dimensions)
    fail(errc::invalid, "the driver's image has " + std::to_string(dimensions) + " dimensions");
  range<Dimensions> shape;
  for (int i = 0; i < Dimensions; ++i)
    shape[i] = size[i];
  return {std::move(pixels),
          layout_of(format_of(static_cast<image_format>(format)), shape, no_pitch)};
}

} // namespace detail

template <backend Backend> backend_return_t<Backend, device> get_native(const device &object) {
  return detail::native_of<Backend, backend_return_t<Backend, device>>(object,
                                                                       plsycl_device_native);
}
/// CUDA has no platforms: what it knows are the platform's devices.
template <backend Backend> backend_return_t<Backend, platform> get_native(const platform &object) {
  if constexpr (Backend == backend::ext_oneapi_cuda) {
    backend_return_t<Backend, platform> devices;
    for (const device &each : object.get_devices())
      devices.push_back(get_native<Backend>(each));
    return devices;
  } else {
    return detail::native_of<Backend, backend_return_t<Backend, platform>>(object,
                                                                           plsycl_platform_native);
  }
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
  std::vector<void *> natives;
  if (object.get())
    natives =
        detail::query_handles<void *>([&](void **places, std::size_t capacity, std::size_t *count) {
          return plsycl_event_natives(object.get(), places, capacity, count);
        });
  return detail::as_native<backend_return_t<Backend, event>>(natives);
}
/// The memory in each context of the backend that the buffer was brought to.
template <backend Backend, typename Type, int Dimensions, typename Allocator>
backend_return_t<Backend, buffer<Type, Dimensions, Allocator>>
get_native(const buffer<Type, Dimensions, Allocator> &object) {
  const auto natives =
      detail::query_handles<void *>([&](void **places, std::size_t capacity, std::size_t *count) {
        return plsycl_memory_natives(object.get(), static_cast<std::uint32_t>(Backend), places,
                                     capacity, count);
      });
  return detail::as_native<backend_return_t<Backend, buffer<Type, Dimensions, Allocator>>>(natives);
}
/// As the kernel is built for the first device of its bundle.
template <backend Backend> backend_return_t<Backend, kernel> get_native(const kernel &object) {
  const detail::bundle_contents &bundle = *object.get_contents();
  const auto ask = [&](plsycl_context owner, void **native) {
    if (object.get_foreign())
      return plsycl_foreign_kernel_native(object.get_foreign(), native);
    return plsycl_kernel_native(owner, bundle.devices.front().get(), object.get_name(),
                                object.get_function(), native);
  };
  return detail::native_of<Backend, backend_return_t<Backend, kernel>>(*bundle.owner, ask);
}
template <backend Backend, bundle_state State>
backend_return_t<Backend, kernel_bundle<State>> get_native(const kernel_bundle<State> &object) {
  const detail::bundle_contents &bundle = *object.get_contents();
  const std::vector<plsycl_spec_constant> values = bundle.constants.records();
  backend_return_t<Backend, kernel_bundle<State>> all;
  using native_program = typename decltype(all)::value_type;
  const auto add = [&](const auto &ask) {
    all.push_back(detail::native_of<Backend, native_program>(*bundle.owner, ask));
  };
  for (const auto &image : bundle.images) {
    if (image->program.get()) {
      add([&](plsycl_context, void **native) {
        return plsycl_program_native(image->program.get(), native);
      });
      continue;
    }
    for (const device &target : bundle.devices)
      if (image->fits(target))
        add([&](plsycl_context owner, void **native) {
          return plsycl_image_native(image->object.get(), owner, target.get(), values.data(),
                                     values.size(), native);
        });
  }
  return all;
}

/// The same for programs that say what the object is: `get_native<backend::opencl, queue>(object)`.
template <backend Backend, typename Object>
backend_return_t<Backend, Object>
get_native(const typename detail::undeduced<Object>::type &object) {
  return get_native<Backend>(object);
}

// ---- objects of SYCL made of the driver's, of which each keeps a reference ----

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

// errc::invalid for what is of another context than the one that is given.

template <backend Backend>
context make_context(const backend_input_t<Backend, context> &native,
                     const async_handler &handler = {}) {
  plsycl_context made = nullptr;
  detail::check(plsycl_context_adopt(static_cast<std::uint32_t>(Backend), native, &made));
  return context(made, handler);
}

template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue> &native, const context &owner,
                 const async_handler &handler = {}) {
  detail::require_backend<Backend>(owner);
  plsycl_queue made = nullptr;
  plsycl_device target = nullptr;
  std::uint32_t bits = 0;
  detail::check(plsycl_queue_adopt(owner.get(), native, &made, &target, &bits));
  detail::queue_handle owned(made);
  property_list properties;
  if (bits & PLSYCL_QUEUE_IN_ORDER)
    properties = bits & PLSYCL_QUEUE_PROFILING ? property_list(property::queue::in_order(),
                                                               property::queue::enable_profiling())
                                               : property_list(property::queue::in_order());
  else if (bits & PLSYCL_QUEUE_PROFILING)
    properties = property_list(property::queue::enable_profiling());
  auto state =
      detail::shared<detail::queue_state>::make(owner, device(target), handler, properties);
  state->owned = std::move(owned);
  owner.get_queues().add(state);
  auto end = detail::end_of(state);
  return queue(std::move(state), std::move(end));
}

/// One event for all of the driver's; complete where there is none.
template <backend Backend>
event make_event(const backend_input_t<Backend, event> &natives, const context &owner) {
  detail::require_backend<Backend>(owner);
  const std::vector<void *> raw = detail::to_handles(natives);
  if (raw.empty())
    return event();
  plsycl_event made = nullptr;
  detail::check(plsycl_event_adopt(owner.get(), raw.data(), raw.size(), &made));
  return event(made, nullptr);
}

/// The driver's memory as a buffer; in more than one dimension, the others have a size of one. The
/// contents are taken to be there when `available` is complete, and are there again when the buffer
/// is gone.
template <backend Backend, typename Type, int Dimensions = 1,
          typename Allocator = buffer_allocator<std::remove_const_t<Type>>>
buffer<Type, Dimensions, Allocator>
make_buffer(const backend_input_t<Backend, buffer<Type, Dimensions, Allocator>> &native,
            const context &owner, event available = {}) {
  detail::require_backend<Backend>(owner);
  plsycl_memory made = nullptr;
  std::size_t size = 0;
  detail::check(
      plsycl_memory_adopt(owner.get(), detail::to_handle(native), available.get(), &made, &size));
  range<Dimensions> shape;
  for (int i = 0; i < Dimensions; ++i)
    shape[i] = i == 0 ? size / sizeof(Type) : 1;
  return buffer<Type, Dimensions, Allocator>(
      detail::shared<detail::buffer_state>::make(detail::memory_handle(made), size), shape);
}

/// The driver's image; errc::invalid where it has other dimensions, or pixels that SYCL has not.
/// The pixels are taken to be there when `available` is complete. While the image lives the
/// driver's own is not used: it has what was written when the image is gone.
template <backend Backend, int Dimensions = 1, typename Allocator = image_allocator>
unsampled_image<Dimensions, Allocator>
make_unsampled_image(const backend_input_t<Backend, unsampled_image<Dimensions, Allocator>> &native,
                     const context &owner, event available = {}) {
  auto [pixels, layout] = detail::pixels_of<Backend, Dimensions>(native, owner, available);
  return unsampled_image<Dimensions, Allocator>(std::move(pixels), layout);
}
/// The same, read through a sampler.
template <backend Backend, int Dimensions = 1, typename Allocator = image_allocator>
sampled_image<Dimensions, Allocator>
make_sampled_image(const backend_input_t<Backend, sampled_image<Dimensions, Allocator>> &native,
                   const context &owner, image_sampler sampler, event available = {}) {
  auto [pixels, layout] = detail::pixels_of<Backend, Dimensions>(native, owner, available);
  return sampled_image<Dimensions, Allocator>(std::move(pixels), layout, sampler);
}

/// The driver's program as a bundle in a state, to which it is compiled and linked where it is not
/// yet; errc::invalid where it is past it.
template <backend Backend, bundle_state State>
kernel_bundle<State>
make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>> &native,
                   const context &owner) {
  detail::require_backend<Backend>(owner);
  plsycl_program made = nullptr;
  detail::check(
      plsycl_program_adopt(owner.get(), native, static_cast<std::uint32_t>(State), &made));
  return kernel_bundle<State>(detail::contents_of(owner, detail::program_handle(made)));
}

template <backend Backend>
kernel make_kernel(const backend_input_t<Backend, kernel> &native, const context &owner) {
  detail::require_backend<Backend>(owner);
  plsycl_foreign_kernel made = nullptr;
  detail::check(plsycl_foreign_kernel_adopt(owner.get(), native, &made));
  detail::foreign_kernel_handle owned(made);
  plsycl_program program = nullptr;
  detail::check(plsycl_foreign_kernel_program(made, &program));
  return kernel(detail::contents_of(owner, detail::program_handle(program)), std::move(owned));
}

} // namespace sycl
