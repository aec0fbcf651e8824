//===- accessor.hpp - how kernels reach buffers and the memory of their work-group -----------===//
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/detail/command_group.hpp>
#include <sycl/detail/element_access.hpp>

namespace sycl {

/// A command's access to a buffer. Trivially copyable and laid out the same on host and device: the
/// front end finds the global_memory inside.
template <typename Type, int Dimensions = 1, access_mode Mode = detail::default_access<Type>::mode,
          target Target = target::device, access::placeholder Holder = access::placeholder::false_t>
class accessor {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "one to three dimensions");

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

  /// Accesses nothing.
  accessor() = default;

  // With a handler the command group requires the buffer at once; without one when the program
  // calls handler::require.
  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group,
           const property_list &properties = {})
      : accessor(memory, group, memory.get_range(), id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group, Tag,
           const property_list &properties = {})
      : accessor(memory, group, properties) {}
  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group, range<Dimensions> covered,
           const property_list &properties = {})
      : accessor(memory, group, covered, id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group, range<Dimensions> covered,
           Tag, const property_list &properties = {})
      : accessor(memory, group, covered, id<Dimensions>(), properties) {}
  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group, range<Dimensions> covered,
           id<Dimensions> offset, const property_list &properties = {})
      : accessor(memory, covered, offset, properties) {
    detail::command_group_of(group).require(memory.get(), access_of(properties));
  }
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, handler &group, range<Dimensions> covered,
           id<Dimensions> offset, Tag, const property_list &properties = {})
      : accessor(memory, group, covered, offset, properties) {}

  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, const property_list &properties = {})
      : accessor(memory, memory.get_range(), id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, Tag, const property_list &properties = {})
      : accessor(memory, properties) {}
  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
           const property_list &properties = {})
      : accessor(memory, covered, id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered, Tag,
           const property_list &properties = {})
      : accessor(memory, covered, id<Dimensions>(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
           id<Dimensions> offset, Tag, const property_list &properties = {})
      : accessor(memory, covered, offset, properties) {}
  template <typename Allocator>
  accessor(buffer<Type, Dimensions, Allocator> &memory, range<Dimensions> covered,
           id<Dimensions> offset, const property_list & = {}) {
    for (int i = 0; i < Dimensions; ++i)
      if (offset[i] + covered[i] > memory.get_range()[i])
        detail::fail(errc::invalid, "an accessor must lie within its buffer");
    this->memory.data = detail::to_word(memory.get());
    detail::from_array(covered, this->memory.access_range, 1);
    detail::from_array(memory.get_memory_range(), this->memory.memory_range, 1);
    detail::from_array(memory.get_first() + offset, this->memory.offset, 0);
  }

  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t get_count() const noexcept { return size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(Type); }
  std::size_t get_size() const noexcept { return byte_size(); }
  bool empty() const noexcept { return size() == 0; }
  range<Dimensions> get_range() const { return detail::to_range<Dimensions>(memory.access_range); }
  id<Dimensions> get_offset() const { return detail::to_range<Dimensions>(memory.offset); }
  static constexpr bool is_placeholder() { return Holder == access::placeholder::true_t; }

  reference operator[](id<Dimensions> place) const {
    return data()[detail::element_index(memory, place)];
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return detail::first_subscript<Dimensions>(*this, index);
  }

  /// The first element that the accessor covers.
  pointer get_pointer() const { return data() + detail::element_index(memory, id<Dimensions>()); }

  // One dimension is a sequence.
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0> iterator begin() const {
    return get_pointer();
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0> iterator end() const {
    return get_pointer() + size();
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0>
  const_iterator cbegin() const {
    return begin();
  }
  template <int Dims = Dimensions, std::enable_if_t<Dims == 1, int> = 0>
  const_iterator cend() const {
    return end();
  }

  /// A read-only view of a writable accessor.
  template <
      access_mode Writable,
      std::enable_if_t<Mode == access_mode::read && Writable == access_mode::read_write, int> = 0>
  accessor(const accessor<Type, Dimensions, Writable, Target, Holder> &writable)
      : memory(writable.get_memory()) {}

  friend bool operator==(const accessor &left, const accessor &right) {
    return left.memory.data == right.memory.data && left.get_offset() == right.get_offset() &&
           left.get_range() == right.get_range();
  }
  friend bool operator!=(const accessor &left, const accessor &right) { return !(left == right); }

  /// For the implementation.
  const detail::global_memory &get_memory() const { return memory; }
  static std::uint32_t access_of(const property_list &properties) {
    return detail::access_bits(Mode, properties.has_property<property::no_init>()) |
           (Target == target::device ? PLSYCL_ACCESS_DEVICE : 0);
  }

private:
  pointer data() const {
#ifdef __SYCL_DEVICE_ONLY__
    return static_cast<PLSYCL_GLOBAL value_type *>(memory.data);
#else
    return static_cast<pointer>(
        plsycl_memory_host_bytes(static_cast<plsycl_memory>(detail::from_word(memory.data))));
#endif
  }

  detail::global_memory memory = {};
};

namespace detail {
template <typename Tag, typename Type>
using tag_or_default =
    std::conditional_t<tag_access<Tag>::is_tag, tag_access<Tag>, default_access<Type>>;
template <typename... Arguments> struct last_tag {
  using type = void;
};
template <typename First, typename... Rest> struct last_tag<First, Rest...> {
  using type =
      std::conditional_t<tag_access<First>::is_tag, First, typename last_tag<Rest...>::type>;
};
template <typename Type, typename... Arguments>
using deduced_access = tag_or_default<typename last_tag<std::decay_t<Arguments>...>::type, Type>;
} // namespace detail

template <typename Type, int Dimensions, typename Allocator, typename... Arguments>
accessor(buffer<Type, Dimensions, Allocator> &, handler &, Arguments...)
    -> accessor<Type, Dimensions, detail::deduced_access<Type, Arguments...>::mode,
                detail::deduced_access<Type, Arguments...>::target, access::placeholder::false_t>;
template <typename Type, int Dimensions, typename Allocator, typename... Arguments>
accessor(buffer<Type, Dimensions, Allocator> &, Arguments...)
    -> accessor<Type, Dimensions, detail::deduced_access<Type, Arguments...>::mode,
                detail::deduced_access<Type, Arguments...>::target, access::placeholder::true_t>;

/// Memory that the work-items of a work-group share.
template <typename Type, int Dimensions = 1> class local_accessor {
public:
  using value_type = Type;
  using reference = Type &;
  using const_reference = const Type &;
  using pointer = Type *;
  using iterator = Type *;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;

  local_accessor() = default;
  local_accessor(range<Dimensions> size, handler &, const property_list & = {}) {
    memory.data = reinterpret_cast<PLSYCL_LOCAL void *>(size.size() * sizeof(Type));
    detail::from_array(size, memory.range, 1);
  }

  range<Dimensions> get_range() const { return detail::to_range<Dimensions>(memory.range); }
  std::size_t size() const noexcept { return get_range().size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(Type); }
  bool empty() const noexcept { return size() == 0; }

  reference operator[](id<Dimensions> place) const {
    return get_pointer()[detail::linear_index(place, get_range())];
  }
  template <int Dims = Dimensions, std::enable_if_t<(Dims > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return detail::first_subscript<Dimensions>(*this, index);
  }

  pointer get_pointer() const {
#ifdef __SYCL_DEVICE_ONLY__
    return static_cast<PLSYCL_LOCAL Type *>(memory.data);
#else
    return nullptr; // Only a kernel has local memory.
#endif
  }
  iterator begin() const { return get_pointer(); }
  iterator end() const { return get_pointer() + size(); }

  friend bool operator==(const local_accessor &left, const local_accessor &right) {
    return left.memory.data == right.memory.data && left.get_range() == right.get_range();
  }
  friend bool operator!=(const local_accessor &left, const local_accessor &right) {
    return !(left == right);
  }

private:
  detail::local_memory memory = {};
};

} // namespace sycl
