//===- kernel.hpp - kernels as objects (SYCL 2020, "Defining and invoking kernels") ----------===//
#pragma once

#include <sycl/context.hpp>
#include <sycl/detail/bundle_contents.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/few.hpp>
#include <sycl/detail/function_kernel.hpp>
#include <sycl/detail/host_kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

PLSYCL_HOST_FILE

namespace sycl {

template <bundle_state State> class kernel_bundle;

/// A kernel of the program, whichever images hold it.
class kernel_id : public detail::by_identity<kernel_id> {
public:
  kernel_id() = delete;
  /// For the implementation: what the runtime gives for the kernel, and where it is a function.
  explicit kernel_id(const char *id, const detail::function_kernel *function = nullptr)
      : id(id), function(function) {}

  const char *get_name() const noexcept { return id; }

  /// For the implementation.
  /// What finds it: it lives as long as the program.
  template <typename Self = kernel_id> auto watch() const {
    return [own = Self(*this)]() -> std::optional<Self> { return own; };
  }
  const void *identity() const { return id; }
  const detail::function_kernel *get_function() const { return function; }

private:
  const char *id;
  const detail::function_kernel *function;
};

namespace detail {
/// Without those of kernels that start the same function another way (free_function_traits.hpp).
template <typename Identities> std::vector<kernel_id> to_kernel_ids(const Identities &ids) {
  std::vector<kernel_id> known;
  for (const char *id : ids)
    if (!std::strstr(id, "4sycl3ext6oneapi12experimental6detail11caller_with"))
      known.push_back(kernel_id(id));
  return known;
}
} // namespace detail

/// The identity of the kernel that `KernelName` names; errc::invalid when the program has none.
template <typename KernelName, typename Unit = detail::this_unit> kernel_id get_kernel_id() {
  const char *id = nullptr;
#ifndef __SYCL_DEVICE_ONLY__ // Only the host compilation knows the names that the program has.
  detail::check(plsycl_kernel_id(detail::entry_point_of<KernelName, Unit>(), &id));
#endif
  return kernel_id(id);
}

/// The identities of all kernels of the program.
inline std::vector<kernel_id> get_kernel_ids() {
  // Compilers instantiate it in every program: a list that is read quickly.
  detail::few<const char *, 64> ids;
  std::size_t count = 0;
  detail::check(plsycl_kernel_ids(nullptr, 0, &count));
  ids.resize(count);
  detail::check(plsycl_kernel_ids(ids.data(), ids.size(), &count));
  ids.resize(std::min(ids.size(), count));
  return detail::to_kernel_ids(ids);
}

namespace detail {
/// The bundle of a kernel; a template as `PLSYCL_LATE` says.
template <typename Kernel> class kernel_bundles {
public:
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;
};
} // namespace detail

/// A kernel of an executable bundle, or of the driver's own making (`make_kernel`).
class kernel : public detail::by_identity<kernel>, public detail::kernel_bundles<kernel> {
public:
  /// For the implementation.
  kernel(detail::shared<detail::bundle_contents> bundle, const kernel_id &id)
      : bundle(std::move(bundle)), id(id.get_name()), function(id.get_function()) {}
  PLSYCL_LATE kernel(detail::shared<detail::bundle_contents> bundle,
                     detail::foreign_kernel_handle made)
      : bundle(std::move(bundle)),
        foreign(detail::shared<detail::foreign_kernel_handle>::make(std::move(made))) {}

  backend get_backend() const noexcept { return get_context().get_backend(); }
  context get_context() const { return *bundle->owner; }

