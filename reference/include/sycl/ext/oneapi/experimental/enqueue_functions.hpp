//===- enqueue_functions.hpp - commands as functions (sycl_ext_oneapi_enqueue_functions) -----===//
//
// For a queue, or for the handler of a command group; but for submit_with_event they give no event.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/free_function_traits.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename Describe> void submit(queue where, const Describe &describe) {
  where.submit(describe);
}
template <typename Describe> event submit_with_event(queue where, const Describe &describe) {
  return where.submit(describe);
}
/// Properties of commands are hints (event_mode), and passed by.
template <typename Properties, typename Describe, sycl::detail::if_properties<Properties> = 0>
void submit(queue where, Properties, const Describe &describe) {
  where.submit(describe);
}
template <typename Properties, typename Describe, sycl::detail::if_properties<Properties> = 0>
event submit_with_event(queue where, Properties, const Describe &describe) {
  return where.submit(describe);
}

/// The same to add a command to a graph.
template <graph_state State, typename Describe>
void submit(command_graph<State> graph, const Describe &describe) {
  graph.add(describe);
}
template <graph_state State, typename Properties, typename Describe,
          sycl::detail::if_properties<Properties> = 0>
void submit(command_graph<State> graph, Properties, const Describe &describe) {
  graph.add(describe);
}

// A queue's command group holds the one command.

template <typename Name = sycl::detail::unnamed, typename Functor>
void single_task(handler &group, const Functor &functor) {
  group.single_task<Name>(functor);
}
template <typename Name = sycl::detail::unnamed, typename Functor>
void single_task(queue where, const Functor &functor) {
  where.submit([&](handler &group) { group.single_task<Name>(functor); });
}
template <typename Name = sycl::detail::unnamed, typename Properties, typename Functor,
          sycl::detail::if_properties<Properties> = 0>
void single_task(handler &group, const Properties &properties, const Functor &functor) {
  group.single_task<Name>(properties, functor);
}
template <typename Name = sycl::detail::unnamed, typename Properties, typename Functor,
          sycl::detail::if_properties<Properties> = 0>
void single_task(queue where, const Properties &properties, const Functor &functor) {
  where.single_task<Name>(properties, functor);
}

/// The functor, and then reductions.
template <typename Name = sycl::detail::unnamed, int Dimensions, typename Functor,
          typename... Reductions>
void parallel_for(handler &group, range<Dimensions> space, const Functor &functor,
                  const Reductions &...reductions) {
  group.parallel_for<Name>(space, reductions..., functor);
}
template <typename Name = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename Functor, typename... Reductions>
void parallel_for(handler &group, launch_config<range<Dimensions>, Properties> space,
                  const Functor &functor, const Reductions &...reductions) {
  group.parallel_for<Name>(space.get_range(), space.get_properties(), reductions..., functor);
}
template <typename Name = sycl::detail::unnamed, typename Space, typename Functor,
          typename... Reductions>
void parallel_for(queue where, Space space, const Functor &functor,
                  const Reductions &...reductions) {
  where.submit([&](handler &group) {
    experimental::parallel_for<Name>(group, space, functor, reductions...);
  });
}
template <typename Name = sycl::detail::unnamed, int Dimensions, typename Functor,
          typename... Reductions>
void nd_launch(handler &group, nd_range<Dimensions> space, const Functor &functor,
               const Reductions &...reductions) {
  group.parallel_for<Name>(space, reductions..., functor);
}
template <typename Name = sycl::detail::unnamed, int Dimensions, typename Properties,
          typename Functor, typename... Reductions>
void nd_launch(handler &group, launch_config<nd_range<Dimensions>, Properties> space,
               const Functor &functor, const Reductions &...reductions) {
  group.parallel_for<Name>(space.get_range(), space.get_properties(), reductions..., functor);
}
template <typename Name = sycl::detail::unnamed, typename Space, typename Functor,
          typename... Reductions>
void nd_launch(queue where, Space space, const Functor &functor, const Reductions &...reductions) {
  where.submit(
      [&](handler &group) { experimental::nd_launch<Name>(group, space, functor, reductions...); });
}

// ---- kernels of the driver's own (make_kernel) and functions, by their objects ----

template <typename... Arguments>
void single_task(handler &group, const kernel &made, const Arguments &...arguments) {
  group.set_args(arguments...);
  group.single_task(made);
}
template <int Dimensions, typename... Arguments>
void parallel_for(handler &group, range<Dimensions> space, const kernel &made,
                  const Arguments &...arguments) {
  group.set_args(arguments...);
  group.parallel_for(space, made);
}
template <int Dimensions, typename... Arguments>
void nd_launch(handler &group, nd_range<Dimensions> space, const kernel &made,
               const Arguments &...arguments) {
  group.set_args(arguments...);
  group.parallel_for(space, made);
}
/// Properties are about kernels that are yet to be built, and passed by, but for the size of a
/// function's local memory.
template <int Dimensions, typename Properties, typename... Arguments>
void parallel_for(handler &group, launch_config<range<Dimensions>, Properties> space,
                  const kernel &made, const Arguments &...arguments) {
  experimental::parallel_for(group, space.get_range(), made, arguments...);
}
template <int Dimensions, typename Properties, typename... Arguments>
void nd_launch(handler &group, launch_config<nd_range<Dimensions>, Properties> space,
               const kernel &made, const Arguments &...arguments) {
#ifndef PLSYCL_UPSTREAM
  if constexpr (Properties::template has_property<work_group_scratch_size>()) {
    const std::size_t size =
        space.get_properties().template get_property<work_group_scratch_size>().size;
    if (!made.get_function())
      sycl::detail::fail(errc::feature_not_supported,
                         "no driver has local memory for a kernel of its own but by a parameter");
    group.set_args(arguments...);
    return group.launch_function(made, space.get_range(), &size);
  }
#endif
  experimental::nd_launch(group, space.get_range(), made, arguments...);
}

