//===- kernel_bundle.hpp - device images as objects (SYCL 2020, "Kernel bundles") ------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_handler.hpp>

#include <cstdint>
#include <memory>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {
// Of a function that is a kernel (free_function_traits.hpp).
template <auto *Function> kernel_id get_kernel_id();
} // namespace ext::oneapi::experimental

/// One image of a bundle.
template <bundle_state State> class device_image : public detail::by_identity<device_image<State>> {
public:
  device_image() = delete;
  /// For the implementation.
  device_image(detail::shared<detail::bundle_contents> bundle,
               detail::shared<detail::image_contents> image)
      : bundle(std::move(bundle)), image(std::move(image)) {}

  bool has_kernel(const kernel_id &id) const noexcept { return image->has_kernel(id.identity()); }
  bool has_kernel(const kernel_id &id, const device &target) const noexcept {
    return bundle->has_device(target) && has_kernel(id) && image->fits(target);
  }
  backend get_backend() const noexcept { return bundle->owner->get_backend(); }

  /// For the implementation.
  const void *identity() const { return image.get(); }
  /// What finds the image while it and its bundle live.
  auto watch() const {
    return [bundle = detail::watched(bundle),
            image = detail::watched(image)]() -> std::optional<device_image> {
      device_image found(bundle.lock(), image.lock());
      if (!found.bundle || !found.image)
        return std::nullopt;
      return found;
    };
  }

private:
  detail::shared<detail::bundle_contents> bundle;
  detail::shared<detail::image_contents> image;
};

/// Images of the program in one state, for devices of one context.
template <bundle_state State>
class kernel_bundle : public detail::by_identity<kernel_bundle<State>> {
public:
  using device_image_iterator = typename std::vector<device_image<State>>::const_iterator;

  kernel_bundle() = delete;
  /// For the implementation.
  explicit kernel_bundle(detail::shared<detail::bundle_contents> contents)
      : contents(std::move(contents)) {
    auto all = detail::shared<std::vector<device_image<State>>>::make();
    for (const auto &image : this->contents->images)
      all->emplace_back(this->contents, image);
    images = std::move(all);
  }

  bool empty() const noexcept { return images->empty(); }
  backend get_backend() const noexcept { return contents->owner->get_backend(); }
  context get_context() const noexcept { return *contents->owner; }
  std::vector<device> get_devices() const noexcept { return contents->devices; }

  bool has_kernel(const kernel_id &id) const noexcept {
    return contents->has_kernel(id.identity());
  }
  bool has_kernel(const kernel_id &id, const device &target) const noexcept {
    return contents->has_kernel(id.identity(), target);
  }
  template <typename KernelName> bool has_kernel() const noexcept {
    return has_kernel(get_kernel_id<KernelName>());
  }
  template <typename KernelName> bool has_kernel(const device &target) const noexcept {
    return has_kernel(get_kernel_id<KernelName>(), target);
  }
  std::vector<kernel_id> get_kernel_ids() const {
    std::vector<const char *> ids;
    for (const auto &image : contents->images)
      ids.insert(ids.end(), image->kernels.begin(), image->kernels.end());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return detail::to_kernel_ids(ids);
  }

  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  kernel get_kernel(const kernel_id &id) const {
    if (!has_kernel(id))
      detail::fail(errc::invalid, std::string("the bundle has no kernel ") + id.get_name());
    return kernel(contents, id);
  }
  template <typename KernelName, bundle_state Same = State,
            std::enable_if_t<Same == bundle_state::executable, int> = 0>
  kernel get_kernel() const {
    return get_kernel(get_kernel_id<KernelName>());
  }

  // ---- functions that are kernels (sycl_ext_oneapi_free_function_kernels) ----

  template <auto *Function> bool ext_oneapi_has_kernel() const noexcept {
    return has_kernel(ext::oneapi::experimental::get_kernel_id<Function>());
  }
  template <auto *Function> bool ext_oneapi_has_kernel(const device &target) const noexcept {
    return has_kernel(ext::oneapi::experimental::get_kernel_id<Function>(), target);
  }
  template <auto *Function, bundle_state Same = State,
            std::enable_if_t<Same == bundle_state::executable, int> = 0>
  kernel ext_oneapi_get_kernel() const {
    return get_kernel(ext::oneapi::experimental::get_kernel_id<Function>());
  }

