//===- handler.hpp - how a command group describes its command -------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/detail/box.hpp>
#include <sycl/detail/config.hpp>
#include <sycl/detail/kernel_start.hpp>
#include <sycl/ext/oneapi/experimental/raw_kernel_arg.hpp>
#include <sycl/h_item.hpp>
#include <sycl/interop_handle.hpp>
#include <sycl/is_device_copyable.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/reduction.hpp>

#include <cstdint>
#include <functional>
#include <vector>

PLSYCL_HOST_FILE

namespace sycl {

namespace ext::oneapi::experimental {
template <typename Type, typename Properties> class device_global;
} // namespace ext::oneapi::experimental

namespace detail {

template <typename Type, int Dimensions, access_mode Mode, target Target,
          access::placeholder Holder>
struct accessor_shape<accessor<Type, Dimensions, Mode, Target, Holder>>
    : accessor_shape_of<PLSYCL_ARGUMENT_MEMORY, std::remove_const_t<Type>, Dimensions> {};
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
struct accessor_shape<accessor<Type, Dimensions, Mode, target::local, Holder>>
    : accessor_shape_of<PLSYCL_ARGUMENT_LOCAL, std::remove_const_t<Type>, Dimensions> {};
template <typename Type, int Dimensions>
struct accessor_shape<local_accessor<Type, Dimensions>>
    : accessor_shape_of<PLSYCL_ARGUMENT_LOCAL, std::remove_const_t<Type>, Dimensions> {};

/// Whether it is a value that updates of a graph change (dynamic_parameter).
template <typename Type> inline constexpr bool is_dynamic_parameter = false;
} // namespace detail

/// Describes the one command of a command group.
class _V1::handler : public detail::kernel_forms<handler> {
public:
  /// For the implementation.
  PLSYCL_LATE explicit handler(detail::shared<detail::queue_state> queue)
      : group(std::move(queue)) {}
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;

  // ---- what the command waits for and needs ----

  PLSYCL_LATE void depends_on(const event &other) { group.depend(other); }
  PLSYCL_LATE void depends_on(const std::vector<event> &others) {
    for (const event &other : others)
      group.depend(other);
  }
  /// Makes a placeholder part of this command; an accessor that was made of nothing is none.
  template <typename Type, int Dimensions, access_mode Mode, target Target,
            access::placeholder Holder>
  void require(const accessor<Type, Dimensions, Mode, Target, Holder> &placeholder) {
    if (detail::memory_of(placeholder.get_memory()))
      placeholder.require_in(group);
  }

  /// Kernels come from this bundle alone.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable> &bundle) {
    group.use(bundle.get_contents());
  }

  template <auto &Name, typename Unit = detail::this_unit>
  void set_specialization_constant(const detail::specialization_type<Name> &value) {
    group.set_spec_constant(&Name, detail::constant_name<Name, Unit>(), std::addressof(value),
                            sizeof(value));
  }
  template <auto &Name, typename = detail::this_unit>
  detail::specialization_type<Name> get_specialization_constant() const {
    return detail::constant_value<Name>(group.get_spec_constant(&Name));
  }

  // ---- kernels ----

  using detail::kernel_forms<handler>::single_task;
  using detail::kernel_forms<handler>::parallel_for;

  /// Hierarchical parallelism (h_item.hpp): a functor that takes a group.
  template <typename Name = detail::unnamed, int Dimensions, typename Functor>
  void parallel_for_work_group(range<Dimensions> groups, range<Dimensions> size,
                               const Functor &functor) {
    range<Dimensions> one;
    for (int i = 0; i < Dimensions; ++i) {
      if (size[i] == 0)
        detail::fail(errc::nd_range, "a work-group size must not be zero");
      one[i] = 1;
    }
    parallel_for<detail::kernel_name<Name, Functor>>(nd_range<Dimensions>(groups, one),
                                                     detail::over_groups(functor, size));
    fix_space(); // The driver's groups are others.
  }
  template <typename Name = detail::unnamed, int Dimensions, typename Functor>
  void parallel_for_work_group(range<Dimensions> groups, const Functor &functor) {
    parallel_for_work_group<Name>(groups, detail::default_group_size<Dimensions>(), functor);
  }

