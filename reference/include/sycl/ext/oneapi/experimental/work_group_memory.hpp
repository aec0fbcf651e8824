//===- work_group_memory.hpp - memory of a work-group (sycl_ext_oneapi_work_group_memory) ----===//
//
// An object of the whole work-group, as a kernel's lambda expression captures it. There are no
// properties.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/handler.hpp>
#include <sycl/local_accessor.hpp>

#include <type_traits>

namespace sycl::ext::oneapi::experimental {

struct indeterminate_t {};
/// No object: to be assigned one that has memory.
inline constexpr indeterminate_t indeterminate;

namespace detail {

template <typename Data> constexpr std::size_t elements_of = 1;
template <typename Data, std::size_t Count>
constexpr std::size_t elements_of<Data[Count]> = Count * elements_of<Data>;

} // namespace detail

/// A `Data` of the work-group, uninitialized. The bound of an array may be left out, and is then
/// given with the handler.
template <typename Data> class work_group_memory {
  static constexpr bool is_open = std::is_array_v<Data> && std::extent_v<Data> == 0;

public:
  using value_type = std::remove_all_extents_t<Data>;

  work_group_memory(const indeterminate_t &) noexcept {}
  template <typename Own = Data, std::enable_if_t<!is_open && std::is_same_v<Own, Data>, int> = 0>
  work_group_memory(handler &group) : elements(range<1>(detail::elements_of<Own>), group) {}
  /// Memory for `count` elements of an array whose bound is left out.
  template <typename Own = Data, std::enable_if_t<is_open && std::is_same_v<Own, Data>, int> = 0>
  work_group_memory(std::size_t count, handler &group)
      : elements(range<1>(count * detail::elements_of<std::remove_extent_t<Own>>), group) {}

  operator Data &() const { return *get(); }
  /// An element of an array whose bound is left out: SPIR-V has no type for such an array.
  template <typename Own = Data, std::enable_if_t<is_open && std::is_same_v<Own, Data>, int> = 0>
  std::remove_extent_t<Own> &operator[](std::size_t place) const {
    return reinterpret_cast<std::remove_extent_t<Own> *>(elements.get_data())[place];
  }
  Data *operator&() const { return get(); }
  template <typename Own = Data, std::enable_if_t<!std::is_array_v<Own>, int> = 0>
  const work_group_memory &operator=(const Own &value) const {
    *get() = value;
    return *this;
  }

  template <access::decorated Decorated = access::decorated::no>
  multi_ptr<value_type, access::address_space::local_space, Decorated> get_multi_ptr() const {
    return elements.template get_multi_ptr<Decorated>();
  }

private:
  Data *get() const { return reinterpret_cast<Data *>(elements.get_data()); }

  local_accessor<value_type, 1> elements;
};

} // namespace sycl::ext::oneapi::experimental
