//===- work_item.hpp - the device's own functions for work-items and barriers ---------------===//
//
// On SPIR-V targets these are functions that both SPIR-V writers turn into built-in variables and
// instructions; on NVPTX, clang's own and the device library's, and what the launch says of the
// iteration space. The host never runs them: there they answer zero.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/id.hpp>

#include <cstdint>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern __attribute__((const)) std::size_t __spirv_BuiltInGlobalInvocationId(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInGlobalSize(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInGlobalOffset(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInLocalInvocationId(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInWorkgroupSize(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInWorkgroupId(int);
extern __attribute__((const)) std::size_t __spirv_BuiltInNumWorkgroups(int);
extern __attribute__((convergent)) void __spirv_ControlBarrier(int, int, int);
extern __attribute__((convergent)) void __spirv_MemoryBarrier(int, int);
#elif defined(__SYCL_DEVICE_ONLY__)
extern __attribute__((convergent)) void __devicelib_sub_group_barrier();
#endif

namespace sycl::detail {

/// Numbers that SPIR-V gives scopes.
enum class spirv_scope : int {
  cross_device = 0,
  device = 1,
  work_group = 2,
  sub_group = 3,
  work_item = 4
};

/// Bits that SPIR-V gives memory semantics.
namespace spirv_semantics {
inline constexpr int acquire = 0x2;
inline constexpr int release = 0x4;
inline constexpr int acquire_release = 0x8;
inline constexpr int sequentially_consistent = 0x10;
inline constexpr int sub_group_memory = 0x80;
inline constexpr int work_group_memory = 0x100;
inline constexpr int global_memory = 0x200;
} // namespace spirv_semantics

#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
/// What a launch tells a kernel for PTX of its iteration space, in the device's order of dimensions
/// (ARCHITECTURE.md, "Headers to front end"). CUDA itself knows no offset, only whole work-groups
/// and few of them in two dimensions: the runtime rounds up, and starts a large space in pieces.
struct iteration_space {
  std::size_t range[3];
  std::size_t offset[3];
  std::size_t groups[3];
  /// The first work-group of the piece.
  std::size_t first_group[3];
  /// The global id of that work-group's first work-item.
  std::size_t first_item[3];
};

/// What the launch told the kernel that the calling work-item runs: the link finds it.
extern "C" __attribute__((const)) const iteration_space *__plumbline_iteration_space();

/// Where the places of a kernel's work-items are known from.
class geometry {
public:
  /// In a function that nobody told.
  geometry() : space(__plumbline_iteration_space()) {}
  explicit geometry(const iteration_space &space) : space(&space) {}
  const iteration_space *space;
};
#else
/// Where the places of a kernel's work-items are known from: the device itself.
class geometry {};
#endif

#if !defined(__SYCL_DEVICE_ONLY__)
inline std::size_t global_id(const geometry &, int) noexcept { return 0; }
inline std::size_t global_size(const geometry &, int) noexcept { return 0; }
inline std::size_t global_offset(const geometry &, int) noexcept { return 0; }
inline std::size_t local_id(int) noexcept { return 0; }
inline std::size_t local_size(int) noexcept { return 0; }
inline std::size_t group_id(const geometry &, int) noexcept { return 0; }
inline std::size_t group_count(const geometry &, int) noexcept { return 0; }
template <spirv_scope, spirv_scope, int> void control_barrier() {}
template <spirv_scope, int> void memory_barrier() {}
#elif defined(__NVPTX__)
inline std::size_t pick(int dimension, unsigned x, unsigned y, unsigned z) noexcept {
  return dimension == 0 ? x : dimension == 1 ? y : z;
}
inline std::size_t local_id(int d) noexcept {
  return pick(d, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(),
              __nvvm_read_ptx_sreg_tid_z());
}
inline std::size_t local_size(int d) noexcept {
  return pick(d, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(),
              __nvvm_read_ptx_sreg_ntid_z());
}
inline std::size_t group_of_piece(int d) noexcept {
  return pick(d, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
              __nvvm_read_ptx_sreg_ctaid_z());
}
inline std::size_t group_id(const geometry &where, int d) noexcept {
  return where.space->first_group[d] + group_of_piece(d);
}
inline std::size_t group_count(const geometry &where, int d) noexcept {
  return where.space->groups[d];
}
inline std::size_t global_size(const geometry &where, int d) noexcept {
  return where.space->range[d];
}
inline std::size_t global_offset(const geometry &where, int d) noexcept {
  return where.space->offset[d];
}
inline std::size_t global_id(const geometry &where, int d) noexcept {
  return where.space->first_item[d] + group_of_piece(d) * local_size(d) + local_id(d);
}
template <spirv_scope Scope, int> void memory_barrier() {
  if (Scope == spirv_scope::cross_device)
    __nvvm_membar_sys();
  else if (Scope == spirv_scope::device)
    __nvvm_membar_gl();
  else
    __nvvm_membar_cta();
}
template <spirv_scope Execution, spirv_scope Memory, int Semantics> void control_barrier() {
  // The barrier of a work-group orders memory among those that meet in it.
  if constexpr (Memory < Execution || Execution == spirv_scope::sub_group)
    memory_barrier<Memory, Semantics>();
  if constexpr (Execution == spirv_scope::sub_group)
    __devicelib_sub_group_barrier();
  else
    __syncthreads();
}
#else
inline std::size_t global_id(const geometry &, int d) noexcept {
  return __spirv_BuiltInGlobalInvocationId(d);
}
inline std::size_t global_size(const geometry &, int d) noexcept {
  return __spirv_BuiltInGlobalSize(d);
}
inline std::size_t global_offset(const geometry &, int d) noexcept {
  return __spirv_BuiltInGlobalOffset(d);
}
inline std::size_t local_id(int d) noexcept { return __spirv_BuiltInLocalInvocationId(d); }
inline std::size_t local_size(int d) noexcept { return __spirv_BuiltInWorkgroupSize(d); }
inline std::size_t group_id(const geometry &, int d) noexcept {
  return __spirv_BuiltInWorkgroupId(d);
}
inline std::size_t group_count(const geometry &, int d) noexcept {
  return __spirv_BuiltInNumWorkgroups(d);
}
// Device compilers want these numbers as constants, at every optimization level.
template <spirv_scope Execution, spirv_scope Memory, int Semantics> void control_barrier() {
  __spirv_ControlBarrier(static_cast<int>(Execution), static_cast<int>(Memory), Semantics);
}
template <spirv_scope Scope, int Semantics> void memory_barrier() {
  __spirv_MemoryBarrier(static_cast<int>(Scope), Semantics);
}
#endif

/// What a barrier orders: all memory that the group can see.
inline constexpr int barrier_semantics =
    spirv_semantics::sequentially_consistent | spirv_semantics::sub_group_memory |
    spirv_semantics::work_group_memory | spirv_semantics::global_memory;

/// Waits for all work-items of the work-group.
inline void work_group_barrier() {
  control_barrier<spirv_scope::work_group, spirv_scope::work_group, barrier_semantics>();
}

/// Whether the program was compiled with -fsycl-id-queries-fit-in-int.
#ifdef __SYCL_ID_QUERIES_FIT_IN_INT__
inline constexpr bool ids_fit_in_int = __SYCL_ID_QUERIES_FIT_IN_INT__;
#else
inline constexpr bool ids_fit_in_int = false;
#endif

/// What the program promises that numbers of work-items are at most, and what no device has as many
/// as of in a work-group: their multiples by the elements of a small vector fit in an int, too.
inline constexpr std::size_t most_numbers = 0x7fffffff, most_in_group = 0x0fffffff;

/// A number of a work-item, for which the compiler may count in 32 bits where the program promises
/// it. What is cut to an int, as programs do, is otherwise another number to it, whose neighbours
/// are not neighbours.
template <std::size_t Most> std::size_t promised(std::size_t number) {
#ifdef __SYCL_DEVICE_ONLY__
  if (ids_fit_in_int)
    __builtin_assume(number <= Most);
#endif
  return number;
}

/// An id or range made of one of the functions above; SYCL's last dimension is the device's first.
/// A template argument, not a pointer: devices need not know calls through pointers.
template <typename Space, std::size_t (*OfGroup)(int) noexcept> Space from_device() noexcept {
  Space result;
  for (int i = 0; i < Space::dimensions; ++i)
    result[i] = promised<most_in_group>(OfGroup(Space::dimensions - 1 - i));
  return result;
}
template <typename Space, std::size_t (*Function)(const geometry &, int) noexcept>
Space from_device(const geometry &where) noexcept {
  Space result;
  for (int i = 0; i < Space::dimensions; ++i)
    result[i] = promised<most_numbers>(Function(where, Space::dimensions - 1 - i));
  return result;
}

} // namespace sycl::detail