  // ---- kernels and device globals of sources (sycl_ext_oneapi_kernel_compiler; defined in
  // ext/oneapi/experimental/kernel_compiler.hpp) ----

  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  bool ext_oneapi_has_kernel(const std::string &name) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  bool ext_oneapi_has_kernel(const std::string &name, const device &target) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  kernel ext_oneapi_get_kernel(const std::string &name) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  std::string ext_oneapi_get_raw_kernel_name(const std::string &name) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  bool ext_oneapi_has_device_global(const std::string &name) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  void *ext_oneapi_get_device_global_address(const std::string &name, const device &target) const;
  template <bundle_state Same = State, std::enable_if_t<Same == bundle_state::executable, int> = 0>
  std::size_t ext_oneapi_get_device_global_size(const std::string &name) const;

  // ---- specialization constants ----

  bool contains_specialization_constants() const noexcept {
    return contents->has_constant(nullptr);
  }
  /// Whether there are constants, and the device's compiler knows every one when it compiles.
  bool native_specialization_constant() const noexcept {
    return contains_specialization_constants() &&
           std::all_of(contents->images.begin(), contents->images.end(), [](const auto &image) {
             return image->constant(nullptr) != PLSYCL_CONSTANT_EMULATED;
           });
  }
  template <auto &Name, typename Unit = detail::this_unit>
  bool has_specialization_constant() const noexcept {
    return contents->has_constant(detail::constant_name<Name, Unit>());
  }
  template <auto &Name, bundle_state Same = State,
            std::enable_if_t<Same == bundle_state::input, int> = 0,
            typename Unit = detail::this_unit>
  void set_specialization_constant(detail::specialization_type<Name> value) {
    contents->constants.set(
        {&Name, detail::constant_name<Name, Unit>(),
         std::string(reinterpret_cast<const char *>(std::addressof(value)), sizeof(value))});
  }
  template <auto &Name> detail::specialization_type<Name> get_specialization_constant() const {
    return detail::constant_value<Name>(contents->constants.find(&Name));
  }

  device_image_iterator begin() const { return images->begin(); }
  device_image_iterator end() const { return images->end(); }

  /// For the implementation.
  const detail::shared<detail::bundle_contents> &get_contents() const { return contents; }
  const void *identity() const { return contents.get(); }

  /// What finds the bundle while it lives.
  auto watch() const {
    return [known = detail::watched(contents)]() -> std::optional<kernel_bundle> {
      if (auto found = known.lock())
        return kernel_bundle(std::move(found));
      return std::nullopt;
    };
  }

private:
  detail::shared<detail::bundle_contents> contents;
  detail::shared<const std::vector<device_image<State>>> images;
};

