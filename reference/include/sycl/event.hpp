//===- event.hpp - a command that was submitted ----------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/queue_state.hpp>
#include <sycl/info.hpp>

#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {
/// The run of a graph (sycl_ext_oneapi_graph), whose events tell the times of all of its commands.
struct graph_run {
  /// Whether the graph was finalized for that.
  bool is_measured;
  /// No events, which keep their queue: that keeps its last run.
  std::vector<event_handle> commands;
};
} // namespace detail

namespace detail {
/// Where an event's command is, and what it came after; a template as `PLSYCL_LATE` says.
template <typename Event> class event_origins {
public:
  /// One that was made of nothing is as of a queue that was; where no queue can be, OpenCL's.
  backend get_backend() const noexcept {
    const auto &self = static_cast<const Event &>(*this);
    if (self.queue)
      return self.queue->device.get_backend();
    try {
      return device().get_backend();
    } catch (const exception &) {
      return backend::opencl;
    }
  }
  /// What the command was told to come after, and what it comes after for its accessors, host
  /// accessors among them; of those, some that have ended and commands of other contexts are left
  /// out.
  std::vector<Event> get_wait_list() const {
    const auto &self = static_cast<const Event &>(*this);
    std::vector<Event> all = self.waits_for ? *self.waits_for : std::vector<Event>();
    const std::size_t told = all.size();
    plsycl_event before = nullptr;
    for (std::size_t i = 0; self.owned.get(); ++i) {
      check(plsycl_event_follows(self.owned.get(), i, &before));
      if (!before)
        break;
      Event each(before, self.queue);
      if (self.queue)
        each.run = self.queue->run_of(each.identity()).template as<graph_run>();
      if (std::find(all.begin(), all.begin() + told, each) == all.begin() + told)
        all.push_back(std::move(each));
    }
    return all;
  }
};
} // namespace detail

/// A command's progress. One made by its default constructor is complete.
class _V1::event : public detail::by_identity<event>, public detail::event_origins<event> {
public:
  event() : nothing(detail::shared<char>::make()) {}
  /// For the implementation.
  event(plsycl_event object, detail::shared<detail::queue_state> queue)
      : owned(object), queue(std::move(queue)) {}
  /// For the implementation.
  event(plsycl_event object, detail::shared<detail::queue_state> queue, std::vector<event> after)
      : event(object, std::move(queue)) {
    // Not what those waited for: a chain of commands would keep all that were before it.
    if (after.empty())
      return;
    waits_for = detail::shared<std::vector<event>>::make(std::move(after));
    for (event &each : *waits_for)
      each.waits_for = nullptr;
  }

  /// For the implementation: a command that a graph holds.
  PLSYCL_LATE static event of_node(detail::shared<const void> node) {
    event recorded;
    recorded.node = std::move(node);
    return recorded;
  }

  /// For the implementation: the command ends the run of a graph.
  PLSYCL_LATE void set_run(detail::shared<detail::graph_run> ended) {
    run = std::move(ended);
    queue->keep_run(identity(), run);
  }

  void wait() {
    require_running();
    if (owned.get())
      detail::check(plsycl_event_wait(owned.get()));
  }
  PLSYCL_LATE static void wait(const std::vector<event> &events) {
    for (event each : events)
      each.wait();
  }
  /// Also hands the asynchronous failures of the contexts of this command, and of those that it was
  /// told to come after, to their handlers; of other queues than theirs, to those that there are.
  PLSYCL_LATE void wait_and_throw() {
    wait();
    std::vector<context> contexts;
    const auto add = [&](const event &waited) {
      if (!waited.queue)
        return;
      waited.queue->throw_asynchronous();
      if (std::find(contexts.begin(), contexts.end(), waited.queue->context) == contexts.end())
        contexts.push_back(waited.queue->context);
    };
    add(*this);
    for (const event &each : get_wait_list())
      add(each);
    for (const context &each : contexts)
      for (const auto &of : each.get_queues().living())
        if (of->has_handler())
          of->throw_asynchronous();
  }
  PLSYCL_LATE static void wait_and_throw(const std::vector<event> &events) {
    for (event each : events)
      each.wait_and_throw();
  }

