//===- kernel_start.hpp - what a functor is started as, and what each start says -------------===//
#pragma once

#include <sycl/detail/box.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/host_kernel.hpp>
#include <sycl/detail/kernel.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_handler.hpp>

#include <algorithm>
#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl::detail {

/// A kernel functor as it is launched: with room for emulated specialization constants when it
/// takes a kernel_handler after its `Arguments`.
template <typename Functor, typename... Arguments> auto launchable(const Functor &functor) {
  if constexpr (std::is_invocable_v<const Functor &, const Arguments..., kernel_handler>)
    return handled_functor<Functor>{functor, nullptr};
  else
    return functor;
}

/// Refuses a space of which the kernel was promised that its numbers fit in int
/// (-fsycl-id-queries-fit-in-int), and do not.
template <int Dimensions>
void check_fits_in_int(const range<Dimensions> &global, const range<Dimensions> &local,
                       const id<Dimensions> &offset) {
  constexpr std::size_t most = most_numbers;
  bool fits = true;
  std::size_t all = 1;
  for (int i = 0; i < Dimensions; ++i) {
    fits = fits && local[i] <= most_in_group;
    fits = fits && offset[i] <= most && global[i] <= most - offset[i];
    fits = fits && (global[i] == 0 || all <= most / global[i]);
    all *= global[i];
  }
  if (!fits)
    fail(errc::nd_range, "the space does not fit in int, as the program was compiled with "
                         "-fsycl-id-queries-fit-in-int");
}

/// Refuses work-groups that do not divide the space. One of nothing has none.
template <int Dimensions> void check_groups(const nd_range<Dimensions> &space) {
  if (space.get_global_range().size() == 0)
    return;
  for (int i = 0; i < Dimensions; ++i) {
    std::size_t local = space.get_local_range()[i];
    if (local == 0)
      fail(errc::nd_range, "a work-group size must not be zero");
    if (space.get_global_range()[i] % local != 0)
      fail(errc::nd_range, "the global size " + std::to_string(space.get_global_range()[i]) +
                               " is no multiple of the work-group size " + std::to_string(local) +
                               " in dimension " + std::to_string(i));
  }
}

#ifndef __SYCL_DEVICE_ONLY__
/// A function in the binary that starts the kernel; nobody calls it.
template <typename Name, typename Launched> void origin() {}

/// Describes the start of a kernel, of which all was 0. `local` of zeros leaves the work-group size
/// to the device.
template <typename Name, typename Launched, int Dimensions>
void describe_start(plsycl_launch &start, const Launched &functor, range<Dimensions> global,
                    id<Dimensions> offset, range<Dimensions> local) {
  static_assert(std::is_trivially_copyable_v<Launched> || !std::is_polymorphic_v<Launched>,
                "a kernel's functor reaches the device as bytes");
  if constexpr (ids_fit_in_int)
    check_fits_in_int(global, local, offset);
  start.name = entry_point<Name, Launched>();
  start.origin = reinterpret_cast<const void *>(&origin<Name, Launched>);
  start.functor = std::addressof(functor);
  start.functor_size = sizeof(functor);
  start.dimensions = Dimensions;
  copy_numbers(global, start.global, 1);
  copy_numbers(local, start.local, local.size() ? 1 : 0);
  copy_numbers(offset, start.offset, 0);
  start.spec_constant_pointer = UINT64_MAX;
  if constexpr (is_handled<Launched>::value)
    start.spec_constant_pointer =
        static_cast<std::uint64_t>(reinterpret_cast<const char *>(&functor.constants) -
                                   reinterpret_cast<const char *>(std::addressof(functor)));
}
#endif

