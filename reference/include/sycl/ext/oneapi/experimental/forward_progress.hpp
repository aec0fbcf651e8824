//===- forward_progress.hpp - who waits for whom (sycl_ext_oneapi_forward_progress) ----------===//
#pragma once

#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/execution_scope.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#include <algorithm>
#include <vector>

namespace sycl::ext::oneapi::experimental {

/// `concurrent`: everybody goes on at some time. `parallel`: who has begun does.
/// `weakly_parallel`: nobody may count on another.
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };

namespace detail {

/// What a device promises of groups or work-items of a scope. What drivers do: NVIDIA's GPUs run
/// each thread by itself since compute capability 7.0, and each warp before; on a processor a
/// work-group has a thread.
template <execution_scope Of>
std::vector<forward_progress_guarantee> progress_of(const device &target) {
  bool parallel = Of == execution_scope::work_group && target.is_cpu();
  if (target.has(aspect::ptx64)) {
    parallel = true;
    if (Of == execution_scope::work_item)
      for (aspect in_warps :
           {aspect::nvidia_gpu_sm_50, aspect::nvidia_gpu_sm_52, aspect::nvidia_gpu_sm_53,
            aspect::nvidia_gpu_sm_60, aspect::nvidia_gpu_sm_61, aspect::nvidia_gpu_sm_62})
        parallel = parallel && !target.has(in_warps);
  }
  if (parallel)
    return {forward_progress_guarantee::parallel, forward_progress_guarantee::weakly_parallel};
  return {forward_progress_guarantee::weakly_parallel};
}

/// A property of a kernel: what it counts on, of groups or work-items of one scope among all of a
/// greater one.
template <typename Key, forward_progress_guarantee Guarantee, execution_scope Within>
using progress_value =
    property_value<Key, std::integral_constant<forward_progress_guarantee, Guarantee>,
                   std::integral_constant<execution_scope, Within>>;

} // namespace detail

#define PLSYCL_PROGRESS(OF)                                                                        \
  struct OF##_progress_key {                                                                       \
    template <forward_progress_guarantee Guarantee, execution_scope Within>                        \
    using value_t = detail::progress_value<OF##_progress_key, Guarantee, Within>;                  \
  };                                                                                               \
  template <> struct is_property_key<OF##_progress_key> : std::true_type {};                       \
  template <forward_progress_guarantee Guarantee, execution_scope Within>                          \
  struct property_value<OF##_progress_key,                                                         \
                        std::integral_constant<forward_progress_guarantee, Guarantee>,             \
                        std::integral_constant<execution_scope, Within>> {                         \
    static_assert(Within > execution_scope::OF, "the scope within which they run is greater");     \
    using key_t = OF##_progress_key;                                                               \
    static constexpr forward_progress_guarantee guarantee = Guarantee;                             \
    static constexpr execution_scope coordinationScope = Within;                                   \
    /* For the implementation. */                                                                  \
    static constexpr execution_scope scope = execution_scope::OF;                                  \
  };                                                                                               \
  template <forward_progress_guarantee Guarantee, execution_scope Within>                          \
  inline constexpr OF##_progress_key::value_t<Guarantee, Within> OF##_progress;                    \
  namespace info::device {                                                                         \
  template <execution_scope Within> struct OF##_progress_capabilities {                            \
    static_assert(Within > execution_scope::OF, "the scope within which they run is greater");     \
    using return_type = std::vector<forward_progress_guarantee>;                                   \
    static return_type answer(const sycl::device &target) {                                        \
      return experimental::detail::progress_of<execution_scope::OF>(target);                       \
    }                                                                                              \
  };                                                                                               \
  }
PLSYCL_PROGRESS(work_group)
PLSYCL_PROGRESS(sub_group)
PLSYCL_PROGRESS(work_item)
#undef PLSYCL_PROGRESS

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <typename Value>
struct device_demand<Value, std::void_t<decltype(Value::guarantee)>> : std::true_type {
  static void check(const device &target) {
    const auto promised = ext::oneapi::experimental::detail::progress_of<Value::scope>(target);
    if (std::find(promised.begin(), promised.end(), Value::guarantee) == promised.end())
      fail(errc::feature_not_supported,
           "the device does not promise the forward progress that the kernel counts on");
  }
};

} // namespace sycl::detail
