//===- element_access.hpp - subscripts of one to three dimensions ---------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/detail/memory.hpp>
#include <sycl/id.hpp>

namespace sycl::detail {

/// What `a[i]` gives in two and three dimensions: the place so far.
template <typename Accessor, int Dimensions, int Given> class partial_subscript {
public:
  partial_subscript(const Accessor &whole, const id<Dimensions> &place)
      : whole(whole), place(place) {}

  decltype(auto) operator[](std::size_t index) const {
    id<Dimensions> next = place;
    next[Given] = index;
    if constexpr (Given + 1 == Dimensions)
      return whole[next];
    else
      return partial_subscript<Accessor, Dimensions, Given + 1>(whole, next);
  }

private:
  Accessor whole;
  id<Dimensions> place;
};

/// `accessor[index]` in the first of several dimensions.
template <int Dimensions, typename Accessor>
auto first_subscript(const Accessor &whole, std::size_t index) {
  id<Dimensions> place;
  place[0] = index;
  return partial_subscript<Accessor, Dimensions, 1>(whole, place);
}

template <int Dimensions> range<Dimensions> to_range(const std::size_t (&values)[3]) {
  range<Dimensions> result;
  for (int i = 0; i < Dimensions; ++i)
    result[i] = values[i];
  return result;
}

/// Copies a range or an id; unused dimensions hold `rest`.
template <int Dimensions>
void from_array(const array<Dimensions> &values, std::size_t (&result)[3], std::size_t rest) {
  for (int i = 0; i < 3; ++i)
    result[i] = i < Dimensions ? values[i] : rest;
}

/// The element's number in the whole buffer.
template <int Dimensions>
std::size_t element_index(const global_memory &memory, const id<Dimensions> &place) {
  std::size_t index = 0;
  for (int i = 0; i < Dimensions; ++i)
    index = index * memory.memory_range[i] + memory.offset[i] + place[i];
  return index;
}

/// How an accessor of the mode may touch memory, as bits of the C interface.
constexpr std::uint32_t access_bits(access_mode mode, bool no_init) {
  switch (mode) {
  case access_mode::read:
    return PLSYCL_ACCESS_READ;
  case access_mode::write:
    return PLSYCL_ACCESS_WRITE | (no_init ? PLSYCL_ACCESS_NO_INIT : 0);
  case access_mode::discard_write:
    return PLSYCL_ACCESS_WRITE | PLSYCL_ACCESS_NO_INIT;
  case access_mode::discard_read_write:
    return PLSYCL_ACCESS_READ | PLSYCL_ACCESS_WRITE | PLSYCL_ACCESS_NO_INIT;
  case access_mode::read_write:
  case access_mode::atomic:
    break;
  }
  return PLSYCL_ACCESS_READ | PLSYCL_ACCESS_WRITE | (no_init ? PLSYCL_ACCESS_NO_INIT : 0);
}

/// The mode and target that a tag says, or the defaults for elements of type `Type`.
template <typename Type> struct default_access {
  static constexpr access_mode mode =
      std::is_const_v<Type> ? access_mode::read : access_mode::read_write;
  static constexpr sycl::target target = sycl::target::device;
};
template <typename Type> struct tag_access : default_access<Type> {
  static constexpr bool is_tag = false;
};
template <access_mode Mode> struct tag_access<mode_tag_t<Mode>> {
  static constexpr bool is_tag = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = sycl::target::device;
};
template <access_mode Mode, sycl::target Target>
struct tag_access<mode_target_tag_t<Mode, Target>> {
  static constexpr bool is_tag = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = Target;
};
/// Lets a constructor take only the tag of its own mode and target, so that what is deduced is what
/// the tag says.
template <typename Tag, access_mode Mode, sycl::target Target = tag_access<Tag>::target>
using if_tag = std::enable_if_t<tag_access<Tag>::is_tag && tag_access<Tag>::mode == Mode &&
                                    tag_access<Tag>::target == Target,
                                int>;

} // namespace sycl::detail
