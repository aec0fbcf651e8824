//===- device.hpp - platforms, devices and how to choose among them --------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/handle.hpp>
#include <sycl/info.hpp>

#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {

/// Choice of a device: the greatest non-negative rating wins.
using device_rating = std::function<int(const device &)>;

template <typename Type>
using if_selector = std::enable_if_t<std::is_invocable_r_v<int, const Type &, const device &>, int>;

std::vector<std::string> split_words(const std::string &text);

} // namespace detail

/// The devices that one driver serves.
class platform : public detail::by_identity<platform> {
public:
  /// The platform of the default device.
  platform();
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit platform(const Selector &selector);
  /// For the implementation.
  explicit platform(plsycl_platform object) : object(object) {}

  static std::vector<platform> get_platforms() {
    std::size_t count = 0;
    detail::check(plsycl_platform_count(&count));
    std::vector<platform> all;
    for (std::size_t i = 0; i < count; ++i) {
      plsycl_platform found = nullptr;
      detail::check(plsycl_platform_get(i, &found));
      all.emplace_back(found);
    }
    return all;
  }

  std::vector<device> get_devices(info::device_type type = info::device_type::all) const;

  template <typename Param> typename Param::return_type get_info() const {
    std::string text = ask(Param::code);
    if constexpr (std::is_same_v<typename Param::return_type, std::string>)
      return text;
    else
      return detail::split_words(text);
  }

  backend get_backend() const noexcept {
    std::uint64_t value = PLSYCL_BACKEND_OPENCL;
    std::size_t size = 0;
    plsycl_platform_query(object, PLSYCL_PLATFORM_BACKEND, &value, sizeof(value), &size);
    return static_cast<backend>(value);
  }

  /// The context that queues of the platform's devices share when they are made without one.
  context ext_oneapi_get_default_context() const;
  context khr_get_default_context() const;

  /// Whether all devices of the platform have the aspect.
  bool has(aspect what) const;
  bool has_extension(const std::string &name) const {
    for (const std::string &extension : get_info<info::platform::extensions>())
      if (extension == name)
        return true;
    return false;
  }

  plsycl_platform get() const { return object; }
  const void *identity() const { return object; }

private:
  std::string ask(std::uint32_t code) const {
    return detail::query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_platform_query(object, code, bytes, capacity, size);
    });
  }

  plsycl_platform object;
};

/// A device that kernels run on.
class device : public detail::by_identity<device> {
public:
  /// The default device: the best of all.
  device();
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit device(const Selector &selector);
  /// For the implementation.
  explicit device(plsycl_device object) : object(object) {}

  static std::vector<device> get_devices(info::device_type type = info::device_type::all) {
    std::vector<device> all;
    for (const platform &owner : platform::get_platforms())
      for (const device &found : owner.get_devices(type))
        all.push_back(found);
    return all;
  }

  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }

  bool has(aspect what) const {
    if (what == aspect::ext_oneapi_limited_graph)
      return true; // Graphs are kept by the host.
    std::int32_t answer = 0;
    detail::check(plsycl_device_has(object, static_cast<std::uint32_t>(what), &answer));
    return answer != 0;
  }
  bool has_extension(const std::string &name) const {
    for (const std::string &extension : get_info<info::device::extensions>())
      if (extension == name)
        return true;
    return false;
  }

  platform get_platform() const {
    plsycl_platform owner = nullptr;
    detail::check(plsycl_device_platform(object, &owner));
    return platform(owner);
  }
  backend get_backend() const noexcept { return get_platform().get_backend(); }

  template <typename Param> typename Param::return_type get_info() const;
  /// What only one backend answers.
  template <typename Param> typename Param::return_type get_backend_info() const {
    return get_info<Param>();
  }

  /// Parts of the device: the runtime divides none, so this throws.
  template <info::partition_property Property>
  std::vector<device> create_sub_devices(std::size_t) const {
    static_assert(Property == info::partition_property::partition_equally);
    refuse_partition();
  }
  template <info::partition_property Property>
  std::vector<device> create_sub_devices(const std::vector<std::size_t> &) const {
    static_assert(Property == info::partition_property::partition_by_counts);
    refuse_partition();
  }
  template <info::partition_property Property>
  std::vector<device> create_sub_devices(info::partition_affinity_domain) const {
    static_assert(Property == info::partition_property::partition_by_affinity_domain);
    refuse_partition();
  }

  /// For the implementation.
  plsycl_device get() const { return object; }
  const void *identity() const { return object; }

