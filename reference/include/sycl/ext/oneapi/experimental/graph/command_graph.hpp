//===- command_graph.hpp - a graph, while it is described or when it runs
//-----------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/modifiable_graph.hpp>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

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
command_graph(const device &, const property_list & = {}) -> command_graph<graph_state::modifiable>;

} // namespace ext::oneapi::experimental

} // namespace sycl

namespace std {
template <sycl::ext::oneapi::experimental::graph_state State>
struct hash<sycl::ext::oneapi::experimental::command_graph<State>>
    : sycl::detail::hash_by_identity {};
} // namespace std
