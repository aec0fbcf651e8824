//===- access.hpp - how memory is accessed: modes, targets, fences --------------------------===//
#pragma once

namespace sycl {

namespace access {
enum class fence_space : char { local_space, global_space, global_and_local };

enum class placeholder { false_t, true_t };

enum class address_space : int {
  private_space,
  global_space,
  constant_space,
  local_space,
  generic_space,
  // sycl_ext_intel_usm_address_spaces: no device here has instructions of its own for them.
  ext_intel_global_device_space = global_space,
  ext_intel_global_host_space = global_space
};

enum class decorated : int { no, yes, legacy };
} // namespace access

using addrspace = access::address_space;
inline constexpr addrspace addrspace_global = addrspace::global_space;
inline constexpr addrspace addrspace_local = addrspace::local_space;
inline constexpr addrspace addrspace_private = addrspace::private_space;
inline constexpr addrspace addrspace_generic = addrspace::generic_space;

enum class access_mode : int {
  read,
  write,
  read_write,
  discard_write,
  discard_read_write,
  atomic,
};

enum class target : int {
  device,
  constant_buffer,
  local,
  image,
  host_buffer,
  host_image,
  image_array,
  host_task,
  global_buffer = device,
};

namespace access {
using mode = sycl::access_mode;
using target = sycl::target;
} // namespace access

/// Tags that let a constructor deduce an accessor's mode and target.
template <access_mode Mode> struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target> struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};

inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_target_tag_t<access_mode::read, target::constant_buffer> read_constant{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task>
    read_write_host_task{};

enum class memory_order : int {
  relaxed = 0,
  acquire = 1,
  __consume_unsupported = 2,
  release = 3,
  acq_rel = 4,
  seq_cst = 5,
};
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

enum class memory_scope : int {
  work_item = 0,
  sub_group = 1,
  work_group = 2,
  device = 3,
  system = 4,
};
inline constexpr memory_scope memory_scope_work_item = memory_scope::work_item;
inline constexpr memory_scope memory_scope_sub_group = memory_scope::sub_group;
inline constexpr memory_scope memory_scope_work_group = memory_scope::work_group;
inline constexpr memory_scope memory_scope_device = memory_scope::device;
inline constexpr memory_scope memory_scope_system = memory_scope::system;

} // namespace sycl
