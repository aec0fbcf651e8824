//===- host_accessor.hpp - how host code reaches a buffer (SYCL 2020, "Accessors") -----------===//
#pragma once

#include <sycl/accessor.hpp>

#include <cstdint>

namespace sycl {

namespace detail {

/// Keeps commands from a buffer, or a part of one.
struct host_hold {
  host_hold(plsycl_memory memory, std::uint32_t access, byte_span part,
            const property_list &properties)
      : access(access), part(part), properties(properties) {
    check(plsycl_memory_host_acquire(memory, access, part.begin, part.end, &bytes));
    plsycl_memory_retain(memory); // for the handle
    owner = memory_handle(memory);
  }
  host_hold(const host_hold &) = delete;
  host_hold &operator=(const host_hold &) = delete;
  ~host_hold() { plsycl_memory_host_release(owner.get(), access, part.begin, part.end); }

  std::uint32_t access;
  byte_span part;
  property_list properties;
  void *bytes = nullptr;
  memory_handle owner;
};

/// What all accessors of the host have of their hold, which copies of an accessor share.
template <typename Derived> class held_by_host {
public:
  template <typename Property> bool has_property() const noexcept {
    return held && held->properties.template has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    if (!held)
      fail(errc::invalid, "the accessor has no such property");
    return held->properties.template get_property<Property>();
  }

  friend bool operator==(const Derived &left, const Derived &right) {
    return left.identity() == right.identity();
  }
  friend bool operator!=(const Derived &left, const Derived &right) { return !(left == right); }

  /// For the implementation.
  const shared<host_hold> &get_hold() const { return held; }
  const void *identity() const { return held.get(); }

protected:
  held_by_host() = default;
  explicit held_by_host(const shared<host_hold> &held) : held(held) {}
  /// Waits until commands have left the memory.
  void hold(plsycl_memory memory, std::uint32_t access, byte_span part,
            const property_list &properties) {
    held = shared<host_hold>::make(memory, access, part, properties);
  }
  void swap_hold(held_by_host &other) { std::swap(held, other.held); }

private:
  shared<host_hold> held;
};

/// The host's hold of a part of a buffer; `Type` is what it gives of it.
template <typename Derived, typename Element, typename Type, int Dimensions>
class host_memory_view : public element_view<Derived, global_memory, Element, Type, Dimensions>,
                         public held_by_host<Derived> {
  using view = element_view<Derived, global_memory, Element, Type, Dimensions>;

public:
  using view::operator=;

  template <int Dims = Dimensions, std::enable_if_t<(Dims > 0), int> = 0>
  id<Dims> get_offset() const {
    return offset_of<Dims>(memory);
  }
  bool is_placeholder() const noexcept { return false; }
  std::add_pointer_t<Type> get_pointer() const noexcept { return this->get_start(); }
  /// DPC++'s: SYCL 2020 has it of accessors of device memory alone.
  template <access::decorated Decorated>
  [[deprecated("on the host, get_pointer is SYCL 2020's")]] auto get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(get_pointer());
  }

  void swap(Derived &other) {
    std::swap(memory, static_cast<host_memory_view &>(other).memory);
    this->swap_hold(other);
  }

  /// For the implementation.
  const global_memory &get_memory() const { return memory; }
  Type *get_data() const { return static_cast<Type *>(from_word(memory.data)); }

protected:
  host_memory_view() = default;
  host_memory_view(const global_memory &memory, const shared<host_hold> &held)
      : held_by_host<Derived>(held), memory(memory) {}
  /// Waits for the buffer.
  template <typename Buffer, int Dims>
  host_memory_view(Buffer &buffer, access_mode mode, const range<Dims> &covered,
                   const id<Dims> &offset, const property_list &properties) {
    memory = part_of<Dims>(buffer.get(), covered, offset, buffer.get_range(), buffer.get_first(),
                           buffer.get_memory_range(), buffer.is_sub_buffer());
    check_properties(mode, properties);
    const bool no_init = properties.has_property<property::no_init>();
    this->hold(buffer.get(), access_bits(mode, no_init, memory), bytes_of(memory, sizeof(Element)),
               properties);
    memory.data = to_word(this->get_hold()->bytes);
  }

private:
  global_memory memory = {};
};

} // namespace detail