private:
  [[noreturn]] static void refuse_partition() {
    detail::fail(errc::feature_not_supported, "the device cannot be divided into sub-devices");
  }
  std::string ask_text(std::uint32_t code) const {
    return detail::query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_device_query(object, code, bytes, capacity, size);
    });
  }
  std::vector<std::uint64_t> ask_numbers(std::uint32_t code) const {
    return detail::query_numbers([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_device_query(object, code, bytes, capacity, size);
    });
  }

  plsycl_device object;
};

namespace detail {

inline std::vector<std::string> split_words(const std::string &text) {
  std::vector<std::string> words;
  std::size_t end = 0;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string::npos;
       begin = text.find_first_not_of(' ', end)) {
    end = text.find(' ', begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      break;
  }
  return words;
}

template <typename Param, typename = void> struct asks_aspect : std::false_type {};
template <typename Param>
struct asks_aspect<Param, std::void_t<decltype(Param::asked)>> : std::true_type {};
template <typename Param, typename = void> struct is_answered : std::false_type {};
template <typename Param>
struct is_answered<Param, std::void_t<decltype(Param::code)>> : std::true_type {};

template <typename Type> struct is_vector : std::false_type {};
template <typename Type> struct is_vector<std::vector<Type>> : std::true_type {};

/// The values whose bits are set in `mask`.
template <typename Type> std::vector<Type> from_bits(std::uint64_t mask) {
  std::vector<Type> values;
  for (int bit = 0; bit < 64; ++bit)
    if (mask >> bit & 1)
      values.push_back(static_cast<Type>(bit));
  return values;
}

/// What info::device answers, from the runtime's numbers.
template <typename Param> typename Param::return_type from_numbers(std::vector<std::uint64_t> raw) {
  using Type = typename Param::return_type;
  if constexpr (std::is_same_v<Type, std::vector<std::size_t>>) {
    return Type(raw.begin(), raw.end());
  } else {
    if (raw.size() <= Param::place)
      fail(errc::runtime, "the device does not answer this question");
    if constexpr (is_vector<Type>::value) {
      return from_bits<typename Type::value_type>(raw[0]);
    } else if constexpr (std::is_enum_v<Type> || std::is_arithmetic_v<Type>) {
      return static_cast<Type>(raw[Param::place]);
    } else {
      Type sizes;
      for (int i = 0; i < Type::dimensions; ++i)
        sizes[i] = raw[Type::dimensions - 1 - i];
      return sizes;
    }
  }
}

} // namespace detail

template <typename Param> typename Param::return_type device::get_info() const {
  using Type = typename Param::return_type;
  if constexpr (std::is_same_v<Param, info::device::platform>) {
    return get_platform();
  } else if constexpr (std::is_same_v<Param, info::device::max_work_item_dimensions>) {
    return 3;
  } else if constexpr (std::is_same_v<Param, info::device::aspects>) {
    Type all;
    // Features, and architectures.
    for (int first : {0, 1000})
      for (int value = first; value < first + 128; ++value)
        if (has(static_cast<aspect>(value)))
          all.push_back(static_cast<aspect>(value));
    return all;
  } else if constexpr (detail::asks_aspect<Param>::value) {
    return has(Param::asked);
  } else if constexpr (std::is_same_v<Param, info::device::parent_device>) {
    detail::fail(errc::invalid, "the device is no part of another");
  } else if constexpr (std::is_same_v<Param, info::device::reference_count>) {
    return 1;
  } else if constexpr (!detail::is_answered<Param>::value) {
    return {}; // There are no built-in kernels and no sub-devices.
  } else if constexpr (std::is_same_v<Type, std::string>) {
    return ask_text(Param::code);
  } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
    return detail::split_words(ask_text(Param::code));
  } else {
    return detail::from_numbers<Param>(ask_numbers(Param::code));
  }
}

inline std::vector<device> platform::get_devices(info::device_type type) const {
  std::size_t count = 0;
  detail::check(plsycl_device_count(object, &count));
  std::vector<device> all;
  for (std::size_t i = 0; i < count; ++i) {
    plsycl_device raw = nullptr;
    detail::check(plsycl_device_get(object, i, &raw));
    device found(raw);
    // Which devices a platform chooses by itself is for the implementation to say: here, any of
    // them.
    const bool any = type == info::device_type::all || type == info::device_type::automatic;
    if (any || found.get_info<info::device::device_type>() == type)
      all.push_back(found);
  }
  return all;
}

inline bool platform::has(aspect what) const {
  for (const device &each : get_devices())
    if (!each.has(what))
      return false;
  return true;
}

} // namespace sycl

namespace std {
template <> struct hash<sycl::platform> : sycl::detail::hash_by_identity {};
template <> struct hash<sycl::device> : sycl::detail::hash_by_identity {};
} // namespace std

#include <sycl/device_selector.hpp>
