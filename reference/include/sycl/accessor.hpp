//===- accessor.hpp - how kernels and host tasks reach buffers (SYCL 2020, "Accessors") ------===//
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/detail/atomic_view.hpp>
#include <sycl/detail/command_group.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstdint>

namespace sycl {

namespace detail {

/// What an accessor of the mode gives of elements `Type`.
template <typename Type, access_mode Mode>
using accessed = std::conditional_t<Mode == access_mode::read, const Type, Type>;
template <typename Type, access_mode Mode>
inline constexpr bool fits_mode = !std::is_const_v<Type> || Mode == access_mode::read;
/// A buffer's dimensions, when an accessor to it has `Dimensions`.
constexpr int buffer_dimensions(int dimensions) { return dimensions > 0 ? dimensions : 1; }

/// Whether an accessor to `From` elements with one mode is one to `Type` with mode `Mode` as well.
template <typename Type, access_mode Mode, typename From, access_mode OtherMode>
inline constexpr bool is_read_only_view =
    Mode == access_mode::read &&
    (OtherMode == access_mode::read || OtherMode == access_mode::read_write) &&
    std::is_same_v<std::remove_const_t<Type>, std::remove_const_t<From>> &&
    !(std::is_same_v<Type, From> && Mode == OtherMode);

/// Mode and properties that go together.
inline void check_properties(access_mode mode, const property_list &properties) {
  if (mode == access_mode::read && properties.has_property<property::no_init>())
    fail(errc::invalid, "what an accessor reads must be there: no_init is for those that write");
}

} // namespace detail

/// A command's access to a buffer. Trivially copyable and laid out the same on host and device: the
/// front end finds the global_memory inside. Specializations below are SYCL 1.2.1's other targets.
template <typename Type, int Dimensions = 1, access_mode Mode = detail::default_access<Type>::mode,
          target Target = target::device, access::placeholder Holder = access::placeholder::false_t>
class accessor : public detail::view_of<accessor<Type, Dimensions, Mode, Target, Holder>,
                                        detail::global_memory, Type, detail::accessed<Type, Mode>,
                                        Mode, Dimensions, access::address_space::global_space> {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "no more than three dimensions");
  static_assert(detail::fits_mode<Type, Mode>, "elements that are const are only read");
  using view = detail::view_of<accessor, detail::global_memory, Type, detail::accessed<Type, Mode>,
                               Mode, Dimensions, access::address_space::global_space>;
  static constexpr int buffer_dimensions = detail::buffer_dimensions(Dimensions);
  static constexpr auto space = Target == target::constant_buffer
                                    ? access::address_space::constant_space
                                    : access::address_space::global_space;
  template <typename Allocator> using buffer_type = buffer<Type, buffer_dimensions, Allocator>;
  using range_type = range<buffer_dimensions>;
  using id_type = id<buffer_dimensions>;
  // Parts of a buffer have dimensions.
  template <int Dims> using if_ranged = std::enable_if_t<(Dims > 0), int>;

public:
  using typename view::value_type;
  using view::operator=;
  template <access::decorated Decorated>
  using accessor_ptr =
      std::conditional_t<Target == target::device || Target == target::constant_buffer,
                         multi_ptr<value_type, space, Decorated>, value_type *>;

  /// Accesses nothing.
  accessor() = default;
  accessor(const accessor &) = default;
  accessor &operator=(const accessor &) = default;

