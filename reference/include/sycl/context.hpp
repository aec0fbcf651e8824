//===- context.hpp - devices that share memory and programs ----------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

#include <algorithm>
#include <mutex>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {

struct queue_state;

/// The queues of a context, while they live.
class queues_of_context {
public:
  PLSYCL_LATE void add(const shared<queue_state> &made) {
    std::lock_guard<std::mutex> lock(mutex);
    if (all.size() >= next_sweep) {
      const auto is_gone = [](const watched<queue_state> &each) { return !each.lock(); };
      all.erase(std::remove_if(all.begin(), all.end(), is_gone), all.end());
      next_sweep = 2 * all.size() + 16;
    }
    all.emplace_back(made);
  }
  PLSYCL_LATE std::vector<shared<queue_state>> living() {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<shared<queue_state>> found;
    for (const watched<queue_state> &each : all)
      if (auto alive = each.lock())
        found.push_back(std::move(alive));
    return found;
  }

private:
  std::mutex mutex;
  std::vector<watched<queue_state>> all;
  std::size_t next_sweep = 16;
};

/// What the copies of a context share.
struct context_state {
  std::vector<device> devices;
  async_handler handler;
  property_list properties;
  context_handle owned;
  /// What tells a default context from others, whichever library of the program has this: it lives
  /// as long as the program. Others are told by this object itself.
  const void *known_as = nullptr;
  shared<queues_of_context> queues = shared<queues_of_context>::make();
};

} // namespace detail

/// Devices of one platform that share memory and programs.
class _V1::context : public detail::by_identity<context> {
public:
  PLSYCL_LATE explicit context(const property_list &properties = {})
      : context(device(), properties) {}
  PLSYCL_LATE explicit context(const async_handler &handler, const property_list &properties = {})
      : context(device(), handler, properties) {}
  PLSYCL_LATE explicit context(const device &only, const property_list &properties = {})
      : context(std::vector<device>{only}, properties) {}
  PLSYCL_LATE explicit context(const device &only, const async_handler &handler,
                               const property_list &properties = {})
      : context(std::vector<device>{only}, handler, properties) {}
  PLSYCL_LATE explicit context(const platform &all, const property_list &properties = {})
      : context(all.get_devices(), properties) {}
  PLSYCL_LATE explicit context(const platform &all, const async_handler &handler,
                               const property_list &properties = {})
      : context(all.get_devices(), handler, properties) {}
  PLSYCL_LATE explicit context(const std::vector<device> &devices,
                               const property_list &properties = {})
      : context(devices, async_handler(), properties) {}
  PLSYCL_LATE explicit context(const std::vector<device> &devices, const async_handler &handler,
                               const property_list &properties = {}) {
    if (devices.empty())
      detail::fail(errc::invalid, "a context needs at least one device");
    std::vector<plsycl_device> raw;
    for (const device &each : devices)
      raw.push_back(each.get());
    plsycl_context object = nullptr;
    detail::check(plsycl_context_create(raw.data(), raw.size(), &object));
    share({devices, handler, properties, detail::context_handle(object)});
  }

  /// For the implementation: what the runtime made of a driver's context, or a default one.
  PLSYCL_LATE context(plsycl_context object, const async_handler &handler,
                      bool is_default = false) {
    detail::context_handle owned(object);
    const auto raw = detail::query_handles<plsycl_device>(
        [&](plsycl_device *places, std::size_t capacity, std::size_t *count) {
          return plsycl_context_devices(object, places, capacity, count);
        });
    std::vector<device> devices;
    for (plsycl_device each : raw)
      devices.emplace_back(each);
    share({std::move(devices), handler, {}, std::move(owned), is_default ? object : nullptr});
  }

  template <typename Param> detail::answer_about<Param, context> get_info() const {
    if constexpr (std::is_same_v<Param, info::context::platform>)
      return get_platform();
    else if constexpr (std::is_same_v<Param, info::context::devices>)
      return get_devices();
    else if constexpr (std::is_same_v<Param, info::context::reference_count>)
      return 1;
    else
      return common_to_devices<typename Param::of_device>();
  }
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const {
    return detail::backend_info<Param>(state->devices.front());
  }
  template <typename Property> bool has_property() const noexcept {
    return state->properties.has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    return state->properties.get_property<Property>();
  }
  std::vector<device> get_devices() const { return state->devices; }
  platform get_platform() const { return state->devices.front().get_platform(); }
  backend get_backend() const noexcept { return get_platform().get_backend(); }

