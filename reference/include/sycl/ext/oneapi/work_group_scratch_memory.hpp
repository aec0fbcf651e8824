//===- work_group_scratch_memory.hpp - sycl_ext_oneapi_work_group_scratch_memory -------------===//
//
// Local memory whose size a kernel's start says and which kernels ask for by a function, as CUDA's
// `extern __shared__`. The kernel gets it as a local accessor, and leaves its place for the
// function where all work-items of the group find it.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/local_accessor.hpp>

#include <cstddef>

namespace sycl {

namespace ext::oneapi::experimental {

/// A property of a kernel's start: so many bytes.
struct work_group_scratch_size {
  constexpr work_group_scratch_size(std::size_t bytes) : size(bytes) {}
  std::size_t size;
};
using work_group_scratch_size_key = work_group_scratch_size;
template <> struct is_property_key<work_group_scratch_size> : std::true_type {};
template <> struct is_property_value<work_group_scratch_size> : std::true_type {};

namespace detail {
inline work_group_static<void *> scratch_place;
} // namespace detail

/// The memory, aligned for every type of SYCL's; only for kernels that were started with a size.
inline void *get_work_group_scratch_memory() { return detail::scratch_place; }

} // namespace ext::oneapi::experimental

namespace detail {

/// What vectors and matrices of every type may lie in.
struct alignas(128) scratch_unit {
  std::byte bytes[128];
};

/// The memory of a kernel; made only where one has it.
template <typename Functor>
using scratch_of = local_accessor<std::conditional_t<sizeof(Functor) != 0, scratch_unit, void>>;

template <typename Functor> struct functor_with_scratch {
  Functor functor;
  scratch_of<Functor> scratch;

  // Every work-item writes the same, and before it reads.
  template <typename... Arguments>
  PLSYCL_PART_OF_CALLER auto operator()(Arguments &&...arguments) const
      -> decltype(functor(static_cast<Arguments &&>(arguments)...)) {
    ext::oneapi::experimental::detail::scratch_place = static_cast<void *>(&scratch[0]);
    return functor(static_cast<Arguments &&>(arguments)...);
  }
  template <typename Other = Functor> properties_of<Other> get(properties_tag) const;
};

/// What it brings, it has.
template <typename Functor>
inline constexpr bool brings_equipment<functor_with_scratch<Functor>, true> = false;

template <typename... Values>
struct equipped<ext::oneapi::experimental::properties<
    ext::oneapi::experimental::detail::property_types<Values...>>> {
  using list = ext::oneapi::experimental::properties<
      ext::oneapi::experimental::detail::property_types<Values...>>;
  using scratch_size = ext::oneapi::experimental::work_group_scratch_size;
  static constexpr bool in_groups = list::template has_property<scratch_size>();

  template <typename Functor, typename Handler>
  static auto with(const list &given, const Functor &functor, Handler &group) {
    if constexpr (list::template has_property<scratch_size>()) {
      const std::size_t size = given.template get_property<scratch_size>().size;
      const std::size_t units = size / sizeof(scratch_unit) + 1;
      return functor_with_scratch<Functor>{functor, scratch_of<Functor>(units, group)};
    } else {
      (void)given, (void)group;
      return functor;
    }
  }
};

} // namespace detail
} // namespace sycl