  // With a handler the command group requires the buffer at once; without one when the program
  // calls handler::require.
  template <typename Allocator>
  accessor(buffer_type<Allocator> &memory, handler &group, const property_list &properties = {})
      : accessor(memory, group, memory.get_range(), id_type(), properties, whole{}) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, handler &group, Tag,
           const property_list &properties = {})
      : accessor(memory, group, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  accessor(buffer_type<Allocator> &memory, handler &group, range_type covered,
           const property_list &properties = {})
      : accessor(memory, group, covered, id_type(), properties, whole{}) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, handler &group, range_type covered, Tag,
           const property_list &properties = {})
      : accessor(memory, group, covered, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  accessor(buffer_type<Allocator> &memory, handler &group, range_type covered, id_type offset,
           const property_list &properties = {})
      : accessor(memory, group, covered, offset, properties, whole{}) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, handler &group, range_type covered, id_type offset, Tag,
           const property_list &properties = {})
      : accessor(memory, group, covered, offset, properties) {}

  template <typename Allocator>
  accessor(buffer_type<Allocator> &memory, const property_list &properties = {})
      : accessor(memory, memory.get_range(), id_type(), properties, whole{}) {}
  template <typename Allocator, typename Tag, detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, Tag, const property_list &properties = {})
      : accessor(memory, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, const property_list &properties = {})
      : accessor(memory, covered, id_type(), properties, whole{}) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, Tag,
           const property_list &properties = {})
      : accessor(memory, covered, properties) {}
  template <typename Allocator, int Dims = Dimensions, if_ranged<Dims> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset,
           const property_list &properties = {})
      : accessor(memory, covered, offset, properties, whole{}) {}
  template <typename Allocator, typename Tag, int Dims = Dimensions, if_ranged<Dims> = 0,
            detail::if_tag<Tag, Mode, Target> = 0>
  accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset, Tag,
           const property_list &properties = {})
      : accessor(memory, covered, offset, properties) {}

  /// A read-only view of an accessor that may read.
  template <typename From, access_mode OtherMode, access::placeholder OtherHolder,
            std::enable_if_t<detail::is_read_only_view<Type, Mode, From, OtherMode>, int> = 0>
  accessor(const accessor<From, Dimensions, OtherMode, Target, OtherHolder> &other)
      : memory(other.get_memory()) {}

  /// The same accessor, whatever its type says of a handler: that is of no meaning in SYCL 2020.
  template <access::placeholder OtherHolder, std::enable_if_t<OtherHolder != Holder, int> = 0>
  accessor(const accessor<Type, Dimensions, Mode, Target, OtherHolder> &other)
      : memory(other.get_memory()) {}

  void swap(accessor &other) { std::swap(memory, other.memory); }

  template <int Dims = Dimensions, if_ranged<Dims> = 0> id<Dims> get_offset() const {
    return detail::offset_of<Dims>(memory);
  }
  /// Whether it was made without a handler.
  bool is_placeholder() const noexcept {
    return detail::flags_of(memory.data) & detail::placeholder_flag;
  }

  template <typename Property> bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> &&
           (detail::flags_of(memory.data) & detail::no_init_flag);
  }
  template <typename Property> Property get_property() const {
    if (!has_property<Property>())
      detail::fail(errc::invalid, "the accessor has no such property");
    return Property();
  }

  /// The first element of the buffer, also where the accessor covers less. For device memory the
  /// result knows its address space, as in SYCL 1.2.1; that is deprecated. For constant memory its
  /// elements are not const.
  auto get_pointer() const noexcept {
    if constexpr (Target == target::constant_buffer)
      return multi_ptr<Type, space, access::decorated::legacy>(
          const_cast<Type *>(this->get_start()));
    else
      return accessor_ptr<access::decorated::legacy>(this->get_start());
  }
  template <access::decorated Decorated> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    if constexpr (std::is_pointer_v<accessor_ptr<Decorated>>)
      return this->get_start();
    else
      return detail::asserted_cast<space, Decorated>(this->get_start());
  }

  friend bool operator==(const accessor &left, const accessor &right) {
    return detail::is_same(left.memory, right.memory);
  }
  friend bool operator!=(const accessor &left, const accessor &right) { return !(left == right); }

  /// For the implementation.
  const detail::global_memory &get_memory() const { return memory; }
  value_type *get_data() const {
#ifdef __SYCL_DEVICE_ONLY__
    return static_cast<PLSYCL_GLOBAL value_type *>(memory.data);
#else
    return static_cast<value_type *>(plsycl_memory_host_bytes(detail::memory_of(memory)));
#endif
  }
  std::uint32_t get_access() const {
    return detail::access_bits(Mode, has_property<property::no_init>(), memory) |
           (Target == target::host_task ? 0 : PLSYCL_ACCESS_DEVICE) |
           (is_placeholder() ? PLSYCL_ACCESS_PLACEHOLDER : 0);
  }
  /// Makes it part of the command.
  void require_in(detail::command_group &group) const {
    if constexpr (Target != target::host_task) // Where no device accesses it.
      group.require_aligned(memory.data);
    group.require(detail::memory_of(memory), get_access(), detail::bytes_of(memory, sizeof(Type)));
  }

