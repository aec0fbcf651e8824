//===- graph.hpp - commands that are described once and run often (sycl_ext_oneapi_graph) ----===//
//
// A graph is kept by the host: to run it is to submit its commands again, each after those before
// it. Not there: updates of an executable graph, and parameters that change.
//
// Few programs have graphs: what does the work is made of templates, as PLSYCL_LATE says.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/queue.hpp>

#include <cstdint>
#include <fstream>
#include <memory>
#include <unordered_map>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

enum class graph_state { modifiable, executable };
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

/// A command of a graph; without one, a place that others come after.
struct graph_node {
  sycl::detail::shared<sycl::detail::command_group> command;
  std::vector<sycl::detail::shared<graph_node>> before;

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
  node_type type() const {
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
};

/// What the copies of a modifiable graph share.
template <typename Node = graph_node> class basic_graph_contents : public sycl::detail::recorder {
public:
  using node_list = std::vector<sycl::detail::shared<Node>>;

  basic_graph_contents(const context &owner, const device &target) : owner(owner), target(target) {}

  sycl::detail::shared<const void>
  record(const sycl::detail::shared<sycl::detail::command_group> &command,
         const std::vector<event> &after, const sycl::detail::queue_state &from) override {
    std::lock_guard<std::mutex> lock(mutex);
    node_list before;
    for (const event &each : after)
      before.push_back(own_node(each));
    if (from.properties.has_property<sycl::property::queue::in_order>()) {
      if (const auto last = last_of[&from].lock())
        before.push_back(last);
    }
    // A barrier's place is kept here, so that it holds back nothing beside the graph.
    const std::uint32_t kind = kind_of(command);
    const bool is_barrier = kind == PLSYCL_COMMAND_BARRIER || kind == PLSYCL_COMMAND_BARRIER_AFTER;
    if (kind == PLSYCL_COMMAND_BARRIER)
      for (const auto &each : nodes)
        before.push_back(each);
    if (const auto barrier = barrier_of[&from].lock())
      before.push_back(barrier);
    auto added = add(is_barrier ? nullptr : command, std::move(before));
    last_of[&from] = added;
    if (is_barrier)
      barrier_of[&from] = added;
    return added;
  }
  sycl::detail::shared<Node> add(sycl::detail::shared<sycl::detail::command_group> command,
                                 node_list before) {
    before.insert(before.end(), also_before.begin(), also_before.end());
    node_list once;
    for (const auto &each : before)
      if (std::find(once.begin(), once.end(), each) == once.end())
        once.push_back(each);
    nodes.push_back(sycl::detail::shared<Node>::make(Node{std::move(command), std::move(once)}));
    return nodes.back();
  }
  bool has(const Node *node) const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const auto &each) { return each.get() == node; });
  }
  /// Nodes that no other comes after.
  node_list leaves() const {
    node_list found;
    for (const auto &each : nodes)
      if (std::none_of(nodes.begin(), nodes.end(), [&](const auto &other) {
            return std::find(other->before.begin(), other->before.end(), each) !=
                   other->before.end();
          }))
        found.push_back(each);
    return found;
  }

  context owner;
  device target;
  std::mutex mutex;
  node_list nodes;
  /// What each command that is being added comes after, whatever it says itself.
  node_list also_before;
  std::vector<queue> queues;

private:
  sycl::detail::shared<Node> own_node(const event &of) const {
    for (const auto &each : nodes)
      if (each == of.get_node())
        return each;
    sycl::detail::fail(errc::invalid, "a command of a graph comes after those of the graph alone");
  }

  std::unordered_map<const sycl::detail::queue_state *, sycl::detail::watched<Node>> last_of;
  std::unordered_map<const sycl::detail::queue_state *, sycl::detail::watched<Node>> barrier_of;
};
using graph_contents = basic_graph_contents<>;

