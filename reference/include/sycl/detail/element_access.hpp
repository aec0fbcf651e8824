//===- element_access.hpp - subscripts of one to three dimensions ---------------------------===//
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/abi.h>
#include <sycl/detail/memory.hpp>
#include <sycl/exception.hpp>
#include <sycl/id.hpp>

#include <cstdint>

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

// On the host the word of a global_memory is the runtime's handle, with what the accessor's object
// knows of itself in bits that a handle's alignment leaves free; the runtime passes them by.
constexpr std::uintptr_t placeholder_flag = 1;
constexpr std::uintptr_t no_init_flag = 2;
// How much of the alignment of `most_aligned` bytes the buffer's first one lacks, as a power of
// two.
constexpr std::uintptr_t origin_shift = 2, origin_bits = 15;
constexpr std::size_t most_aligned = std::size_t(1) << origin_bits;
constexpr std::uintptr_t all_flags = 63;

inline std::uintptr_t flags_of(PLSYCL_GLOBAL void *word) {
  return (std::uintptr_t)word & all_flags;
}
inline PLSYCL_GLOBAL void *with_flags(PLSYCL_GLOBAL void *word, std::uintptr_t flags) {
  return (PLSYCL_GLOBAL void *)((std::uintptr_t)word | flags);
}
inline PLSYCL_GLOBAL void *without_flag(PLSYCL_GLOBAL void *word, std::uintptr_t flag) {
  return (PLSYCL_GLOBAL void *)((std::uintptr_t)word & ~flag);
}
/// The flags of an accessor to a buffer that begins at this byte of its memory.
inline std::uintptr_t origin_flags(std::size_t byte) {
  std::uintptr_t lacks = 0;
  while (byte % (most_aligned >> lacks) != 0)
    ++lacks;
  return lacks << origin_shift;
}
/// How the buffer's first byte is aligned in its memory, up to `most_aligned`.
inline std::size_t origin_alignment(PLSYCL_GLOBAL void *word) {
  return most_aligned >> (flags_of(word) >> origin_shift & origin_bits);
}
/// The runtime's handle in a global_memory of the host.
inline plsycl_memory memory_of(const global_memory &memory) {
  return static_cast<plsycl_memory>(from_word(without_flag(memory.data, all_flags)));
}

/// Whether two describe the same part of the same memory.
inline bool is_same(const global_memory &left, const global_memory &right) {
  return left.data == right.data &&
         to_range<3>(left.access_range) == to_range<3>(right.access_range) &&
         to_range<3>(left.memory_range) == to_range<3>(right.memory_range) &&
         to_range<3>(left.offset) == to_range<3>(right.offset);
}
inline std::size_t hash_of(const global_memory &memory) {
  return std::hash<const void *>()(from_word(memory.data)) ^ memory.offset[0] ^
         (memory.access_range[0] << 1);
}

/// `covered` elements from `offset` on, of a buffer of `size` that begins at `first` of memory of
/// the shape `whole`, of which it may be a part.
template <int Dimensions>
global_memory part_of(plsycl_memory handle, const range<Dimensions> &covered,
                      const id<Dimensions> &offset, const range<Dimensions> &size,
                      const id<Dimensions> &first, const range<Dimensions> &whole, bool is_part) {
  for (int i = 0; i < Dimensions; ++i)
    if (offset[i] > size[i] || covered[i] > size[i] - offset[i])
      fail(errc::invalid, "an accessor must lie within its buffer");
  global_memory part;
  part.data = to_word(handle);
  from_array(covered, part.access_range, 1);
  from_array(whole, part.memory_range, 1);
  from_array(first + offset, part.offset, 0);
  if (is_part)
    part.memory_range[0] = part_flag | linear_index(first, whole);
  return part;
}

/// The shape of the memory, as far as the accessor reaches in the first dimension of a part.
template <int Dimensions> range<Dimensions> shape_of(const global_memory &memory) {
  range<Dimensions> shape = to_range<Dimensions>(memory.memory_range);
  if (memory.memory_range[0] & part_flag)
    shape[0] = memory.offset[0] + memory.access_range[0];
  return shape;
}

/// The first element that the accessor covers, in the buffer that it is of.
template <int Dimensions> id<Dimensions> offset_of(const global_memory &memory) {
  id<Dimensions> offset = to_range<Dimensions>(memory.offset);
  std::size_t origin = origin_of(memory);
  for (int i = Dimensions - 1; i > 0 && origin != 0; --i) {
    // In memory of no elements parts begin where they like.
    const std::size_t length = memory.memory_range[i] ? memory.memory_range[i] : 1;
    offset[i] -= origin % length;
    origin /= length;
  }
  offset[0] -= origin;
  return offset;
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

/// The same for part of a memory: what lies outside of it matters, whatever an accessor says.
inline std::uint32_t access_bits(access_mode mode, bool no_init, const global_memory &part) {
  const bool is_all = to_range<3>(part.access_range) == to_range<3>(part.memory_range);
  const std::uint32_t bits = access_bits(mode, no_init);
  return is_all ? bits : bits & ~std::uint32_t(PLSYCL_ACCESS_NO_INIT);
}

/// Bytes of a memory, up to `end`.
struct byte_span {
  std::size_t begin = 0, end = SIZE_MAX;
};
/// What uses of the accessor's have to do with: all of its buffer's memory, or of a part of a
/// buffer what there is up to the last element that the accessor covers.
inline byte_span bytes_of(const global_memory &memory, std::size_t element_size) {
  if (!(memory.memory_range[0] & part_flag))
    return {};
  std::size_t last = 0, covered = 1;
  for (int i = 0; i < 3; ++i) {
    last = (i ? last * memory.memory_range[i] : 0) + memory.offset[i] + memory.access_range[i] - 1;
    covered *= memory.access_range[i];
  }
  const std::size_t begin = origin_of(memory) * element_size;
  return {begin, covered ? (last + 1) * element_size : begin};
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