  template <typename Param> detail::answer_about<Param, kernel> get_info() const {
    if constexpr (std::is_same_v<Param, info::kernel::context>)
      return get_context();
    else if constexpr (std::is_same_v<Param, info::kernel::function_name>)
      return foreign ? text(PLSYCL_FOREIGN_KERNEL_NAME) : id;
    else if constexpr (std::is_same_v<Param, info::kernel::attributes>)
      // The front end gives those of SYCL to the device's compiler, not to programs.
      return foreign ? text(PLSYCL_FOREIGN_KERNEL_ATTRIBUTES) : std::string();
    else if constexpr (std::is_same_v<Param, info::kernel::reference_count>)
      return static_cast<std::uint32_t>(bundle.use_count());
    else if (function)
      return static_cast<std::uint32_t>(function->parameters);
    else if (!foreign)
      detail::fail(errc::invalid, "a kernel of SYCL has captures, which are no arguments");
    else
      return static_cast<std::uint32_t>(
          ask(bundle->owner->get_kept_devices().front(), PLSYCL_KERNEL_NUM_ARGUMENTS));
  }
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const {
    return get_context().get_backend_info<Param>();
  }
  template <typename Param>
  detail::answer_about<Param, detail::kernel_on_device> get_info(const device &target) const {
    if (!bundle->has_device(target))
      detail::fail(errc::invalid, "the kernel's bundle is for other devices");
    if constexpr (std::is_same_v<Param, info::kernel_device_specific::global_work_size>) {
      detail::fail(errc::invalid,
                   "only built-in kernels and those of custom devices have a greatest global size");
    } else if constexpr (std::is_same_v<Param,
                                        info::kernel_device_specific::compile_work_group_size>) {
      // Programs count dimensions from the one that varies slowest.
      return {ask(target, PLSYCL_KERNEL_COMPILE_GROUP_2),
              ask(target, PLSYCL_KERNEL_COMPILE_GROUP_1),
              ask(target, PLSYCL_KERNEL_COMPILE_GROUP_0)};
    } else {
      return static_cast<typename Param::return_type>(ask(target, Param::code));
    }
  }
  /// How many work-groups of a size can wait for one another (sycl_ext_oneapi_root_group): one,
  /// which every device runs whole, where the kernel can have work-groups of that size;
  /// errc::invalid for one of nothing.
  template <typename Param, typename Queue, int Dimensions>
  typename Param::of_work_groups
  ext_oneapi_get_info(const Queue &where, const range<Dimensions> &size, std::size_t = 0) const {
    return work_groups_at_once(where.get_device(), size.size());
  }
  /// The same for programs that give a number.
  template <typename Param, typename Queue>
  typename Param::of_work_groups ext_oneapi_get_info(const Queue &where, const range<1> &size,
                                                     std::size_t local_memory = 0) const {
    return ext_oneapi_get_info<Param, Queue, 1>(where, size, local_memory);
  }
  template <typename Param, typename Queue>
  typename Param::of_any_work_groups ext_oneapi_get_info(const Queue &) const {
    return 1;
  }
  /// The same of a queue or a device; properties and local memory of the command change nothing.
  template <typename Param, typename Where, int Dimensions, typename... Start>
  typename Param::of_commands ext_oneapi_get_info(const Where &where, const range<Dimensions> &size,
                                                  const Start &...) const {
    if constexpr (std::is_same_v<Where, device>)
      return work_groups_at_once(where, size.size());
    else
      return work_groups_at_once(where.get_device(), size.size());
  }
  template <typename Param, typename Where, typename... Start>
  typename Param::of_commands ext_oneapi_get_info(const Where &where, const range<1> &size,
                                                  const Start &...start) const {
    return ext_oneapi_get_info<Param, Where, 1>(where, size, start...);
  }
  /// SYCL 1.2.1's form, with a work-group size; deprecated.
  template <typename Param>
  detail::answer_about<Param, detail::kernel_on_device> get_info(const device &target,
                                                                 const range<3> &) const {
    return get_info<Param>(target);
  }

  /// For the implementation: of a kernel that is not the driver's own, its name.
  const char *get_name() const { return id; }
  plsycl_foreign_kernel get_foreign() const { return foreign ? foreign->get() : nullptr; }
  const detail::function_kernel *get_function() const { return function; }
  const detail::shared<detail::bundle_contents> &get_contents() const { return bundle; }
  /// What finds the kernel while its bundle lives.
  template <typename Self = kernel> auto watch() const {
    const Self &self = *this;
    return [known = detail::watched(self.bundle), id = id, function = function,
            is_foreign = foreign != nullptr,
            foreign = detail::watched(self.foreign)]() -> std::optional<Self> {
      Self found(known.lock(), kernel_id(id, function));
      found.foreign = foreign.lock();
      if (!found.bundle || (is_foreign && !found.foreign))
        return std::nullopt;
      return found;
    };
  }
  /// Copies are equal: they are of one bundle and one kernel.
  std::pair<const void *, const void *> identity() const {
    return {bundle.get(), foreign ? static_cast<const void *>(foreign.get()) : id};
  }

private:
  PLSYCL_LATE std::size_t work_groups_at_once(const device &target, std::size_t size) const {
    if (size == 0)
      detail::fail(errc::invalid, "a work-group has at least one work-item");
    return size <= get_info<info::kernel_device_specific::work_group_size>(target) ? 1 : 0;
  }
  PLSYCL_LATE std::uint64_t ask(const device &target, std::uint32_t what) const {
    std::uint64_t value = 0;
    if (foreign)
      detail::check(plsycl_foreign_kernel_query(foreign->get(), target.get(), what, &value));
    else
      detail::check(
          plsycl_kernel_query(bundle->owner->get(), target.get(), id, function, what, &value));
    return value;
  }
  PLSYCL_LATE std::string text(std::uint32_t what) const {
    return detail::query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_foreign_kernel_text(foreign->get(), what, bytes, capacity, size);
    });
  }

  detail::shared<detail::bundle_contents> bundle;
  const char *id = nullptr;
  /// Where the kernel is a function.
  const detail::function_kernel *function = nullptr;
  /// The driver's own, where it made the kernel.
  detail::shared<const detail::foreign_kernel_handle> foreign;
};

} // namespace sycl

namespace std {
template <> struct hash<sycl::kernel_id> : sycl::detail::hash_by_identity {};
template <> struct hash<sycl::kernel> {
  std::size_t operator()(const sycl::kernel &object) const {
    const auto [bundle, id] = object.identity();
    return std::hash<const void *>()(bundle) ^ (std::hash<const void *>()(id) << 1);
  }
};
} // namespace std
