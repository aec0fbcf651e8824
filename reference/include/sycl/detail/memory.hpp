//===- memory.hpp - how memory objects stand inside a kernel functor ------------------------===//
//
// The front end finds these structures by name in a functor's type and makes entry-point
// parameters of them (ARCHITECTURE.md, "Headers to front end"). Host and device agree on their
// size, alignment and fields.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <cstddef>

namespace sycl::detail {

/// A buffer as a kernel sees it. Ranges and offset count elements; unused dimensions hold 1 and 0.
struct global_memory {
  /// On the device the buffer's first element; on the host the runtime's handle of the buffer.
  PLSYCL_GLOBAL void *data;
  /// Elements that the accessor covers.
  std::size_t access_range[3];
  /// Elements of the whole buffer. No place depends on the length of the first dimension: of a part
  /// of a buffer that number is `part_flag` with the number of the part's first element.
  std::size_t memory_range[3];
  /// First element that the accessor covers.
  std::size_t offset[3];
};
constexpr std::size_t part_flag = ~(~std::size_t(0) >> 1);

/// The number of the first element of the buffer that the accessor is of, which may be a part.
inline std::size_t origin_of(const global_memory &memory) {
  const std::size_t first = memory.memory_range[0];
  return first & part_flag ? first & ~part_flag : 0;
}

/// The host's word of a global_memory, which the device's compilation types as its own.
inline PLSYCL_GLOBAL void *to_word(void *host) { return (PLSYCL_GLOBAL void *)host; }
inline void *from_word(PLSYCL_GLOBAL void *word) { return (void *)word; }

/// Memory of a work-group as a kernel sees it.
struct local_memory {
  /// On the device the first element; on the host the size in bytes, as a number.
  PLSYCL_LOCAL void *data;
  /// Elements; unused dimensions hold 1.
  std::size_t range[3];
};
inline std::size_t origin_of(const local_memory &) { return 0; }

// The same by how elements are aligned, in bytes, which the front end reads off the name.
template <std::size_t Alignment> struct local_memory_by;
#define PLSYCL_LOCAL_MEMORY(ALIGNMENT)                                                             \
  struct local_memory_of_##ALIGNMENT : local_memory {};                                            \
  template <> struct local_memory_by<ALIGNMENT> {                                                  \
    using type = local_memory_of_##ALIGNMENT;                                                      \
  };
PLSYCL_LOCAL_MEMORY(1)
PLSYCL_LOCAL_MEMORY(2)
PLSYCL_LOCAL_MEMORY(4)
PLSYCL_LOCAL_MEMORY(8)
PLSYCL_LOCAL_MEMORY(16)
PLSYCL_LOCAL_MEMORY(32)
PLSYCL_LOCAL_MEMORY(64)
PLSYCL_LOCAL_MEMORY(128)
PLSYCL_LOCAL_MEMORY(256)
PLSYCL_LOCAL_MEMORY(512)
PLSYCL_LOCAL_MEMORY(1024)
PLSYCL_LOCAL_MEMORY(2048)
PLSYCL_LOCAL_MEMORY(4096)
#undef PLSYCL_LOCAL_MEMORY
constexpr std::size_t most_told_alignment = 4096;
template <std::size_t Alignment>
using local_memory_of = typename local_memory_by<(
    Alignment < most_told_alignment ? Alignment : most_told_alignment)>::type;

} // namespace sycl::detail
