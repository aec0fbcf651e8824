//===- queue.hpp - where programs submit commands --------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/detail/direct_start.hpp>
#include <sycl/detail/usm_advice.hpp>
#include <sycl/handler.hpp>

#include <cstdint>
#include <optional>
#include <utility>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {

/// An event, or none, for programs that take it for a std::optional, as DPC++ gives it now, and for
/// those that take it for the event, as it gave it before: that of no command is complete.
class optional_event : public event {
public:
  optional_event() = default;
  explicit optional_event(const event &last) : event(last), there(true) {}

  bool has_value() const noexcept { return there; }
  explicit operator bool() const noexcept { return there; }
  event &value() { return there ? *this : throw std::bad_optional_access(); }
  event value_or(const event &other) const { return there ? *this : other; }
  event &operator*() noexcept { return *this; }
  event *operator->() noexcept { return this; }
  // For each kind of value, else an optional's own constructor takes the event that it is.
  operator std::optional<event>() & { return of(*this, there); }
  operator std::optional<event>() const & { return of(*this, there); }
  operator std::optional<event>() && { return of(*this, there); }

private:
  static std::optional<event> of(const event &last, bool is_there) {
    return is_there ? std::optional<event>(std::in_place, last) : std::nullopt;
  }

  bool there = false;
};

} // namespace detail

namespace ext::oneapi::experimental {
/// Whether a queue's commands run, or a graph records them.
enum class queue_state { executing, recording };
} // namespace ext::oneapi::experimental

namespace detail {
/// Hints that contradict one another (sycl_ext_oneapi_queue_priority,
/// sycl_ext_intel_queue_immediate_command_list, sycl_ext_oneapi_discard_queue_events).
template <typename List> void check_hints(const List &properties) {
  namespace own = ext::oneapi::property::queue;
  namespace intel = ext::intel::property::queue;
  const auto has = [&](auto hint) {
    return properties.template has_property<decltype(hint)>() ? 1 : 0;
  };
  if (has(own::priority_low()) + has(own::priority_normal()) + has(own::priority_high()) > 1)
    fail(errc::invalid, "a queue has one priority");
  if (has(intel::immediate_command_list()) && has(intel::no_immediate_command_list()))
    fail(errc::invalid, "a queue's commands go to immediate command lists, or to others");
  if (has(own::discard_events()) && has(property::queue::enable_profiling()))
    fail(errc::invalid, "commands whose events are discarded are not timed");
}

/// A queue's asynchronous failures; a template as `PLSYCL_LATE` says.
template <typename Queue> class queue_failures {
public:
  /// Also hands asynchronous failures to the queue's handler.
  void wait_and_throw() {
    static_cast<Queue &>(*this).wait();
    throw_asynchronous();
  }
  void throw_asynchronous() { static_cast<Queue &>(*this).state->throw_asynchronous(); }
};
} // namespace detail

