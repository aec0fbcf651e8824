//===- group_interface.hpp - sycl_khr_group_interface ----------------------------------------===//
//
// Groups with shorter names of what they tell. What is said in standard C++'s extents is there
// where the standard library has them (C++23).
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/nd_item.hpp>

#include <cstdint>
#include <utility>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace sycl::khr {

template <typename ParentGroup> class member_item;

namespace detail {

#ifdef __cpp_lib_mdspan
/// Extents of as many ones as there are numbers.
template <typename Index, std::size_t... Numbers>
auto ones(std::index_sequence<Numbers...>) -> std::extents<Index, (Numbers, 1)...>;
template <typename Index, int Dimensions>
using unit_extents = decltype(ones<Index>(std::make_index_sequence<Dimensions>()));

/// What every group tells of its extents, which `Group` makes.
template <typename Group, typename Extents> class with_extents {
public:
  using extents_type = Extents;

  constexpr extents_type extents() const noexcept {
    return static_cast<const Group *>(this)->make_extents();
  }
  constexpr typename extents_type::index_type
  extent(typename extents_type::rank_type dimension) const noexcept {
    return extents().extent(dimension);
  }
  static constexpr typename extents_type::rank_type rank() noexcept { return extents_type::rank(); }
  static constexpr typename extents_type::rank_type rank_dynamic() noexcept {
    return extents_type::rank_dynamic();
  }
  static constexpr std::size_t static_extent(typename extents_type::rank_type dimension) noexcept {
    return extents_type::static_extent(dimension);
  }
};
#define PLSYCL_WITH_EXTENTS(GROUP, ...) : public detail::with_extents<GROUP, __VA_ARGS__>
#else
#define PLSYCL_WITH_EXTENTS(GROUP, ...)
#endif

} // namespace detail

/// A work-group: made of SYCL's group, and again one where that is asked for.
template <int Dimensions = 1>
class work_group PLSYCL_WITH_EXTENTS(work_group<Dimensions>,
                                     std::dextents<std::size_t, Dimensions>) {
public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<Dimensions> &same) noexcept : same(same) {}
  operator group<Dimensions>() const noexcept { return same; }

  /// Which one of the kernel's work-groups it is.
  id_type id() const noexcept { return same.get_group_id(); }
  linear_id_type linear_id() const noexcept { return same.get_group_linear_id(); }
  /// The kernel's work-groups.
  range_type range() const noexcept { return same.get_group_range(); }
  /// How many work-items it has.
  size_type size() const noexcept { return same.get_local_linear_range(); }

#ifdef __cpp_lib_mdspan
  /// For the implementation.
  constexpr auto make_extents() const noexcept {
    const range_type own = same.get_local_range();
    std::array<std::size_t, Dimensions> sizes{};
    for (int i = 0; i < Dimensions; ++i)
      sizes[static_cast<std::size_t>(i)] = own[i];
    return std::dextents<std::size_t, Dimensions>(sizes);
  }
#endif

  friend bool operator==(const work_group &left, const work_group &right) {
    return left.same == right.same;
  }
  friend bool operator!=(const work_group &left, const work_group &right) {
    return !(left == right);
  }

private:
  friend class member_item<work_group>;
  group<Dimensions> same;
};

/// A sub-group: made of SYCL's, and again one where that is asked for.
class sub_group PLSYCL_WITH_EXTENTS(sub_group, std::dextents<std::uint32_t, 1>) {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group &same) noexcept : same(same) {}
  operator sycl::sub_group() const noexcept { return same; }

  /// Which one of its work-group's sub-groups it is.
  id_type id() const noexcept { return same.get_group_id(); }
  linear_id_type linear_id() const noexcept { return same.get_group_linear_id(); }
  /// The work-group's sub-groups.
  range_type range() const noexcept { return same.get_group_range(); }
  /// How many work-items it has, and the most that one of the kernel's has.
  size_type size() const noexcept { return same.get_local_linear_range(); }
  size_type max_size() const noexcept {
    return static_cast<size_type>(same.get_max_local_range()[0]);
  }

#ifdef __cpp_lib_mdspan
  /// For the implementation.
  constexpr auto make_extents() const noexcept { return std::dextents<std::uint32_t, 1>(size()); }
#endif

  friend bool operator==(const sub_group &left, const sub_group &right) {
    return left.same == right.same;
  }
  friend bool operator!=(const sub_group &left, const sub_group &right) { return !(left == right); }

private:
  friend class member_item<sub_group>;
  sycl::sub_group same;
};

/// The calling work-item as a member of a group.
template <typename ParentGroup>
class member_item PLSYCL_WITH_EXTENTS(
    member_item<ParentGroup>,
    detail::unit_extents<typename ParentGroup::linear_id_type, ParentGroup::dimensions>) {
public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  /// The implementation makes members; programs receive them from get_member_item.
  explicit member_item(const ParentGroup &parent) noexcept : parent(parent) {}

  /// Which one of the group's members it is.
  id_type id() const noexcept { return parent.same.get_local_id(); }
  linear_id_type linear_id() const noexcept { return parent.same.get_local_linear_id(); }
  /// The group's members.
  range_type range() const noexcept { return parent.same.get_local_range(); }
  constexpr size_type size() const noexcept { return 1; }

#ifdef __cpp_lib_mdspan
  /// For the implementation.
  constexpr auto make_extents() const noexcept {
    return detail::unit_extents<linear_id_type, dimensions>();
  }
#endif

  friend bool operator==(const member_item &left, const member_item &right) {
    return left.parent == right.parent && left.id() == right.id();
  }
  friend bool operator!=(const member_item &left, const member_item &right) {
    return !(left == right);
  }

private:
  ParentGroup parent;
};

#undef PLSYCL_WITH_EXTENTS

/// The calling work-item within the group.
template <int Dimensions>
member_item<work_group<Dimensions>> get_member_item(const work_group<Dimensions> &group) noexcept {
  return member_item<work_group<Dimensions>>(group);
}
inline member_item<sub_group> get_member_item(const sub_group &group) noexcept {
  return member_item<sub_group>(group);
}

/// Whether the calling work-item is the one of the group that has the number 0.
template <int Dimensions> bool leader_of(const work_group<Dimensions> &group) noexcept {
  return get_member_item(group).linear_id() == 0;
}
inline bool leader_of(const sub_group &group) noexcept {
  return get_member_item(group).linear_id() == 0;
}
template <typename ParentGroup> bool leader_of(const member_item<ParentGroup> &) noexcept {
  return true; // The one work-item that is in it.
}

} // namespace sycl::khr
