//===- common.hpp - what the kinds of graphs share
//----------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/queue.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  native_command
};

namespace detail {

inline std::uint32_t kind_of(const sycl::detail::shared<sycl::detail::command_group> &command) {
  return command ? command->get_kind() : std::uint32_t(PLSYCL_COMMAND_NONE);
}

/// A command, and what updates changed of its start.
struct changed_command {
  sycl::detail::shared<sycl::detail::command_group> command;
  sycl::detail::changed_start changes;
};

/// Commands of which a node runs one at a time.
struct command_choice {
  std::vector<changed_command> all;
  std::size_t active = 0;
  /// What each of them comes after.
  std::vector<event> after;
};

/// A command of a graph; without one, a place that others come after.
struct graph_node : sycl::detail::recorded_command {
  changed_command own;
  std::vector<sycl::detail::shared<graph_node>> before;
  /// A barrier, whose place is kept here, so that it holds back nothing beside the graph.
  sycl::detail::shared<sycl::detail::command_group> barrier = nullptr;
  /// Where the command is one of several.
  sycl::detail::shared<command_choice> choice = nullptr;

  template <typename Node = graph_node> bool comes_after(const Node *other) const {
    std::vector<const Node *> open{this};
    std::unordered_map<const Node *, bool> seen;
    while (!open.empty()) {
      const Node *next = open.back();
      open.pop_back();
      for (const auto &each : next->before) {
        if (each.get() == other)
          return true;
        if (seen.emplace(each.get(), true).second)
          open.push_back(each.get());
      }
    }
    return false;
  }
  changed_command &current() { return choice ? choice->all[choice->active] : own; }
  /// How the command starts now: over its space and with what its parameters are.
  PLSYCL_LATE sycl::detail::changed_start current_changes() {
    const auto &[command, changes] = current();
    sycl::detail::changed_start now = changes;
    // Those of a graph within this one were told when it was recorded.
    if (now.values.empty() && command)
      for (const auto &[index, value] : command->get_varying())
        now.values.emplace_back(index, *value);
    return now;
  }
  node_type type() {
    const auto &command = current().command;
    if (barrier)
      return node_type::ext_oneapi_barrier;
    if (command && command->get_role() != sycl::detail::graph_role::of_kind)
      return type_of(command->get_role());
    switch (kind_of(command)) {
    case PLSYCL_COMMAND_KERNEL:
    case PLSYCL_COMMAND_FOREIGN_KERNEL:
      return node_type::kernel;
    case PLSYCL_COMMAND_COPY:
    case PLSYCL_COMMAND_BUFFER_COPY:
      return node_type::memcpy;
    case PLSYCL_COMMAND_FILL:
    case PLSYCL_COMMAND_BUFFER_FILL:
      return node_type::memfill;
    case PLSYCL_COMMAND_HOST_TASK:
    case PLSYCL_COMMAND_INTEROP_TASK:
      return node_type::host_task;
    default:
      return node_type::empty;
    }
  }

private:
  static node_type type_of(sycl::detail::graph_role role) {
    using sycl::detail::graph_role;
    switch (role) {
    case graph_role::memset:
      return node_type::memset;
    case graph_role::prefetch:
      return node_type::prefetch;
    case graph_role::memadvise:
      return node_type::memadvise;
    case graph_role::native_command:
      return node_type::native_command;
    case graph_role::subgraph:
      return node_type::subgraph;
    default:
      return node_type::empty;
    }
  }
};

/// What the copies of a modifiable graph share.
template <typename Node = graph_node> class basic_graph_contents : public sycl::detail::recorder {
public:
  using node_list = std::vector<sycl::detail::shared<Node>>;

  basic_graph_contents(const context &owner, const device &target, bool takes_buffers,
                       bool may_have_cycles)
      : owner(owner), target(target), takes_buffers(takes_buffers),
        may_have_cycles(may_have_cycles) {}

  /// Takes the queues' commands until recording ends; those of none where one is refused.
  void begin(const std::vector<sycl::detail::shared<sycl::detail::queue_state>> &all) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &each : all) {
      require_like(*each);
      if (each->get_recorder())
        sycl::detail::fail(errc::invalid, "the queue is recorded already");
    }
    for (const auto &each : all)
      begin_locked(each);
  }
  void follow(const sycl::detail::shared<sycl::detail::queue_state> &queue) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::none_of(queues.begin(), queues.end(), [&](const auto &each) { return takes(*each); }))
      sycl::detail::fail(errc::invalid,
                         "a command comes after one of a graph that records none any more");
    begin_locked(queue);
  }
  void end(sycl::detail::queue_state &queue) {
    std::lock_guard<std::mutex> lock(mutex);
    if (queue.get_recorder() && !takes(queue))
      sycl::detail::fail(errc::invalid, "another graph records the queue");
    queue.set_recorder(nullptr);
    queues.erase(std::remove_if(queues.begin(), queues.end(),
                                [&](const auto &each) { return each.get() == &queue; }),
                 queues.end());
  }
  void end_all() {
    decltype(queues) ended; // Outlives the lock, as queues end that nobody has any more.
    std::lock_guard<std::mutex> lock(mutex);
    ended.swap(queues);
    for (const auto &each : ended)
      if (takes(*each))
        each->set_recorder(nullptr);
  }

  sycl::detail::shared<const sycl::detail::recorded_command>
  record(const sycl::detail::shared<sycl::detail::command_group> &command,
         const std::vector<event> &after, const sycl::detail::queue_state &from,
         const sycl::detail::changed_start &changes) override {
    std::lock_guard<std::mutex> lock(mutex);
    node_list before;
    for (const event &each : after)
      before.push_back(own_node(each));
    recorded_queue &own = known[&from];
    if (from.properties.has_property<sycl::property::queue::in_order>()) {
      if (const auto last = own.last.lock())
        before.push_back(last);
    }
    if (const auto barrier = own.barrier.lock())
      before.push_back(barrier);
    const std::uint32_t kind = kind_of(command);
    const bool is_barrier = kind == PLSYCL_COMMAND_BARRIER || kind == PLSYCL_COMMAND_BARRIER_AFTER;
    if (kind == PLSYCL_COMMAND_BARRIER) {
      const node_list ends = leaves(own.since_barrier);
      before.insert(before.end(), ends.begin(), ends.end());
      own.since_barrier.clear();
    }
    auto added = add(is_barrier ? nullptr : command, std::move(before));
    added->own.changes = changes;
    own.last = added;
    if (is_barrier) {
      added->barrier = command;
      own.barrier = added;
    } else {
      own.since_barrier.push_back(added);
    }
    return added;
  }
  sycl::detail::shared<Node> add(sycl::detail::shared<sycl::detail::command_group> command,
                                 const node_list &before) {
    node_list once;
    for (const auto &each : before)
      if (std::find(once.begin(), once.end(), each) == once.end())
        once.push_back(each);
    const auto added =
        sycl::detail::shared<Node>::make(Node{{self}, {command, {}}, std::move(once)});
    nodes.push_back(added);
    if (command)
      follow_users(added, *command);
    return added;
  }
  /// A node that runs one of these commands.
  sycl::detail::shared<Node> add_choice(const sycl::detail::shared<command_choice> &choice,
                                        const node_list &before) {
    const auto added = add(nullptr, before);
    added->choice = choice;
    for (const changed_command &each : choice->all)
      follow_users(added, *each.command);
    return added;
  }
  void require_fit(const sycl::detail::command_group &command) const override {
    if (command.get_role() == sycl::detail::graph_role::not_in_graphs)
      sycl::detail::fail(
          errc::invalid,
          "graphs take no copies and fills of rows, and no copies of device globals");
    if (command.needs_buffers_of_program() && !takes_buffers)
      sycl::detail::fail(errc::invalid, "commands of a graph use buffers only with "
                                        "property::graph::assume_buffer_outlives_graph");
  }
  /// errc::invalid while queues are recorded.
  void require_no_recording() const {
    if (std::any_of(queues.begin(), queues.end(), [&](const auto &each) { return takes(*each); }))
      sycl::detail::fail(errc::invalid, "the graph records a queue");
  }
  /// The node of an event of a queue that was recorded.
  sycl::detail::shared<Node> own_node(const event &of) const {
    for (const auto &each : nodes)
      if (each == of.get_node())
        return each;
    sycl::detail::fail(errc::invalid, "a command of a graph comes after those of the graph alone");
  }
  bool has(const Node *node) const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const auto &each) { return each.get() == node; });
  }
  /// Those of the nodes that no other of them comes after.
  static node_list leaves(const node_list &among) {
    std::unordered_map<const Node *, bool> followed;
    for (const auto &each : among)
      for (const auto &other : each->before)
        followed[other.get()] = true;
    node_list found;
    for (const auto &each : among)
      if (!followed.count(each.get()))
        found.push_back(each);
    return found;
  }

  context owner;
  device target;
  /// Larger than those of all graphs before it.
  const std::size_t id = next_id();
  /// This.
  sycl::detail::watched<sycl::detail::recorder> self;
  std::mutex mutex;
  node_list nodes;
  const bool takes_buffers;
  const bool may_have_cycles;

