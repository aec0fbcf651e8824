//===- device.hpp - platforms, devices and how to choose among them --------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/handle.hpp>
#include <sycl/info.hpp>

#include <algorithm>
#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi {
/// What devices can do in one another's memory.
enum class peer_access { access_supported, atomics_supported };
namespace experimental {
enum class architecture : std::uint64_t;
enum class arch_category;
enum class source_language;
struct cl_version;
} // namespace experimental
} // namespace ext::oneapi

class device_selector;
int default_selector_v(const device &candidate);

namespace detail {

void take_rating(int);
/// Whether a type rates devices: what std::is_invocable_r says, by fewer templates for what is no
/// pointer to a member. One of SYCL 1.2.1's may have its call for itself: it is their base that is
/// called.
template <typename Type, typename = void>
inline constexpr bool is_selector =
    std::conditional_t<std::is_member_pointer_v<Type>,
                       std::is_invocable_r<int, const Type &, const device &>,
                       std::is_convertible<const Type *, const device_selector *>>::value;
template <typename Type>
inline constexpr bool is_selector<Type, decltype(take_rating(std::declval<Type &>()(
                                            std::declval<const device &>())))> = true;
template <typename Type> using if_selector = std::enable_if_t<is_selector<Type>, int>;

PLSYCL_LATE std::vector<std::string> split_words(const std::string &text);
/// The greatest non-negative rating wins; null where all are negative.
template <typename Selector>
const device *best_of(const std::vector<device> &all, const Selector &rating);

/// Platforms, and the devices of one; a template as `PLSYCL_LATE` says.
template <typename Platform, typename Device> class platform_devices {
public:
  static std::vector<Platform> get_platforms() {
    std::size_t count = 0;
    check(plsycl_platform_count(&count));
    std::vector<Platform> all;
    for (std::size_t i = 0; i < count; ++i) {
      plsycl_platform found = nullptr;
      check(plsycl_platform_get(i, &found));
      all.emplace_back(found);
    }
    return all;
  }

  std::vector<Device> get_devices(info::device_type type = info::device_type::all) const;

  /// Whether all devices of the platform have the aspect.
  bool has(aspect what) const {
    return every([&](const Device &each) { return each.has(what); });
  }
  /// Whether all devices of the platform have the extension.
  bool has_extension(const std::string &name) const {
    return every([&](const Device &each) { return each.has_extension(name); });
  }

private:
  template <typename Question> bool every(const Question &question) const {
    const std::vector<Device> all = get_devices();
    return std::all_of(all.begin(), all.end(), question);
  }
};

/// All devices, and the extensions of one; a template as `PLSYCL_LATE` says.
template <typename Device> class device_extensions {
public:
  static std::vector<Device> get_devices(info::device_type type = info::device_type::all) {
    std::vector<Device> all;
    for (const auto &owner : platform_devices<platform, Device>::get_platforms())
      for (const Device &found : owner.get_devices(type))
        all.push_back(found);
    return all;
  }

  bool has_extension(const std::string &name) const {
    const std::vector<std::string> all =
        static_cast<const Device &>(*this).template get_info<info::device::extensions>();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
};

} // namespace detail

/// The devices that one driver serves.
class _V1::platform : public detail::by_identity<platform>,
                      public detail::platform_devices<platform, device> {
public:
  /// The platform of the default device.
  PLSYCL_LATE platform();
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit platform(const Selector &selector);
  /// For the implementation.
  explicit platform(plsycl_platform object) : object(object) {}

  template <typename Param> detail::answer_about<Param, platform> get_info() const {
    // Only OpenCL knows parts of itself; a device of another interface does all.
    if constexpr (std::is_same_v<Param, info::platform::profile>)
      return get_backend() == backend::opencl ? of_first_device<info::device::profile>()
                                              : "FULL_PROFILE";
    else if constexpr (std::is_same_v<typename Param::return_type, std::string>)
      return ask(Param::code);
    else
      return detail::split_words(ask(Param::code));
  }

  /// The device of that number among the platform's; errc::invalid where there are not so many
  /// (sycl_ext_oneapi_platform_device_index).
  PLSYCL_LATE device ext_oneapi_device_at_index(std::size_t index) const;
  /// The platform's devices that are several (sycl_ext_oneapi_composite_device).
  PLSYCL_LATE std::vector<device> ext_oneapi_get_composite_devices() const;

  /// What only one backend answers.
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const;

  backend get_backend() const noexcept {
    std::uint64_t value = PLSYCL_BACKEND_OPENCL;
    std::size_t size = 0;
    plsycl_platform_query(object, PLSYCL_PLATFORM_BACKEND, &value, sizeof(value), &size);
    return static_cast<backend>(value);
  }

  /// The context that queues of the platform's devices share when they are made without one.
  PLSYCL_LATE context ext_oneapi_get_default_context() const;
  PLSYCL_LATE context khr_get_default_context() const;

  /// For the implementation.
  plsycl_platform get() const { return object; }
  const void *identity() const { return object; }
  /// What finds the platform: it lives as long as the program.
  template <typename Self = platform> auto watch() const {
    return [own = Self(*this)]() -> std::optional<Self> { return own; };
  }

private:
  template <typename Param> typename Param::return_type of_first_device() const;
  PLSYCL_LATE std::string ask(std::uint32_t code) const {
    return detail::query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_platform_query(object, code, bytes, capacity, size);
    });
  }

  plsycl_platform object;
};

