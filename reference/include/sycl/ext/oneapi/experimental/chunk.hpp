//===- chunk.hpp - sycl_ext_oneapi_non_uniform_groups, parts of a sub-group of one size ------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

/// `ChunkSize` neighbours of a sub-group.
template <std::size_t ChunkSize, typename ParentGroup>
class PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_chunk) chunk
    : public sycl::detail::part_of_sub_group {
public:
  using part_of_sub_group::part_of_sub_group;

  operator fragment<ParentGroup>() const {
    return {get_members(), get_group_linear_id(), get_group_linear_range()};
  }
};

} // namespace ext::oneapi::experimental

template <std::size_t Size, typename Parent>
struct is_group<ext::oneapi::experimental::chunk<Size, Parent>> : std::true_type {};

namespace ext::oneapi::experimental {

/// The group in chunks, which have to come out even.
template <std::size_t ChunkSize, typename ParentGroup>
chunk<ChunkSize, ParentGroup> chunked_partition(ParentGroup parent) {
  static_assert(ChunkSize > 0 && (ChunkSize & (ChunkSize - 1)) == 0,
                "the size of a chunk is a power of two");
  const std::uint32_t number = static_cast<std::uint32_t>(parent.get_local_linear_id() / ChunkSize);
  const std::uint32_t count =
      static_cast<std::uint32_t>(parent.get_local_linear_range() / ChunkSize);
  const sycl::detail::lane_bits all = sycl::detail::lanes_of(parent);
  // A sub-group and its chunks are of neighbours.
  const std::uint32_t first = sycl::detail::lane_at(all, 0);
  const auto members = sycl::detail::lanes_below(ChunkSize);
  return {members << (first + number * ChunkSize) & all, number, count};
}

} // namespace ext::oneapi::experimental
} // namespace sycl
