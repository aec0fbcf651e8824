//===- node.hpp - a command of a graph, and the properties of graphs and nodes
//------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/common.hpp>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

/// A command of a modifiable graph.
class node : public sycl::detail::by_identity<node> {
public:
  node() = delete;
  /// For the implementation.
  node(sycl::detail::shared<detail::graph_contents> graph,
       sycl::detail::shared<detail::graph_node> object)
      : graph(std::move(graph)), object(std::move(object)) {}

  node_type get_type() const { return object->type(); }
  // Of a parameter's type, what a graph holds is made where a program asks for it.
  template <typename Node = detail::graph_node> std::vector<node> get_predecessors() const {
    detail::basic_graph_contents<Node> *whole = graph.get();
    std::lock_guard<std::mutex> lock(whole->mutex);
    std::vector<node> found;
    for (const auto &each : object->before)
      found.emplace_back(graph, each);
    return found;
  }
  template <typename Node = detail::graph_node> std::vector<node> get_successors() const {
    detail::basic_graph_contents<Node> *whole = graph.get();
    std::lock_guard<std::mutex> lock(whole->mutex);
    std::vector<node> found;
    for (const auto &each : whole->nodes)
      if (std::find(each->before.begin(), each->before.end(), object) != each->before.end())
        found.emplace_back(graph, each);
    return found;
  }

  /// The node that stands for a command which a queue was given while a graph recorded it.
  template <typename Node = detail::graph_node> static node get_node_from_event(event recorded) {
    const auto found = recorded.get_node().template as<Node>();
    const auto graph = found ? found->owner.lock() : nullptr;
    if (!graph)
      sycl::detail::fail(errc::invalid, "the event is of no command of a graph that is there");
    return {graph.template as<detail::basic_graph_contents<Node>>(), found};
  }

  /// The space that the node's kernel is to run over, in graphs that are made or updated hence.
  template <int Dimensions> void update_nd_range(nd_range<Dimensions> space) {
    sycl::detail::check_groups(space);
    const auto &command = object->current().command;
    if (command && command->get_told_dimensions() == Dimensions) {
      const nd_range<3> whole = sycl::detail::in_three_dimensions(space);
      return update_space(whole.get_global_range(), whole.get_offset(), whole.get_local_range());
    }
    update_space(space.get_global_range(), space.get_offset(), space.get_local_range());
  }
  template <int Dimensions> void update_range(range<Dimensions> size) {
    const auto &command = object->current().command;
    if (command && command->get_told_dimensions() == Dimensions)
      return update_space(
          sycl::detail::in_three_dimensions(nd_range<Dimensions>(size, size)).get_global_range(),
          id<3>(), range<3>());
    update_space(size, id<Dimensions>(), range<Dimensions>());
  }

  /// For the implementation.
  const sycl::detail::shared<detail::graph_node> &get() const { return object; }
  const sycl::detail::shared<detail::graph_contents> &get_graph() const { return graph; }
  const void *identity() const { return object.get(); }

private:
  template <int Dimensions>
  void update_space(range<Dimensions> global, id<Dimensions> offset, range<Dimensions> local) {
    if constexpr (sycl::detail::ids_fit_in_int)
      sycl::detail::check_fits_in_int(global, local, offset);
    sycl::detail::changed_start changed;
    changed.dimensions = Dimensions;
    sycl::detail::copy_numbers(global, changed.global, 1);
    sycl::detail::copy_numbers(local, changed.local, local[0] != 0 ? 1 : 0);
    sycl::detail::copy_numbers(offset, changed.offset, 0);
    auto &[command, changes] = object->current();
    if (!command)
      sycl::detail::fail(errc::invalid, "the node has no kernel");
    command->require_space_like(changed);
    changed.values = changes.values;
    changes = std::move(changed);
  }

  sycl::detail::shared<detail::graph_contents> graph;
  sycl::detail::shared<detail::graph_node> object;
};

namespace property::graph {
struct no_cycle_check {};
struct assume_buffer_outlives_graph {};
/// Given to finalize: the events of runs have times.
struct enable_profiling {};
/// Drivers' own graphs would take the commands; no backend here does so.
struct enable_native_recording {};
/// Given to finalize: the executable graph may be updated.
struct updatable {};
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
struct is_property<ext::oneapi::experimental::property::graph::enable_native_recording>
    : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::updatable> : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on> : std::true_type {};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on_all_leaves>
    : std::true_type {};

} // namespace sycl

namespace std {
template <> struct hash<sycl::ext::oneapi::experimental::node> : sycl::detail::hash_by_identity {};
} // namespace std