template <typename... Arguments>
void single_task(queue where, const kernel &made, const Arguments &...arguments) {
  where.submit([&](handler &group) { experimental::single_task(group, made, arguments...); });
}
#define PLSYCL_ENQUEUED_KERNEL(FUNCTION, SPACE)                                                    \
  template <int Dimensions, typename... Arguments>                                                 \
  void FUNCTION(queue where, SPACE<Dimensions> space, const kernel &made,                          \
                const Arguments &...arguments) {                                                   \
    where.submit(                                                                                  \
        [&](handler &group) { experimental::FUNCTION(group, space, made, arguments...); });        \
  }                                                                                                \
  template <int Dimensions, typename Properties, typename... Arguments>                            \
  void FUNCTION(queue where, launch_config<SPACE<Dimensions>, Properties> space,                   \
                const kernel &made, const Arguments &...arguments) {                               \
    where.submit(                                                                                  \
        [&](handler &group) { experimental::FUNCTION(group, space, made, arguments...); });        \
  }
PLSYCL_ENQUEUED_KERNEL(parallel_for, range)
PLSYCL_ENQUEUED_KERNEL(nd_launch, nd_range)
#undef PLSYCL_ENQUEUED_KERNEL

// ---- memory ----

#define PLSYCL_ENQUEUED(FUNCTION)                                                                  \
  template <typename... Arguments> void FUNCTION(handler &group, Arguments... arguments) {         \
    group.FUNCTION(arguments...);                                                                  \
  }                                                                                                \
  template <typename... Arguments> void FUNCTION(queue where, Arguments... arguments) {            \
    where.submit([&](handler &group) { group.FUNCTION(arguments...); });                           \
  }
PLSYCL_ENQUEUED(memcpy)
PLSYCL_ENQUEUED(memset)
PLSYCL_ENQUEUED(mem_advise)
#undef PLSYCL_ENQUEUED

/// Where memory is wanted next: a hint, which no driver is given.
enum class prefetch_type { device, host };
PLSYCL_LATE void prefetch(handler &group, const void *pointer, std::size_t size,
                          prefetch_type = prefetch_type::device) {
  group.prefetch(pointer, size);
}
PLSYCL_LATE void prefetch(queue where, const void *pointer, std::size_t size,
                          prefetch_type = prefetch_type::device) {
  where.prefetch(pointer, size);
}

template <typename Type> void copy(handler &group, const Type *from, Type *to, std::size_t count) {
  group.copy(from, to, count);
}
template <typename Type> void copy(queue where, const Type *from, Type *to, std::size_t count) {
  where.copy(from, to, count);
}
template <typename Type>
void fill(handler &group, Type *to, const Type &pattern, std::size_t count) {
  group.fill(to, pattern, count);
}
template <typename Type> void fill(queue where, Type *to, const Type &pattern, std::size_t count) {
  where.fill(to, pattern, count);
}

template <typename Task> void host_task(handler &group, const Task &task) { group.host_task(task); }
template <typename Task> void host_task(queue where, const Task &task) {
  where.submit([&](handler &group) { group.host_task(task); });
}

PLSYCL_LATE void barrier(handler &group) { group.ext_oneapi_barrier(); }
PLSYCL_LATE void barrier(queue where) { where.ext_oneapi_submit_barrier(); }
PLSYCL_LATE void partial_barrier(handler &group, const std::vector<event> &events) {
  group.ext_oneapi_barrier(events);
}
PLSYCL_LATE void partial_barrier(queue where, const std::vector<event> &events) {
  where.submit([&](handler &group) { group.ext_oneapi_barrier(events); });
}
template <typename To, typename Properties, sycl::detail::if_properties<Properties> = 0>
void barrier(To &&to, Properties) {
  barrier(to);
}
template <typename To, typename Properties, sycl::detail::if_properties<Properties> = 0>
void partial_barrier(To &&to, const std::vector<event> &events, Properties) {
  partial_barrier(to, events);
}
PLSYCL_LATE void execute_graph(queue where, command_graph<graph_state::executable> &graph) {
  where.ext_oneapi_graph(graph);
}
PLSYCL_LATE void execute_graph(handler &group, command_graph<graph_state::executable> &graph) {
  group.ext_oneapi_graph(graph);
}

} // namespace sycl::ext::oneapi::experimental