private:
  /// What is known of a queue that is recorded, or was.
  struct recorded_queue {
    sycl::detail::watched<Node> last;
    sycl::detail::watched<Node> barrier;
    /// Its nodes since the last barrier without a list.
    node_list since_barrier;
  };

  /// The nodes that the next command for a buffer comes after: all that read it since it was
  /// written, or what wrote it.
  struct memory_users {
    sycl::detail::shared<Node> writer = nullptr;
    node_list readers;
  };

  /// Has the node come after those whose commands use what its own does, but for reading beside
  /// reading.
  void follow_users(const sycl::detail::shared<Node> &node,
                    const sycl::detail::command_group &command) {
    for (const plsycl_requirement &each : command.get_requirements()) {
      memory_users &of = users[each.memory];
      const bool writes = (each.access & PLSYCL_ACCESS_WRITE) != 0;
      if (writes)
        for (const auto &reader : of.readers)
          come_after(node, reader);
      if (of.writer && (!writes || of.readers.empty()))
        come_after(node, of.writer);
      if (writes)
        of = {node, {}};
      else
        of.readers.push_back(node);
    }
  }
  static void come_after(const sycl::detail::shared<Node> &node,
                         const sycl::detail::shared<Node> &other) {
    auto &before = node->before;
    if (node != other && std::find(before.begin(), before.end(), other) == before.end())
      before.push_back(other);
  }

  static std::size_t next_id() {
    static std::atomic<std::size_t> last{0};
    return ++last;
  }
  bool takes(sycl::detail::queue_state &queue) const { return queue.get_recorder().get() == this; }
  void require_like(const sycl::detail::queue_state &queue) const {
    if (queue.context != owner || queue.device != target)
      sycl::detail::fail(errc::invalid, "the queue is of another device or context than the graph");
  }
  void begin_locked(const sycl::detail::shared<sycl::detail::queue_state> &queue) {
    require_like(*queue);
    if (queue->get_recorder() && !takes(*queue))
      sycl::detail::fail(errc::invalid, "another graph records the queue");
    queue->set_recorder(self.lock());
    queues.push_back(queue);
  }
  std::vector<sycl::detail::shared<sycl::detail::queue_state>> queues;
  /// By their places: the nodes keep the queues.
  std::unordered_map<const sycl::detail::queue_state *, recorded_queue> known;
  /// By the memory of buffers, which the commands keep.
  std::unordered_map<plsycl_memory, memory_users> users;
};
using graph_contents = basic_graph_contents<>;