namespace detail {

/// Bundles are equal that have the same, however they were made.
template <bundle_state State>
bool equals_object_of_sycl(const kernel_bundle<State> &left, const kernel_bundle<State> &right) {
  return *left.get_contents() == *right.get_contents();
}

PLSYCL_LATE std::vector<device> without_repeats(const std::vector<device> &devices) {
  std::vector<device> once;
  for (const device &each : devices)
    if (std::find(once.begin(), once.end(), each) == once.end())
      once.push_back(each);
  return once;
}

PLSYCL_LATE void check_bundle_devices(const context &owner, const std::vector<device> &devices) {
  if (devices.empty())
    fail(errc::invalid, "a kernel bundle needs a device");
  for (const device &each : devices)
    owner.require(each);
}

/// Whether the devices can prepare images of the state; a bundle of another may be had always.
PLSYCL_LATE bool can_prepare(bundle_state state, const std::vector<device> &devices) {
  if (state == bundle_state::executable)
    return true;
  const aspect needed =
      state == bundle_state::input ? aspect::online_compiler : aspect::online_linker;
  return std::all_of(devices.begin(), devices.end(),
                     [&](const device &each) { return each.has(needed); });
}

/// The images that serve the devices and that `wanted` takes.
template <typename Wanted>
detail::shared<bundle_contents> collect(bundle_state state, const context &owner,
                                        const std::vector<device> &devices, const Wanted &wanted) {
  check_bundle_devices(owner, devices);
  auto contents = detail::shared<bundle_contents>::make(owner, without_repeats(devices));
  std::vector<plsycl_device> raw;
  for (const device &each : contents->devices)
    raw.push_back(each.get());
  const auto code = static_cast<std::uint32_t>(state);
  std::size_t count = 0;
  check(plsycl_images(raw.data(), raw.size(), code, nullptr, 0, &count));
  std::vector<plsycl_image> images(count);
  check(plsycl_images(raw.data(), raw.size(), code, images.data(), images.size(), &count));
  images.resize(std::min(images.size(), count));
  for (plsycl_image each : images) {
    auto image = detail::shared<image_contents>::make(image_handle(each));
    if (wanted(contents, image))
      contents->images.push_back(image);
  }
  return contents;
}

/// Takes images that hold one of the kernels.
PLSYCL_LATE auto holds_one_of(const std::vector<kernel_id> &kernels) {
  return [&kernels](const auto &, const auto &image) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const kernel_id &id) { return image->has_kernel(id.identity()); });
  };
}
/// Takes images that hold a kernel.
inline bool holds_kernels(const detail::shared<bundle_contents> &,
                          const detail::shared<image_contents> &image) {
  return !image->kernels.empty();
}
/// Takes images that the program takes.
template <bundle_state State, typename Selector> auto chosen_by(const Selector &selector) {
  return [&selector](const auto &contents, const auto &image) {
    const device_image<State> offered(contents, image);
    return static_cast<bool>(selector(offered));
  };
}

/// A bundle whose images are prepared as its state says.
template <bundle_state State, typename Wanted>
kernel_bundle<State> prepared(const context &owner, const std::vector<device> &devices,
                              const Wanted &wanted) {
  check_bundle_devices(owner, devices);
  if (!can_prepare(State, devices))
    fail(errc::invalid, "a device has no compiler for a bundle of the state at run time");
  auto contents = collect(State, owner, devices, wanted);
  if (State != bundle_state::input)
    contents->build(State);
  return kernel_bundle<State>(std::move(contents));
}

template <typename Selector, bundle_state State>
using if_image_selector =
    std::enable_if_t<std::is_invocable_r_v<bool, const Selector &, const device_image<State> &>,
                     int>;

PLSYCL_LATE void check_compatible(const std::vector<kernel_id> &kernels,
                                  const std::vector<device> &devices) {
  for (const kernel_id &id : kernels) {
    std::int32_t fits = 0;
    for (const device &each : devices) {
      std::int32_t answer = 0;
      check(plsycl_kernel_compatible(id.get_name(), each.get(), &answer));
      fits |= answer;
    }
    if (!fits)
      fail(errc::invalid, std::string("no device of the bundle can run kernel ") + id.get_name());
  }
}

} // namespace detail

// ---- what the program was built with ----

/// All kernels that one of the devices can run.
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  return detail::prepared<State>(owner, devices, detail::holds_kernels);
}
template <bundle_state State> kernel_bundle<State> get_kernel_bundle(const context &owner) {
  return get_kernel_bundle<State>(owner, owner.get_devices());
}
/// The images that hold these kernels, each of which a device must be able to run.
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner, const std::vector<device> &devices,
                                       const std::vector<kernel_id> &kernels) {
  detail::check_bundle_devices(owner, devices);
  detail::check_compatible(kernels, devices);
  return detail::prepared<State>(owner, devices, detail::holds_one_of(kernels));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner,
                                       const std::vector<kernel_id> &kernels) {
  return get_kernel_bundle<State>(owner, owner.get_devices(), kernels);
}
/// The images that the program takes.
template <bundle_state State, typename Selector, detail::if_image_selector<Selector, State> = 0>
kernel_bundle<State> get_kernel_bundle(const context &owner, const std::vector<device> &devices,
                                       Selector selector) {
  return detail::prepared<State>(owner, devices, detail::chosen_by<State>(selector));
}
template <bundle_state State, typename Selector, detail::if_image_selector<Selector, State> = 0>
kernel_bundle<State> get_kernel_bundle(const context &owner, Selector selector) {
  return get_kernel_bundle<State>(owner, owner.get_devices(), selector);
}
template <typename KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  return get_kernel_bundle<State>(owner, devices,
                                  std::vector<kernel_id>{get_kernel_id<KernelName>()});
}
template <typename KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &owner) {
  return get_kernel_bundle<KernelName, State>(owner, owner.get_devices());
}