/// Runs commands on one device. Copies are the same queue.
class _V1::queue : public detail::by_identity<queue>, public detail::queue_failures<queue> {
public:
  PLSYCL_LATE explicit queue(const property_list &properties = {}) : queue(device(), properties) {}
  PLSYCL_LATE explicit queue(const async_handler &handler, const property_list &properties = {})
      : queue(device(), handler, properties) {}
  template <typename Selector, detail::if_selector<Selector> = 0,
            std::enable_if_t<!detail::is_legacy_selector<Selector>, int> = 0>
  explicit queue(const Selector &selector, const property_list &properties = {})
      : queue(device(selector), properties) {}
  /// SYCL 1.2.1's selectors are queues without being asked.
  template <typename Selector, std::enable_if_t<detail::is_legacy_selector<Selector>, int> = 0>
  queue(const Selector &selector, const property_list &properties = {})
      : queue(device(selector), properties) {}
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit queue(const Selector &selector, const async_handler &handler,
                 const property_list &properties = {})
      : queue(device(selector), handler, properties) {}
  PLSYCL_LATE explicit queue(const device &target, const property_list &properties = {})
      : queue(target, async_handler(), properties) {}
  PLSYCL_LATE explicit queue(const device &target, const async_handler &handler,
                             const property_list &properties = {})
      : queue(detail::default_context(target), target, handler, properties) {}
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit queue(const context &owner, const Selector &selector,
                 const property_list &properties = {})
      : queue(owner, selector, async_handler(), properties) {}
  template <typename Selector, detail::if_selector<Selector> = 0>
  explicit queue(const context &owner, const Selector &selector, const async_handler &handler,
                 const property_list &properties = {})
      : queue(owner, device(selector), handler, properties) {}
  PLSYCL_LATE explicit queue(const context &owner, const device &target,
                             const property_list &properties = {})
      : queue(owner, target, async_handler(), properties) {}
  PLSYCL_LATE explicit queue(const context &owner, const device &target,
                             const async_handler &handler, const property_list &properties = {})
      : state(detail::shared<detail::queue_state>::make(owner, target, handler, properties)) {
    owner.require(target);
    detail::check_hints(properties);
    if (properties.has_property<property::queue::enable_profiling>() &&
        !target.has(aspect::queue_profiling))
      detail::fail(errc::feature_not_supported, "the device does not take the times of commands");
    using ext::intel::property::queue::compute_index;
    if (properties.has_property<compute_index>() &&
        properties.get_property<compute_index>().get_index() != 0)
      detail::fail(errc::invalid, "the device has one compute queue, of the index 0");
    std::uint32_t bits = 0;
    if (is_in_order())
      bits |= PLSYCL_QUEUE_IN_ORDER;
    if (properties.has_property<property::queue::enable_profiling>())
      bits |= PLSYCL_QUEUE_PROFILING;
    plsycl_queue object = nullptr;
    detail::check(plsycl_queue_create(owner.get(), target.get(), bits, &object));
    state->owned = detail::queue_handle(object);
    owner.get_queues().add(state);
    end = detail::end_of(state);
  }

  /// For the implementation.
  explicit queue(detail::shared<detail::queue_state> state,
                 detail::shared<detail::queue_end> end = nullptr)
      : state(std::move(state)), end(std::move(end)) {}
  /// What finds the queue while it lives.
  template <typename Self = queue> auto watch() const {
    const Self &self = *this;
    return [known = detail::watched(self.state)]() -> std::optional<Self> {
      if (auto found = known.lock())
        return Self(std::move(found));
      return std::nullopt;
    };
  }

  context get_context() const { return state->context; }
  device get_device() const { return state->device; }
  backend get_backend() const noexcept { return state->device.get_backend(); }
  bool is_in_order() const { return state->properties.has_property<property::queue::in_order>(); }
  template <typename Param> detail::answer_about<Param, queue> get_info() const {
    if constexpr (std::is_same_v<Param, info::queue::context>)
      return get_context();
    else if constexpr (std::is_same_v<Param, info::queue::device>)
      return get_device();
    else
      return static_cast<std::uint32_t>(state.use_count());
  }
  template <typename Param> detail::answer_of_backend<Param> get_backend_info() const {
    return detail::backend_info<Param>(get_device());
  }
  template <typename Property> bool has_property() const noexcept {
    return state->properties.has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    return state->properties.get_property<Property>();
  }

  /// Runs `describe` and submits the command that it describes.
  template <typename Describe> event submit(Describe describe) {
    handler group(state);
    describe(group);
    return group.submit();
  }
  /// Submits to another queue when this one refuses the command.
  template <typename Describe> event submit(Describe describe, const queue &secondary) {
    const auto again = [&describe](handler &group) { describe(group); };
    try {
      return submit(again);
    } catch (const exception &) {
      return queue(secondary).submit(again);
    }
  }

  void wait() {
    if (state->get_recorder())
      detail::fail(errc::invalid, "a queue whose commands a graph records has none to wait for");
    detail::check(plsycl_queue_wait(state->owned.get()));
  }
  // ---- shortcuts: a command group that holds just the one command ----

  template <typename Name = detail::unnamed, typename Functor>
  event single_task(const Functor &functor) {
    return once<Name>(nullptr, 0, functor);
  }
  template <typename Name = detail::unnamed, typename Functor>
  event single_task(const event &after, const Functor &functor) {
    return once<Name>(&after, 1, functor);
  }
  template <typename Name = detail::unnamed, typename Functor>
  event single_task(const std::vector<event> &after, const Functor &functor) {
    return once<Name>(after.data(), after.size(), functor);
  }

