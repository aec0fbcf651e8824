//===- kernel.hpp - the function templates that the front end makes kernels of --------------===//
//
// Each takes the kernel's functor by value and calls it directly, so that attributes on the call
// operator are one call away (ARCHITECTURE.md, "Headers to front end").
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/kernel_handler.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::detail {

template <typename T> struct is_handled : std::false_type {};
template <typename Functor> struct is_handled<handled_functor<Functor>> : std::true_type {};

#ifdef __SYCL_DEVICE_ONLY__

template <typename Name, typename Functor> PLSYCL_KERNEL(Name) void single_task_kernel(Functor f) {
  if constexpr (is_handled<Functor>::value)
    f.functor(kernel_handler(f.constants));
  else
    f();
}

/// The item of the work-item that runs.
template <int Dimensions> item<Dimensions> this_item() {
  return {from_device<id<Dimensions>, global_id>(), from_device<range<Dimensions>, global_size>(),
          from_device<id<Dimensions>, global_offset>()};
}

/// The functor may take an item, an id or, in one dimension, a number: an item converts to each.
template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void range_kernel(Functor f) {
  if constexpr (is_handled<Functor>::value)
    f.functor(this_item<Dimensions>(), kernel_handler(f.constants));
  else
    f(this_item<Dimensions>());
}

template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void nd_range_kernel(Functor f) {
  if constexpr (is_handled<Functor>::value)
    f.functor(nd_item<Dimensions>(), kernel_handler(f.constants));
  else
    f(nd_item<Dimensions>());
}

template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void work_group_kernel(Functor f) {
  if constexpr (is_handled<Functor>::value)
    f.functor(group<Dimensions>(), kernel_handler(f.constants));
  else
    f(group<Dimensions>());
}

#endif

} // namespace sycl::detail