/// The host's access to a buffer: the constructor waits for it, commands wait for its end.
template <typename Type, int Dimensions = 1, access_mode Mode = detail::default_access<Type>::mode>
class host_accessor : public detail::host_memory_view<host_accessor<Type, Dimensions, Mode>, Type,
                                                      detail::accessed<Type, Mode>, Dimensions> {
  static_assert(detail::fits_mode<Type, Mode>, "elements that are const are only read");
  using view =
      detail::host_memory_view<host_accessor, Type, detail::accessed<Type, Mode>, Dimensions>;
  static constexpr int buffer_dimensions = detail::buffer_dimensions(Dimensions);
  template <typename Allocator> using buffer_type = buffer<Type, buffer_dimensions, Allocator>;
  using range_type = range<buffer_dimensions>;
  using id_type = id<buffer_dimensions>;
  template <int Dims> using if_ranged = std::enable_if_t<(Dims > 0), int>;

public:
  using view::operator=;

  host_accessor() = default;
  host_accessor(const host_accessor &) = default;
  host_accessor &operator=(const host_accessor &) = default;
  template <typename Allocator>
  host_accessor(buffer_type<Allocator> &memory, const property_list &properties = {})
      : view(memory, Mode, memory.get_range(), id_type(), properties) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer_type<Allocator> &memory, Tag, const property_list &properties = {})
      : host_accessor(memory, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  host_accessor(buffer_type<Allocator> &memory, range_type covered,
                const property_list &properties = {})
      : view(memory, Mode, covered, id_type(), properties) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer_type<Allocator> &memory, range_type covered, Tag,
                const property_list &properties = {})
      : host_accessor(memory, covered, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  host_accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset,
                const property_list &properties = {})
      : view(memory, Mode, covered, offset, properties) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode> = 0>
  host_accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset, Tag,
                const property_list &properties = {})
      : host_accessor(memory, covered, offset, properties) {}

  /// A read-only view of an accessor that may read.
  template <typename From, access_mode OtherMode,
            std::enable_if_t<detail::is_read_only_view<Type, Mode, From, OtherMode>, int> = 0>
  host_accessor(const host_accessor<From, Dimensions, OtherMode> &other)
      : view(other.get_memory(), other.get_hold()) {}
};

template <typename Type, int Dimensions, typename Allocator>
host_accessor(buffer<Type, Dimensions, Allocator> &, const property_list & = {})
    -> host_accessor<Type, Dimensions, detail::deduced_access<Type>::mode>;
template <typename Type, int Dimensions, typename Allocator, typename First>
host_accessor(buffer<Type, Dimensions, Allocator> &, First, const property_list & = {})
    -> host_accessor<Type, Dimensions, detail::deduced_access<Type, First>::mode>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second>
host_accessor(buffer<Type, Dimensions, Allocator> &, First, Second, const property_list & = {})
    -> host_accessor<Type, Dimensions, detail::deduced_access<Type, First, Second>::mode>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second,
          typename Third>
host_accessor(buffer<Type, Dimensions, Allocator> &, First, Second, Third,
              const property_list & = {})
    -> host_accessor<Type, Dimensions, detail::deduced_access<Type, First, Second, Third>::mode>;

/// SYCL 1.2.1's host accessor; deprecated.
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder>
class accessor<Type, Dimensions, Mode, target::host_buffer, Holder>
    : public detail::host_memory_view<accessor<Type, Dimensions, Mode, target::host_buffer, Holder>,
                                      Type, detail::accessed<Type, Mode>, Dimensions> {
  static_assert(detail::fits_mode<Type, Mode>, "elements that are const are only read");
  using view = detail::host_memory_view<accessor, Type, detail::accessed<Type, Mode>, Dimensions>;
  static constexpr int buffer_dimensions = detail::buffer_dimensions(Dimensions);
  template <typename Allocator> using buffer_type = buffer<Type, buffer_dimensions, Allocator>;
  using range_type = range<buffer_dimensions>;
  using id_type = id<buffer_dimensions>;

public:
  using view::operator=;

  accessor() = default;
  accessor(const accessor &) = default;
  accessor &operator=(const accessor &) = default;
  template <typename Allocator>
  accessor(buffer_type<Allocator> &memory, const property_list &properties = {})
      : view(memory, Mode, memory.get_range(), id_type(), properties) {}
  template <typename Allocator, int Dims = Dimensions, std::enable_if_t<(Dims > 0), int> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset = {},
           const property_list &properties = {})
      : view(memory, Mode, covered, offset, properties) {}
  template <typename Allocator, int Dims = Dimensions, std::enable_if_t<(Dims > 0), int> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, const property_list &properties)
      : view(memory, Mode, covered, id_type(), properties) {}
  /// DPC++'s host accessors are such ones.
  accessor(const host_accessor<Type, Dimensions, Mode> &other)
      : view(other.get_memory(), other.get_hold()) {}
};

template <typename Type, int Dimensions, access_mode Mode>
accessor(const host_accessor<Type, Dimensions, Mode> &)
    -> accessor<Type, Dimensions, Mode, target::host_buffer, access::placeholder::false_t>;

template <typename Type, int Dims, access_mode Mode>
struct is_property_of<property::no_init, host_accessor<Type, Dims, Mode>> : std::true_type {};

} // namespace sycl

namespace std {
template <typename Type, int Dimensions, sycl::access_mode Mode>
struct hash<sycl::host_accessor<Type, Dimensions, Mode>> : sycl::detail::hash_by_identity {};
template <typename Type, int Dimensions, sycl::access_mode Mode, sycl::access::placeholder Holder>
struct hash<sycl::accessor<Type, Dimensions, Mode, sycl::target::host_buffer, Holder>>
    : sycl::detail::hash_by_identity {};
} // namespace std
