//===- free_function_commands.hpp - sycl_khr_free_function_commands --------------------------===//
//
// Commands as functions: of a queue, whose command group then holds the one command, or of the
// handler of a group. But for submit_tracked they give no event. Kernels have no names here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/queue.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace sycl::detail {

template <typename Functor>
using if_no_kernel_object = std::enable_if_t<!std::is_same_v<std::decay_t<Functor>, kernel>, int>;

/// What a queue's command group is to wait for, where an argument is a placeholder.
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
void require_placeholder(
    handler &group, const accessor<Type, Dimensions, Mode, target::device, Holder> &placeholder) {
  group.require(placeholder);
}
template <typename Memory> void require_placeholder(handler &, const Memory &) {}

} // namespace sycl::detail

namespace sycl::khr {

template <typename Describe> void submit(queue where, Describe &&describe) {
  where.submit(describe);
}
template <typename Describe> event submit_tracked(queue where, Describe &&describe) {
  return where.submit(describe);
}

// ---- kernels: functors, with reductions behind them, and kernel objects, with arguments ----

template <typename Functor, detail::if_no_kernel_object<Functor> = 0>
void launch_task(handler &group, const Functor &functor) {
  group.single_task(functor);
}
template <typename Functor, detail::if_no_kernel_object<Functor> = 0>
void launch_task(queue where, const Functor &functor) {
  where.submit([&](handler &group) { group.single_task(functor); });
}
template <typename... Arguments>
void launch_task(handler &group, const kernel &made, Arguments &&...arguments) {
  group.set_args(arguments...);
  group.single_task(made);
}
template <typename... Arguments>
void launch_task(queue where, const kernel &made, Arguments &&...arguments) {
  where.submit([&](handler &group) { khr::launch_task(group, made, arguments...); });
}

// For each number of dimensions, so that what a range can be made of is one.
#define PLSYCL_LAUNCHES(DIMENSIONS)                                                                \
  template <typename Functor, detail::if_no_kernel_object<Functor> = 0>                            \
  void launch(handler &group, range<DIMENSIONS> space, const Functor &functor) {                   \
    group.parallel_for(space, functor);                                                            \
  }                                                                                                \
  template <typename Functor, detail::if_no_kernel_object<Functor> = 0>                            \
  void launch(queue where, range<DIMENSIONS> space, const Functor &functor) {                      \
    where.submit([&](handler &group) { group.parallel_for(space, functor); });                     \
  }                                                                                                \
  template <typename... Arguments>                                                                 \
  void launch(handler &group, range<DIMENSIONS> space, const kernel &made,                         \
              Arguments &&...arguments) {                                                          \
    group.set_args(arguments...);                                                                  \
    group.parallel_for(space, made);                                                               \
  }                                                                                                \
  template <typename... Arguments>                                                                 \
  void launch(queue where, range<DIMENSIONS> space, const kernel &made,                            \
              Arguments &&...arguments) {                                                          \
    where.submit([&](handler &group) { khr::launch(group, space, made, arguments...); });          \
  }                                                                                                \
  template <typename Functor, typename... Reductions>                                              \
  void launch_reduce(handler &group, range<DIMENSIONS> space, const Functor &functor,              \
                     Reductions &&...reductions) {                                                 \
    group.parallel_for(space, reductions..., functor);                                             \
  }                                                                                                \
  template <typename Functor, typename... Reductions>                                              \
  void launch_reduce(queue where, range<DIMENSIONS> space, const Functor &functor,                 \
                     Reductions &&...reductions) {                                                 \
    where.submit([&](handler &group) { group.parallel_for(space, reductions..., functor); });      \
  }                                                                                                \
  template <typename Functor, detail::if_no_kernel_object<Functor> = 0>                            \
  void launch_grouped(handler &group, range<DIMENSIONS> space, range<DIMENSIONS> size,             \
                      const Functor &functor) {                                                    \
    group.parallel_for(nd_range(space, size), functor);                                            \
  }                                                                                                \
  template <typename Functor, detail::if_no_kernel_object<Functor> = 0>                            \
  void launch_grouped(queue where, range<DIMENSIONS> space, range<DIMENSIONS> size,                \
                      const Functor &functor) {                                                    \
    where.submit([&](handler &group) { group.parallel_for(nd_range(space, size), functor); });     \
  }                                                                                                \
  template <typename... Arguments>                                                                 \
  void launch_grouped(handler &group, range<DIMENSIONS> space, range<DIMENSIONS> size,             \
                      const kernel &made, Arguments &&...arguments) {                              \
    group.set_args(arguments...);                                                                  \
    group.parallel_for(nd_range(space, size), made);                                               \
  }                                                                                                \
  template <typename... Arguments>                                                                 \
  void launch_grouped(queue where, range<DIMENSIONS> space, range<DIMENSIONS> size,                \
                      const kernel &made, Arguments &&...arguments) {                              \
    where.submit(                                                                                  \
        [&](handler &group) { khr::launch_grouped(group, space, size, made, arguments...); });     \
  }                                                                                                \
  template <typename Functor, typename... Reductions>                                              \
  void launch_grouped_reduce(handler &group, range<DIMENSIONS> space, range<DIMENSIONS> size,      \
                             const Functor &functor, Reductions &&...reductions) {                 \
    group.parallel_for(nd_range(space, size), reductions..., functor);                             \
  }                                                                                                \
  template <typename Functor, typename... Reductions>                                              \
  void launch_grouped_reduce(queue where, range<DIMENSIONS> space, range<DIMENSIONS> size,         \
                             const Functor &functor, Reductions &&...reductions) {                 \
    where.submit([&](handler &group) {                                                             \
      group.parallel_for(nd_range(space, size), reductions..., functor);                           \
    });                                                                                            \
  }
PLSYCL_LAUNCHES(1)
PLSYCL_LAUNCHES(2)
PLSYCL_LAUNCHES(3)
#undef PLSYCL_LAUNCHES

// ---- memory ----

#define PLSYCL_COMMAND(FUNCTION)                                                                   \
  template <typename... Arguments> void FUNCTION(handler &group, Arguments... arguments) {         \
    group.FUNCTION(arguments...);                                                                  \
  }                                                                                                \
  template <typename... Arguments> void FUNCTION(queue where, Arguments... arguments) {            \
    where.submit([&](handler &group) {                                                             \
      (detail::require_placeholder(group, arguments), ...);                                        \
      group.FUNCTION(arguments...);                                                                \
    });                                                                                            \
  }
PLSYCL_COMMAND(memcpy)
PLSYCL_COMMAND(copy)
PLSYCL_COMMAND(memset)
PLSYCL_COMMAND(update_host)
PLSYCL_COMMAND(prefetch)
PLSYCL_COMMAND(mem_advise)
#undef PLSYCL_COMMAND

/// A pattern is of the type of what it fills, whatever it is made of.
template <typename Type>
void fill(handler &group, Type *to, const Type &pattern, std::size_t count) {
  group.fill(to, pattern, count);
}
template <typename Type> void fill(queue where, Type *to, const Type &pattern, std::size_t count) {
  where.submit([&](handler &group) { group.fill(to, pattern, count); });
}
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
void fill(handler &group, accessor<Type, Dimensions, Mode, target::device, Holder> to,
          const std::enable_if_t<true, Type> &pattern) {
  group.fill(to, pattern);
}
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
void fill(queue where, accessor<Type, Dimensions, Mode, target::device, Holder> to,
          const std::enable_if_t<true, Type> &pattern) {
  where.submit([&](handler &group) {
    group.require(to);
    group.fill(to, pattern);
  });
}

// ---- barriers ----

PLSYCL_LATE void command_barrier(handler &group) { group.ext_oneapi_barrier(); }
PLSYCL_LATE void command_barrier(queue where) { where.ext_oneapi_submit_barrier(); }
PLSYCL_LATE void event_barrier(handler &group, const std::vector<event> &events) {
  group.ext_oneapi_barrier(events);
}
PLSYCL_LATE void event_barrier(queue where, const std::vector<event> &events) {
  where.submit([&](handler &group) { group.ext_oneapi_barrier(events); });
}

} // namespace sycl::khr