/// Commands as they were when the graph became executable, in an order in which they may be
/// submitted.
template <typename Node = graph_node, typename Event = event> class basic_graph_program {
  using node_list = std::vector<sycl::detail::shared<Node>>;
  using event_list = std::vector<Event>;

public:
  basic_graph_program(const context &owner, const device &target, const node_list &nodes)
      : owner(owner), target(target) {
    std::unordered_map<const Node *, std::size_t> place;
    while (steps.size() < nodes.size())
      for (const auto &each : nodes) {
        const bool is_next =
            !place.count(each.get()) &&
            std::all_of(each->before.begin(), each->before.end(),
                        [&](const auto &other) { return place.count(other.get()) != 0; });
        if (!is_next)
          continue;
        step next = {each->command, {}, true};
        for (const auto &other : each->before) {
          next.before.push_back(place[other.get()]);
          steps[place[other.get()]].is_leaf = false;
        }
        place[each.get()] = steps.size();
        steps.push_back(std::move(next));
      }
  }

  /// Submits the commands after some events and after the last run; the events of those at its end.
  event_list run(const sycl::detail::shared<sycl::detail::queue_state> &where,
                 const event_list &after) {
    if (where->context != owner || where->device != target)
      sycl::detail::fail(errc::invalid, "the graph is for another device or context");
    const auto recorder = where->get_recorder();
    std::lock_guard<std::mutex> lock(mutex);
    event_list first = after;
    if (!recorder)
      first.insert(first.end(), last_run.begin(), last_run.end());
    event_list done, leaves;
    for (const step &each : steps) {
      event_list waits;
      for (std::size_t other : each.before)
        waits.push_back(done[other]);
      if (waits.empty())
        waits = first;
      done.push_back(recorder ? Event::of_node(recorder->record(each.command, waits, *where))
                              : submit(each, where, waits));
      if (each.is_leaf)
        leaves.push_back(done.back());
    }
    if (steps.empty())
      leaves = first;
    if (!recorder)
      last_run = leaves;
    return leaves;
  }

private:
  struct step {
    sycl::detail::shared<sycl::detail::command_group> command;
    std::vector<std::size_t> before;
    bool is_leaf;
  };

  static Event submit(const step &each,
                      const sycl::detail::shared<sycl::detail::queue_state> &where,
                      const event_list &waits) {
    sycl::detail::few<plsycl_event, 4> raw;
    for (const Event &other : waits)
      if (other.get())
        raw.push_back(other.get());
    if (each.command)
      return each.command->submit_to(where, raw.data(), raw.size(), {}, true);
    return sycl::detail::command_group(where).submit_to(where, raw.data(), raw.size(), {}, true);
  }

  context owner;
  device target;
  std::mutex mutex;
  std::vector<step> steps;
  event_list last_run;
};
using graph_program = basic_graph_program<>;

} // namespace detail

/// A command of a modifiable graph.
class node : public sycl::detail::by_identity<node> {
public:
  node() = delete;
  /// For the implementation.
  node(sycl::detail::shared<detail::graph_contents> graph,
       sycl::detail::shared<detail::graph_node> object)
      : graph(std::move(graph)), object(std::move(object)) {}

  node_type get_type() const { return object->type(); }
  PLSYCL_LATE std::vector<node> get_predecessors() const {
    std::vector<node> found;
    for (const auto &each : object->before)
      found.emplace_back(graph, each);
    return found;
  }
  template <typename Node = detail::graph_node> std::vector<node> get_successors() const {
    const detail::basic_graph_contents<Node> *whole = graph.get();
    std::vector<node> found;
    for (const auto &each : whole->nodes)
      if (std::find(each->before.begin(), each->before.end(), object) != each->before.end())
        found.emplace_back(graph, each);
    return found;
  }

  /// For the implementation.
  const sycl::detail::shared<detail::graph_node> &get() const { return object; }
  const sycl::detail::shared<detail::graph_contents> &get_graph() const { return graph; }
  const void *identity() const { return object.get(); }

private:
  sycl::detail::shared<detail::graph_contents> graph;
  sycl::detail::shared<detail::graph_node> object;
};

namespace property::graph {
struct no_cycle_check {};
struct assume_buffer_outlives_graph {};
struct enable_profiling {};
} // namespace property::graph
namespace property::node {
class depends_on {
public:
  template <typename... Nodes> depends_on(const Nodes &...nodes) : nodes{nodes...} {}
  const std::vector<experimental::node> &get_dependencies() const { return nodes; }

private:
  std::vector<experimental::node> nodes;
};
struct depends_on_all_leaves {};
} // namespace property::node

