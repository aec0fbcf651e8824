//===- tangle.hpp - sycl_ext_oneapi_non_uniform_groups, who calls together -------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
typedef std::uint32_t __plsycl_lanes __attribute__((ext_vector_type(4)));
extern __attribute__((convergent)) __plsycl_lanes __spirv_GroupNonUniformBallot(std::uint32_t scope,
                                                                                bool says);
#endif

// Where optimization is off, Intel's compiler for processors has sub-groups of one work-item, and
// ends the process over who is there with it.
#ifdef __OPTIMIZE__
#define PLSYCL_USES_TANGLE PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_tangle)
#else
#define PLSYCL_USES_TANGLE PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_tangle, sycl::aspect::gpu)
#endif

namespace sycl {

namespace ext::oneapi::experimental {

/// The work-items of a sub-group that are in the same flow of control.
template <typename ParentGroup>
class PLSYCL_USES_TANGLE tangle : public sycl::detail::part_of_sub_group {
public:
  using part_of_sub_group::part_of_sub_group;
};

} // namespace ext::oneapi::experimental

template <typename Parent>
struct is_group<ext::oneapi::experimental::tangle<Parent>> : std::true_type {};

namespace ext::oneapi::experimental {

/// Those of the group that call this with the caller.
template <typename ParentGroup> tangle<ParentGroup> entangle([[maybe_unused]] ParentGroup parent) {
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
  constexpr std::uint32_t sub_group_scope = 3;
  const __plsycl_lanes here = __spirv_GroupNonUniformBallot(sub_group_scope, true);
  const sycl::detail::lane_bits lanes = here[0] | sycl::detail::lane_bits(here[1]) << 32;
  return {lanes & sycl::detail::lanes_of(parent), 0, 1};
#else
  // No device of this target has the aspect.
  return {sycl::detail::lane_bits(1) << sycl::detail::sub_group_local_id(), 0, 1};
#endif
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#undef PLSYCL_USES_TANGLE
