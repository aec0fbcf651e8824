//===- group.hpp - a work-group ------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/work_item.hpp>
#include <sycl/device_event.hpp>

namespace sycl {

/// The work-group of a work-item (SYCL 2020, 4.9.1.7). In hierarchical parallelism one work-item
/// stands for the whole group, whose size it is told then.
template <int Dimensions = 1> class group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  /// The implementation makes groups; programs receive them.
  explicit group(const detail::geometry &where) noexcept
      : where(where), place(detail::from_device<id_type, detail::group_id>(where)) {}

  id_type get_group_id() const noexcept { return place; }
  std::size_t get_group_id(int dimension) const noexcept { return get_group_id()[dimension]; }
  id_type get_id() const noexcept { return get_group_id(); }
  std::size_t get_id(int dimension) const noexcept { return get_group_id()[dimension]; }
  std::size_t operator[](int dimension) const noexcept { return get_group_id()[dimension]; }

  /// For the implementation: the group that one work-item stands for.
  group with_local_range(const range_type &size) const {
    group told = *this;
    told.told_size = size;
    return told;
  }

  id_type get_local_id() const noexcept { return detail::from_device<id_type, detail::local_id>(); }
  std::size_t get_local_id(int dimension) const noexcept { return get_local_id()[dimension]; }
  range_type get_local_range() const noexcept {
    return is_told() ? told_size : detail::from_device<range_type, detail::local_size>();
  }
  std::size_t get_local_range(int dimension) const noexcept { return get_local_range()[dimension]; }
  range_type get_max_local_range() const noexcept { return get_local_range(); }
  range_type get_group_range() const noexcept {
    return detail::from_device<range_type, detail::group_count>(where);
  }
  std::size_t get_group_range(int dimension) const noexcept { return get_group_range()[dimension]; }
  std::size_t get_max_local_range(int dimension) const noexcept {
    return get_max_local_range()[dimension];
  }
  range_type get_global_range() const noexcept {
    return is_told() ? get_group_range() * told_size
                     : detail::from_device<range_type, detail::global_size>(where);
  }
  std::size_t get_global_range(int dimension) const noexcept {
    return get_global_range()[dimension];
  }

  linear_id_type get_group_linear_id() const noexcept {
    return detail::linear_index(get_group_id(), get_group_range());
  }
  linear_id_type get_linear_id() const noexcept { return get_group_linear_id(); }
  linear_id_type get_local_linear_id() const noexcept {
    return detail::linear_index(get_local_id(), get_local_range());
  }
  linear_id_type get_group_linear_range() const noexcept { return get_group_range().size(); }
  linear_id_type get_local_linear_range() const noexcept { return get_local_range().size(); }
  /// Whether this work-item is the one that acts for its group.
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  /// Hierarchical parallelism (h_item.hpp): calls a function for each work-item of the group, or
  /// of a range of its own.
  template <typename Function> void parallel_for_work_item(Function function) const noexcept;
  template <typename Function>
  void parallel_for_work_item(range_type logical, Function function) const noexcept;

  // Copies that all work-items of the group make together, between global and local memory: whole,
  // or to or from every `stride`-th place in global memory.
  template <typename Type, typename From, access::decorated Decorated,
            access::decorated FromDecorated>
  device_event async_work_group_copy(local_ptr<Type, Decorated> to,
                                     global_ptr<From, FromDecorated> from, std::size_t count,
                                     std::size_t stride = 1) const noexcept {
    return copy(to, 1, from, stride, count);
  }
  template <typename Type, typename From, access::decorated Decorated,
            access::decorated FromDecorated>
  device_event async_work_group_copy(global_ptr<Type, Decorated> to,
                                     local_ptr<From, FromDecorated> from, std::size_t count,
                                     std::size_t stride = 1) const noexcept {
    return copy(to, stride, from, 1, count);
  }
  template <typename... Events> void wait_for(Events... events) const noexcept {
    (events.wait(), ...);
  }

  /// SYCL 1.2.1's fence of this work-item's memory accesses.
  template <access_mode Mode = access_mode::read_write>
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const;

  friend bool operator==(const group &left, const group &right) {
    return left.get_group_id() == right.get_group_id();
  }
  friend bool operator!=(const group &left, const group &right) { return !(left == right); }

private:
  bool is_told() const noexcept { return told_size[0] != 0; }
  template <typename To, typename From>
  auto copy(To to, std::size_t to_step, From from, std::size_t from_step, std::size_t count) const {
    const std::size_t own = is_told() ? 0 : get_local_linear_id();
    return detail::copy_together(own, is_told() ? 1 : get_local_linear_range(), to, to_step, from,
                                 from_step, count);
  }

  detail::geometry where;
  /// Kept, for groups that a kernel stores are compared by others.
  id_type place;
  /// Zeros where the device knows the size.
  range_type told_size;
};

namespace detail {

inline constexpr spirv_scope to_spirv(memory_scope scope) {
  switch (scope) {
  case memory_scope::work_item:
    return spirv_scope::work_item;
  case memory_scope::sub_group:
    return spirv_scope::sub_group;
  case memory_scope::work_group:
    return spirv_scope::work_group;
  case memory_scope::device:
    return spirv_scope::device;
  case memory_scope::system:
    break;
  }
  return spirv_scope::cross_device;
}

} // namespace detail

template <int Dimensions>
template <access_mode>
void group<Dimensions>::mem_fence(access::fence_space) const {
  // What orders all memory and every access orders some.
  detail::memory_barrier<detail::spirv_scope::work_group, detail::barrier_semantics>();
}

/// Waits for all work-items of the group, and makes their memory visible to `scope`.
template <int Dimensions>
void group_barrier(group<Dimensions>, memory_scope scope = group<Dimensions>::fence_scope) {
  using detail::spirv_scope;
  if (scope == memory_scope::device || scope == memory_scope::system)
    detail::control_barrier<spirv_scope::work_group, spirv_scope::cross_device,
                            detail::barrier_semantics>();
  else
    detail::control_barrier<spirv_scope::work_group, spirv_scope::work_group,
                            detail::barrier_semantics>();
}

} // namespace sycl