  /// Reductions and, last, a functor that takes an item and a reducer for each.
  template <typename Name = detail::unnamed, typename First, typename... Rest,
            detail::if_reduction<First, Rest...> = 0>
  void parallel_for(range<1> size, const First &first, const Rest &...rest) {
    reduce_over<Name>(size, first, rest...);
  }
  template <typename Name = detail::unnamed, typename First, typename... Rest,
            detail::if_reduction<First, Rest...> = 0>
  void parallel_for(range<2> size, const First &first, const Rest &...rest) {
    reduce_over<Name>(size, first, rest...);
  }
  template <typename Name = detail::unnamed, typename First, typename... Rest,
            detail::if_reduction<First, Rest...> = 0>
  void parallel_for(range<3> size, const First &first, const Rest &...rest) {
    reduce_over<Name>(size, first, rest...);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename First, typename... Rest,
            detail::if_reduction<First, Rest...> = 0>
  void parallel_for(nd_range<Dimensions> space, const First &first, const Rest &...rest) {
    reduce_over<Name>(space, first, rest...);
  }

  // ---- sycl_ext_oneapi_kernel_properties: a list of properties before the functor ----

  template <typename Name = detail::unnamed, typename List, typename Functor,
            detail::if_properties<List> = 0>
  void single_task(const List &list, const Functor &functor) {
    static_assert(!detail::equipped<List>::in_groups, "a task alone has no memory of work-groups");
    single_task<detail::kernel_name<Name, Functor>>(
        detail::with_properties<List>(detail::equipped<List>::with(list, functor, *this)));
  }
  /// Reductions may come before the functor.
  template <typename Name = detail::unnamed, typename List, typename... Rest,
            detail::if_properties<List> = 0>
  void parallel_for(range<1> size, const List &list, const Rest &...rest) {
    range_with_properties<Name>(size, list, rest...);
  }
  template <typename Name = detail::unnamed, typename List, typename... Rest,
            detail::if_properties<List> = 0>
  void parallel_for(range<2> size, const List &list, const Rest &...rest) {
    range_with_properties<Name>(size, list, rest...);
  }
  template <typename Name = detail::unnamed, typename List, typename... Rest,
            detail::if_properties<List> = 0>
  void parallel_for(range<3> size, const List &list, const Rest &...rest) {
    range_with_properties<Name>(size, list, rest...);
  }
  template <typename Name = detail::unnamed, int Dimensions, typename List, typename... Rest,
            detail::if_properties<List> = 0>
  void parallel_for(nd_range<Dimensions> space, const List &list, const Rest &...rest) {
    over_with_properties<Name>(space, list, std::tuple<const Rest &...>(rest...),
                               std::make_index_sequence<sizeof...(Rest) - 1>());
  }

  // ---- kernels of the driver's own (make_kernel), and functions that are kernels ----

  /// What such a kernel is given for its parameters: an accessor that the command requires, a local
  /// accessor, a USM pointer or a value whose bytes are copied.
  template <typename Type> void set_arg(int index, Type &&value) {
    if (index < 0)
      detail::fail(errc::invalid, "a kernel's parameters are counted from zero");
    if constexpr (detail::is_dynamic_parameter<std::decay_t<Type>>) {
      set_arg(index, value.get_value());
      group.vary(static_cast<std::size_t>(index), value.get());
    } else {
      group.set_argument(static_cast<std::size_t>(index), argument(value));
    }
  }
  template <typename... Types> void set_args(Types &&...values) {
    int index = 0;
    (set_arg(index++, std::forward<Types>(values)), ...);
  }
  PLSYCL_LATE void single_task(const kernel &made) {
    fix_space();
    if (made.get_function())
      launch_function(made, nd_range<1>(1, 1));
    else
      launch_foreign(made, range<1>(1), {}, range<1>());
  }
  PLSYCL_LATE void parallel_for(range<1> size, const kernel &made) {
    launch_foreign(made, size, {}, range<1>());
  }
  PLSYCL_LATE void parallel_for(range<2> size, const kernel &made) {
    launch_foreign(made, size, {}, range<2>());
  }
  PLSYCL_LATE void parallel_for(range<3> size, const kernel &made) {
    launch_foreign(made, size, {}, range<3>());
  }
  template <int Dimensions>
  void parallel_for(range<Dimensions> size, id<Dimensions> offset, const kernel &made) {
    launch_foreign(made, size, offset, range<Dimensions>());
  }
  template <int Dimensions> void parallel_for(nd_range<Dimensions> space, const kernel &made) {
    if (made.get_function())
      launch_function(made, space);
    else
      launch_foreign(made, space.get_global_range(), space.get_offset(), local_range_of(space));
  }
  /// For the implementation: a functor that calls a function, over three dimensions.
  template <int Dimensions, typename Functor>
  void call_function(const nd_range<Dimensions> &space, const Functor &functor) {
    detail::check_groups(space);
    group.set_told_dimensions(Dimensions);
    parallel_for(detail::in_three_dimensions(space), functor);
  }
  template <typename Functor> void call_function(const Functor &functor) {
    fix_space();
    call_function(nd_range<1>(1, 1), functor);
  }
  /// For the implementation: with local memory of a size, unless null.
  template <int Dimensions>
  void launch_function(const kernel &made, const nd_range<Dimensions> &space,
                       const std::size_t *scratch = nullptr) {
    const detail::function_kernel &function = *made.get_function();
    require_fit(made);
    detail::check_groups(space);
    if (!group.get_varying().empty())
      detail::fail(errc::feature_not_supported, "no value of a graph's is a function's argument");
    const auto &given = group.get_arguments();
    const auto is_missing = [](const auto &each) { return each.kind == PLSYCL_ARGUMENT_KEPT; };
    if (given.size() != function.parameters || std::any_of(given.begin(), given.end(), is_missing))
      detail::fail(errc::invalid, "the function takes " + std::to_string(function.parameters) +
                                      " arguments, and all of them");
    if (!made.get_contents()->constants.empty())
      group.use(made.get_contents());
    group.set_told_dimensions(Dimensions);
    function.start(*this, detail::in_three_dimensions(space), given.data(), scratch);
  }

  /// Runs on a thread of the runtime when the commands that it depends on have ended. A function
  /// that takes an interop_handle finds what its accessors of target::device stand for on the
  /// device, and has what it gives the driver end before it returns.
  template <typename Function> void host_task(Function function) {
    struct task {
      static void run(void *argument) {
        auto *start = static_cast<detail::task_start *>(argument);
        auto &function = *static_cast<Function *>(start->function);
        try {
          if constexpr (takes_handle<Function>)
            function(interop_handle(start->queue, start->required));
          else
            function();
        } catch (...) {
          start->queue->remember(std::current_exception());
        }
      }
    };
    plsycl_command &command =
        group.set(takes_handle<Function> ? PLSYCL_COMMAND_INTEROP_TASK : PLSYCL_COMMAND_HOST_TASK);
    command.callback = &task::run;
    command.argument = std::addressof(group.keep(std::move(function)));
  }

  /// sycl_ext_codeplay_enqueue_native_command: what the function gives the driver's queue is the
  /// command, which has ended when all of that has. A host task that takes the handle is just so.
  template <typename Function> void ext_codeplay_enqueue_native_command(Function function) {
    static_assert(std::is_invocable_v<Function &, interop_handle>,
                  "the function takes an interop_handle");
    host_task([function](interop_handle handle) mutable { function(handle); });
    group.set_role(detail::graph_role::native_command);
  }

  // ---- memory: USM ----

  void memcpy(void *destination, const void *source, std::size_t size) {
    plsycl_command &command = group.set(PLSYCL_COMMAND_COPY);
    command.destination = destination;
    command.source = source;
    command.size = size;
  }
  template <typename Type> void copy(const Type *source, Type *destination, std::size_t count) {
    memcpy(destination, source, count * sizeof(Type));
  }
  void memset(void *pointer, int value, std::size_t size) {
    fill(pointer, static_cast<unsigned char>(value), size);
    group.set_role(detail::graph_role::memset);
  }
  template <typename Type> void fill(void *pointer, const Type &pattern, std::size_t count) {
    static_assert(is_device_copyable_v<Type>, "devices copy elements as bytes");
    plsycl_command &command = group.set(PLSYCL_COMMAND_FILL);
    command.destination = pointer;
    group.keep_bytes(std::addressof(pattern), sizeof(pattern));
    command.pattern_size = sizeof(Type);
    command.size = count * sizeof(Type);
  }
  /// Hints; the devices here move shared memory themselves. Nothing runs, and other commands may
  /// come after it.
  void prefetch(const void *, std::size_t) { group.set_role(detail::graph_role::prefetch); }
  void mem_advise(const void *, std::size_t, int) { group.set_role(detail::graph_role::memadvise); }
  /// Later commands of the queue wait for all those before or, when there are any, for `after`.
  PLSYCL_LATE void ext_oneapi_barrier(const std::vector<event> &after = {}) {
    depends_on(after);
    group.set(after.empty() ? PLSYCL_COMMAND_BARRIER : PLSYCL_COMMAND_BARRIER_AFTER);
  }

  /// sycl_ext_oneapi_graph: runs the commands of an executable graph, when all that they come after
  /// is told.
  template <typename Graph> void ext_oneapi_graph(const Graph &graph) {
    if (run_graph)
      detail::fail(errc::invalid, "a command group must hold one command");
    run_graph = [this, graph] { return graph.run(group.queue, group.after(), ended_run); };
    group.set_role(detail::graph_role::subgraph);
  }

  // sycl_ext_oneapi_device_global: `size` bytes or `count` elements, from a place in the variable
  // on.

  template <typename Type, typename List>
  void memcpy(ext::oneapi::experimental::device_global<Type, List> &destination, const void *source,
              std::size_t size = sizeof(Type), std::size_t offset = 0) {
    memcpy(place_in_device_global(group.queue, destination, size, offset), source, size);
    group.set_role(detail::graph_role::not_in_graphs);
  }
  template <typename Type, typename List>
  void memcpy(void *destination, const ext::oneapi::experimental::device_global<Type, List> &source,
              std::size_t size = sizeof(Type), std::size_t offset = 0) {
    memcpy(destination, place_in_device_global(group.queue, source, size, offset), size);
    group.set_role(detail::graph_role::not_in_graphs);
  }
  template <typename Type, typename List, typename Element = std::remove_all_extents_t<Type>>
  void copy(const std::remove_all_extents_t<Type> *source,
            ext::oneapi::experimental::device_global<Type, List> &destination,
            std::size_t count = sizeof(Type) / sizeof(Element), std::size_t first = 0) {
    memcpy(destination, source, count * sizeof(Element), first * sizeof(Element));
  }
  template <typename Type, typename List, typename Element = std::remove_all_extents_t<Type>>
  void copy(const ext::oneapi::experimental::device_global<Type, List> &source,
            std::remove_all_extents_t<Type> *destination,
            std::size_t count = sizeof(Type) / sizeof(Element), std::size_t first = 0) {
    memcpy(destination, source, count * sizeof(Element), first * sizeof(Element));
  }

  // sycl_ext_oneapi_memcpy2d: `height` rows of `width` bytes or elements, `pitch` of them apart.

  PLSYCL_LATE void ext_oneapi_memcpy2d(void *destination, std::size_t destination_pitch,
                                       const void *source, std::size_t source_pitch,
                                       std::size_t width, std::size_t height) {
    if (destination_pitch < width || source_pitch < width)
      detail::fail(errc::invalid, "rows would overlap: the pitch must be at least the width");
    copy_boxes({nullptr, const_cast<void *>(source), 0, source_pitch * height, source_pitch},
               {nullptr, destination, 0, destination_pitch * height, destination_pitch},
               {1, height, width});
    group.set_role(detail::graph_role::not_in_graphs);
  }
  template <typename Type>
  void ext_oneapi_copy2d(const Type *source, std::size_t source_pitch, Type *destination,
                         std::size_t destination_pitch, std::size_t width, std::size_t height) {
    ext_oneapi_memcpy2d(destination, destination_pitch * sizeof(Type), source,
                        source_pitch * sizeof(Type), width * sizeof(Type), height);
  }
  PLSYCL_LATE void ext_oneapi_memset2d(void *destination, std::size_t pitch, int value,
                                       std::size_t width, std::size_t height) {
    ext_oneapi_fill2d(destination, pitch, static_cast<unsigned char>(value), width, height);
  }
  template <typename Type>
  void ext_oneapi_fill2d(void *destination, std::size_t pitch, const Type &pattern,
                         std::size_t width, std::size_t height) {
    if (pitch < width)
      detail::fail(errc::invalid, "rows would overlap: the pitch must be at least the width");
    constexpr std::size_t size = sizeof(Type);
    fill_box({nullptr, destination, 0, pitch * height * size, pitch * size},
             {1, height, width * size}, pattern);
    group.set_role(detail::graph_role::not_in_graphs);
  }

  // ---- memory: buffers ----

  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder,
            typename Other>
  void copy(accessor<Type, Dims, Mode, Target, Holder> source, Other *destination) {
    const auto covered = detail::range_of(source);
    copy_boxes(used_box_of(source), detail::packed_box<Type>(covered, destination),
               detail::rows_of<Type>(covered));
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder,
            typename Other>
  void copy(accessor<Type, Dims, Mode, Target, Holder> source, std::shared_ptr<Other> destination) {
    copy(source, group.keep(destination).get());
  }
  template <typename Other, typename Type, int Dims, access_mode Mode, target Target,
            access::placeholder Holder>
  void copy(const Other *source, accessor<Type, Dims, Mode, Target, Holder> destination) {
    const auto covered = detail::range_of(destination);
    copy_boxes(detail::packed_box<Type>(covered, const_cast<Other *>(source)),
               used_box_of(destination), detail::rows_of<Type>(covered));
  }
  template <typename Other, typename Type, int Dims, access_mode Mode, target Target,
            access::placeholder Holder>
  void copy(std::shared_ptr<Other> source, accessor<Type, Dims, Mode, Target, Holder> destination) {
    const std::remove_extent_t<Other> *host = group.keep(source).get();
    copy(host, destination);
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder,
            typename Other, int OtherDims, access_mode OtherMode, target OtherTarget,
            access::placeholder OtherHolder>
  void copy(accessor<Type, Dims, Mode, Target, Holder> source,
            accessor<Other, OtherDims, OtherMode, OtherTarget, OtherHolder> destination) {
    if (destination.byte_size() < source.byte_size())
      detail::fail(errc::invalid, "the destination of a copy is smaller than its source");
    if (sizeof(Type) == sizeof(Other) &&
        detail::fits_in(detail::range_of(source), detail::range_of(destination))) {
      copy_boxes(used_box_of(source), used_box_of(destination),
                 detail::rows_of<Type>(detail::range_of(source)));
    } else if (detail::is_one_row(source) && detail::is_one_row(destination)) {
      copy_boxes(used_box_of(source), used_box_of(destination),
                 detail::rows_of<Type>(range<1>(source.size())));
    } else if constexpr (sizeof(Type) == sizeof(Other) && Dims > 0 && OtherDims > 0) {
      // No copy of a driver's has two shapes.
      parallel_for(range<1>(source.size()), detail::linear_copy{source, destination});
    } else {
      detail::fail(errc::invalid,
                   "what accessors of elements of different sizes cover can be copied "
                   "only where it is contiguous");
    }
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
  void fill(accessor<Type, Dims, Mode, Target, Holder> destination,
            const detail::same_type<Type> &pattern) {
    fill_box(used_box_of(destination), detail::rows_of<Type>(detail::range_of(destination)),
             pattern);
  }
  /// Brings the buffer's contents to the host, as what requires them there does.
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
  void update_host(accessor<Type, Dims, Mode, Target, Holder> view) {
    group.use(view.get_memory());
    group.set(PLSYCL_COMMAND_HOST_TASK).callback = [](void *) {};
  }

  /// For the implementation: submits what was described.
  PLSYCL_LATE event submit() {
    if (run_graph) {
      if (group.get_kind() != PLSYCL_COMMAND_NONE)
        detail::fail(errc::invalid, "a command group must hold one command");
      for (const event &done : run_graph())
        group.depend(done);
    }
    const auto leaders = group.take_leaders();
    if (!leaders.empty())
      group.require_fit();
    for (const auto &describe : leaders) {
      handler first(group.queue);
      first.depends_on(group.after());
      describe(first);
      group.depend(first.submit());
    }
    if (group.get_followers().empty()) {
      event done = group.submit();
      if (run_graph && !done.get_node())
        done.set_run(std::move(ended_run));
      return done;
    }
    // A group that is recorded in a graph is not here any more afterwards.
    const auto queue = group.queue;
    const auto followers = group.get_followers();
    event done = group.submit();
    for (const auto &describe : followers) {
      handler next(queue);
      next.depends_on(done);
      describe(next);
      done = next.submit();
    }
    return done;
  }

private:
  friend detail::command_group &detail::command_group_of(handler &group);
  friend detail::kernel_forms<handler>;

  template <typename Function>
  static constexpr bool takes_handle =
      !std::is_invocable_v<Function &> && std::is_invocable_v<Function &, interop_handle>;

  /// Has the results that begin with their identity do so, by commands before this one.
  void begin_results(const detail::pack<> &) {}
  template <typename First, typename... Rest>
  void begin_results(const detail::pack<First, Rest...> &targets) {
    const First &target = targets.first;
    if (target.begins_with_identity)
      group.before([place = target.place, identity = target.identity](handler &first) {
        first.fill_result(place, identity, First::extent);
      });
    begin_results(targets.rest);
  }
  template <typename Type, typename Other>
  void fill_result(Type *place, const Other &value, std::size_t count) {
    fill(place, value, count);
  }
  template <typename Type, access_mode Mode, target Target, access::placeholder Holder>
  void fill_result(const accessor<Type, 1, Mode, Target, Holder> &place, const Type &value,
                   std::size_t) {
    require(place);
    fill(place, value);
  }

  template <typename Name, typename Space, typename First, typename... Rest>
  void reduce_over(const Space &space, const First &first, const Rest &...rest) {
    auto start = [&](const auto &functor, const auto &targets) {
      group.fix_space();
      start_reduction<Name>(space, functor, targets);
      begin_results(targets);
    };
    detail::split_reductions(start, std::index_sequence_for<Rest...>(),
                             std::tuple<const First &, const Rest &...>(first, rest...));
  }
  template <typename Name, typename Space, typename List, typename... Rest>
  void range_with_properties(const Space &size, const List &list, const Rest &...rest) {
    static_assert(!detail::equipped<List>::in_groups,
                  "only kernels over an nd_range have memory of work-groups");
    over_with_properties<Name>(size, list, std::tuple<const Rest &...>(rest...),
                               std::make_index_sequence<sizeof...(Rest) - 1>());
  }

  template <typename Name, int Dimensions, typename Functor, typename... Targets>
  void start_reduction(range<Dimensions> size, const Functor &functor,
                       const detail::pack<Targets...> &targets) {
    using Named = detail::reduction_name<Name, Functor, range<Dimensions>, Targets...>;
    with_ways<Named, Targets...>([&](auto way) {
      using Way = decltype(way);
      const std::size_t workers =
          std::min(size.size(), detail::most_workers<Way, Targets...>(group.get_device()));
      start_over_range<typename Way::kernel>(size, workers, functor,
                                             detail::prepare_all<Way>(*this, workers, targets));
    });
  }
  template <typename Name, int Dimensions, typename Functor, typename... Targets>
  void start_reduction(nd_range<Dimensions> space, const Functor &functor,
                       const detail::pack<Targets...> &targets) {
    using Named = detail::reduction_name<Name, Functor, nd_range<Dimensions>, Targets...>;
    with_ways<Named, Targets...>([&](auto way) {
      using Way = decltype(way);
      start_over_groups<typename Way::kernel>(
          space, functor,
          detail::prepare_all<Way>(*this, space.get_global_range().size(), targets));
    });
  }
  /// Calls `start` with the way in which the queue's device combines. The kernel that has the
  /// program's name runs on every device; a bundle may have been made for that one alone.
  template <typename Name, typename... Targets, typename Start> void with_ways(const Start &start) {
    if constexpr ((detail::needs_atomic64<typename Targets::value_type> || ...))
      if (!group.uses_bundle() && group.get_device().has(aspect::atomic64)) {
        start(detail::combining<detail::with_atomic64<Name>, true>());
        return;
      }
    start(detail::combining<Name, false>());
  }
  template <typename Name, int Dimensions, typename Functor, typename... Targets>
  void start_over_range(range<Dimensions> size, std::size_t workers, const Functor &functor,
                        const detail::pack<Targets...> &targets) {
    parallel_for<Name>(range<1>(workers),
                       detail::reduction_over_range<Functor, Dimensions, Targets...>{
                           functor, size, workers, targets});
  }
  template <typename Name, int Dimensions, typename Functor, typename... Targets>
  void start_over_groups(nd_range<Dimensions> space, const Functor &functor,
                         const detail::pack<Targets...> &targets) {
    parallel_for<Name>(
        space, detail::reduction_over_groups<Functor, Dimensions, Targets...>{functor, targets});
  }

  template <typename Name, typename List, typename Space, typename... Rest, std::size_t... Index>
  void over_with_properties(const Space &space, const List &list,
                            const std::tuple<const Rest &...> &rest,
                            std::index_sequence<Index...>) {
    const auto &functor = std::get<sizeof...(Index)>(rest);
    using Functor = std::decay_t<decltype(functor)>;
    parallel_for<detail::kernel_name<Name, Functor>>(
        space, std::get<Index>(rest)...,
        detail::with_properties<List>(detail::equipped<List>::with(list, functor, *this)));
  }

  template <typename Accessor> const void *keep_accessor(const Accessor &given) {
    return &group.keep(detail::kept_accessor{&detail::accessor_shape<Accessor>::tag,
                                             std::addressof(group.keep(given))});
  }
  template <typename Type, int Dimensions, access_mode Mode, target Target,
            access::placeholder Holder>
  plsycl_argument argument(const accessor<Type, Dimensions, Mode, Target, Holder> &given) {
    static_assert(Target == target::device || Target == target::constant_buffer,
                  "a kernel reaches what an accessor of target::device does");
    const detail::global_memory &memory = given.get_memory();
    group.use(memory);
    const std::size_t origin = detail::origin_of(memory) * sizeof(Type);
    return {PLSYCL_ARGUMENT_MEMORY, detail::memory_of(memory), keep_accessor(given), origin};
  }
  template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
  plsycl_argument argument(const accessor<Type, Dimensions, Mode, target::local, Holder> &given) {
    return {PLSYCL_ARGUMENT_LOCAL, nullptr, keep_accessor(given), given.byte_size()};
  }
  template <typename Type, int Dimensions>
  plsycl_argument argument(const local_accessor<Type, Dimensions> &given) {
    return {PLSYCL_ARGUMENT_LOCAL, nullptr, keep_accessor(given), given.byte_size()};
  }
  template <typename Type> plsycl_argument argument(Type *const &given) {
    return {PLSYCL_ARGUMENT_POINTER, nullptr, given, 0};
  }
  PLSYCL_LATE plsycl_argument bytes_argument(const void *bytes, std::size_t size) {
    const std::string &kept = group.keep(std::string(static_cast<const char *>(bytes), size));
    return {PLSYCL_ARGUMENT_VALUE, nullptr, kept.data(), kept.size()};
  }
  template <typename Type> plsycl_argument argument(const Type &given) {
    if constexpr (std::is_same_v<Type, ext::oneapi::experimental::raw_kernel_arg>) {
      return bytes_argument(given.get_bytes(), given.get_size());
    } else if constexpr (std::is_array_v<Type>) {
      static_assert(is_device_copyable_v<Type>, "a kernel takes values as bytes");
      return bytes_argument(given, sizeof(given));
    } else {
      static_assert(is_device_copyable_v<Type>, "a kernel takes values as bytes");
      return {PLSYCL_ARGUMENT_VALUE, nullptr, std::addressof(group.keep(given)), sizeof(Type)};
    }
  }
  void require_fit(const kernel &made) const {
    if (made.get_context() != group.queue->context)
      detail::fail(errc::invalid, "the kernel is of another context than the queue");
    if (!made.get_contents()->has_device(group.queue->device))
      detail::fail(errc::kernel_not_supported,
                   "the kernel's program is not for the queue's device");
  }
  template <int Dimensions>
  void launch_foreign(const kernel &made, range<Dimensions> global, id<Dimensions> offset,
                      range<Dimensions> local) {
    if (made.get_function())
      detail::fail(errc::invalid, "a function runs over an nd_range, or alone");
    if (!made.get_foreign())
      detail::fail(errc::invalid, "a kernel of SYCL is started by its function, not its object");
    require_fit(made);
    plsycl_foreign_launch description = {};
    description.kernel = group.keep(made).get_foreign();
    description.dimensions = Dimensions;
    detail::copy_numbers(global, description.global, 1);
    detail::copy_numbers(local, description.local, local.size() ? 1 : 0);
    detail::copy_numbers(offset, description.offset, 0);
    group.set_foreign_kernel(description);
  }

  const device &get_device() const { return group.get_device(); }
  void fix_space() { group.fix_space(); }

#ifndef __SYCL_DEVICE_ONLY__
  template <typename Name, typename Launched, int Dimensions>
  void launch(const Launched &functor, range<Dimensions> global, id<Dimensions> offset,
              range<Dimensions> local) {
    plsycl_launch &start = group.get_launch();
    if constexpr (detail::is_root_synced<Launched>)
      group.fix_space();
#ifdef PLSYCL_UPSTREAM
    detail::placed<Launched> &whole =
        group.keep_functor(detail::placed<Launched>{functor, {}, {}, {}});
    whole.find(group.buffer_words(), group.local_words);
    // That it is mentioned makes the compiler write it.
    (void)&detail::announced<Name, Launched>::record;
    detail::describe_start<Name>(start, whole.functor, global, offset, local);
    start.functor = &whole;
    start.functor_size = sizeof(whole);
#else
    detail::describe_start<Name>(start, group.keep_functor(functor), global, offset, local);
#endif
    group.set_kernel();
  }
#endif

  template <typename View> plsycl_box used_box_of(const View &view) {
    group.use(view.get_memory());
    return detail::box_of(view);
  }
  static void set_rows(plsycl_command &command, const detail::box_rows &rows) {
    command.rows[0] = rows.planes;
    command.rows[1] = rows.rows;
    command.row_size = rows.row_size;
  }
  void copy_boxes(const plsycl_box &from, const plsycl_box &to, const detail::box_rows &rows) {
    plsycl_command &command = group.set(PLSYCL_COMMAND_BUFFER_COPY);
    command.from = from;
    command.to = to;
    set_rows(command, rows);
  }
  template <typename Type>
  void fill_box(const plsycl_box &to, const detail::box_rows &rows, const Type &pattern) {
    plsycl_command &command = group.set(PLSYCL_COMMAND_BUFFER_FILL);
    command.to = to;
    group.keep_bytes(std::addressof(pattern), sizeof(pattern));
    command.pattern_size = sizeof(Type);
    set_rows(command, rows);
  }

  detail::command_group group;
  /// Starts the graph that the group runs.
  std::function<std::vector<event>()> run_graph;
  detail::shared<detail::graph_run> ended_run;
};

namespace detail {
inline command_group &command_group_of(handler &group) { return group.group; }
} // namespace detail
} // namespace sycl
