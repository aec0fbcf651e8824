//===- host_accessor.hpp - how host code reaches a buffer ------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>

namespace sycl {

/// The host's access to a buffer: the constructor waits for it, commands wait for its end.
template <typename Type, int Dimensions = 1, access_mode Mode = detail::default_access<Type>::mode>
class host_accessor {
public:
  using value_type = std::conditional_t<Mode == access_mode::read, const Type, Type>;
  using reference = value_type &;
  using const_reference = const Type &;
  using pointer = value_type *;
  using iterator = value_type *;
  using const_iterator = const Type *;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  host_accessor() = default;
  template <typename Allocator>
  explicit host_accessor(buffer<Type, Dimensions, Allocator> &memory,
                         const property_list &properties = {})
      : host_accessor(memory, memory.get_range(), id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer<Type, Dimensions, Allocator> &memory, Tag,
                const property_list &properties = {})
      : host_accessor(memory, properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered, Tag,
                const property_list &properties = {})
      : host_accessor(memory, covered, id<Dimensions>(), properties) {}
  template <typename Allocator>
  host_accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
                const property_list &properties = {})
      : host_accessor(memory, covered, id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
                id<Dimensions> offset, Tag, const property_list &properties = {})
      : host_accessor(memory, covered, offset, properties) {}
  template <typename Allocator>
  host_accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
                id<Dimensions> offset, const property_list &properties = {}) {
    using view = accessor<Type, Dimensions, Mode, target::host_task, access::placeholder::true_t>;
    place = view(memory, covered, offset, properties).get_memory();
    std::uint32_t bits = view::access_of(properties);
    void *bytes = nullptr;
    detail::check(plsycl_memory_host_acquire(memory.get(), bits, &bytes));
    place.data = detail::to_word(bytes);
    plsycl_memory_retain(memory.get()); // for the handle below
    held = std::shared_ptr<void>(
        bytes, [owner = detail::memory_handle(memory.get()), bits](void *) mutable {
          plsycl_memory_host_release(owner.get(), bits);
        });
  }

  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(Type); }
  bool empty() const noexcept { return size() == 0; }
  range<Dimensions> get_range() const { return detail::to_range<Dimensions>(place.access_range); }
  id<Dimensions> get_offset() const { return detail::to_range<Dimensions>(place.offset); }

  reference operator[](id<Dimensions> index) const {
    return static_cast<pointer>(bytes())[detail::element_index(place, index)];
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return detail::first_subscript<Dimensions>(*this, index);
  }

  pointer get_pointer() const {
    return static_cast<pointer>(bytes()) + detail::element_index(place, id<Dimensions>());
  }
  iterator begin() const { return get_pointer(); }
  iterator end() const { return get_pointer() + size(); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }

private:
  void *bytes() const { return detail::from_word(place.data); }

  detail::global_memory place = {};
  std::shared_ptr<void> held;
};

template <typename Type, int Dimensions, typename Allocator, typename... Arguments>
host_accessor(buffer<Type, Dimensions, Allocator> &, Arguments...)
    -> host_accessor<Type, Dimensions, detail::deduced_access<Type, Arguments...>::mode>;

} // namespace sycl
