//===- modifiable_graph.hpp - a graph to which commands are added
//-------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/dynamic.hpp>
#include <sycl/ext/oneapi/experimental/graph/executable_graph.hpp>

#include <cstdio>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

template <graph_state State = graph_state::modifiable> class command_graph;

namespace detail {

/// Adds what is formatted as by printf.
template <typename... Values>
void print_to(std::string &text, const char *format, const Values &...values) {
  const std::size_t before = text.size(), size = std::snprintf(nullptr, 0, format, values...);
  text.resize(before + size + 1);
  std::snprintf(&text[before], size + 1, format, values...);
  text.resize(before + size);
}

/// Says what a node is, for Graphviz.
template <typename Text> void print_node(Text &text, const node &printed, bool verbose) {
  static constexpr const char *types[] = {"empty",     "subgraph",      "kernel",
                                          "memcpy",    "memset",        "memfill",
                                          "prefetch",  "memadvise",     "ext_oneapi_barrier",
                                          "host_task", "native_command"};
  const auto print = [&text](const char *format, const auto &...values) {
    print_to(text, format, values...);
  };
  print("  n%p [label=\"ID = %p\\nTYPE = %s", printed.identity(), printed.identity(),
        types[static_cast<int>(printed.get_type())]);
  const auto &[group, changes] = printed.get()->current();
  if (!group) {
    text += "\"];\n";
    return;
  }
  if (const char *name = group->get_kernel_name())
    print("\\nNAME = %s", name);
  const plsycl_command &command = group->get_command();
  const auto print_space = [&](const char *which, const std::uint64_t *sizes, std::uint32_t count) {
    print("\\n%s =", which);
    for (std::uint32_t i = 0; i < count; ++i)
      print(" %zu", static_cast<std::size_t>(sizes[i]));
  };
  if (verbose && command.kind == PLSYCL_COMMAND_KERNEL) {
    plsycl_launch start = group->get_kept_launch();
    changes.change_space(start);
    print_space("GLOBAL", start.global, start.dimensions);
    if (start.local[0])
      print_space("LOCAL", start.local, start.dimensions);
  } else if (verbose && command.kind == PLSYCL_COMMAND_COPY) {
    print("\\nSRC = %p\\nDST = %p\\nSIZE = %zu", command.source, command.destination, command.size);
  } else if (verbose && command.kind == PLSYCL_COMMAND_FILL) {
    print("\\nDST = %p\\nSIZE = %zu", command.destination, command.size);
  }
  text += "\"];\n";
}

/// Takes a command that is added to a graph, after some nodes whatever it says itself.
template <typename Contents> class node_adder : public sycl::detail::recorder {
  using node_list = typename Contents::node_list;

public:
  node_adder(sycl::detail::shared<Contents> graph, node_list before)
      : graph(std::move(graph)), before(std::move(before)) {}

  void require_fit(const sycl::detail::command_group &command) const override {
    const std::uint32_t kind = command.get_kind();
    if (kind == PLSYCL_COMMAND_BARRIER || kind == PLSYCL_COMMAND_BARRIER_AFTER)
      sycl::detail::fail(errc::invalid, "barriers are recorded; a node that is added comes after "
                                        "all others with property::node::depends_on_all_leaves");
    graph->require_fit(command);
  }
  sycl::detail::shared<const sycl::detail::recorded_command>
  record(const sycl::detail::shared<sycl::detail::command_group> &command,
         const std::vector<event> &after, const sycl::detail::queue_state &,
         const sycl::detail::changed_start &changes) override {
    std::lock_guard<std::mutex> lock(graph->mutex);
    node_list all = before;
    for (const event &each : after)
      all.push_back(graph->own_node(each));
    auto added = graph->add(command, all);
    added->own.changes = changes;
    return added;
  }
  void follow(const sycl::detail::shared<sycl::detail::queue_state> &) override {
    sycl::detail::fail(errc::invalid, "no queue is recorded by what is added to a graph");
  }

private:
  sycl::detail::shared<Contents> graph;
  node_list before;
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
  modifiable_graph(const context &owner, const device &target, const property_list &properties = {})
      : contents(sycl::detail::shared<contents_type>::make(
            owner, target, properties.has_property<property::graph::assume_buffer_outlives_graph>(),
            properties.has_property<property::graph::no_cycle_check>())) {
    if (properties.has_property<property::graph::enable_native_recording>())
      sycl::detail::fail(errc::feature_not_supported, "no backend here records graphs by itself");
    const std::vector<device> all = owner.get_devices();
    if (std::find(all.begin(), all.end(), target) == all.end())
      sycl::detail::fail(errc::invalid, "the graph's device is not one of its context");
    contents->self = sycl::detail::shared<sycl::detail::recorder>(contents);
  }
  /// For the implementation.
  explicit modifiable_graph(sycl::detail::shared<contents_type> contents)
      : contents(std::move(contents)) {}
  static auto recording(const sycl::detail::shared<sycl::detail::recorder> &by) {
    return command_graph<State>(by.template as<contents_type>());
  }
  explicit modifiable_graph(const queue &like, const property_list &properties = {})
      : modifiable_graph(like.get_context(), like.get_device(), properties) {}

  explicit modifiable_graph(const device &target, const property_list &properties = {})
      : modifiable_graph(target.get_platform().khr_get_default_context(), target, properties) {}

  /// Has the graph take the queue's commands until recording ends, and those of queues a command of
  /// which comes after one of these.
  void begin_recording(queue &recorded, const property_list & = {}) {
    contents->begin({recorded.get_state()});
  }
  void begin_recording(const std::vector<queue> &recorded, const property_list & = {}) {
    std::vector<sycl::detail::shared<sycl::detail::queue_state>> all;
    for (const queue &each : recorded)
      all.push_back(each.get_state());
    contents->begin(all);
  }
  void end_recording() { contents->end_all(); }
  void end_recording(queue &recorded) { contents->end(*recorded.get_state()); }
  void end_recording(const std::vector<queue> &recorded) {
    for (queue each : recorded)
      end_recording(each);
  }

  /// A place that others may come after.
  node add(const property_list &properties = {}) {
    std::lock_guard<std::mutex> lock(contents->mutex);
    contents->require_no_recording();
    return {contents, contents->add(nullptr, wanted_before(properties))};
  }
  /// The command that a function describes for a handler.
  template <typename Describe,
            typename = std::enable_if_t<std::is_invocable_v<Describe, handler &>>>
  node add(Describe describe, const property_list &properties = {}) {
    sycl::detail::shared<detail::node_adder<contents_type>> adder;
    {
      std::lock_guard<std::mutex> lock(contents->mutex);
      contents->require_no_recording();
      adder = adder.make(contents, wanted_before(properties));
    }
    const auto added = detail::recorded_by(contents->owner, contents->target, adder, describe);
    return {contents, added.template as<graph_node>()};
  }
  /// One of the commands of the list, the active one.
  node add(dynamic_command_group &choice, const property_list &properties = {}) {
    if (!choice.is_of(contents.get()))
      sycl::detail::fail(errc::invalid, "the commands were described for another graph");
    std::lock_guard<std::mutex> lock(contents->mutex);
    contents->require_no_recording();
    node_list before = wanted_before(properties);
    for (const event &each : choice.get()->after)
      before.push_back(contents->own_node(each));
    return {contents, contents->add_choice(choice.get(), before)};
  }
  void make_edge(node &first, node &second) {
    if (first.get_graph() != contents || second.get_graph() != contents)
      sycl::detail::fail(errc::invalid, "an edge joins nodes of its graph");
    std::lock_guard<std::mutex> lock(contents->mutex);
    contents->require_no_recording();
    if (first == second ||
        (!contents->may_have_cycles && first.get()->comes_after(second.get().get())))
      sycl::detail::fail(errc::invalid, "the nodes of a graph would wait for each other");
    auto &before = second.get()->before;
    if (std::find(before.begin(), before.end(), first.get()) == before.end())
      before.push_back(first.get());
  }

  std::vector<node> get_nodes() const { return all_of(get_kept_nodes()); }
  std::vector<node> get_root_nodes() const {
    std::lock_guard<std::mutex> lock(contents->mutex);
    node_list roots;
    for (const auto &each : contents->nodes)
      if (each->before.empty())
        roots.push_back(each);
    return all_of(roots);
  }
  bool empty() const {
    std::lock_guard<std::mutex> lock(contents->mutex);
    return contents->nodes.empty();
  }
  /// No other graph of the process has it.
  std::size_t get_id() const noexcept { return contents->id; }
  /// Writes the graph for Graphviz: nodes with their types and the names of kernels, and what comes
  /// after what. `verbose` adds spaces of kernels, and places and sizes in memory; what kernels are
  /// given is not known here. errc::invalid for a name that does not end in ".dot", and where the
  /// file cannot be written.
  template <typename Text = std::string>
  void print_graph(const std::string &path, bool verbose = false) const {
    if (path.size() < 4 || path.compare(path.size() - 4, 4, ".dot") != 0)
      sycl::detail::fail(errc::invalid, "graphs are written for Graphviz alone, into a .dot file");
    Text text = "digraph graph_of_commands {\n";
    for (const node &each : get_nodes()) {
      print_node(text, each, verbose);
      for (const node &before : each.get_predecessors())
        print_to(text, "  n%p -> n%p;\n", before.identity(), each.identity());
    }
    text += "}\n";
    std::FILE *out = std::fopen(path.c_str(), "w");
    if (!out)
      sycl::detail::fail(errc::invalid, "the file cannot be written: " + path);
    const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    if (std::fclose(out) == 0 && is_written)
      return;
    std::remove(path.c_str());
    sycl::detail::fail(errc::invalid, "the file cannot be written: " + path);
  }

  executable finalize(const property_list &properties = {}) const {
    std::lock_guard<std::mutex> lock(contents->mutex);
    return executable(sycl::detail::shared<graph_program>::make(
        contents->owner, contents->target, contents->nodes,
        properties.has_property<property::graph::updatable>(),
        properties.has_property<property::graph::enable_profiling>()));
  }

  /// For the implementation.
  node_list get_kept_nodes() const {
    std::lock_guard<std::mutex> lock(contents->mutex);
    return contents->nodes;
  }
  sycl::detail::watched<sycl::detail::recorder> watch_contents() const { return contents->self; }
  const context &get_context() const { return contents->owner; }
  const device &get_device() const { return contents->target; }
  const void *identity() const { return contents.get(); }

private:
  node_list wanted_before(const property_list &properties) const {
    using namespace property::node;
    node_list before;
    if (properties.has_property<depends_on_all_leaves>())
      before = contents->leaves(contents->nodes);
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
  std::vector<node> all_of(const node_list &nodes) const {
    std::vector<node> found;
    for (const auto &each : nodes)
      found.emplace_back(contents, each);
    return found;
  }

  sycl::detail::shared<contents_type> contents;
};

} // namespace detail

} // namespace ext::oneapi::experimental

} // namespace sycl
