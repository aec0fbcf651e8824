//===- root_group.hpp - sycl_ext_oneapi_root_group -------------------------------------------===//
//
// All work-items of a kernel. That they can wait for one another takes work-groups that run at
// once, which no driver is asked for here: it is promised for one work-group. What kernels may be
// started with says `max_num_work_groups_sync`; more is errc::nd_range.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/execution_scope.hpp>
#include <sycl/ext/oneapi/experimental/fragment.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/nd_item.hpp>

#include <cstddef>

namespace sycl {

namespace ext::oneapi::experimental {

/// All work-items of a kernel over work-groups.
template <int Dimensions> class root_group {
  template <execution_scope Scope>
  using if_shaped =
      std::enable_if_t<Scope == execution_scope::work_item || Scope == execution_scope::work_group,
                       int>;
  template <execution_scope Scope>
  using if_line = std::enable_if_t<Scope == execution_scope::sub_group, int>;

public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::device;

  id<Dimensions> get_group_id() const { return {}; }
  id<Dimensions> get_local_id() const { return item.get_global_id(); }
  range<Dimensions> get_group_range() const { return get_local_range() / get_local_range(); }
  range<Dimensions> get_local_range() const { return item.get_global_range(); }
  range<Dimensions> get_max_local_range() const { return get_local_range(); }
  std::size_t get_group_linear_id() const { return 0; }
  std::size_t get_local_linear_id() const { return item.get_global_linear_id(); }
  std::size_t get_group_linear_range() const { return 1; }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  /// The place of the calling work-item, or of its sub-group or work-group, among all.
  template <execution_scope Scope, if_shaped<Scope> = 0> id<Dimensions> get_id() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_id();
    else
      return item.get_group().get_group_id();
  }
  template <execution_scope Scope, if_line<Scope> = 0> id<1> get_id() const {
    return get_linear_id<Scope>();
  }
  template <execution_scope Scope> std::size_t get_linear_id() const {
    static_assert(Scope != execution_scope::root_group, "what the root group consists of");
    if constexpr (Scope == execution_scope::work_item)
      return get_local_linear_id();
    else if constexpr (Scope == execution_scope::work_group)
      return item.get_group_linear_id();
    else
      return item.get_group_linear_id() * item.get_sub_group().get_group_linear_range() +
             item.get_sub_group().get_group_linear_id();
  }
  /// How many there are.
  template <execution_scope Scope, if_shaped<Scope> = 0> range<Dimensions> get_range() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_range();
    else
      return item.get_group_range();
  }
  template <execution_scope Scope, if_line<Scope> = 0> range<1> get_range() const {
    return get_linear_range<Scope>();
  }
  template <execution_scope Scope> std::size_t get_linear_range() const {
    static_assert(Scope != execution_scope::root_group, "what the root group consists of");
    if constexpr (Scope == execution_scope::work_item)
      return get_local_linear_range();
    else if constexpr (Scope == execution_scope::work_group)
      return item.get_group_range().size();
    else
      return item.get_group_range().size() * item.get_sub_group().get_group_linear_range();
  }

  /// For the implementation.
  explicit root_group(const nd_item<Dimensions> &item) : item(item) {}

private:
  nd_item<Dimensions> item;
};

namespace this_work_item {
/// In a kernel over an nd_range of so many dimensions.
template <int Dimensions> root_group<Dimensions> get_root_group() {
  return root_group<Dimensions>(oneapi::this_work_item::get_nd_item<Dimensions>());
}
} // namespace this_work_item

/// An earlier name, deprecated.
namespace this_kernel {
template <int Dimensions> root_group<Dimensions> get_root_group() {
  return this_work_item::get_root_group<Dimensions>();
}
} // namespace this_kernel

namespace info::kernel {
/// Of work-groups of a size, and what else a command would be started with.
struct max_num_work_groups_sync {
  using subject = void; // Only ext_oneapi_get_info takes the question.
  using return_type = std::size_t;
  using of_commands = return_type;
};
} // namespace info::kernel

/// Earlier names, deprecated.
namespace info::kernel_queue_specific {
/// Of work-groups of a size, with so many bytes of local memory that the command asks for.
struct max_num_work_groups {
  using subject = void;
  using return_type = std::size_t;
  using of_work_groups = return_type;
};
struct max_num_work_group_sync {
  using subject = void;
  using return_type = std::size_t;
  using of_any_work_groups = return_type;
};
} // namespace info::kernel_queue_specific

} // namespace ext::oneapi::experimental

template <int Dimensions>
ext::oneapi::experimental::root_group<Dimensions>
nd_item<Dimensions>::ext_oneapi_get_root_group() const {
  return ext::oneapi::experimental::root_group<Dimensions>(*this);
}

/// Waits for all work-items of the kernel, which has the property `use_root_sync` and so one
/// work-group.
template <int Dimensions>
void group_barrier(ext::oneapi::experimental::root_group<Dimensions>,
                   memory_scope = ext::oneapi::experimental::root_group<Dimensions>::fence_scope) {
  detail::control_barrier<detail::spirv_scope::work_group, detail::spirv_scope::cross_device,
                          detail::barrier_semantics>();
}

} // namespace sycl
