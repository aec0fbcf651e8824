//===- reduction.hpp - values that all work-items combine into one ---------------------------===//
//
// A work-item combines what it has in a reducer of its own, and at its end combines that with the
// result, atomically. Results have four or eight bytes; the latter need aspect::atomic64.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/atomic.hpp>
#include <sycl/functional.hpp>
#include <sycl/nd_item.hpp>

#include <tuple>

namespace sycl {

/// What one work-item has combined so far.
template <typename Type, typename Operation> class reducer {
public:
  using value_type = Type;
  using binary_operation = Operation;

  /// For the implementation.
  explicit reducer(const Operation &operation) : operation(operation) {}
  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  reducer &combine(const Type &value) {
    part = is_empty ? value : static_cast<Type>(operation(part, value));
    is_empty = false;
    return *this;
  }
  template <typename Chosen = Operation, std::enable_if_t<detail::is_plus<Chosen>, int> = 0>
  reducer &operator+=(const Type &value) {
    return combine(value);
  }
  template <typename Chosen = Operation,
            std::enable_if_t<detail::is_operation<Chosen, std::multiplies>::value, int> = 0>
  reducer &operator*=(const Type &value) {
    return combine(value);
  }
  template <typename Chosen = Operation,
            std::enable_if_t<detail::is_operation<Chosen, std::bit_and>::value, int> = 0>
  reducer &operator&=(const Type &value) {
    return combine(value);
  }
  template <typename Chosen = Operation,
            std::enable_if_t<detail::is_operation<Chosen, std::bit_or>::value, int> = 0>
  reducer &operator|=(const Type &value) {
    return combine(value);
  }
  template <typename Chosen = Operation,
            std::enable_if_t<detail::is_operation<Chosen, std::bit_xor>::value, int> = 0>
  reducer &operator^=(const Type &value) {
    return combine(value);
  }
  template <typename Chosen = Operation, std::enable_if_t<detail::is_plus<Chosen>, int> = 0>
  reducer &operator++() {
    return combine(Type(1));
  }

  /// For the implementation: combines the part with the result.
  void finish(Type &result) const {
    if (is_empty)
      return;
    atomic_ref<Type, memory_order::relaxed, memory_scope::device> place(result);
    Type old = place.load();
    while (!place.compare_exchange_strong(old, static_cast<Type>(operation(old, part)))) {
    }
  }

private:
  Operation operation;
  Type part = Type();
  bool is_empty = true;
};

namespace detail {

/// A result in a buffer or behind a USM pointer, and how to combine with it.
template <typename Type, typename Operation, typename Place> struct reduction_target {
  using reducer_type = reducer<Type, Operation>;
  Place place;
  Operation operation;
  /// What the result begins with, unless with what it holds.
  Type identity;
  bool begins_with_identity;
};

/// A target for what the program asks. A null `identity` is the operation's own.
template <typename Type, typename Operation, typename Place>
auto make_target(const Place &place, const Operation &operation, const Type *identity,
                 const property_list &properties) {
  reduction_target<Type, Operation, Place> target{place, operation, Type(), false};
  target.begins_with_identity =
      properties.has_property<property::reduction::initialize_to_identity>();
  if (identity)
    target.identity = *identity;
  else if constexpr (has_identity<Operation, Type>)
    target.identity = detail::identity<Operation, Type>();
  else if (target.begins_with_identity)
    fail(errc::invalid, "a reduction with no known identity cannot begin with it");
  return target;
}

template <typename Type> struct is_reduction : std::false_type {};
template <typename Type, typename Operation, typename Place>
struct is_reduction<reduction_target<Type, Operation, Place>> : std::true_type {};

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

/// Calls `call` with a reducer for each target, then finishes them.
template <typename Call, typename... Reducers>
void with_reducers(const pack<> &, const Call &call, Reducers &...reducers) {
  call(reducers...);
}
template <typename First, typename... Rest, typename Call, typename... Reducers>
void with_reducers(const pack<First, Rest...> &targets, const Call &call, Reducers &...reducers) {
  typename First::reducer_type own(targets.first.operation);
  with_reducers(targets.rest, call, reducers..., own);
  own.finish(targets.first.place[0]);
}

/// A kernel over a range: each work-item takes every `step`-th element.
template <typename Functor, int Dimensions, typename... Targets> struct reduction_over_range {
  Functor functor;
  range<Dimensions> size;
  std::size_t step;
  pack<Targets...> targets;

  void operator()(item<1> worker) const {
    with_reducers(targets, [&](auto &...reducers) {
      for (std::size_t index = worker[0]; index < size.size(); index += step)
        functor(item_at(index), reducers...);
    });
  }

private:
  item<Dimensions> item_at(std::size_t index) const {
    id<Dimensions> place;
    for (int i = Dimensions - 1; i >= 0; --i) {
      place[i] = index % size[i];
      index /= size[i];
    }
    return {place, size};
  }
};

/// A kernel over work-groups.
template <typename Functor, int Dimensions, typename... Targets> struct reduction_over_groups {
  Functor functor;
  pack<Targets...> targets;

  void operator()(nd_item<Dimensions> item) const {
    with_reducers(targets, [&](auto &...reducers) { functor(item, reducers...); });
  }
};

/// Splits what follows the space into targets and the functor, which is last, and calls `launch`
/// with the functor and a pack of the targets.
template <typename Launch, typename... Rest, std::size_t... Index>
void split_reductions(const Launch &launch, std::index_sequence<Index...>,
                      const std::tuple<const Rest &...> &rest) {
  launch(std::get<sizeof...(Index)>(rest), make_pack(std::get<Index>(rest)...));
}

/// The most work-items of a reduction over a range; the others' elements are theirs too.
inline constexpr std::size_t reduction_workers = 4096;

template <typename First, typename... Rest>
using if_reduction = std::enable_if_t<is_reduction<First>::value && (sizeof...(Rest) > 0), int>;

} // namespace detail

/// Combines into the one element of a buffer.
template <typename Type, typename Allocator, typename Operation>
auto reduction(buffer<Type, 1, Allocator> &result, handler &group, Operation operation,
               const property_list &properties = {}) {
  accessor<Type, 1, access_mode::read_write> place(result, group);
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
auto reduction(buffer<Type, 1, Allocator> &result, handler &group, const Type &identity,
               Operation operation, const property_list &properties = {}) {
  accessor<Type, 1, access_mode::read_write> place(result, group);
  return detail::make_target<Type>(place, operation, &identity, properties);
}
template <typename Type, typename Operation,
          std::enable_if_t<!std::is_convertible_v<Operation, property_list>, int> = 0>
auto reduction(Type *result, const Type &identity, Operation operation,
               const property_list &properties = {}) {
  return detail::make_target<Type>(result, operation, &identity, properties);
}

} // namespace sycl
