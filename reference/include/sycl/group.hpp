//===- group.hpp - a work-group ------------------------------------------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/work_item.hpp>

namespace sycl {

/// The work-group of a work-item.
template <int Dimensions = 1> class group {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  /// The implementation makes groups; programs receive them.
  explicit group(const detail::geometry &where) : where(where) {}

  id_type get_group_id() const { return detail::from_device<id_type, detail::group_id>(where); }
  std::size_t get_group_id(int dimension) const { return get_group_id()[dimension]; }
  id_type get_id() const { return get_group_id(); }
  std::size_t get_id(int dimension) const { return get_group_id()[dimension]; }
  std::size_t operator[](int dimension) const { return get_group_id()[dimension]; }

  id_type get_local_id() const { return detail::from_device<id_type, detail::local_id>(); }
  std::size_t get_local_id(int dimension) const { return get_local_id()[dimension]; }
  range_type get_local_range() const {
    return detail::from_device<range_type, detail::local_size>();
  }
  std::size_t get_local_range(int dimension) const { return get_local_range()[dimension]; }
  range_type get_max_local_range() const { return get_local_range(); }
  range_type get_group_range() const {
    return detail::from_device<range_type, detail::group_count>(where);
  }
  std::size_t get_group_range(int dimension) const { return get_group_range()[dimension]; }
  range_type get_global_range() const {
    return detail::from_device<range_type, detail::global_size>(where);
  }

  linear_id_type get_group_linear_id() const {
    return detail::linear_index(get_group_id(), get_group_range());
  }
  linear_id_type get_linear_id() const { return get_group_linear_id(); }
  linear_id_type get_local_linear_id() const {
    return detail::linear_index(get_local_id(), get_local_range());
  }
  linear_id_type get_group_linear_range() const { return get_group_range().size(); }
  linear_id_type get_local_linear_range() const { return get_local_range().size(); }
  /// Whether this work-item is the one that acts for its group.
  bool leader() const { return get_local_linear_id() == 0; }

  friend bool operator==(const group &left, const group &right) {
    return left.get_group_id() == right.get_group_id();
  }
  friend bool operator!=(const group &left, const group &right) { return !(left == right); }

private:
  detail::geometry where;
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

/// What a barrier orders: all memory that the group can see.
inline constexpr int barrier_semantics =
    spirv_semantics::sequentially_consistent | spirv_semantics::sub_group_memory |
    spirv_semantics::work_group_memory | spirv_semantics::global_memory;

} // namespace detail

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