  // The same with a list of properties (sycl_ext_oneapi_kernel_properties) before the functor.
  template <typename Name = detail::unnamed, typename List, typename Functor,
            detail::if_properties<List> = 0>
  event single_task(const List &properties, const Functor &functor) {
    return submit([&](handler &group) { group.single_task<Name>(properties, functor); });
  }
  template <typename Name = detail::unnamed, typename List, typename Functor,
            detail::if_properties<List> = 0>
  event single_task(const event &after, const List &properties, const Functor &functor) {
    return single_task<Name>(std::vector<event>{after}, properties, functor);
  }
  template <typename Name = detail::unnamed, typename List, typename Functor,
            detail::if_properties<List> = 0>
  event single_task(const std::vector<event> &after, const List &properties,
                    const Functor &functor) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.single_task<Name>(properties, functor);
    });
  }

  // `rest` is what handler::parallel_for takes after the space. The dimensions are not deduced, so
  // that programs can write the space in braces.
#define PLSYCL_PARALLEL_FOR(SPACE, ...)                                                            \
  template <typename Name = detail::unnamed, __VA_ARGS__ typename... Rest>                         \
  event parallel_for(SPACE space, const Rest &...rest) {                                           \
    return over<Name>(nullptr, 0, space, rest...);                                                 \
  }                                                                                                \
  template <typename Name = detail::unnamed, __VA_ARGS__ typename... Rest>                         \
  event parallel_for(SPACE space, const event &after, const Rest &...rest) {                       \
    return over<Name>(&after, 1, space, rest...);                                                  \
  }                                                                                                \
  template <typename Name = detail::unnamed, __VA_ARGS__ typename... Rest>                         \
  event parallel_for(SPACE space, const std::vector<event> &after, const Rest &...rest) {          \
    return over<Name>(after.data(), after.size(), space, rest...);                                 \
  }
  PLSYCL_PARALLEL_FOR(range<1>, )
  PLSYCL_PARALLEL_FOR(range<2>, )
  PLSYCL_PARALLEL_FOR(range<3>, )
  PLSYCL_PARALLEL_FOR(nd_range<Dimensions>, int Dimensions, )
#undef PLSYCL_PARALLEL_FOR
  // With an offset, which is deprecated, and events.
#define PLSYCL_PARALLEL_FOR(DIMENSIONS)                                                            \
  template <typename Name = detail::unnamed, typename Functor>                                     \
  event parallel_for(range<DIMENSIONS> size, id<DIMENSIONS> offset, const event &after,            \
                     const Functor &functor) {                                                     \
    return over<Name>(&after, 1, size, offset, functor);                                           \
  }                                                                                                \
  template <typename Name = detail::unnamed, typename Functor>                                     \
  event parallel_for(range<DIMENSIONS> size, id<DIMENSIONS> offset,                                \
                     const std::vector<event> &after, const Functor &functor) {                    \
    return over<Name>(after.data(), after.size(), size, offset, functor);                          \
  }
  PLSYCL_PARALLEL_FOR(1)
  PLSYCL_PARALLEL_FOR(2)
  PLSYCL_PARALLEL_FOR(3)
#undef PLSYCL_PARALLEL_FOR

  PLSYCL_LATE event memcpy(void *destination, const void *source, std::size_t size,
                           const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.memcpy(destination, source, size);
    });
  }
  PLSYCL_LATE event memcpy(void *destination, const void *source, std::size_t size,
                           const event &after) {
    return memcpy(destination, source, size, std::vector<event>{after});
  }
  template <typename Type>
  event copy(const Type *source, Type *destination, std::size_t count,
             const std::vector<event> &after = {}) {
    return memcpy(destination, source, count * sizeof(Type), after);
  }
  template <typename Type>
  event copy(const Type *source, Type *destination, std::size_t count, const event &after) {
    return memcpy(destination, source, count * sizeof(Type), after);
  }
  PLSYCL_LATE event memset(void *pointer, int value, std::size_t size,
                           const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.memset(pointer, value, size);
    });
  }
  PLSYCL_LATE event memset(void *pointer, int value, std::size_t size, const event &after) {
    return memset(pointer, value, size, std::vector<event>{after});
  }
  template <typename Type>
  event fill(void *pointer, const Type &pattern, std::size_t count,
             const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.fill(pointer, pattern, count);
    });
  }
  template <typename Type>
  event fill(void *pointer, const Type &pattern, std::size_t count, const event &after) {
    return fill(pointer, pattern, count, std::vector<event>{after});
  }
  PLSYCL_LATE event prefetch(const void *pointer, std::size_t size,
                             const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.prefetch(pointer, size);
    });
  }
  PLSYCL_LATE event mem_advise(const void *pointer, std::size_t size, int advice,
                               const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.mem_advise(pointer, size, advice);
    });
  }
  PLSYCL_LATE event prefetch(const void *pointer, std::size_t size, const event &after) {
    return prefetch(pointer, size, std::vector<event>{after});
  }
  PLSYCL_LATE event mem_advise(const void *pointer, std::size_t size, int advice,
                               const event &after) {
    return mem_advise(pointer, size, advice, std::vector<event>{after});
  }

  // sycl_ext_oneapi_device_global: as the handler copies.
