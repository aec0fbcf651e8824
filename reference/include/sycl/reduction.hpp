//===- reduction.hpp - values that all work-items combine into one (SYCL 2020, 4.9.2) -------===//
//
// A work-item combines what it has in a reducer of its own, and at its end combines that with the
// result, atomically. Of a work-group the first does so for all where group instructions have the
// operation, and on NVIDIA's GPUs, where the first of a sub-group does, too. For results of other
// sizes than one to eight bytes, of which no device has atomics, of eight where the device has no
// aspect::atomic64, and where the program wants the same result each time, each work-item leaves
// its part, and a command after the kernel combines them.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/atomic.hpp>
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/part_of_sub_group.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/kernel_handler.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/span.hpp>

#include <cstdint>
#include <memory>
#include <tuple>

#ifndef PLSYCL_UPSTREAM
#include <sycl/ext/oneapi/group_local_memory.hpp>
#endif

namespace sycl {

/// What one work-item has combined so far, of one value or, with `Dimensions` of 1, of several.
template <typename Type, typename Operation, int Dimensions = 0, std::size_t Extent = 1>
class reducer;

template <typename Type, typename Operation, std::size_t Extent>
class reducer<Type, Operation, 0, Extent> {
  template <bool Condition> using if_true = std::enable_if_t<Condition, int>;

public:
  using value_type = Type;
  using binary_operation = Operation;
  static constexpr int dimensions = 0;

  /// For the implementation.
  reducer(const Operation &operation, const Type &identity)
      : operation(operation), start(identity), part(beginning()) {}
  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  reducer &combine(const Type &value) {
    if constexpr (begins_with_identity) {
      part = static_cast<Type>(operation(part, value));
    } else {
      part = is_empty ? value : static_cast<Type>(operation(part, value));
      is_empty = false;
    }
    return *this;
  }
  /// What the operation leaves as it is, if that is known.
  Type identity() const { return start; }

  template <typename Op = Operation, if_true<detail::is_plus<Op>> = 0>
  reducer &operator+=(const Type &value) {
    return combine(value);
  }
  template <typename Op = Operation, if_true<detail::is_multiplies<Op>> = 0>
  reducer &operator*=(const Type &value) {
    return combine(value);
  }
  template <typename Op = Operation, if_true<detail::is_operation<Op, std::bit_and>::value> = 0>
  reducer &operator&=(const Type &value) {
    return combine(value);
  }
  template <typename Op = Operation, if_true<detail::is_operation<Op, std::bit_or>::value> = 0>
  reducer &operator|=(const Type &value) {
    return combine(value);
  }
  template <typename Op = Operation, if_true<detail::is_operation<Op, std::bit_xor>::value> = 0>
  reducer &operator^=(const Type &value) {
    return combine(value);
  }
  template <typename Op = Operation, if_true<detail::is_plus<Op>> = 0> reducer &operator++() {
    return combine(Type(1));
  }
  /// As DPC++ has it: what was before is nowhere.
  template <typename Op = Operation, if_true<detail::is_plus<Op>> = 0> reducer &operator++(int) {
    return combine(Type(1));
  }

  // For the implementation.
  bool has_part() const { return !is_empty; }
  const Type &get_part() const { return part; }
  void give_up_part() { is_empty = true; }
  void take_part(const Type &value) {
    part = value;
    is_empty = false;
  }

private:
  /// Loops are fast that carry a value alone, and not whether there is one yet. One of many values
  /// (an extent of 0) may have none in the end, and then costs no atomic.
  static constexpr bool begins_with_identity = Extent != 0 && detail::has_identity<Operation, Type>;

  Operation operation;
  Type start;
  Type part;
  bool is_empty = !begins_with_identity;

  /// The operation's own identity: a program's is whatever its result may begin with.
  Type beginning() const {
    if constexpr (begins_with_identity)
      return detail::identity<Operation, Type>();
    else
      return start;
  }
};

template <typename Type, typename Operation, std::size_t Extent>
class reducer<Type, Operation, 1, Extent> {
public:
  using value_type = Type;
  using binary_operation = Operation;
  static constexpr int dimensions = 1;

  /// For the implementation.
  reducer(const Operation &operation, const Type &identity)
      : reducer(operation, identity, std::make_index_sequence<Extent>()) {}
  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  Type identity() const { return elements[0].identity(); }
  auto &operator[](std::size_t index) { return elements[index]; }
  const auto &operator[](std::size_t index) const { return elements[index]; }

private:
  template <std::size_t... Index>
  reducer(const Operation &operation, const Type &identity, std::index_sequence<Index...>)
      : elements{{operation, (static_cast<void>(Index), identity)}...} {}