// ---- what could be had ----

template <bundle_state State>
bool has_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  detail::check_bundle_devices(owner, devices);
  return detail::can_prepare(State, devices) &&
         !detail::collect(State, owner, devices, detail::holds_kernels)->images.empty();
}
template <bundle_state State> bool has_kernel_bundle(const context &owner) {
  return has_kernel_bundle<State>(owner, owner.get_devices());
}
/// Whether each of the kernels is there for one of the devices.
template <bundle_state State>
bool has_kernel_bundle(const context &owner, const std::vector<device> &devices,
                       const std::vector<kernel_id> &kernels) {
  detail::check_bundle_devices(owner, devices);
  if (!detail::can_prepare(State, devices))
    return false;
  auto contents = detail::collect(State, owner, devices, detail::holds_one_of(kernels));
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](const kernel_id &id) { return contents->has_kernel(id.identity()); });
}
template <bundle_state State>
bool has_kernel_bundle(const context &owner, const std::vector<kernel_id> &kernels) {
  return has_kernel_bundle<State>(owner, owner.get_devices(), kernels);
}
template <bundle_state State, typename Selector, detail::if_image_selector<Selector, State> = 0>
bool has_kernel_bundle(const context &owner, const std::vector<device> &devices,
                       Selector selector) {
  detail::check_bundle_devices(owner, devices);
  return detail::can_prepare(State, devices) &&
         !detail::collect(State, owner, devices, detail::chosen_by<State>(selector))
              ->images.empty();
}
template <bundle_state State, typename Selector, detail::if_image_selector<Selector, State> = 0>
bool has_kernel_bundle(const context &owner, Selector selector) {
  return has_kernel_bundle<State>(owner, owner.get_devices(), selector);
}
template <typename KernelName, bundle_state State>
bool has_kernel_bundle(const context &owner, const std::vector<device> &devices) {
  return has_kernel_bundle<State>(owner, devices,
                                  std::vector<kernel_id>{get_kernel_id<KernelName>()});
}
template <typename KernelName, bundle_state State> bool has_kernel_bundle(const context &owner) {
  return has_kernel_bundle<KernelName, State>(owner, owner.get_devices());
}

/// Whether the device can run all of the kernels.
PLSYCL_LATE bool is_compatible(const std::vector<kernel_id> &kernels, const device &target) {
  for (const kernel_id &id : kernels) {
    std::int32_t answer = 0;
    detail::check(plsycl_kernel_compatible(id.get_name(), target.get(), &answer));
    if (!answer)
      return false;
  }
  return true;
}
template <typename KernelName> bool is_compatible(const device &target) {
  return is_compatible({get_kernel_id<KernelName>()}, target);
}

// ---- from one state to the next ----

/// All images of bundles of one context and the same devices; of none, an empty bundle.
template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>> &bundles) {
  if (bundles.empty())
    return kernel_bundle<State>(detail::shared<detail::bundle_contents>::make(
        detail::default_context(device()), std::vector<device>()));
  const auto &first = bundles.front();
  auto contents =
      detail::shared<detail::bundle_contents>::make(first.get_context(), first.get_devices());
  for (const kernel_bundle<State> &each : bundles) {
    if (each.get_context() != first.get_context())
      detail::fail(errc::invalid, "kernel bundles of different contexts cannot be joined");
    const auto &devices = each.get_contents()->devices;
    const bool same = devices.size() == contents->devices.size() &&
                      std::all_of(devices.begin(), devices.end(),
                                  [&](const device &d) { return contents->has_device(d); });
    if (!same)
      detail::fail(errc::invalid, "kernel bundles for different devices cannot be joined");
    for (const auto &image : each.get_contents()->images)
      contents->add(image);
    contents->constants.add(each.get_contents()->constants);
    contents->add_sources(*each.get_contents());
  }
  return kernel_bundle<State>(std::move(contents));
}