#define PLSYCL_DEVICE_GLOBAL(AFTER)                                                                \
  template <typename Type, typename List>                                                          \
  event memcpy(ext::oneapi::experimental::device_global<Type, List> &destination,                  \
               const void *source, std::size_t size, std::size_t offset, AFTER after) {            \
    return when(after, [&](handler &group) { group.memcpy(destination, source, size, offset); });  \
  }                                                                                                \
  template <typename Type, typename List>                                                          \
  event memcpy(void *destination,                                                                  \
               const ext::oneapi::experimental::device_global<Type, List> &source,                 \
               std::size_t size, std::size_t offset, AFTER after) {                                \
    return when(after, [&](handler &group) { group.memcpy(destination, source, size, offset); });  \
  }                                                                                                \
  template <typename Type, typename List>                                                          \
  event copy(const std::remove_all_extents_t<Type> *source,                                        \
             ext::oneapi::experimental::device_global<Type, List> &destination, std::size_t count, \
             std::size_t first, AFTER after) {                                                     \
    return when(after, [&](handler &group) { group.copy(source, destination, count, first); });    \
  }                                                                                                \
  template <typename Type, typename List>                                                          \
  event copy(const ext::oneapi::experimental::device_global<Type, List> &source,                   \
             std::remove_all_extents_t<Type> *destination, std::size_t count, std::size_t first,   \
             AFTER after) {                                                                        \
    return when(after, [&](handler &group) { group.copy(source, destination, count, first); });    \
  }
  PLSYCL_DEVICE_GLOBAL(const event &)
  PLSYCL_DEVICE_GLOBAL(const std::vector<event> &)
