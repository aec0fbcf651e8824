//===- event.hpp - a command that was submitted ----------------------------------------------===//
#pragma once

#include <sycl/detail/queue_state.hpp>
#include <sycl/info.hpp>

namespace sycl {

/// A command's progress. One made by its default constructor is complete.
class event : public detail::by_identity<event> {
public:
  event() = default;
  /// For the implementation.
  event(plsycl_event object, std::shared_ptr<detail::queue_state> queue)
      : owned(object), queue(std::move(queue)) {}

  void wait() {
    if (owned.get())
      detail::check(plsycl_event_wait(owned.get()));
  }
  static void wait(const std::vector<event> &events) {
    for (event each : events)
      each.wait();
  }
  /// Also hands asynchronous failures of the queue to its handler.
  void wait_and_throw() {
    wait();
    if (queue)
      queue->throw_asynchronous();
  }
  static void wait_and_throw(const std::vector<event> &events) {
    for (event each : events)
      each.wait_and_throw();
  }

  template <typename Param> typename Param::return_type get_info() const {
    static_assert(std::is_same_v<Param, info::event::command_execution_status>);
    std::uint32_t state = PLSYCL_EVENT_COMPLETE;
    if (owned.get())
      detail::check(plsycl_event_state(owned.get(), &state));
    return static_cast<info::event_command_status>(state);
  }

  /// Nanoseconds of the device's clock when the command is complete; the queue must have
  /// `enable_profiling`.
  template <typename Param> typename Param::return_type get_profiling_info() const {
    if (!owned.get())
      detail::fail(errc::invalid, "an event of no command has no profiling information");
    std::uint64_t nanoseconds = 0;
    detail::check(plsycl_event_profiling(owned.get(), Param::code, &nanoseconds));
    return nanoseconds;
  }

  /// For the implementation.
  plsycl_event get() const { return owned.get(); }
  const void *identity() const { return owned.get(); }

private:
  detail::event_handle owned;
  std::shared_ptr<detail::queue_state> queue;
};

} // namespace sycl

namespace std {
template <> struct hash<sycl::event> : sycl::detail::hash_by_identity {};
} // namespace std
