//===- dynamic.hpp - what updates of a graph change
//-----------------------------------------------===//
//
// Not there: dynamic_work_group_memory and dynamic_local_accessor, which the compiler says.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/graph/node.hpp>

#include <functional>
#include <memory>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {

namespace detail {

/// What a recorder keeps of the command that a function describes for a handler.
template <typename Describe, typename Queue = queue>
sycl::detail::shared<const void> recorded_by(const context &owner, const device &target,
                                             const sycl::detail::shared<sycl::detail::recorder> &by,
                                             const Describe &describe) {
  Queue hidden(owner, target);
  const sycl::detail::shared<sycl::detail::queue_state> state = hidden.get_state();
  state->set_recorder(by);
  // The graph keeps what its commands keep, their queue too, and must not be kept by that.
  struct ending {
    ~ending() { of.set_recorder(nullptr); }
    sycl::detail::queue_state &of;
  } end{*state};
  return hidden.submit(describe).get_node();
}

/// Keeps the one command that it is given.
PLSYCL_LATE class command_taker : public sycl::detail::recorder {
public:
  explicit command_taker(sycl::detail::shared<sycl::detail::recorder> graph)
      : graph(std::move(graph)) {}
  void require_fit(const sycl::detail::command_group &command) const override {
    graph->require_fit(command);
  }
  sycl::detail::shared<const sycl::detail::recorded_command>
  record(const sycl::detail::shared<sycl::detail::command_group> &command,
         const std::vector<event> &others, const sycl::detail::queue_state &,
         const sycl::detail::changed_start &) override {
    if (taken)
      sycl::detail::fail(errc::invalid, "a node runs commands that are one each");
    taken = command;
    after = others;
    return nullptr;
  }
  void follow(const sycl::detail::shared<sycl::detail::queue_state> &) override {
    sycl::detail::fail(errc::invalid, "nothing comes after a command that a graph may run");
  }
  sycl::detail::shared<sycl::detail::command_group> taken;
  /// What it comes after.
  std::vector<event> after;

private:
  /// That which may run the command.
  sycl::detail::shared<sycl::detail::recorder> graph;
};

} // namespace detail

/// Kernels or host tasks of which a node runs the active one: the first until another is set, and
/// an executable graph's is updated. All of them come after the same events.
class dynamic_command_group : public sycl::detail::by_identity<dynamic_command_group> {
public:
  template <graph_state State>
  dynamic_command_group(const command_graph<State> &graph,
                        const std::vector<std::function<void(handler &)>> &describe)
      : graph(graph.watch_contents()),
        choice(sycl::detail::shared<detail::command_choice>::make()) {
    if (describe.empty())
      sycl::detail::fail(errc::invalid, "a node runs one command of some");
    for (const auto &each : describe) {
      const auto taker = sycl::detail::shared<detail::command_taker<>>::make(this->graph.lock());
      detail::recorded_by(graph.get_context(), graph.get_device(), taker, each);
      const std::uint32_t kind = detail::kind_of(taker->taken);
      if (kind != PLSYCL_COMMAND_KERNEL && kind != PLSYCL_COMMAND_FOREIGN_KERNEL &&
          kind != PLSYCL_COMMAND_HOST_TASK)
        sycl::detail::fail(errc::invalid, "the commands of a list are kernels or host tasks");
      if (choice->all.empty())
        choice->after = taker->after;
      else if (!std::is_permutation(choice->after.begin(), choice->after.end(),
                                    taker->after.begin(), taker->after.end()))
        sycl::detail::fail(errc::invalid, "the commands of a list come after the same events");
      choice->all.push_back({taker->taken, {}});
    }
    const auto is_task = [](const detail::changed_command &each) {
      return each.command->get_kind() == PLSYCL_COMMAND_HOST_TASK;
    };
    const auto &all = choice->all;
    if (std::any_of(all.begin(), all.end(), is_task) &&
        !std::all_of(all.begin(), all.end(), is_task))
      sycl::detail::fail(errc::invalid, "the commands of a list are of one kind");
  }

  std::size_t get_active_index() const { return choice->active; }
  /// errc::invalid for one beyond the list.
  PLSYCL_LATE void set_active_index(std::size_t index) {
    if (index >= choice->all.size())
      sycl::detail::fail(errc::invalid, "the list has no command " + std::to_string(index));
    choice->active = index;
  }

  /// For the implementation.
  bool is_of(const void *other) const { return graph.lock().get() == other; }
  const sycl::detail::shared<detail::command_choice> &get() const { return choice; }
  const void *identity() const { return choice.get(); }

private:
  sycl::detail::watched<sycl::detail::recorder> graph;
  sycl::detail::shared<detail::command_choice> choice;
};

/// A value or a USM pointer that a kernel of the driver's own is given (handler::set_arg), and that
/// may be another when a graph is updated.
template <typename Type>
class dynamic_parameter : public sycl::detail::by_identity<dynamic_parameter<Type>> {
  static_assert(is_device_copyable_v<Type>,
                "a parameter that changes is a value or a pointer; an accessor's buffer is what "
                "the whole command requires");

public:
  explicit dynamic_parameter(const Type &value) { update(value); }
  template <graph_state State>
  dynamic_parameter(const command_graph<State> &, const Type &value) : dynamic_parameter(value) {}

  /// For nodes in graphs that are made or updated hence.
  void update(const Type &value) {
    bytes->assign(reinterpret_cast<const char *>(std::addressof(value)), sizeof(value));
  }

  /// For the implementation.
  const sycl::detail::shared<std::string> &get() const { return bytes; }
  Type get_value() const {
    std::remove_const_t<Type> value;
    std::memcpy(static_cast<void *>(std::addressof(value)), bytes->data(), sizeof(value));
    return value;
  }
  const void *identity() const { return bytes.get(); }

private:
  sycl::detail::shared<std::string> bytes = sycl::detail::shared<std::string>::make();
};
template <graph_state State, typename Type>
dynamic_parameter(const command_graph<State> &, const Type &) -> dynamic_parameter<Type>;

/// What a program that makes one is told.
template <typename Type> class dynamic_work_group_memory {
  static_assert(!std::is_same_v<Type, Type>,
                "Plumbline has no dynamic_work_group_memory of sycl_ext_oneapi_graph");
};
template <typename Type, int Dimensions = 1> class dynamic_local_accessor {
  static_assert(!std::is_same_v<Type, Type>,
                "Plumbline has no dynamic_local_accessor of sycl_ext_oneapi_graph");
};

} // namespace ext::oneapi::experimental

namespace detail {
template <typename Type>
inline constexpr bool is_dynamic_parameter<ext::oneapi::experimental::dynamic_parameter<Type>> =
    true;
} // namespace detail

} // namespace sycl