#undef PLSYCL_DEVICE_GLOBAL
  template <typename Type, typename List>
  event memcpy(ext::oneapi::experimental::device_global<Type, List> &destination,
               const void *source, std::size_t size = sizeof(Type), std::size_t offset = 0) {
    return memcpy(destination, source, size, offset, std::vector<event>());
  }
  template <typename Type, typename List>
  event memcpy(void *destination,
               const ext::oneapi::experimental::device_global<Type, List> &source,
               std::size_t size = sizeof(Type), std::size_t offset = 0) {
    return memcpy(destination, source, size, offset, std::vector<event>());
  }
  template <typename Type, typename List, typename Element = std::remove_all_extents_t<Type>>
  event copy(const std::remove_all_extents_t<Type> *source,
             ext::oneapi::experimental::device_global<Type, List> &destination,
             std::size_t count = sizeof(Type) / sizeof(Element), std::size_t first = 0) {
    return copy(source, destination, count, first, std::vector<event>());
  }
  template <typename Type, typename List, typename Element = std::remove_all_extents_t<Type>>
  event copy(const ext::oneapi::experimental::device_global<Type, List> &source,
             std::remove_all_extents_t<Type> *destination,
             std::size_t count = sizeof(Type) / sizeof(Element), std::size_t first = 0) {
    return copy(source, destination, count, first, std::vector<event>());
  }

  // Shortcuts for accessors that were made without a handler.
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder,
            typename To>
  event copy(accessor<Type, Dims, Mode, Target, Holder> source, To destination) {
    return with(source, [&](handler &group) { group.copy(source, destination); });
  }
  template <typename From, typename Type, int Dims, access_mode Mode, target Target,
            access::placeholder Holder>
  event copy(const From *source, accessor<Type, Dims, Mode, Target, Holder> destination) {
    return with(destination, [&](handler &group) { group.copy(source, destination); });
  }
  template <typename From, typename Type, int Dims, access_mode Mode, target Target,
            access::placeholder Holder>
  event copy(std::shared_ptr<From> source, accessor<Type, Dims, Mode, Target, Holder> destination) {
    return with(destination, [&](handler &group) { group.copy(source, destination); });
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder,
            typename Other, int OtherDims, access_mode OtherMode, target OtherTarget,
            access::placeholder OtherHolder>
  event copy(accessor<Type, Dims, Mode, Target, Holder> source,
             accessor<Other, OtherDims, OtherMode, OtherTarget, OtherHolder> destination) {
    return with(source, [&](handler &group) {
      group.require(destination);
      group.copy(source, destination);
    });
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
  event update_host(accessor<Type, Dims, Mode, Target, Holder> covered) {
    return with(covered, [&](handler &group) { group.update_host(covered); });
  }
  template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
  event fill(accessor<Type, Dims, Mode, Target, Holder> destination,
             const detail::same_type<Type> &pattern) {
    return with(destination, [&](handler &group) { group.fill(destination, pattern); });
  }

  // ---- extensions ----

  // sycl_ext_oneapi_memcpy2d.
  PLSYCL_LATE event ext_oneapi_memcpy2d(void *destination, std::size_t destination_pitch,
                                        const void *source, std::size_t source_pitch,
                                        std::size_t width, std::size_t height,
                                        const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.ext_oneapi_memcpy2d(destination, destination_pitch, source, source_pitch, width,
                                height);
    });
  }
  PLSYCL_LATE event ext_oneapi_memcpy2d(void *destination, std::size_t destination_pitch,
                                        const void *source, std::size_t source_pitch,
                                        std::size_t width, std::size_t height, const event &after) {
    return ext_oneapi_memcpy2d(destination, destination_pitch, source, source_pitch, width, height,
                               std::vector<event>{after});
  }
  template <typename Type>
  event ext_oneapi_copy2d(const Type *source, std::size_t source_pitch, Type *destination,
                          std::size_t destination_pitch, std::size_t width, std::size_t height,
                          const std::vector<event> &after = {}) {
    return ext_oneapi_memcpy2d(destination, destination_pitch * sizeof(Type), source,
                               source_pitch * sizeof(Type), width * sizeof(Type), height, after);
  }
  template <typename Type>
  event ext_oneapi_copy2d(const Type *source, std::size_t source_pitch, Type *destination,
                          std::size_t destination_pitch, std::size_t width, std::size_t height,
                          const event &after) {
    return ext_oneapi_copy2d(source, source_pitch, destination, destination_pitch, width, height,
                             std::vector<event>{after});
  }
  template <typename Type>
  event ext_oneapi_fill2d(void *destination, std::size_t pitch, const Type &pattern,
                          std::size_t width, std::size_t height,
                          const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.ext_oneapi_fill2d(destination, pitch, pattern, width, height);
    });
  }
  template <typename Type>
  event ext_oneapi_fill2d(void *destination, std::size_t pitch, const Type &pattern,
                          std::size_t width, std::size_t height, const event &after) {
    return ext_oneapi_fill2d(destination, pitch, pattern, width, height, std::vector<event>{after});
  }
  PLSYCL_LATE event ext_oneapi_memset2d(void *destination, std::size_t pitch, int value,
                                        std::size_t width, std::size_t height,
                                        const std::vector<event> &after = {}) {
    return ext_oneapi_fill2d(destination, pitch, static_cast<unsigned char>(value), width, height,
                             after);
  }
  PLSYCL_LATE event ext_oneapi_memset2d(void *destination, std::size_t pitch, int value,
                                        std::size_t width, std::size_t height, const event &after) {
    return ext_oneapi_memset2d(destination, pitch, value, width, height, std::vector<event>{after});
  }

  /// sycl_ext_oneapi_enqueue_barrier: completes when all that was submitted before, or all of
  /// `after`, is complete; what is submitted later begins then.
  PLSYCL_LATE event ext_oneapi_submit_barrier(const std::vector<event> &after = {}) {
    return submit([&](handler &group) { group.ext_oneapi_barrier(after); });
  }
  /// sycl_ext_oneapi_queue_empty: whether all that was submitted is complete.
  bool ext_oneapi_empty() const {
    std::int32_t empty = 0;
    detail::check(plsycl_queue_empty(state->owned.get(), &empty));
    return empty != 0;
  }
  /// sycl_khr_queue_empty_query.
  bool khr_empty() const { return ext_oneapi_empty(); }
  /// sycl_khr_queue_flush: nothing is to be done, for drivers are told to begin with each command.
  void khr_flush() const {}
  /// sycl_ext_oneapi_in_order_queue_events: the last command's event, and none before the first.
  PLSYCL_LATE detail::optional_event ext_oneapi_get_last_event() const {
    if (!is_in_order())
      detail::fail(errc::invalid, "only an in-order queue has a last event");
    const event last = event::last_of(state);
    return last.get() ? detail::optional_event(last) : detail::optional_event();
  }
  /// The next command comes after it as well.
  PLSYCL_LATE void ext_oneapi_set_external_event(const event &after) {
    if (!is_in_order())
      detail::fail(errc::invalid, "only an in-order queue takes an external event");
    ext_oneapi_submit_barrier({after});
  }

  // sycl_ext_oneapi_graph: the commands of an executable graph, after others.
  template <typename Graph>
  event ext_oneapi_graph(const Graph &graph, const std::vector<event> &after = {}) {
    return submit([&](handler &group) {
      group.depends_on(after);
      group.ext_oneapi_graph(graph);
    });
  }
  template <typename Graph> event ext_oneapi_graph(const Graph &graph, const event &after) {
    return ext_oneapi_graph(graph, std::vector<event>{after});
  }
  PLSYCL_LATE auto ext_oneapi_get_state() const {
    using ext::oneapi::experimental::queue_state;
    return state->get_recorder() ? queue_state::recording : queue_state::executing;
  }
  /// The graph that records the queue's commands; errc::invalid where none does.
  template <auto State = ext::oneapi::experimental::graph_state::modifiable,
            typename Graph = ext::oneapi::experimental::command_graph<State>>
  Graph ext_oneapi_get_graph() const {
    const auto recorder = state->get_recorder();
    if (!recorder)
      detail::fail(errc::invalid, "no graph records the queue");
    return Graph::recording(recorder);
  }

  /// For the implementation.
  const detail::shared<detail::queue_state> &get_state() const { return state; }
  plsycl_queue get() const { return state->owned.get(); }
  const void *identity() const { return state.get(); }