/// A device that kernels run on.
class _V1::device : public detail::by_identity<device>, public detail::device_extensions<device> {
public:
  /// The default device: the best of all.
  PLSYCL_LATE device();
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit device(const Selector &selector);
  /// For the implementation.
  explicit device(plsycl_device object) : object(object) {}

  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }

  bool has(aspect what) const {
    if (what == aspect::ext_oneapi_limited_graph || what == aspect::ext_oneapi_graph)
      return true; // Graphs are kept by the host.
    std::int32_t answer = 0;
    detail::check(plsycl_device_has(object, static_cast<std::uint32_t>(what), &answer));
    return answer != 0;
  }
  /// The device's number among those of its platform (sycl_ext_oneapi_platform_device_index);
  /// errc::invalid for a part of a device.
  PLSYCL_LATE std::size_t ext_oneapi_index_within_platform() const {
    const auto all = get_platform().get_devices();
    const auto found = std::find(all.begin(), all.end(), *this);
    if (found == all.end())
      detail::fail(errc::invalid, "a part of a device has no number in its platform");
    return static_cast<std::size_t>(found - all.begin());
  }

  /// What a device of OpenCL says of its profile; none of another backend has one.
  PLSYCL_LATE std::string ext_oneapi_cl_profile() const {
    return get_backend() == backend::opencl ? get_info<info::device::profile>() : std::string();
  }

  /// Whether kernels for it can be built from sources in the language
  /// (sycl_ext_oneapi_kernel_compiler; as all of these, of kernel_compiler.hpp).
  PLSYCL_LATE bool ext_oneapi_can_build(ext::oneapi::experimental::source_language what) const;
  /// The same of bundles before they are linked.
  PLSYCL_LATE bool ext_oneapi_can_compile(ext::oneapi::experimental::source_language what) const;
  PLSYCL_LATE bool
  ext_oneapi_supports_cl_c_version(const ext::oneapi::experimental::cl_version &version) const;
  PLSYCL_LATE bool ext_oneapi_supports_cl_c_feature(const std::string &name) const;
  PLSYCL_LATE bool
  ext_oneapi_supports_cl_extension(const std::string &name,
                                   ext::oneapi::experimental::cl_version *version = nullptr) const;

  /// Whether kernels can use the other device's memory, once they may
  /// (sycl_ext_oneapi_peer_access).
  bool ext_oneapi_can_access_peer(
      const device &peer,
      ext::oneapi::peer_access value = ext::oneapi::peer_access::access_supported) const {
    std::uint32_t can = 0;
    detail::check(plsycl_device_peer(object, peer.object, &can));
    return (can >> static_cast<std::uint32_t>(value) & 1) != 0;
  }
  /// errc::feature_not_supported where they cannot; errc::invalid where they may already.
  void ext_oneapi_enable_peer_access(const device &peer) {
    detail::check(plsycl_device_reach_peer(object, peer.object, 1));
  }
  /// errc::invalid where they may not anyway.
  void ext_oneapi_disable_peer_access(const device &peer) {
    detail::check(plsycl_device_reach_peer(object, peer.object, 0));
  }

  /// Whether the device is of that architecture, or of one of that maker's
  /// (sycl_ext_oneapi_device_architecture).
  PLSYCL_LATE bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture what) const;
  PLSYCL_LATE bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category what) const;

  platform get_platform() const {
    plsycl_platform owner = nullptr;
    detail::check(plsycl_device_platform(object, &owner));
    return platform(owner);
  }
  backend get_backend() const noexcept { return get_platform().get_backend(); }

  template <typename Param> detail::answer_about<Param, device> get_info() const;
  /// What only one backend answers.
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const;

  /// Parts of the device, with as many compute units each.
  template <info::partition_property Property,
            std::enable_if_t<Property == info::partition_property::partition_equally, int> = 0>
  std::vector<device> create_sub_devices(std::size_t units) const {
    return divided(Property, {units});
  }
  /// A part for each number of compute units that is not 0.
  template <info::partition_property Property,
            std::enable_if_t<Property == info::partition_property::partition_by_counts, int> = 0>
  std::vector<device> create_sub_devices(const std::vector<std::size_t> &counts) const {
    return divided(Property, {counts.begin(), counts.end()});
  }
  /// Parts whose compute units share what the domain says.
  template <
      info::partition_property Property,
      std::enable_if_t<Property == info::partition_property::partition_by_affinity_domain, int> = 0>
  std::vector<device> create_sub_devices(info::partition_affinity_domain domain) const {
    return divided(Property, {static_cast<std::uint64_t>(domain)});
  }
  /// A part for each compute slice of a GPU of Intel's.
  template <info::partition_property Property,
            std::enable_if_t<Property == info::partition_property::ext_intel_partition_by_cslice,
                             int> = 0>
  std::vector<device> create_sub_devices() const {
    detail::fail(errc::feature_not_supported, "no device is divided into compute slices");
  }

  /// For the implementation.
  plsycl_device get() const { return object; }
  const void *identity() const { return object; }
  /// What finds the device: it lives as long as the program.
  template <typename Self = device> auto watch() const {
    return [own = Self(*this)]() -> std::optional<Self> { return own; };
  }