/// Commands as they were when the graph became executable, in an order in which they may be
/// submitted.
template <typename Node = graph_node, typename Event = event> class basic_graph_program {
  using event_list = std::vector<Event>;

public:
  using node_list = std::vector<sycl::detail::shared<Node>>;

  basic_graph_program(const context &owner, const device &target, const node_list &nodes,
                      bool is_updatable, bool is_measured)
      : owner(owner), target(target), is_updatable(is_updatable), is_measured(is_measured),
        steps(steps_of(nodes)) {}

  /// Has the commands of these nodes start as the nodes say now.
  void update(const node_list &nodes) {
    std::lock_guard<std::mutex> lock(mutex);
    require_updatable();
    for (const auto &node : nodes)
      if (std::none_of(steps.begin(), steps.end(),
                       [&](const step &each) { return each.of == node; }))
        sycl::detail::fail(errc::invalid, "the node is none of the graph");
    for (step &each : steps)
      if (std::find(nodes.begin(), nodes.end(), each.of) != nodes.end())
        each.take(*each.of);
  }
  /// Has the commands be those of a graph that was described alike.
  void update_all(const context &from, const device &on, const node_list &nodes) {
    std::lock_guard<std::mutex> lock(mutex);
    require_updatable();
    if (from != owner || on != target)
      sycl::detail::fail(errc::invalid, "the graph is of another device or context");
    std::vector<step> others = steps_of(nodes);
    const bool is_alike =
        std::equal(steps.begin(), steps.end(), others.begin(), others.end(),
                   [](const step &each, const step &other) {
                     return each.before == other.before && each.of->type() == other.of->type();
                   });
    if (!is_alike)
      sycl::detail::fail(errc::invalid,
                         "a graph is updated from one of as many commands in the same order");
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[i].take(*others[i].of);
  }

  /// Submits the commands after some events and after the last run; the events of those at its end.
  /// `ended` gets what is told of the run, unless a graph records it.
  event_list run(const sycl::detail::shared<sycl::detail::queue_state> &where,
                 const event_list &after, sycl::detail::shared<sycl::detail::graph_run> &ended) {
    if (where->context != owner || where->device != target)
      sycl::detail::fail(errc::invalid, "the graph is for another device or context");
    const auto recorder = sycl::detail::recorder_after(where, after.data(), after.size());
    std::lock_guard<std::mutex> lock(mutex);
    if (recorder)
      for (const step &each : steps)
        if (each.command)
          recorder->require_fit(*each.command);
    event_list first = after;
    if (!recorder)
      first.insert(first.end(), last_run.begin(), last_run.end());
    // Drivers take long over many commands that wait for many.
    const auto is_root = [](const step &each) { return each.before.empty(); };
    if (!recorder && first.size() > 1 && std::count_if(steps.begin(), steps.end(), is_root) > 1)
      first = {submit(step(), where, first)};
    event_list done, leaves;
    for (const step &each : steps) {
      event_list waits;
      for (std::size_t other : each.before)
        waits.push_back(done[other]);
      if (waits.empty())
        waits = first;
      done.push_back(
          recorder ? Event::of_node(recorder->record(each.command, waits, *where, each.changes))
                   : submit(each, where, waits));
      if (each.is_leaf)
        leaves.push_back(done.back());
    }
    if (steps.empty())
      leaves = first;
    if (recorder)
      return leaves;
    last_run = leaves;
    ended = sycl::detail::shared<sycl::detail::graph_run>::make(
        sycl::detail::graph_run{is_measured, {}});
    if (is_measured)
      for (const Event &each : done)
        ended->commands.push_back(each.get_handle());
    return leaves;
  }

private:
  struct step {
    sycl::detail::shared<Node> of;
    std::vector<std::size_t> before;
    bool is_leaf = true;
    sycl::detail::shared<sycl::detail::command_group> command;
    sycl::detail::changed_start changes;

    void take(Node &node) {
      command = node.current().command;
      changes = node.current_changes();
    }
  };

  static std::vector<step> steps_of(const node_list &nodes) {
    std::vector<step> steps;
    std::unordered_map<const Node *, std::size_t> place;
    while (steps.size() < nodes.size()) {
      const std::size_t placed = steps.size();
      for (const auto &each : nodes) {
        const bool is_next =
            !place.count(each.get()) &&
            std::all_of(each->before.begin(), each->before.end(),
                        [&](const auto &other) { return place.count(other.get()) != 0; });
        if (!is_next)
          continue;
        step next;
        next.of = each;
        next.take(*each);
        for (const auto &other : each->before) {
          next.before.push_back(place[other.get()]);
          steps[place[other.get()]].is_leaf = false;
        }
        place[each.get()] = steps.size();
        steps.push_back(std::move(next));
      }
      if (steps.size() == placed)
        sycl::detail::fail(errc::invalid, "nodes of the graph wait for each other");
    }
    return steps;
  }

  void require_updatable() const {
    if (!is_updatable)
      sycl::detail::fail(errc::invalid, "the graph was finalized without property::updatable");
  }

  static Event submit(const step &each,
                      const sycl::detail::shared<sycl::detail::queue_state> &where,
                      const event_list &waits) {
    sycl::detail::few<plsycl_event, 4> raw;
    for (const Event &other : waits)
      if (other.get())
        raw.push_back(other.get());
    if (each.command)
      return each.command->submit_to(where, raw.data(), raw.size(), {}, true, &each.changes);
    return sycl::detail::command_group(where).submit_to(where, raw.data(), raw.size(), {}, true);
  }

  context owner;
  device target;
  bool is_updatable;
  bool is_measured;
  std::mutex mutex;
  std::vector<step> steps;
  event_list last_run;
};
using graph_program = basic_graph_program<>;

} // namespace detail

} // namespace ext::oneapi::experimental

} // namespace sycl