  reducer<Type, Operation, 0, 0> elements[Extent];
};

namespace detail {

/// Whether atomics combine values of the type: in a word of its own, or one that it shares. One
/// that may lie across words has none.
template <typename Type>
inline constexpr bool combines_atomically =
    std::is_trivially_copyable_v<Type> && alignof(Type) == sizeof(Type) &&
    (sizeof(Type) == 1 || sizeof(Type) == 2 || sizeof(Type) == 4 || sizeof(Type) == 8);

/// Whether they are atomics that not every device has.
template <typename Type>
inline constexpr bool needs_atomic64 = combines_atomically<Type> && sizeof(Type) == 8;

/// Whether the operation is one of these over the type, or over any.
template <typename Operation, typename Type, template <typename> typename... Wanted>
inline constexpr bool is_own =
    ((std::is_same_v<Operation, Wanted<Type>> || std::is_same_v<Operation, Wanted<void>>) || ...);

/// Whether devices add values of the type in one step. Loops of comparisons keep one another
/// waiting.
template <typename Operation, typename Type>
inline constexpr bool is_added_at_once = is_own<Operation, Type, std::plus> && sizeof(Type) >= 4 &&
                                         (std::is_integral_v<Type> || adds_at_once<Type>);

template <typename Type, typename Operation>
void combine_atomically(Type &result, const Type &part, const Operation &operation) {
  if constexpr (is_added_at_once<Operation, Type>) {
    atomic_ref<Type, memory_order::relaxed, memory_scope::device>(result).fetch_add(part);
  } else if constexpr (sizeof(Type) >= 4) {
    // Compared as it lies there: of bytes between members a copy has others, and would never be
    // equal.
    using word = typename integer_of_size<sizeof(Type)>::type;
    atomic_ref<word, memory_order::relaxed, memory_scope::device> place(
        reinterpret_cast<word &>(result));
    word old = place.load(), next = 0;
    do {
      Type value = part;
      std::memcpy(static_cast<void *>(std::addressof(value)), &old, sizeof(Type));
      value = static_cast<Type>(operation(value, part));
      std::memcpy(&next, static_cast<const void *>(std::addressof(value)), sizeof(Type));
      // As of a minimum that is there already.
    } while (next != old && !place.compare_exchange_strong(old, next));
  } else {
    const auto address = reinterpret_cast<std::uintptr_t>(std::addressof(result));
    auto *word = reinterpret_cast<std::uint32_t *>(address & ~std::uintptr_t(3));
    const unsigned shift = 8 * (address & 3); // little-endian, as all targets are
    const std::uint32_t mask = ((std::uint32_t(1) << (8 * sizeof(Type))) - 1) << shift;
    std::uint32_t old = atomic_load(word, memory_order::relaxed), next = 0;
    do {
      Type value = part;
      const std::uint32_t bits = old >> shift;
      std::memcpy(static_cast<void *>(std::addressof(value)), &bits, sizeof(Type));
      value = static_cast<Type>(operation(value, part));
      std::uint32_t changed = 0;
      std::memcpy(&changed, static_cast<const void *>(std::addressof(value)), sizeof(Type));
      next = (old & ~mask) | (changed << shift & mask);
    } while (next != old && !atomic_compare_exchange(word, old, next, memory_order::relaxed,
                                                     memory_order::relaxed));
  }
}

template <typename Reducer>
decltype(auto) element_of_reducer(Reducer &own, [[maybe_unused]] std::size_t index) {
  if constexpr (Reducer::dimensions == 0)
    return (own);
  else
    return own[index];
}

/// The work-items of a sub-group that come to the end of a kernel: the first `count` lanes.
struct finishing_lanes {
  std::uint32_t lane;
  std::uint32_t count;
};
inline finishing_lanes all_lanes() {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  return {sub_group_local_id(), sub_group_size()};
#else
  return {0, 1}; // Not every device has sub-groups, and none but NVIDIA's is asked.
#endif
}

/// Leaves the first of a sub-group with what all of it have, where that costs less than an atomic
/// of each.
template <typename Type, typename Operation, int Dimensions, std::size_t Extent>
void gather([[maybe_unused]] reducer<Type, Operation, Dimensions, Extent> &own,
            [[maybe_unused]] const finishing_lanes &lanes) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  if constexpr (sizeof(Type) <= 16) {
    const lane_bits all = lanes_below(lanes.count);
    for (std::size_t i = 0; i < Extent; ++i) {
      auto &element = element_of_reducer(own, i);
      for (std::uint32_t distance = 16; distance != 0; distance /= 2) {
        const std::uint32_t other = lanes.lane + distance;
        const bool is_there = other < lanes.count;
        // Every lane takes part, and those that have no other ask themselves.
        const std::uint32_t from = is_there ? other : lanes.lane;
        const Type part = value_among(all, element.get_part(), from);
        const std::uint32_t has_part = word_among(all, element.has_part() ? 1 : 0, from);
        if (is_there && has_part != 0)
          element.combine(part);
      }
      if (lanes.lane != 0)
        element.give_up_part();
    }
  }
#endif
}

/// The same of a work-group, all of whose work-items come here.
template <typename Type, typename Operation, int Dimensions, std::size_t Extent, typename Group>
void gather_group([[maybe_unused]] reducer<Type, Operation, Dimensions, Extent> &own,
                  [[maybe_unused]] const Group &group) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__) && !defined(PLSYCL_UPSTREAM)
  struct left {
    Type part;
    std::uint32_t has_part;
  };
  constexpr std::uint32_t most = 32;
  const finishing_lanes lanes = all_lanes();
  gather(own, lanes);
  if constexpr (sizeof(left) * most * Extent <= 4096) {
    const auto size = static_cast<std::uint32_t>(group.get_local_linear_range());
    const std::uint32_t count = (size + most - 1) / most;
    const std::uint32_t number = static_cast<std::uint32_t>(group.get_local_linear_id()) / most;
    left *parts = static_cast<left *>(
        __plumbline_memory_of_call(sizeof(left) * most * Extent, alignof(left)));
    for (std::size_t i = 0; i < Extent; ++i) {
      const auto &element = element_of_reducer(own, i);
      if (lanes.lane == 0)
        parts[i * most + number] = {element.get_part(), element.has_part() ? 1u : 0u};
    }
    work_group_barrier();
    for (std::size_t i = 0; i < Extent; ++i) {
      auto &element = element_of_reducer(own, i);
      element.give_up_part();
      if (number == 0 && lanes.lane < count && parts[i * most + lanes.lane].has_part != 0)
        element.take_part(parts[i * most + lanes.lane].part);
    }
    if (number == 0 && lanes.lane < count)
      gather(own, {lanes.lane, count});
    // The next reducer of the type uses the same memory.
    work_group_barrier();
  }