private:
  friend class detail::queue_failures<queue>;

  static const std::vector<event> &all_of(const std::vector<event> &events) { return events; }
  static std::vector<event> all_of(const event &one) { return {one}; }
  template <typename After, typename Describe>
  event when(const After &after, const Describe &describe) {
    return submit([&](handler &group) {
      group.depends_on(all_of(after));
      describe(group);
    });
  }
  template <typename Accessor, typename Describe>
  event with(const Accessor &needed, const Describe &describe) {
    return submit([&](handler &group) {
      group.require(needed);
      describe(group);
    });
  }
  // Kernels after `count` events.
  template <typename Name, typename Functor>
  event once(const event *first, std::size_t count, const Functor &functor) {
    return start<is_alone<Functor>>(
        first, count, [&](auto &group) { group.template single_task<Name>(functor); });
  }
  template <typename Name, typename Space, typename... Rest>
  event over(const event *first, std::size_t count, const Space &space, const Rest &...rest) {
    return start<is_alone<Rest...>>(
        first, count, [&](auto &group) { group.template parallel_for<Name>(space, rest...); });
  }

  /// Whether a functor is all that is said of a kernel: one that needs no command group.
  template <typename... Rest>
  static constexpr bool is_alone =
#ifdef PLSYCL_UPSTREAM
      false;
#else
      sizeof...(Rest) == 1 &&
      !((std::is_same_v<Rest, kernel> || detail::brings_equipment<Rest>) || ...);
#endif
  template <bool IsAlone, typename Describe>
  event start(const event *first, std::size_t count, const Describe &describe) {
    if constexpr (IsAlone) {
      detail::direct_start alone(state, first, count);
      describe(alone);
      return alone.get_event();
    } else {
      return submit([&](handler &group) {
        for (std::size_t i = 0; i < count; ++i)
          group.depends_on(first[i]);
        describe(group);
      });
    }
  }

  detail::shared<detail::queue_state> state;
  detail::shared<detail::queue_end> end;
};

template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};

} // namespace sycl

namespace std {
template <> struct hash<sycl::queue> : sycl::detail::hash_by_identity {};
} // namespace std
