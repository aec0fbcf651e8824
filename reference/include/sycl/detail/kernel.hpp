//===- kernel.hpp - the function templates that the front end makes kernels of --------------===//
//
// Each takes the kernel's functor by value and calls it directly, so that attributes on the call
// operator are one call away; in PTX the iteration space comes behind it (ARCHITECTURE.md, "Headers
// to front end").
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/placed.hpp>
#include <sycl/kernel_handler.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::detail {

template <typename Type> struct is_handled : std::false_type {};
template <typename Functor> struct is_handled<handled_functor<Functor>> : std::true_type {};

#ifdef __SYCL_DEVICE_ONLY__

#ifdef PLSYCL_UPSTREAM
#define PLSYCL_BEGIN(FUNCTOR) PLSYCL_PLACE(FUNCTOR)
#else
#define PLSYCL_MEMORY
#define PLSYCL_BEGIN(FUNCTOR)                                                                      \
  if constexpr (has_properties<Functor>::value)                                                    \
  stated_properties<properties_of<Functor>>::state()
#endif

template <typename Name, typename Functor>
PLSYCL_KERNEL(Name)
void single_task_kernel(Functor f PLSYCL_MEMORY) {
  PLSYCL_BEGIN(f);
  if constexpr (is_handled<Functor>::value)
    f.functor(kernel_handler(f.constants));
  else
    f();
}

#ifdef __NVPTX__
#define PLSYCL_SPACE , iteration_space space = {}
#define PLSYCL_GEOMETRY geometry(space)
/// Whether a work-item is there only because work-groups are whole.
template <int Dimensions> bool is_surplus(const geometry &where) {
  for (int i = 0; i < Dimensions; ++i)
    if (global_id(where, i) - global_offset(where, i) >= global_size(where, i))
      return true;
  return false;
}
#else
#define PLSYCL_SPACE
#define PLSYCL_GEOMETRY geometry()
template <int Dimensions> constexpr bool is_surplus(const geometry &) { return false; }
#endif

/// What a functor gets: constant, so that one that says `auto &` takes it, as with DPC++.
template <typename Place> const Place place_at(const geometry &where) { return Place(where); }
/// The item of the work-item that runs.
template <int Dimensions> const item<Dimensions> this_item(const geometry &where) {
  return {from_device<id<Dimensions>, global_id>(where),
          from_device<range<Dimensions>, global_size>(where),
          from_device<id<Dimensions>, global_offset>(where)};
}

/// The functor may take an item, an id or, in one dimension, a number: an item converts to each.
template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void range_kernel(Functor f PLSYCL_MEMORY PLSYCL_SPACE) {
  PLSYCL_BEGIN(f);
  const geometry where = PLSYCL_GEOMETRY;
  if (is_surplus<Dimensions>(where))
    return;
  if constexpr (is_handled<Functor>::value)
    f.functor(this_item<Dimensions>(where), kernel_handler(f.constants));
  else
    f(this_item<Dimensions>(where));
}

template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void nd_range_kernel(Functor f PLSYCL_MEMORY PLSYCL_SPACE) {
  PLSYCL_BEGIN(f);
  if constexpr (is_handled<Functor>::value)
    f.functor(place_at<nd_item<Dimensions>>(PLSYCL_GEOMETRY), kernel_handler(f.constants));
  else
    f(place_at<nd_item<Dimensions>>(PLSYCL_GEOMETRY));
}

template <typename Name, typename Functor, int Dimensions>
PLSYCL_KERNEL(Name)
void work_group_kernel(Functor f PLSYCL_MEMORY PLSYCL_SPACE) {
  PLSYCL_BEGIN(f);
  if constexpr (is_handled<Functor>::value)
    f.functor(place_at<group<Dimensions>>(PLSYCL_GEOMETRY), kernel_handler(f.constants));
  else
    f(place_at<group<Dimensions>>(PLSYCL_GEOMETRY));
}

#undef PLSYCL_SPACE
#undef PLSYCL_GEOMETRY
#undef PLSYCL_MEMORY
#undef PLSYCL_BEGIN

#endif

} // namespace sycl::detail
