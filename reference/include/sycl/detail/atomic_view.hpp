//===- atomic_view.hpp - accessors whose elements are atomics -------------------------------===//
//
// SYCL 1.2.1's access mode `atomic`, deprecated in SYCL 2020: what a subscript gives is no
// reference to an element but an atomic on it.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/element_view.hpp>
#include <sycl/legacy_atomic.hpp>

namespace sycl::detail {

/// The members of `Derived`, an accessor with mode `atomic` to elements in `Space`.
template <typename Derived, typename Memory, typename Type, int Dimensions,
          access::address_space Space>
class atomic_view : public element_view<Derived, Memory, Type, Type, Dimensions> {
  using view = element_view<Derived, Memory, Type, Type, Dimensions>;

  using element = atomic<Type, Space>;

public:
  using view::operator=;

  element operator[](id<(Dimensions > 0 ? Dimensions : 1)> place) const {
    return on(&view::operator[](place));
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return first_subscript<Dims>(static_cast<const Derived &>(*this), index);
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 0, int> = 0> operator element() const {
    return on(this->get_first());
  }

private:
  static element on(Type *place) {
    return element(asserted_cast<Space, access::decorated::no>(place));
  }
};

/// What an accessor of the mode has in common with others.
template <typename Derived, typename Memory, typename Type, typename Value, access_mode Mode,
          int Dimensions, access::address_space Space>
using view_of = std::conditional_t<Mode == access_mode::atomic,
                                   atomic_view<Derived, Memory, Type, Dimensions, Space>,
                                   element_view<Derived, Memory, Type, Value, Dimensions>>;

} // namespace sycl::detail
