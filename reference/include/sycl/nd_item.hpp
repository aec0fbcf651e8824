//===- nd_item.hpp - a work-item of a kernel over work-groups ------------------------------===//
#pragma once

#include <sycl/device_event.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {

namespace ext::oneapi::experimental {
template <int Dimensions> class root_group;
}

/// One work-item: its places in the global range and in its work-group.
template <int Dimensions = 1> class nd_item {
public:
  static constexpr int dimensions = Dimensions;

  /// The implementation makes items; programs receive them.
  explicit nd_item(const detail::geometry &where) : where(where) {}

  id<Dimensions> get_global_id() const noexcept {
    return detail::from_device<id<Dimensions>, detail::global_id>(where);
  }
  std::size_t get_global_id(int dimension) const noexcept { return get_global_id()[dimension]; }
  std::size_t get_global_linear_id() const noexcept {
    return detail::linear_index(get_global_id() - get_offset(), get_global_range());
  }
  id<Dimensions> get_local_id() const noexcept { return get_group().get_local_id(); }
  std::size_t get_local_id(int dimension) const noexcept { return get_local_id()[dimension]; }
  std::size_t get_local_linear_id() const noexcept { return get_group().get_local_linear_id(); }
  group<Dimensions> get_group() const noexcept { return group<Dimensions>(where); }
  std::size_t get_group(int dimension) const noexcept {
    return get_group().get_group_id(dimension);
  }
  std::size_t get_group_linear_id() const noexcept { return get_group().get_group_linear_id(); }
  sub_group get_sub_group() const noexcept { return sub_group(detail::current()); }
  /// Defined in ext/oneapi/experimental/root_group.hpp.
  ext::oneapi::experimental::root_group<Dimensions> ext_oneapi_get_root_group() const;
  range<Dimensions> get_group_range() const noexcept { return get_group().get_group_range(); }
  std::size_t get_group_range(int dimension) const noexcept { return get_group_range()[dimension]; }
  range<Dimensions> get_global_range() const noexcept {
    return detail::from_device<range<Dimensions>, detail::global_size>(where);
  }
  std::size_t get_global_range(int dimension) const noexcept {
    return get_global_range()[dimension];
  }
  range<Dimensions> get_local_range() const noexcept { return get_group().get_local_range(); }
  std::size_t get_local_range(int dimension) const noexcept { return get_local_range()[dimension]; }
  id<Dimensions> get_offset() const noexcept {
    return detail::from_device<id<Dimensions>, detail::global_offset>(where);
  }
  nd_range<Dimensions> get_nd_range() const noexcept {
    return {get_global_range(), get_local_range(), get_offset()};
  }

  /// SYCL 1.2.1's spelling of a work-group barrier.
  void barrier(access::fence_space space = access::fence_space::global_and_local) const {
    // What orders both kinds of memory orders each.
    (void)space;
    detail::control_barrier<detail::spirv_scope::work_group, detail::spirv_scope::work_group,
                            detail::barrier_semantics>();
  }

  template <access_mode Mode = access_mode::read_write>
  void mem_fence(access::fence_space space = access::fence_space::global_and_local) const {
    get_group().template mem_fence<Mode>(space);
  }

  // What the work-group's group does. `Types` are what a program says of the pointers' elements.
  template <typename... Types, typename To, typename From, typename... Counts>
  device_event async_work_group_copy(To to, From from, Counts... counts) const noexcept {
    return get_group().template async_work_group_copy<Types...>(to, from, counts...);
  }
  template <typename... Events> void wait_for(Events... events) const noexcept {
    get_group().wait_for(events...);
  }

  friend bool operator==(const nd_item &left, const nd_item &right) {
    return left.get_global_id() == right.get_global_id();
  }
  friend bool operator!=(const nd_item &left, const nd_item &right) { return !(left == right); }

private:
  detail::geometry where;
};

} // namespace sycl
