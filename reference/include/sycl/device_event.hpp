//===- device_event.hpp - copies that a work-group makes together (SYCL 2020, 4.7.8) --------===//
//
// Each work-item copies its share at once; what is waited for is that all have.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/strided.hpp>
#include <sycl/detail/work_item.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

/// A copy that the work-items of a group have begun. All of them wait for it, or none.
class device_event {
public:
  void wait() noexcept { detail::work_group_barrier(); }
};

namespace detail {

/// Copies `count` elements, every `from_step`-th to every `to_step`-th place.
template <typename To, typename From>
device_event copy_together(std::size_t own, std::size_t together, To to, std::size_t to_step,
                           From from, std::size_t from_step, std::size_t count) {
  each_strided(own, together, count, [&](std::size_t i) {
    to[static_cast<std::ptrdiff_t>(i * to_step)] = from[static_cast<std::ptrdiff_t>(i * from_step)];
  });
  return {};
}

} // namespace detail
} // namespace sycl
