//===- sub_group.hpp - the work-items that a device runs together --------------------------===//
#pragma once

#include <sycl/group.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/vec.hpp>

#include <cstdint>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern __attribute__((const)) std::uint32_t __spirv_BuiltInSubgroupSize();
extern __attribute__((const)) std::uint32_t __spirv_BuiltInSubgroupMaxSize();
extern __attribute__((const)) std::uint32_t __spirv_BuiltInNumSubgroups();
extern __attribute__((const)) std::uint32_t __spirv_BuiltInSubgroupId();
extern __attribute__((const)) std::uint32_t __spirv_BuiltInSubgroupLocalInvocationId();
#endif

namespace sycl {
namespace detail {
#if !defined(__SYCL_DEVICE_ONLY__)
inline std::uint32_t sub_group_size() noexcept { return 0; }
inline std::uint32_t sub_group_max_size() noexcept { return 0; }
inline std::uint32_t sub_group_count() noexcept { return 0; }
inline std::uint32_t sub_group_id() noexcept { return 0; }
inline std::uint32_t sub_group_local_id() noexcept { return 0; }
#elif defined(__NVPTX__)
inline std::uint32_t linear_local_id() noexcept {
  return static_cast<std::uint32_t>((local_id(2) * local_size(1) + local_id(1)) * local_size(0) +
                                    local_id(0));
}
inline std::uint32_t linear_local_size() noexcept {
  return static_cast<std::uint32_t>(local_size(0) * local_size(1) * local_size(2));
}
inline std::uint32_t sub_group_max_size() noexcept { return 32; }
inline std::uint32_t sub_group_count() noexcept { return (linear_local_size() + 31) / 32; }
inline std::uint32_t sub_group_id() noexcept { return linear_local_id() / 32; }
inline std::uint32_t sub_group_local_id() noexcept { return linear_local_id() % 32; }
inline std::uint32_t sub_group_size() noexcept {
  std::uint32_t rest = linear_local_size() - 32 * sub_group_id();
  return rest < 32 ? rest : 32;
}
#else
// In place: without optimization Intel's compiler for processors takes 0 for the number of a
// sub-group that a function asks for behind a barrier.
[[gnu::always_inline]] inline std::uint32_t sub_group_size() noexcept {
  return __spirv_BuiltInSubgroupSize();
}
[[gnu::always_inline]] inline std::uint32_t sub_group_max_size() noexcept {
  return __spirv_BuiltInSubgroupMaxSize();
}
[[gnu::always_inline]] inline std::uint32_t sub_group_count() noexcept {
  return __spirv_BuiltInNumSubgroups();
}
[[gnu::always_inline]] inline std::uint32_t sub_group_id() noexcept {
  return __spirv_BuiltInSubgroupId();
}
[[gnu::always_inline]] inline std::uint32_t sub_group_local_id() noexcept {
  return __spirv_BuiltInSubgroupLocalInvocationId();
}
#endif

/// Says that the calling work-item's own is meant.
struct current {};
} // namespace detail

/// The sub-group of a work-item.
class sub_group {
  template <typename Pointer, typename Element = decltype(std::declval<const Pointer &>()[0])>
  using element_of =
      std::remove_cv_t<typename detail::undecorated<std::remove_reference_t<Element>>::type>;

public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  /// The implementation makes sub-groups; programs receive them.
  explicit constexpr sub_group(detail::current) noexcept {}

  [[gnu::always_inline]] id_type get_group_id() const noexcept { return detail::sub_group_id(); }
  [[gnu::always_inline]] id_type get_local_id() const noexcept {
    return detail::sub_group_local_id();
  }
  [[gnu::always_inline]] range_type get_local_range() const noexcept {
    return detail::sub_group_size();
  }
  [[gnu::always_inline]] range_type get_max_local_range() const noexcept {
    return detail::sub_group_max_size();
  }
  [[gnu::always_inline]] range_type get_group_range() const noexcept {
    return detail::sub_group_count();
  }
  [[gnu::always_inline]] linear_id_type get_group_linear_id() const noexcept {
    return detail::sub_group_id();
  }
  [[gnu::always_inline]] linear_id_type get_local_linear_id() const noexcept {
    return detail::sub_group_local_id();
  }
  [[gnu::always_inline]] linear_id_type get_group_linear_range() const noexcept {
    return detail::sub_group_count();
  }
  [[gnu::always_inline]] linear_id_type get_local_linear_range() const noexcept {
    return detail::sub_group_size();
  }
  bool leader() const noexcept { return get_local_linear_id() == 0; }