#elif defined(__SYCL_DEVICE_ONLY__) && !defined(PLSYCL_UPSTREAM)
  // Of many values a work-item has few: those it combines by itself.
  if constexpr (has_instruction<Group, Operation, Type> && has_identity<Operation, Type> &&
                Extent <= 16) {
    for (std::size_t i = 0; i < Extent; ++i) {
      auto &element = element_of_reducer(own, i);
      const Type part = element.has_part() ? element.get_part() : identity<Operation, Type>();
      const Type all = reduce_over_group(group, part, Operation());
      element.give_up_part();
      if (group.leader())
        element.take_part(all);
    }
  }
#endif
}

/// A result in a buffer or behind a USM pointer, and how to combine with it.
template <typename Type, typename Operation, typename Place, int Dimensions, std::size_t Extent>
struct reduction_target {
  using value_type = Type;
  using reducer_type = reducer<Type, Operation, Dimensions, Extent>;
  static constexpr std::size_t extent = Extent;
  Place place;
  Operation operation;
  /// What the result begins with, unless with what it holds.
  Type identity;
  bool begins_with_identity;

  const reduction_target &get() const { return *this; }
  void finish(const reducer_type &own, std::size_t) const {
    for (std::size_t i = 0; i < Extent; ++i)
      if (const auto &element = element_of_reducer(own, i); element.has_part())
        combine_atomically(place[i], element.get_part(), operation);
  }
};

/// What a work-item leaves of a value.
template <typename Type> struct left_part {
  Type value;
  bool exists;
};
} // namespace detail

template <typename Type>
struct is_device_copyable<detail::left_part<Type>> : is_device_copyable<Type> {};

