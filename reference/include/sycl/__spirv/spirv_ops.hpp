//===- spirv_ops.hpp - DPC++'s names of SPIR-V's instructions, where programs use them --------===//
//
// Programs that dpct migrated to SYCL shuffle among some work-items of a sub-group by them.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/detail/part_of_sub_group.hpp>

#include <cstdint>

// What programs declare instructions with that they know by DPC++'s names.
#ifdef __SYCL_DEVICE_ONLY__
#define __SYCL_CONVERGENT__ __attribute__((convergent))
#else
#define __SYCL_CONVERGENT__
#endif
#define __SYCL_EXPORT

namespace __spv {

/// Which work-items an instruction is about.
struct Scope {
  enum Flag : std::uint32_t {
    CrossDevice = 0,
    Device = 1,
    Workgroup = 2,
    Subgroup = 3,
    Invocation = 4
  };

  constexpr Scope(Flag flag) : flag_value(flag) {}
  constexpr operator std::uint32_t() const { return flag_value; }

  Flag flag_value;
};

} // namespace __spv

/// The value of the work-item of this number in the sub-group, if it is in the same flow of
/// control. On NVIDIA's GPUs all work-items of the sub-group call.
template <typename Value>
PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_fragment)
Value __spirv_GroupNonUniformShuffle(__spv::Scope::Flag, Value value, std::uint32_t lane) noexcept {
  return sycl::detail::value_among(~sycl::detail::lane_bits(0), value, lane);
}
/// Of the one that many before.
template <typename Value>
Value __spirv_GroupNonUniformShuffleUp(__spv::Scope::Flag scope, Value value,
                                       std::uint32_t by) noexcept {
  return __spirv_GroupNonUniformShuffle(scope, value, sycl::detail::sub_group_local_id() - by);
}
/// Of the one that many behind.
template <typename Value>
Value __spirv_GroupNonUniformShuffleDown(__spv::Scope::Flag scope, Value value,
                                         std::uint32_t by) noexcept {
  return __spirv_GroupNonUniformShuffle(scope, value, sycl::detail::sub_group_local_id() + by);
}
/// Of the one whose number is the own one exclusive-or `mask`.
template <typename Value>
Value __spirv_GroupNonUniformShuffleXor(__spv::Scope::Flag scope, Value value,
                                        std::uint32_t mask) noexcept {
  return __spirv_GroupNonUniformShuffle(scope, value, sycl::detail::sub_group_local_id() ^ mask);
}