/// The forms in which a functor alone is started. A `Starter` has its device and `launch`, which
/// starts a functor under a name over a space.
template <typename Starter> class kernel_forms {
public:
  template <typename Name = unnamed, typename Functor> void single_task(const Functor &functor) {
    auto launched = launchable<Functor>(functor);
#ifdef __SYCL_DEVICE_ONLY__
    single_task_kernel<kernel_name<Name, Functor>, decltype(launched)>(launched);
#else
    check_demands<Functor>();
    starter().fix_space();
    starter().template launch<kernel_name<Name, Functor>>(launched, range<1>(1), id<1>(),
                                                          range<1>());
#endif
  }

  template <typename Name = unnamed, typename Functor>
  void parallel_for(range<1> size, const Functor &functor) {
    over_range<Name>(size, id<1>(), functor);
  }
  template <typename Name = unnamed, typename Functor>
  void parallel_for(range<2> size, const Functor &functor) {
    over_range<Name>(size, id<2>(), functor);
  }
  template <typename Name = unnamed, typename Functor>
  void parallel_for(range<3> size, const Functor &functor) {
    over_range<Name>(size, id<3>(), functor);
  }
  template <typename Name = unnamed, int Dimensions, typename Functor>
  void parallel_for(range<Dimensions> size, id<Dimensions> offset, const Functor &functor) {
    over_range<Name>(size, offset, functor);
  }
  template <typename Name = unnamed, int Dimensions, typename Functor>
  void parallel_for(nd_range<Dimensions> space, const Functor &functor) {
    if constexpr (brings_equipment<Functor>) {
      const auto brought = brought_by(functor);
      parallel_for<kernel_name<Name, Functor>>(
          space, equipped<std::decay_t<decltype(brought)>>::with(brought, functor, starter()));
    } else {
      over_groups<Name>(space, functor);
    }
  }

protected:
  /// The work-groups' size, which has to divide the space, or what the program leaves open.
  template <int Dimensions> range<Dimensions> local_range_of(const nd_range<Dimensions> &space) {
    range<Dimensions> chosen = space.get_local_range();
    if (chosen[0] == automatic_size) {
      std::size_t most = std::min<std::size_t>(
          256, starter().get_device().template get_info<info::device::max_work_group_size>());
      for (int i = Dimensions - 1; i >= 0; --i) {
        const std::size_t size = std::max<std::size_t>(space.get_global_range()[i], 1);
        chosen[i] = std::min(size, most);
        while (size % chosen[i] != 0)
          --chosen[i];
        most /= chosen[i];
      }
      return chosen;
    }
    check_groups(space);
    return chosen;
  }

private:
  template <typename Name, int Dimensions, typename Functor>
  void over_groups(const nd_range<Dimensions> &space, const Functor &functor) {
    auto launched = launchable<Functor, nd_item<Dimensions>>(functor);
    using KernelName = kernel_name<Name, Functor>;
#ifdef __SYCL_DEVICE_ONLY__
    nd_range_kernel<KernelName, decltype(launched), Dimensions>(launched);
    (void)space;
#else
    check_demands<Functor>();
    if constexpr (is_root_synced<Functor>)
      if (space.get_group_range().size() > 1)
        fail(errc::nd_range, "more work-groups than can wait for one another: one");
    starter().template launch<KernelName>(launched, space.get_global_range(), space.get_offset(),
                                          local_range_of(space));
#endif
  }

  template <typename Name, int Dimensions, typename Functor>
  void over_range(range<Dimensions> size, id<Dimensions> offset, const Functor &functor) {
    auto launched = launchable<Functor, item<Dimensions>>(functor);
    using KernelName = kernel_name<Name, Functor>;
#ifdef __SYCL_DEVICE_ONLY__
    range_kernel<KernelName, decltype(launched), Dimensions>(launched);
    (void)size, (void)offset;
#else
    check_demands<Functor>();
    starter().template launch<KernelName>(launched, size, offset, range<Dimensions>());
#endif
  }

  /// What the kernel's properties count on.
  template <typename Functor> void check_demands() {
    static_assert(!brings_equipment<Functor>,
                  "only kernels over an nd_range have memory of work-groups");
    if constexpr (has_demands<Functor>)
      device_demands<properties_of<Functor>>::check(starter().get_device());
  }

  Starter &starter() { return static_cast<Starter &>(*this); }
};

} // namespace sycl::detail