  template <typename Param> detail::answer_about<Param, event> get_info() const {
    if constexpr (std::is_same_v<Param, info::event::reference_count>)
      return 1;
    require_running();
    std::uint32_t state = PLSYCL_EVENT_COMPLETE;
    if (owned.get())
      detail::check(plsycl_event_state(owned.get(), &state));
    return static_cast<typename Param::return_type>(state);
  }

  /// errc::backend_mismatch for an event of no command, which no backend knows.
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const {
    if (!queue)
      detail::fail(errc::backend_mismatch, "an event of no command is of no backend");
    return detail::backend_info<Param>(queue->device);
  }

  /// Nanoseconds of the device's clock when the command is complete; the queue must have
  /// `enable_profiling`.
  template <typename Param>
  detail::answer_about<Param, detail::profiled_command> get_profiling_info() const {
    if (!owned.get())
      detail::fail(errc::invalid, "an event of no command has no profiling information");
    if (run && (!run->is_measured || !run->commands.empty()))
      return run_time<Param>();
    return time_of<Param>(owned);
  }

  /// The last command of a queue; complete where there is none. For the implementation.
  PLSYCL_LATE static event last_of(const detail::shared<detail::queue_state> &queue) {
    plsycl_event object = nullptr;
    detail::check(plsycl_queue_last(queue->owned.get(), &object));
    event last = object ? event(object, queue) : event();
    last.queue = queue;
    last.run = queue->run_of(last.identity()).template as<detail::graph_run>();
    return last;
  }

  /// For the implementation.
  plsycl_event get() const { return owned.get(); }
  const detail::event_handle &get_handle() const { return owned; }
  const detail::shared<const void> &get_node() const { return node; }
  const void *identity() const {
    if (node)
      return node.get();
    return owned.get() ? plsycl_event_identity(owned.get()) : nothing.get();
  }

  /// What finds the event while it lives.
  template <typename Self = event> auto watch() const {
    const Self &self = *this;
    // It may keep the event for its next command.
    if (self.queue)
      detail::check(plsycl_queue_let_go(self.queue->owned.get()));
    return [known = detail::weak_event_handle(self.owned.get()),
            queue = detail::watched(self.queue), waits_for = detail::watched(self.waits_for),
            run = detail::watched(self.run), node = detail::watched(self.node),
            nothing = detail::watched(self.nothing)]() -> std::optional<Self> {
      Self found{detail::event_handle(known.lock())};
      found.queue = queue.lock();
      found.waits_for = waits_for.lock();
      found.run = run.lock();
      found.node = node.lock();
      found.nothing = nothing.lock();
      if (!found.identity())
        return std::nullopt;
      return found;
    };
  }

private:
  friend class detail::event_origins<event>;

  explicit event(detail::event_handle owned) : owned(std::move(owned)) {}

  void require_running() const {
    if (node)
      detail::fail(errc::invalid, "a command that was recorded in a graph does not run by itself");
  }
  template <typename Param> static std::uint64_t time_of(const detail::event_handle &command) {
    std::uint64_t nanoseconds = 0;
    detail::check(plsycl_event_profiling(command.get(), Param::code, &nanoseconds));
    return nanoseconds;
  }
  /// When the first command of a graph was submitted or began, or the last one ended.
  template <typename Param> std::uint64_t run_time() const {
    if (!run->is_measured)
      detail::fail(errc::invalid, "the graph was finalized without property::enable_profiling");
    std::uint64_t found = 0;
    bool is_first = true;
    for (const detail::event_handle &each : run->commands) {
      const std::uint64_t time = time_of<Param>(each);
      const bool is_end = std::is_same_v<Param, info::event_profiling::command_end>;
      if (is_first || (is_end ? time > found : time < found))
        found = time;
      is_first = false;
    }
    return found;
  }

  detail::event_handle owned;
  detail::shared<detail::queue_state> queue;
  detail::shared<std::vector<event>> waits_for;
  detail::shared<detail::graph_run> run;
  detail::shared<const void> node;
  /// What copies of an event without a command have in common, and nobody else.
  detail::shared<const char> nothing;
};

} // namespace sycl

namespace std {
template <> struct hash<sycl::event> : sycl::detail::hash_by_identity {};
} // namespace std