template <graph_state State = graph_state::modifiable> class command_graph;

namespace detail {

template <graph_state State> class executable_graph {
  /// Depends on the parameter, so that it is instantiated when a graph runs.
  using program_type =
      basic_graph_program<std::conditional_t<State == graph_state::executable, graph_node, void>>;

public:
  /// For the implementation.
  explicit executable_graph(sycl::detail::shared<program_type> program)
      : program(std::move(program)) {}

  /// For the implementation.
  std::vector<event> run(const sycl::detail::shared<sycl::detail::queue_state> &where,
                         const std::vector<event> &after) const {
    return program->run(where, after);
  }
  std::size_t get_required_mem_size() const { return 0; }
  const void *identity() const { return program.get(); }

private:
  sycl::detail::shared<program_type> program;
};

template <graph_state State> class modifiable_graph {
  /// Depends on the parameter, so that it may be declared later.
  using executable =
      command_graph<State == graph_state::modifiable ? graph_state::executable : State>;
  /// The same for what is instantiated when a program has a graph.
  using contents_type =
      basic_graph_contents<std::conditional_t<State == graph_state::modifiable, graph_node, void>>;
  using node_list = typename contents_type::node_list;

public:
  modifiable_graph(const context &owner, const device &target, const property_list & = {})
      : contents(sycl::detail::shared<contents_type>::make(owner, target)) {
    const std::vector<device> all = owner.get_devices();
    if (std::find(all.begin(), all.end(), target) == all.end())
      sycl::detail::fail(errc::invalid, "the graph's device is not one of its context");
  }
  explicit modifiable_graph(const queue &like, const property_list &properties = {})
      : modifiable_graph(like.get_context(), like.get_device(), properties) {}

  /// Has the graph take the queue's commands until recording ends.
  void begin_recording(queue &recorded, const property_list & = {}) {
    if (recorded.get_context() != contents->owner || recorded.get_device() != contents->target)
      sycl::detail::fail(errc::invalid, "the queue is of another device or context than the graph");
    const auto current = recorded.get_state()->get_recorder();
    if (current && current != contents)
      sycl::detail::fail(errc::invalid, "another graph records the queue");
    recorded.get_state()->set_recorder(contents);
    std::lock_guard<std::mutex> lock(contents->mutex);
    contents->queues.push_back(recorded);
  }
  void begin_recording(const std::vector<queue> &recorded, const property_list &properties = {}) {
    for (queue each : recorded)
      begin_recording(each, properties);
  }
  void end_recording() {
    std::vector<queue> all;
    {
      std::lock_guard<std::mutex> lock(contents->mutex);
      all.swap(contents->queues);
    }
    for (const queue &each : all)
      if (each.get_state()->get_recorder() == contents)
        each.get_state()->set_recorder(nullptr);
  }
  void end_recording(queue &recorded) {
    const auto current = recorded.get_state()->get_recorder();
    if (current && current != contents)
      sycl::detail::fail(errc::invalid, "another graph records the queue");
    recorded.get_state()->set_recorder(nullptr);
  }
  void end_recording(const std::vector<queue> &recorded) {
    for (queue each : recorded)
      end_recording(each);
  }

  /// A place that others may come after.
  node add(const property_list &properties = {}) {
    std::lock_guard<std::mutex> lock(contents->mutex);
    return {contents, contents->add(nullptr, wanted_before(properties))};
  }
  /// The command that a function describes for a handler.
  template <typename Describe,
            typename = std::enable_if_t<std::is_invocable_v<Describe, handler &>>>
  node add(Describe describe, const property_list &properties = {}) {
    queue hidden(contents->owner, contents->target);
    {
      std::lock_guard<std::mutex> lock(contents->mutex);
      contents->also_before = wanted_before(properties);
    }
    hidden.get_state()->set_recorder(contents);
    sycl::detail::shared<const void> added;
    try {
      added = hidden.submit(describe).get_node();
    } catch (...) {
      hidden.get_state()->set_recorder(nullptr);
      end_addition();
      throw;
    }
    // The graph keeps what its commands keep, their queue too, and must not be kept by that.
    hidden.get_state()->set_recorder(nullptr);
    end_addition();
    return {contents, added.as<graph_node>()};
  }
  void make_edge(node &first, node &second) {
    if (first.get_graph() != contents || second.get_graph() != contents)
      sycl::detail::fail(errc::invalid, "an edge joins nodes of its graph");
    if (first == second || first.get()->comes_after(second.get().get()))
      sycl::detail::fail(errc::invalid, "the nodes of a graph would wait for each other");
    auto &before = second.get()->before;
    if (std::find(before.begin(), before.end(), first.get()) == before.end())
      before.push_back(first.get());
  }

  std::vector<node> get_nodes() const { return all_of(contents->nodes); }
  std::vector<node> get_root_nodes() const {
    node_list roots;
    for (const auto &each : contents->nodes)
      if (each->before.empty())
        roots.push_back(each);
    return all_of(roots);
  }
  /// Writes the graph for Graphviz.
  template <typename File = std::ofstream>
  void print_graph(const std::string &path, bool = false) const {
    File out(path);
    out << "digraph graph_of_commands {\n";
    for (const node &each : get_nodes()) {
      out << "  n" << each.identity() << " [label=\"" << static_cast<int>(each.get_type())
          << "\"];\n";
      for (const node &before : each.get_predecessors())
        out << "  n" << before.identity() << " -> n" << each.identity() << ";\n";
    }
    out << "}\n";
  }

  executable finalize(const property_list & = {}) const {
    std::lock_guard<std::mutex> lock(contents->mutex);
    return executable(sycl::detail::shared<graph_program>::make(contents->owner, contents->target,
                                                                contents->nodes));
  }

  /// For the implementation.
  const void *identity() const { return contents.get(); }

private:
  node_list wanted_before(const property_list &properties) const {
    using namespace property::node;
    node_list before;
    if (properties.has_property<depends_on_all_leaves>())
      before = contents->leaves();
    if (properties.has_property<depends_on>()) {
      const auto wanted = properties.get_property<depends_on>();
      for (const node &each : wanted.get_dependencies()) {
        if (each.get_graph() != contents)
          sycl::detail::fail(errc::invalid, "a node comes after those of its graph alone");
        before.push_back(each.get());
      }
    }
    return before;
  }
  void end_addition() {
    std::lock_guard<std::mutex> lock(contents->mutex);
    contents->also_before.clear();
  }
  std::vector<node> all_of(const node_list &nodes) const {
    std::vector<node> found;
    for (const auto &each : nodes)
      found.emplace_back(contents, each);
    return found;
  }

  sycl::detail::shared<contents_type> contents;
};

} // namespace detail