namespace detail {

/// Takes the library of the sources' objects in their place (kernel_compiler.hpp).
PLSYCL_LATE void link_sources(basic_bundle_contents<> &contents);

/// The images of bundles, built for some of the devices that all of the bundles are for.
template <bundle_state To, bundle_state From>
kernel_bundle<To> advance(const std::vector<kernel_bundle<From>> &bundles,
                          const std::vector<device> &devices) {
  if (bundles.empty())
    fail(errc::invalid, "there is no kernel bundle to link");
  if (devices.empty())
    fail(errc::invalid, "a kernel bundle needs a device");
  const context owner = bundles.front().get_context();
  auto contents = detail::shared<bundle_contents>::make(owner, without_repeats(devices));
  for (const kernel_bundle<From> &each : bundles) {
    const auto &from = each.get_contents();
    if (each.get_context() != owner)
      fail(errc::invalid, "kernel bundles of different contexts cannot be linked");
    for (const device &target : devices)
      if (!from->has_device(target))
        fail(errc::invalid, "a device is not one of the kernel bundle's");
    for (const auto &image : from->images)
      contents->add(image);
    contents->constants.add(from->constants);
    contents->add_sources(*from);
  }
  if (To == bundle_state::executable && !contents->sources.empty())
    link_sources(*contents);
  contents->build(To);
  return kernel_bundle<To>(std::move(contents));
}

/// The devices that all of the bundles are for.
template <bundle_state State>
std::vector<device> common_devices(const std::vector<kernel_bundle<State>> &bundles) {
  if (bundles.empty())
    return {};
  std::vector<device> common;
  for (const device &each : bundles.front().get_devices())
    if (std::all_of(bundles.begin(), bundles.end(), [&](const kernel_bundle<State> &bundle) {
          return bundle.get_contents()->has_device(each);
        }))
      common.push_back(each);
  return common;
}

} // namespace detail

PLSYCL_LATE kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::input> &input, const std::vector<device> &devices,
        const property_list & = {}) {
  return detail::advance<bundle_state::object>(std::vector{input}, devices);
}
PLSYCL_LATE kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::input> &input, const property_list &properties = {}) {
  return compile(input, input.get_devices(), properties);
}

PLSYCL_LATE kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objects,
     const std::vector<device> &devices, const property_list & = {}) {
  return detail::advance<bundle_state::executable>(objects, devices);
}
PLSYCL_LATE kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objects,
     const property_list &properties = {}) {
  return link(objects, detail::common_devices(objects), properties);
}
PLSYCL_LATE kernel_bundle<bundle_state::executable>
link(const kernel_bundle<bundle_state::object> &object, const std::vector<device> &devices,
     const property_list &properties = {}) {
  return link(std::vector{object}, devices, properties);
}
PLSYCL_LATE kernel_bundle<bundle_state::executable>
link(const kernel_bundle<bundle_state::object> &object, const property_list &properties = {}) {
  return link(std::vector{object}, object.get_devices(), properties);
}

PLSYCL_LATE kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::input> &input, const std::vector<device> &devices,
      const property_list & = {}) {
  return detail::advance<bundle_state::executable>(std::vector{input}, devices);
}
PLSYCL_LATE kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::input> &input, const property_list &properties = {}) {
  return build(input, input.get_devices(), properties);
}

template <typename Kernel>
kernel_bundle<bundle_state::executable> detail::kernel_bundles<Kernel>::get_kernel_bundle() const {
  return kernel_bundle<bundle_state::executable>(static_cast<const Kernel &>(*this).get_contents());
}

} // namespace sycl

namespace std {
template <sycl::bundle_state State>
struct hash<sycl::device_image<State>> : sycl::detail::hash_by_identity {};
template <sycl::bundle_state State> struct hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State> &bundle) const {
    return bundle.get_contents()->hash();
  }
};
} // namespace std

#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>
