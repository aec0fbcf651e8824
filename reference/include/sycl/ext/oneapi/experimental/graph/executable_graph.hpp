//===- executable_graph.hpp - a graph that runs
//-------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/node.hpp>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

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
                         const std::vector<event> &after,
                         sycl::detail::shared<sycl::detail::graph_run> &ended) const {
    return program->run(where, after, ended);
  }
  /// The graph has to be updatable, and the nodes those of the graph that it was made of; commands
  /// that were submitted stay as they are. errc::invalid otherwise.
  void update(const node &changed) { update(std::vector<node>{changed}); }
  void update(const std::vector<node> &changed) {
    typename program_type::node_list nodes;
    for (const node &each : changed)
      nodes.push_back(each.get());
    program->update(nodes);
  }
  /// Takes over the commands of a graph with as many of them, of the same kinds and in the same
  /// order.
  template <graph_state Other> void update(const command_graph<Other> &from) {
    static_assert(Other == graph_state::modifiable, "a graph is updated from a modifiable one");
    // Not while the other graph is locked: this one may run on a queue that it records.
    program->update_all(from.get_context(), from.get_device(), from.get_kept_nodes());
  }

  std::size_t get_required_mem_size() const noexcept { return 0; }
  const void *identity() const { return program.get(); }

private:
  sycl::detail::shared<program_type> program;
};

} // namespace detail

} // namespace ext::oneapi::experimental

} // namespace sycl
