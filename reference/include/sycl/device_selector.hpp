//===- device_selector.hpp - how to choose among devices (SYCL 2020, "Device selectors") ------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/device.hpp>

#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {

/// A device that the program has code for before any other; a GPU before a CPU before an
/// accelerator.
inline int default_selector_v(const device &candidate) {
  std::int32_t has_image = 0;
  detail::check(plsycl_device_has_image(candidate.get(), &has_image));
  const int with_image = has_image ? 1000 : 0;
  if (candidate.is_gpu())
    return with_image + 500;
  if (candidate.is_cpu())
    return with_image + 300;
  return with_image + (candidate.is_accelerator() ? 75 : 50);
}
inline int cpu_selector_v(const device &candidate) { return candidate.is_cpu() ? 1000 : -1; }
inline int gpu_selector_v(const device &candidate) { return candidate.is_gpu() ? 1000 : -1; }
inline int accelerator_selector_v(const device &candidate) {
  return candidate.is_accelerator() ? 1000 : -1;
}

namespace detail {
/// Rates devices that have all aspects of one list and none of another.
struct aspect_rating {
  std::vector<aspect> required, denied;

  int operator()(const device &candidate) const {
    for (aspect each : required)
      if (!candidate.has(each))
        return -1;
    for (aspect each : denied)
      if (candidate.has(each))
        return -1;
    return default_selector_v(candidate);
  }
};
} // namespace detail

PLSYCL_LATE detail::aspect_rating aspect_selector(const std::vector<aspect> &required,
                                                  const std::vector<aspect> &denied = {}) {
  return {required, denied};
}
template <typename... Aspects,
          typename = std::enable_if_t<(std::is_same_v<Aspects, aspect> && ...)>>
auto aspect_selector(Aspects... required) {
  return aspect_selector(std::vector<aspect>{required...});
}
template <aspect... Required> auto aspect_selector() { return aspect_selector({Required...}); }

namespace detail {

template <typename Selector>
const device *best_of(const std::vector<device> &all, const Selector &rating) {
  const device *best = nullptr;
  int best_rating = -1;
  for (const device &candidate : all) {
    int rated = std::invoke(rating, candidate);
    if (rated > best_rating) {
      best = &candidate;
      best_rating = rated;
    }
  }
  return best;
}

template <typename Selector> device select(const Selector &rating) {
  constexpr bool is_asked_by_base = !std::is_invocable_v<Selector &, const device &>;
  if constexpr (is_asked_by_base &&
                std::is_convertible_v<const Selector *, const device_selector *>) {
    return select<device_selector>(rating);
    // As DPC++ does, a copy is asked where asking changes it.
  } else if constexpr (!std::is_invocable_v<const Selector &, const device &>) {
    Selector own(rating);
    return select([&own](const device &candidate) -> int { return own(candidate); });
  } else {
    const std::vector<device> all = device::get_devices();
    if (const device *best = best_of(all, rating))
      return *best;
    check(plsycl_require_device());
    fail(errc::runtime, "no SYCL device found that the selector accepts, among " +
                            std::to_string(all.size()) + " of this machine");
  }
}

} // namespace detail

template <typename> device::device() : device(detail::select(default_selector_v)) {}
template <typename Selector, detail::if_selector<Selector>>
device::device(const Selector &selector) : device(detail::select(selector)) {}
template <typename> platform::platform() : platform(device().get_platform()) {}
template <typename Selector, detail::if_selector<Selector>>
platform::platform(const Selector &selector) : platform(device(selector).get_platform()) {}

// ---- SYCL 1.2.1's selectors, which SYCL 2020 deprecates ----

/// Rates devices; programs derive from it.
class [[deprecated("pass a callable that rates devices")]] device_selector {
public:
  virtual ~device_selector() = default;
  virtual int operator()(const device &candidate) const = 0;
  PLSYCL_LATE device select_device() const { return device(*this); }
};

#define PLSYCL_SELECTOR_CLASS(NAME)                                                                \
  class [[deprecated("use " #NAME "_v")]] NAME : public device_selector {                          \
  public:                                                                                          \
    int operator()(const device &candidate) const override { return NAME##_v(candidate); }         \
  };
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
PLSYCL_SELECTOR_CLASS(default_selector)
PLSYCL_SELECTOR_CLASS(cpu_selector)
PLSYCL_SELECTOR_CLASS(gpu_selector)
PLSYCL_SELECTOR_CLASS(accelerator_selector)

namespace detail {
template <typename Selector>
inline constexpr bool is_legacy_selector = std::is_base_of_v<device_selector, Selector>;
} // namespace detail
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#undef PLSYCL_SELECTOR_CLASS

} // namespace sycl