private:
  struct whole {};

  template <typename Allocator>
  accessor(buffer_type<Allocator> &memory, handler &group, range_type covered, id_type offset,
           const property_list &properties, whole)
      : accessor(memory, covered, offset, properties, whole{}) {
    this->memory.data = detail::without_flag(this->memory.data, detail::placeholder_flag);
    require_in(detail::command_group_of(group));
  }
  template <typename Allocator>
  accessor(buffer_type<Allocator> &memory, range_type covered, id_type offset,
           const property_list &properties, whole) {
    detail::check_properties(Mode, properties);
    this->memory = detail::part_of<buffer_dimensions>(
        memory.get(), covered, offset, memory.get_range(), memory.get_first(),
        memory.get_memory_range(), memory.is_sub_buffer());
    const std::size_t first = detail::linear_index(memory.get_first(), memory.get_memory_range());
    std::uintptr_t flags = detail::placeholder_flag | detail::origin_flags(first * sizeof(Type));
    if (properties.has_property<property::no_init>())
      flags |= detail::no_init_flag;
    this->memory.data = detail::with_flags(this->memory.data, flags);
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

// With a handler or without one, and up to three of range, offset and tag. Properties have a type,
// so that programs may write them in braces.
template <typename Type, int Dimensions, typename Allocator>
accessor(buffer<Type, Dimensions, Allocator> &, handler &, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type>::mode,
                detail::deduced_access<Type>::target, access::placeholder::false_t>;
template <typename Type, int Dimensions, typename Allocator, typename First>
accessor(buffer<Type, Dimensions, Allocator> &, handler &, First, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First>::mode,
                detail::deduced_access<Type, First>::target, access::placeholder::false_t>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second>
accessor(buffer<Type, Dimensions, Allocator> &, handler &, First, Second,
         const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First, Second>::mode,
                detail::deduced_access<Type, First, Second>::target, access::placeholder::false_t>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second,
          typename Third>
accessor(buffer<Type, Dimensions, Allocator> &, handler &, First, Second, Third,
         const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First, Second, Third>::mode,
                detail::deduced_access<Type, First, Second, Third>::target,
                access::placeholder::false_t>;
template <typename Type, int Dimensions, typename Allocator>
accessor(buffer<Type, Dimensions, Allocator> &, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type>::mode,
                detail::deduced_access<Type>::target, access::placeholder::true_t>;
template <typename Type, int Dimensions, typename Allocator, typename First>
accessor(buffer<Type, Dimensions, Allocator> &, First, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First>::mode,
                detail::deduced_access<Type, First>::target, access::placeholder::true_t>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second>
accessor(buffer<Type, Dimensions, Allocator> &, First, Second, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First, Second>::mode,
                detail::deduced_access<Type, First, Second>::target, access::placeholder::true_t>;
template <typename Type, int Dimensions, typename Allocator, typename First, typename Second,
          typename Third>
accessor(buffer<Type, Dimensions, Allocator> &, First, Second, Third, const property_list & = {})
    -> accessor<Type, Dimensions, detail::deduced_access<Type, First, Second, Third>::mode,
                detail::deduced_access<Type, First, Second, Third>::target,
                access::placeholder::true_t>;

namespace detail {
template <typename Argument> auto for_host_task(const Argument &argument) {
  if constexpr (tag_access<Argument>::is_tag)
    return mode_target_tag_t<tag_access<Argument>::mode, target::host_task>();
  else
    return argument;
}
template <typename Type, int Dimensions, typename Allocator, typename... Arguments>
auto access_of_host_task(buffer<Type, Dimensions, Allocator> &memory, handler &group,
                         const Arguments &...arguments) {
  constexpr access_mode mode = deduced_access<Type, Arguments...>::mode;
  return accessor<Type, Dimensions, mode, target::host_task, access::placeholder::false_t>(
      memory, group, for_host_task(arguments)...);
}
} // namespace detail

template <typename Type, int Dims, access_mode Mode, target Target, access::placeholder Holder>
struct is_property_of<property::no_init, accessor<Type, Dims, Mode, Target, Holder>>
    : std::true_type {};

} // namespace sycl

namespace std {
template <typename Type, int Dimensions, sycl::access_mode Mode, sycl::target Target,
          sycl::access::placeholder Holder>
struct hash<sycl::accessor<Type, Dimensions, Mode, Target, Holder>> {
  std::size_t
  operator()(const sycl::accessor<Type, Dimensions, Mode, Target, Holder> &object) const {
    return sycl::detail::hash_of(object.get_memory());
  }
};
} // namespace std

#include <sycl/local_accessor.hpp>