/// A graph: while commands are added to it, by name or by recording queues, or one that runs.
template <graph_state State>
class command_graph
    : public std::conditional_t<State == graph_state::executable, detail::executable_graph<State>,
                                detail::modifiable_graph<State>>,
      public sycl::detail::by_identity<command_graph<State>> {
  using kind = std::conditional_t<State == graph_state::executable, detail::executable_graph<State>,
                                  detail::modifiable_graph<State>>;

public:
  using kind::kind;
};

command_graph(const context &, const device &, const property_list & = {})
    -> command_graph<graph_state::modifiable>;
command_graph(const queue &, const property_list & = {}) -> command_graph<graph_state::modifiable>;

} // namespace ext::oneapi::experimental

template <>
struct is_property<ext::oneapi::experimental::property::graph::no_cycle_check> : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::assume_buffer_outlives_graph>
    : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::enable_profiling> : std::true_type {
};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on> : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on_all_leaves>
    : std::true_type {};

} // namespace sycl

namespace std {
template <> struct hash<sycl::ext::oneapi::experimental::node> : sycl::detail::hash_by_identity {};
template <sycl::ext::oneapi::experimental::graph_state State>
struct hash<sycl::ext::oneapi::experimental::command_graph<State>>
    : sycl::detail::hash_by_identity {};
} // namespace std
