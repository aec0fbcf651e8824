//===- direct_start.hpp - kernels without a command group ------------------------------------===//
#pragma once

#include <sycl/detail/kernel_start.hpp>
#include <sycl/handler.hpp>

#include <algorithm>
#include <optional>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl::detail {

/// Starts one kernel of which no more is to be said than what it comes after.
class direct_start : public kernel_forms<direct_start> {
public:
  /// `first` and the events behind it must outlive this.
  direct_start(const shared<queue_state> &queue, const event *first, std::size_t count)
      : queue(queue), first(first), count(count) {}

  /// The kernel's, once it was started. Made where it is wanted: an event has many members.
  event get_event() {
    if (recorded)
      return std::move(*recorded);
    return event(started, queue, std::move(after));
  }

private:
  friend kernel_forms<direct_start>;

  const device &get_device() const { return queue->device; }
  void fix_space() { is_space_fixed = true; }

#ifndef __SYCL_DEVICE_ONLY__
  template <typename Name, typename Launched, int Dimensions>
  void launch(const Launched &functor, range<Dimensions> global, id<Dimensions> offset,
              range<Dimensions> local) {
    if constexpr (is_root_synced<Launched>)
      fix_space();
    plsycl_launch start = {};
    describe_start<Name>(start, functor, global, offset, local);
    const auto is_recorded = [](const event &each) { return bool(each.get_node()); };
    if (queue->get_recorder() || std::any_of(first, first + count, is_recorded))
      record(start, command_group(queue), functor);
    else
      submit(start);
  }

  template <typename Launched>
  void record(const plsycl_launch &start, command_group group, const Launched &functor) {
    for (std::size_t i = 0; i < count; ++i)
      group.depend(first[i]);
    plsycl_launch &kept = group.get_launch() = start;
    kept.functor = std::addressof(group.keep_functor(functor));
    group.set_kernel();
    if (is_space_fixed)
      group.fix_space();
    recorded = group.submit();
  }

  PLSYCL_LATE void submit(const plsycl_launch &start) {
    few<plsycl_event, 4> handles;
    for (std::size_t i = 0; i < count; ++i) {
      if (!first[i].get())
        continue;
      after.push_back(first[i]);
      handles.push_back(first[i].get());
    }
    check(plsycl_start(queue->owned.get(), &start, handles.data(), handles.size(), &started));
  }
#endif

  const shared<queue_state> &queue;
  const event *first;
  std::size_t count;
  /// For a graph that records the kernel.
  bool is_space_fixed = false;
  std::optional<event> recorded;
  plsycl_event started = nullptr;
  /// What it was told to come after.
  std::vector<event> after;
};

} // namespace sycl::detail