  /// For the implementation.
  plsycl_context get() const { return state->owned.get(); }
  /// Fails with errc::invalid where a device is neither one of the context's nor a part of one.
  void require(const device &target) const {
    detail::check(plsycl_context_require(get(), target.get()));
  }
  const std::vector<device> &get_kept_devices() const { return state->devices; }
  const async_handler &get_handler() const { return state->handler; }
  detail::queues_of_context &get_queues() const { return *state->queues; }
  const void *identity() const { return state && state->known_as ? state->known_as : state.get(); }
  /// What finds the context while it lives.
  template <typename Self = context> auto watch() const {
    const Self &self = *this;
    return [known = detail::watched(self.state)]() -> std::optional<Self> {
      if (auto found = known.lock())
        return Self(std::move(found));
      return std::nullopt;
    };
  }

private:
  explicit context(detail::shared<const detail::context_state> state) : state(std::move(state)) {}
  PLSYCL_LATE void share(detail::context_state made) {
    state = detail::shared<const detail::context_state>::make(std::move(made));
  }

  /// The values that each device gives.
  template <typename Param> typename Param::return_type common_to_devices() const {
    auto common = state->devices.front().get_info<Param>();
    for (const device &each : state->devices) {
      const auto own = each.get_info<Param>();
      auto is_missing = [&](auto value) {
        return std::find(own.begin(), own.end(), value) == own.end();
      };
      common.erase(std::remove_if(common.begin(), common.end(), is_missing), common.end());
    }
    return common;
  }

  detail::shared<const detail::context_state> state;
};

namespace detail {

/// The context of queues that are made without one: that of the device's platform, one for the
/// whole program, so that queues share programs and memory (sycl_ext_oneapi_default_context). A
/// part of a device that the driver's context cannot have any more has one of its own.
PLSYCL_LATE const context &default_context(const device &target) {
  struct known {
    const void *of;
    context made;
    const known *others;
  };
  // Never destroyed: queues may live as long as the program, and the driver may end before them.
  static std::mutex *mutex = new std::mutex;
  static const known *contexts = nullptr;
  const auto context_of = [](const void *identity, const auto &devices) -> const context & {
    const known *found = contexts;
    while (found && found->of != identity)
      found = found->others;
    if (!found) {
      // Each library of a program may have this function and its variables for itself.
      std::vector<plsycl_device> raw;
      for (const device &each : devices())
        raw.push_back(each.get());
      plsycl_context object = nullptr;
      check(plsycl_context_default(raw.data(), raw.size(), &object));
      found = contexts = new known{identity, context(object, async_handler(), true), contexts};
    }
    return found->made;
  };
  const platform owner = target.get_platform();
  std::lock_guard<std::mutex> lock(*mutex);
  const context &usual = context_of(owner.identity(), [&] { return owner.get_devices(); });
  if (plsycl_context_require(usual.get(), target.get()) == 0)
    return usual;
  return context_of(target.identity(), [&] { return std::vector<device>{target}; });
}

} // namespace detail

template <typename> context platform::ext_oneapi_get_default_context() const {
  return detail::default_context(get_devices().front());
}
template <typename> context platform::khr_get_default_context() const {
  return ext_oneapi_get_default_context();
}

inline exception::exception(const context &where, std::error_code code, const std::string &what)
    : exception(code, what) {
  this->where = detail::shared<context>::make(where);
}
inline exception::exception(const context &where, std::error_code code, const char *what)
    : exception(where, code, std::string(what)) {}
inline exception::exception(const context &where, std::error_code code)
    : exception(where, code, code.message()) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const std::string &what)
    : exception(where, std::error_code(value, category), what) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const char *what)
    : exception(where, std::error_code(value, category), what) {}
inline exception::exception(const context &where, int value, const std::error_category &category)
    : exception(where, std::error_code(value, category)) {}
inline context exception::get_context() const {
  if (!where)
    detail::fail(errc::invalid, "the exception has no context");
  return *where;
}

} // namespace sycl

namespace std {
template <> struct hash<sycl::context> : sycl::detail::hash_by_identity {};
} // namespace std