namespace detail {

/// The same where each work-item leaves its parts.
template <typename Target> struct parted_target {
  using reducer_type = typename Target::reducer_type;
  using parts_type = left_part<typename Target::value_type>;
  Target target;
  accessor<parts_type, 1, access_mode::write> parts;

  const Target &get() const { return target; }
  void finish(const reducer_type &own, std::size_t worker) const {
    for (std::size_t i = 0; i < Target::extent; ++i) {
      const auto &element = element_of_reducer(own, i);
      parts[worker * Target::extent + i] = {element.get_part(), element.has_part()};
    }
  }
};

/// The command that combines them.
template <typename Target> struct combine_parts {
  Target target;
  accessor<left_part<typename Target::value_type>, 1, access_mode::read> parts;

  // Value by value: of one loop over all parts Intel's compiler for processors makes vectors in
  // which parts of the same value are lost.
  void operator()() const {
    for (std::size_t value = 0, count = parts.size(); value < Target::extent; ++value) {
      auto result = target.place[value];
      for (std::size_t i = value; i < count; i += Target::extent)
        if (parts[i].exists)
          result =
              static_cast<typename Target::value_type>(target.operation(result, parts[i].value));
      target.place[value] = result;
    }
  }
};
template <typename Name, typename Target> class parts_of;

/// A value that nobody reads, of a type that need not have one by default.
template <typename Type> Type unread_value() {
  if constexpr (std::is_default_constructible_v<Type>) {
    return Type();
  } else {
    alignas(Type) unsigned char bytes[sizeof(Type)] = {};
    return *reinterpret_cast<const Type *>(bytes);
  }
}

/// A target for what the program asks. A null `identity` is the operation's own.
template <typename Type, int Dimensions = 0, std::size_t Extent = 1, typename Operation,
          typename Place>
auto make_target(const Place &place, const Operation &operation, const Type *identity,
                 const property_list &properties) {
  const bool begins = properties.has_property<property::reduction::initialize_to_identity>();
  using target = reduction_target<Type, Operation, Place, Dimensions, Extent>;
  if (identity)
    return target{place, operation, *identity, begins};
  if constexpr (has_identity<Operation, Type>) {
    return target{place, operation, detail::identity<Operation, Type>(), begins};
  } else {
    if (begins)
      fail(errc::invalid, "a reduction with no known identity cannot begin with it");
    return target{place, operation, unread_value<Type>(), false};
  }
}

/// A target whose parts are combined in the same order each time.
template <typename Target> struct ordered_target : Target {};
template <typename Target> inline constexpr bool is_ordered = false;
template <typename Target> inline constexpr bool is_ordered<ordered_target<Target>> = true;

template <typename Type> struct is_reduction : std::false_type {};
template <typename Target> struct is_reduction<ordered_target<Target>> : std::true_type {};
template <typename Type, typename Operation, typename Place, int Dimensions, std::size_t Extent>
struct is_reduction<reduction_target<Type, Operation, Place, Dimensions, Extent>> : std::true_type {
};

/// Values of several types, copied as bytes (which std::tuple need not be).
template <typename... Type> struct pack {};
template <typename First, typename... Rest> struct pack<First, Rest...> {
  First first;
  pack<Rest...> rest;
};
inline pack<> make_pack() { return {}; }
template <typename First, typename... Rest>
pack<First, Rest...> make_pack(const First &first, const Rest &...rest) {
  return {first, make_pack(rest...)};
}

/// Calls `call` with a reducer for each target, then gathers and finishes them.
template <typename Gather, typename Call, typename... Reducers>
void with_reducers(const pack<> &, std::size_t, const Gather &, const Call &call,
                   Reducers &...reducers) {
  call(reducers...);
}
template <typename First, typename... Rest, typename Gather, typename Call, typename... Reducers>
void with_reducers(const pack<First, Rest...> &targets, std::size_t worker, const Gather &gather,
                   const Call &call, Reducers &...reducers) {
  typename First::reducer_type own(targets.first.get().operation, targets.first.get().identity);
  with_reducers(targets.rest, worker, gather, call, reducers..., own);
  gather(own);
  targets.first.finish(own, worker);
}

/// Whether a functor takes a kernel_handler after these arguments: as such, since a parameter of
/// any type may be for the reducers.
template <typename Functor, typename = void, typename... Arguments>
struct takes_handler : std::false_type {};
template <typename Functor, typename... Arguments>
struct takes_handler<Functor,
                     std::void_t<decltype(std::declval<const Functor &>()(
                         std::declval<Arguments>()..., {std::declval<kernel_handler>()}))>,
                     Arguments...> : std::true_type {};
template <typename Functor, typename List, typename... Arguments>
struct takes_handler<functor_with_properties<Functor, List>, void, Arguments...>
    : takes_handler<Functor, void, Arguments...> {};

/// A kernel over a range: each work-item takes every `step`-th element.
template <typename Functor, int Dimensions, typename... Targets> struct reduction_over_range {
  Functor functor;
  range<Dimensions> size;
  std::size_t step;
  pack<Targets...> targets;

  /// `handler` is one or none, as the functor takes it.
  template <typename... Handler,
            std::enable_if_t<sizeof...(Handler) ==
                                 takes_handler<Functor, void, const item<Dimensions> &,
                                               typename Targets::reducer_type &...>::value,
                             int> = 0>
  void operator()(item<1> worker, Handler... handler) const {
    // Of the last sub-group there are only as many as there are workers.
    finishing_lanes lanes = all_lanes();
    const std::size_t left = step - (worker[0] - lanes.lane);
    lanes.count = static_cast<std::uint32_t>(std::min<std::size_t>(lanes.count, left));
    with_reducers(
        targets, worker[0], [&](auto &own) { gather(own, lanes); },
        [&](auto &...reducers) {
          const id<Dimensions> by = place_of(step);
          id<Dimensions> place = place_of(worker[0]);
          for (std::size_t index = worker[0]; index < size.size(); index += step) {
            const item<Dimensions> element(place, size);
            functor(element, reducers..., handler...);
            advance(place, by);
          }
        });
  }
  template <typename Other = Functor> properties_of<Other> get(properties_tag) const;

private:
  id<Dimensions> place_of(std::size_t index) const {
    id<Dimensions> place;
    for (int i = Dimensions - 1; i > 0; --i) {
      place[i] = index % size[i];
      index /= size[i];
    }
    place[0] = index;
    return place;
  }
  /// Divisions for each element would take longer than what most functors do with it.
  void advance(id<Dimensions> &place, const id<Dimensions> &by) const {
    for (int i = Dimensions - 1; i > 0; --i) {
      place[i] += by[i];
      if (place[i] >= size[i]) {
        place[i] -= size[i];
        ++place[i - 1];
      }
    }
    place[0] += by[0];
  }
};

/// A kernel over work-groups.
template <typename Functor, int Dimensions, typename... Targets> struct reduction_over_groups {
  Functor functor;
  pack<Targets...> targets;

  template <typename... Handler,
            std::enable_if_t<sizeof...(Handler) ==
                                 takes_handler<Functor, void, nd_item<Dimensions> &,
                                               typename Targets::reducer_type &...>::value,
                             int> = 0>
  void operator()(nd_item<Dimensions> item, Handler... handler) const {
    with_reducers(
        targets, item.get_global_linear_id(),
        [&](auto &own) { gather_group(own, item.get_group()); },
        [&](auto &...reducers) { functor(item, reducers..., handler...); });
  }
  template <typename Other = Functor> properties_of<Other> get(properties_tag) const;
};

/// The name of a kernel that has none: its functor may have a kernel for each kind of result.
template <typename Functor, typename Space, typename... Targets> class reduction_of;
template <typename Name, typename Functor, typename Space, typename... Targets>
using reduction_name = std::conditional_t<std::is_same_v<Name, unnamed>,
                                          reduction_of<Functor, Space, Targets...>, Name>;

/// The name of a kernel for devices with aspect::atomic64.
template <typename Name> class with_atomic64;

/// A way to combine: in the kernel of this name, with atomics of eight bytes or without them.
template <typename Kernel, bool HasAtomic64> struct combining {
  using kernel = Kernel;
  static constexpr bool has_atomic64 = HasAtomic64;
};

template <typename Way, typename Target>
inline constexpr bool ends_atomically =
    combines_atomically<typename Target::value_type> && !is_ordered<Target> &&
    (Way::has_atomic64 || !needs_atomic64<typename Target::value_type>);

/// How many work-items combine a range, at most: as many as are cheap to have and to wait for.
/// Where sub-groups combine before the atomics, all that a GPU holds at once (2048 of a compute
/// unit).
template <typename Way, typename... Targets, typename Device>
std::size_t most_workers(const Device &target) {
  constexpr std::size_t few = 4096;
  if constexpr ((ends_atomically<Way, Targets> && ...))
    if (target.get_backend() == backend::ext_oneapi_cuda)
      return std::max<std::size_t>(
          few, 2048 * target.template get_info<info::device::max_compute_units>());
  return few;
}

/// Targets as a kernel of so many work-items has them. Where atomics do not combine, the group
/// gets the command that does.
template <typename Way, typename Handler, typename Target>
auto prepare(Handler &group, std::size_t workers, const Target &target) {
  using value_type = typename Target::value_type;
  if constexpr (ends_atomically<Way, Target>) {
    (void)group, (void)workers;
    return target;
  } else {
    auto parts = shared<buffer<left_part<value_type>>>::make(range<1>(workers * Target::extent));
    command_group_of(group).own_buffer();
    command_group_of(group).afterwards([parts, target](Handler &next) {
      command_group_of(next).own_buffer();
      if constexpr (!std::is_pointer_v<decltype(target.place)>)
        next.require(target.place);
      accessor<left_part<value_type>, 1, access_mode::read> all(*parts, next);
      next.template single_task<parts_of<typename Way::kernel, Target>>(
          combine_parts<Target>{target, all});
    });
    return parted_target<Target>{target, {*parts, group, no_init}};
  }
}
template <typename Way, typename... Done>
auto prepare_all(handler &, std::size_t, const pack<> &, const Done &...done) {
  return make_pack(done...);
}
template <typename Way, typename First, typename... Rest, typename... Done>
auto prepare_all(handler &group, std::size_t workers, const pack<First, Rest...> &targets,
                 const Done &...done) {
  return prepare_all<Way>(group, workers, targets.rest, done...,
                          prepare<Way>(group, workers, targets.first));
}

/// Splits what follows the space into targets and the functor, which is last, and calls `launch`
/// with the functor and a pack of the targets.
template <typename Launch, typename... Rest, std::size_t... Index>
void split_reductions(const Launch &launch, std::index_sequence<Index...>,
                      const std::tuple<const Rest &...> &rest) {
  launch(std::get<sizeof...(Index)>(rest), make_pack(std::get<Index>(rest)...));
}

template <typename First, typename... Rest>
using if_reduction = std::enable_if_t<is_reduction<First>::value && (sizeof...(Rest) > 0), int>;

template <typename Buffer> Buffer &only_element(Buffer &result) {
  if (result.size() != 1)
    fail(errc::invalid, "a buffer that a reduction combines into must have one element");
  return result;
}

} // namespace detail

