//===- atomic_accessor.hpp - accessors whose elements are atomics ---------------------------===//
//
// sycl_ext_oneapi_extended_atomics, "Atomic Accessor": what came before SYCL 2020's atomic_ref.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/ext/oneapi/atomic_ref.hpp>

namespace sycl::ext::oneapi {

/// Say an accessor's order and scope when it is made.
template <memory_order Order> struct order_tag_t {
  explicit order_tag_t() = default;
};
template <memory_scope Scope> struct scope_tag_t {
  explicit scope_tag_t() = default;
};
inline constexpr order_tag_t<memory_order::relaxed> relaxed_order{};
inline constexpr order_tag_t<memory_order::acquire> acquire_order{};
inline constexpr order_tag_t<memory_order::release> release_order{};
inline constexpr order_tag_t<memory_order::acq_rel> acq_rel_order{};
inline constexpr order_tag_t<memory_order::seq_cst> seq_cst_order{};
inline constexpr scope_tag_t<memory_scope::work_item> work_item_scope{};
inline constexpr scope_tag_t<memory_scope::sub_group> sub_group_scope{};
inline constexpr scope_tag_t<memory_scope::work_group> work_group_scope{};
inline constexpr scope_tag_t<memory_scope::device> device_scope{};
inline constexpr scope_tag_t<memory_scope::system> system_scope{};

/// An accessor, in global or local memory, whose elements are given as atomics alone.
template <typename Type, int Dimensions, memory_order DefaultOrder, memory_scope DefaultScope,
          target Target = target::device, access::placeholder Holder = access::placeholder::false_t>
class atomic_accessor : public accessor<Type, Dimensions, access_mode::read_write, Target, Holder> {
  using plain = accessor<Type, Dimensions, access_mode::read_write, Target, Holder>;
  static constexpr auto space = Target == target::local ? access::address_space::local_space
                                                        : access::address_space::global_space;
  static constexpr int subscripts = Dimensions > 0 ? Dimensions : 1;

public:
  using value_type = Type;
  using reference = atomic_ref<Type, DefaultOrder, DefaultScope, space>;

  using plain::plain;
  atomic_accessor() = default;
  template <typename Allocator>
  atomic_accessor(buffer<Type, subscripts, Allocator> &memory, handler &group,
                  order_tag_t<DefaultOrder>, scope_tag_t<DefaultScope>,
                  const property_list &properties = {})
      : plain(memory, group, properties) {}
  template <typename Allocator>
  atomic_accessor(buffer<Type, subscripts, Allocator> &memory, order_tag_t<DefaultOrder>,
                  scope_tag_t<DefaultScope>, const property_list &properties = {})
      : plain(memory, properties) {}

  reference operator[](id<subscripts> place) const { return reference(plain::operator[](place)); }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return sycl::detail::first_subscript<Dims>(*this, index);
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 0, int> = 0>
  operator reference() const {
    return reference(*this->get_first());
  }

  /// Nothing else leads to the elements.
  void get_pointer() const = delete;
};

template <typename Type, int Dimensions, typename Allocator, memory_order Order, memory_scope Scope>
atomic_accessor(buffer<Type, Dimensions, Allocator> &, handler &, order_tag_t<Order>,
                scope_tag_t<Scope>, const property_list & = {})
    -> atomic_accessor<Type, Dimensions, Order, Scope>;
template <typename Type, int Dimensions, typename Allocator, memory_order Order, memory_scope Scope>
atomic_accessor(buffer<Type, Dimensions, Allocator> &, order_tag_t<Order>, scope_tag_t<Scope>,
                const property_list & = {})
    -> atomic_accessor<Type, Dimensions, Order, Scope, target::device, access::placeholder::true_t>;

} // namespace sycl::ext::oneapi