  // What DPC++ had before SYCL 2020's group functions, deprecated (shuffles are below).
  template <typename Type> Type shuffle(Type value, id_type from) const;
  template <typename Type> Type shuffle_down(Type value, linear_id_type by) const;
  template <typename Type> Type shuffle_up(Type value, linear_id_type by) const;
  template <typename Type> Type shuffle_xor(Type value, id_type mask) const;
  void barrier(access::fence_space = access::fence_space::global_and_local) const;
  /// The element that belongs to the work-item, of those of the sub-group from one on.
  template <typename Pointer> auto load(const Pointer &from) const {
    return value_of(from[static_cast<std::ptrdiff_t>(get_local_linear_id())]);
  }
  // The same for programs that say what the elements are: `load<const volatile int>(pointer)`.
  template <typename Type> auto load(Type *from) const {
    return value_of(from[static_cast<std::ptrdiff_t>(get_local_linear_id())]);
  }
  template <typename Type, access::address_space Space, access::decorated Decorated>
  auto load(const multi_ptr<Type, Space, Decorated> &from) const {
    return value_of(from[static_cast<std::ptrdiff_t>(get_local_linear_id())]);
  }
  template <typename Pointer, typename Type>
  void store(const Pointer &to, const Type &value) const {
    to[static_cast<std::ptrdiff_t>(get_local_linear_id())] = value;
  }
  template <typename Type>
  void store(Type *to, const typename detail::undecorated<Type>::type &value) const {
    to[static_cast<std::ptrdiff_t>(get_local_linear_id())] = value;
  }
  template <typename Type, access::address_space Space, access::decorated Decorated>
  void store(const multi_ptr<Type, Space, Decorated> &to, const Type &value) const {
    to[static_cast<std::ptrdiff_t>(get_local_linear_id())] = value;
  }
  /// Elements that lie the sub-group's size apart: the work-item's of the first group of them, of
  /// the second, and so on.
  template <int Count, typename Pointer> auto load(const Pointer &from) const {
    vec<element_of<Pointer>, Count> values{};
    for (int i = 0; i < Count; ++i)
      values[i] = from[place_of(i)];
    return values;
  }
  template <int Count, typename Pointer, typename Type,
            std::enable_if_t<!detail::is_vec<element_of<Pointer>>, int> = 0>
  void store(const Pointer &to, const vec<Type, Count> &values) const {
    for (int i = 0; i < Count; ++i)
      to[place_of(i)] = values[i];
  }
  // `load<4, int>(pointer)`.
  template <int Count, typename Type, access::address_space Space, access::decorated Decorated>
  auto load(const multi_ptr<Type, Space, Decorated> &from) const {
    return load<Count, multi_ptr<Type, Space, Decorated>>(from);
  }
  template <int Count, typename Type, access::address_space Space, access::decorated Decorated>
  void store(const multi_ptr<Type, Space, Decorated> &to, const vec<Type, Count> &values) const {
    store<Count, multi_ptr<Type, Space, Decorated>, Type>(to, values);
  }

protected:
  /// A class of a program's may be a sub-group with more to it, as with DPC++.
  sub_group() = default;

private:
  /// A copy, also of what is volatile: classes have no constructor for that.
  template <typename Type> static auto value_of(Type &&element) {
    return const_cast<std::remove_volatile_t<std::remove_reference_t<Type>> &>(element);
  }
  std::ptrdiff_t place_of(int element) const {
    const std::size_t before = element * get_max_local_range().size();
    return static_cast<std::ptrdiff_t>(before + get_local_linear_id());
  }

public:
  friend bool operator==(const sub_group &left, const sub_group &right) {
    return left.get_group_linear_id() == right.get_group_linear_id();
  }
  friend bool operator!=(const sub_group &left, const sub_group &right) { return !(left == right); }
};

/// Waits for all work-items of the sub-group, and makes their memory visible to the widest scope,
/// which includes every other.
inline void group_barrier(sub_group, memory_scope = sub_group::fence_scope) {
  detail::control_barrier<detail::spirv_scope::sub_group, detail::spirv_scope::cross_device,
                          detail::barrier_semantics>();
}

inline void sub_group::barrier(access::fence_space) const { group_barrier(*this); }

} // namespace sycl
