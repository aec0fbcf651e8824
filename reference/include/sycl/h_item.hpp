//===- h_item.hpp - hierarchical parallelism (SYCL 2020, 4.9.1.6 and 4.10.11) ---------------===//
//
// A kernel of parallel_for_work_group runs with one work-item for each work-group: what it says
// outside of parallel_for_work_item is done once, its variables are shared, and the work-items are
// gone through inside. So no code has to be taken apart for it, and groups may have any size.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/kernel_handler.hpp>
#include <sycl/nd_item.hpp>

namespace sycl {

/// A work-item of parallel_for_work_item. The logical range is what that was asked for, the
/// physical one what parallel_for_work_group was.
template <int Dimensions> class h_item {
public:
  static constexpr int dimensions = Dimensions;

  /// The implementation makes items; programs receive them.
  h_item(const item<Dimensions, false> &global, const item<Dimensions, false> &logical,
         const item<Dimensions, false> &physical)
      : global(global), logical(logical), physical(physical) {}

  item<Dimensions, false> get_global() const noexcept { return global; }
  item<Dimensions, false> get_local() const noexcept { return logical; }
  item<Dimensions, false> get_logical_local() const noexcept { return logical; }
  item<Dimensions, false> get_physical_local() const noexcept { return physical; }

  range<Dimensions> get_global_range() const noexcept { return global.get_range(); }
  std::size_t get_global_range(int dimension) const noexcept { return global.get_range(dimension); }
  id<Dimensions> get_global_id() const noexcept { return global.get_id(); }
  std::size_t get_global_id(int dimension) const noexcept { return global.get_id(dimension); }
  range<Dimensions> get_local_range() const noexcept { return logical.get_range(); }
  std::size_t get_local_range(int dimension) const noexcept { return logical.get_range(dimension); }
  id<Dimensions> get_local_id() const noexcept { return logical.get_id(); }
  std::size_t get_local_id(int dimension) const noexcept { return logical.get_id(dimension); }
  range<Dimensions> get_logical_local_range() const noexcept { return logical.get_range(); }
  std::size_t get_logical_local_range(int dimension) const noexcept {
    return logical.get_range(dimension);
  }
  id<Dimensions> get_logical_local_id() const noexcept { return logical.get_id(); }
  std::size_t get_logical_local_id(int dimension) const noexcept {
    return logical.get_id(dimension);
  }
  range<Dimensions> get_physical_local_range() const noexcept { return physical.get_range(); }
  std::size_t get_physical_local_range(int dimension) const noexcept {
    return physical.get_range(dimension);
  }
  id<Dimensions> get_physical_local_id() const noexcept { return physical.get_id(); }
  std::size_t get_physical_local_id(int dimension) const noexcept {
    return physical.get_id(dimension);
  }

  friend bool operator==(const h_item &left, const h_item &right) {
    return left.global == right.global && left.logical == right.logical &&
           left.physical == right.physical;
  }
  friend bool operator!=(const h_item &left, const h_item &right) { return !(left == right); }

private:
  item<Dimensions, false> global;
  item<Dimensions, false> logical;
  item<Dimensions, false> physical;
};

namespace detail {

/// The most work-items of a group that has private_memory: kernels know the size of each variable.
inline constexpr std::size_t most_private_values = 1024;

/// A work-group size where the program leaves it to the implementation: what it writes by the
/// places of items then stays within the range of groups.
template <int Dimensions> range<Dimensions> default_group_size() {
  range<Dimensions> size;
  for (int i = 0; i < Dimensions; ++i)
    size[i] = 1;
  return size;
}

/// The place with a linear number.
template <int Dimensions>
id<Dimensions> place_of(std::size_t index, const range<Dimensions> &space) {
  id<Dimensions> place;
  for (int i = Dimensions - 1; i >= 0; --i) {
    place[i] = index % space[i];
    index /= space[i];
  }
  return place;
}

/// A kernel over the work-groups of parallel_for_work_group, of which each is one work-item.
template <typename Functor, int Dimensions> struct over_work_groups {
  Functor functor;
  range<Dimensions> local;

  PLSYCL_LOGICAL_GROUPS void operator()(const nd_item<Dimensions> &item) const {
    functor(of(item));
  }
  const group<Dimensions> of(const nd_item<Dimensions> &item) const {
    return item.get_group().with_local_range(local);
  }
};
/// The same for a functor that takes a kernel_handler.
template <typename Functor, int Dimensions>
struct over_handled_work_groups : over_work_groups<Functor, Dimensions> {
  PLSYCL_LOGICAL_GROUPS void operator()(const nd_item<Dimensions> &item,
                                        kernel_handler handler) const {
    this->functor(this->of(item), handler);
  }
};

template <typename Functor, int Dimensions>
auto over_groups(const Functor &functor, const range<Dimensions> &local) {
  if constexpr (std::is_invocable_v<const Functor &, const group<Dimensions>, kernel_handler>)
    return over_handled_work_groups<Functor, Dimensions>{{functor, local}};
  else
    return over_work_groups<Functor, Dimensions>{functor, local};
}

} // namespace detail

template <int Dimensions>
template <typename Function>
void group<Dimensions>::parallel_for_work_item(range<Dimensions> logical,
                                               Function function) const noexcept {
  const range<Dimensions> physical = get_local_range();
  const range<Dimensions> all = get_group_range() * physical;
  for (std::size_t index = 0, size = logical.size(); index < size; ++index) {
    const id<Dimensions> place = detail::place_of(index, logical), own = place % physical;
    const h_item<Dimensions> item({get_group_id() * physical + own, all}, {place, logical},
                                  {own, physical});
    function(item);
  }
}
template <int Dimensions>
template <typename Function>
void group<Dimensions>::parallel_for_work_item(Function function) const noexcept {
  parallel_for_work_item(get_local_range(), function);
}

/// A variable of each work-item of a group, that stays from one parallel_for_work_item to the next.
/// Groups have at most 1024 work-items then.
template <typename Type, int Dimensions = 1> class private_memory {
public:
  private_memory(const group<Dimensions> &) {}
  private_memory(const private_memory &) = delete;
  private_memory &operator=(const private_memory &) = delete;

  Type &operator()(const h_item<Dimensions> &item) {
    const auto physical = item.get_physical_local();
    return values[physical.get_linear_id()];
  }

private:
  Type values[detail::most_private_values];
};

} // namespace sycl