/// Combines into the one element of a buffer.
template <typename Type, typename Allocator, typename Operation>
auto reduction(buffer<Type, 1, Allocator> result, handler &group, Operation operation,
               const property_list &properties = {}) {
  accessor<Type, 1, access_mode::read_write> place(detail::only_element(result), group);
  return detail::make_target<Type>(place, operation, nullptr, properties);
}
/// Combines into what a USM pointer names.
template <typename Type, typename Operation>
auto reduction(Type *result, Operation operation, const property_list &properties = {}) {
  return detail::make_target<Type>(result, operation, nullptr, properties);
}
// The identity is what the result may begin with: work-items that have nothing combine nothing.
template <typename Type, typename Allocator, typename Operation,
          std::enable_if_t<!std::is_convertible_v<Operation, property_list>, int> = 0>
auto reduction(buffer<Type, 1, Allocator> result, handler &group,
               const std::common_type_t<Type> &identity, Operation operation,
               const property_list &properties = {}) {
  accessor<Type, 1, access_mode::read_write> place(detail::only_element(result), group);
  return detail::make_target<Type>(place, operation, std::addressof(identity), properties);
}
template <typename Type, typename Operation,
          std::enable_if_t<!std::is_convertible_v<Operation, property_list>, int> = 0>
auto reduction(Type *result, const Type &identity, Operation operation,
               const property_list &properties = {}) {
  return detail::make_target<Type>(result, operation, std::addressof(identity), properties);
}

/// Combines into each element of a sequence behind a USM pointer.
template <typename Type, std::size_t Extent, typename Operation>
auto reduction(span<Type, Extent> results, Operation operation,
               const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction's span says its size");
  return detail::make_target<Type, 1, Extent>(results.data(), operation,
                                              static_cast<const Type *>(nullptr), properties);
}
template <typename Type, std::size_t Extent, typename Operation,
          std::enable_if_t<!std::is_convertible_v<Operation, property_list>, int> = 0>
auto reduction(span<Type, Extent> results, const Type &identity, Operation operation,
               const property_list &properties = {}) {
  static_assert(Extent != dynamic_extent, "a reduction's span says its size");
  return detail::make_target<Type, 1, Extent>(results.data(), operation, std::addressof(identity),
                                              properties);
}

} // namespace sycl