private:
  PLSYCL_LATE std::vector<device> divided(info::partition_property how,
                                          const std::vector<std::uint64_t> &values) const {
    const auto raw = detail::query_handles<plsycl_device>(
        [&](plsycl_device *parts, std::size_t capacity, std::size_t *count) {
          return plsycl_device_divide(object, static_cast<std::uint32_t>(how), values.data(),
                                      values.size(), parts, capacity, count);
        });
    return std::vector<device>(raw.begin(), raw.end());
  }
  /// What it is a part of, null for one that is whole, and how that was divided.
  struct parent {
    plsycl_device whole;
    info::partition_property how;
  };
  parent ask_parent() const {
    plsycl_device whole = nullptr;
    std::uint32_t how = 0;
    detail::check(plsycl_device_parent(object, &whole, &how));
    return {whole, static_cast<info::partition_property>(how)};
  }
  PLSYCL_LATE std::string ask_text(std::uint32_t code) const {
    return detail::query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_device_query(object, code, bytes, capacity, size);
    });
  }
  PLSYCL_LATE std::vector<std::uint64_t> ask_numbers(std::uint32_t code) const {
    return detail::query_numbers([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_device_query(object, code, bytes, capacity, size);
    });
  }

  plsycl_device object;
};

namespace detail {

template <typename> std::vector<std::string> split_words(const std::string &text) {
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
template <typename Param, typename = void> struct needs_aspect : std::false_type {};
template <typename Param>
struct needs_aspect<Param, std::void_t<decltype(Param::needed)>> : std::true_type {};
/// Whether a question answers itself, from what the device answers to others.
template <typename Param, typename = void> struct answers_itself : std::false_type {};
template <typename Param>
struct answers_itself<Param, std::void_t<decltype(Param::answer(std::declval<const device &>()))>>
    : std::true_type {};
template <typename Param, typename = void> struct is_answered : std::false_type {};
template <typename Param>
struct is_answered<Param, std::void_t<decltype(Param::code)>> : std::true_type {};

template <typename Type> struct is_vector : std::false_type {};
template <typename Type> struct is_vector<std::vector<Type>> : std::true_type {};

/// Whether only devices of OpenCL answer; deprecated.
template <typename Param>
inline constexpr bool is_of_opencl =
    std::is_same_v<Param, info::device::profile> ||
    std::is_same_v<Param, info::device::opencl_c_version> ||
    std::is_same_v<Param, info::device::execution_capabilities> ||
    std::is_same_v<Param, info::device::preferred_interop_user_sync>;

/// What a backend answers of objects of any class: what it says of the device that is theirs, or of
/// its platform.
template <typename Param> typename Param::return_type backend_info(const device &of) {
  if constexpr (std::is_same_v<typename subject_of<Param>::type, platform>)
    return of.get_platform().get_info<Param>();
  else
    return of.get_info<Param>();
}

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
    if constexpr (std::is_same_v<Type, uuid_type>) {
      uuid_type bytes = {};
      std::copy_n(raw.begin(), std::min(raw.size(), bytes.size()), bytes.begin());
      return bytes;
    } else if constexpr (is_vector<Type>::value) {
      return from_bits<typename Type::value_type>(raw[Param::place]);
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

template <typename Param> detail::answer_of_backend<Param> platform::get_backend_info() const {
  return detail::backend_info<Param>(get_devices().front());
}
template <typename Param> detail::answer_of_backend<Param> device::get_backend_info() const {
  return detail::backend_info<Param>(*this);
}

template <typename Param> detail::answer_about<Param, device> device::get_info() const {
  using Type = typename Param::return_type;
  if constexpr (detail::is_of_opencl<Param>)
    if (get_backend() != backend::opencl)
      detail::fail(errc::invalid, "only devices of OpenCL answer this question");
  if constexpr (detail::needs_aspect<Param>::value)
    if (!has(Param::needed))
      detail::fail(errc::feature_not_supported, "the device does not answer this question");
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
  } else if constexpr (detail::answers_itself<Param>::value) {
    return Param::answer(*this);
  } else if constexpr (std::is_same_v<Param, info::device::parent_device>) {
    const plsycl_device whole = ask_parent().whole;
    if (!whole)
      detail::fail(errc::invalid, "the device is no part of another");
    return device(whole);
  } else if constexpr (std::is_same_v<Param, info::device::partition_type_property>) {
    return ask_parent().how;
  } else if constexpr (std::is_same_v<Param, info::device::reference_count>) {
    return 1;
  } else if constexpr (!detail::is_answered<Param>::value) {
    return {}; // There are no built-in kernels.
  } else if constexpr (std::is_same_v<Type, std::string>) {
    return ask_text(Param::code);
  } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
    return detail::split_words(ask_text(Param::code));
  } else {
    return detail::from_numbers<Param>(ask_numbers(Param::code));
  }
}

template <typename Platform, typename Device>
std::vector<Device>
detail::platform_devices<Platform, Device>::get_devices(info::device_type type) const {
  const plsycl_platform object = static_cast<const Platform &>(*this).get();
  std::size_t count = 0;
  check(plsycl_device_count(object, &count));
  std::vector<Device> all;
  for (std::size_t i = 0; i < count; ++i) {
    plsycl_device raw = nullptr;
    check(plsycl_device_get(object, i, &raw));
    Device found(raw);
    const bool any = type == info::device_type::all || type == info::device_type::automatic;
    if (any || found.template get_info<info::device::device_type>() == type)
      all.push_back(found);
  }
  // The one that a program gets of the platform when it asks for none.
  if (type == info::device_type::automatic && all.size() > 1)
    return {*best_of(all, default_selector_v)};
  return all;
}

template <typename> device platform::ext_oneapi_device_at_index(std::size_t index) const {
  const std::vector<device> all = get_devices();
  if (index >= all.size())
    detail::fail(errc::invalid, "the platform has no device of that number");
  return all[index];
}
template <typename Param> typename Param::return_type platform::of_first_device() const {
  return ext_oneapi_device_at_index(0).template get_info<Param>();
}

// No driver is asked for such devices.
template <typename> std::vector<device> platform::ext_oneapi_get_composite_devices() const {
  return {};
}

} // namespace sycl

namespace std {
template <> struct hash<sycl::platform> : sycl::detail::hash_by_identity {};
template <> struct hash<sycl::device> : sycl::detail::hash_by_identity {};
} // namespace std

#include <sycl/device_selector.hpp>
