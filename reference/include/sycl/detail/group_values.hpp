//===- group_values.hpp - how values go between the work-items of a group -------------------===//
//
// Of any type whose bytes may be copied. Between the work-items of a sub-group they go by the
// broadcasts of SPIR-V, which every device has that has sub-groups; in a work-group through local
// memory. The host never runs this: there a value stays where it is.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

#include <cstdint>
#include <cstring>
#include <memory>

#ifdef __SYCL_DEVICE_ONLY__
#ifdef __NVPTX__
using plsycl_lane = std::uint64_t; // as the device library has it
#else
using plsycl_lane = std::uint32_t; // as OpenCL's sub_group_broadcast has it
#endif
extern __attribute__((convergent)) std::uint32_t
__spirv_GroupBroadcast(unsigned scope, std::uint32_t value, plsycl_lane from);
#endif

namespace sycl::detail {

inline constexpr unsigned sub_group_scope = static_cast<unsigned>(spirv_scope::sub_group);

/// The word of work-item `lane` of the sub-group, which is the same number for all of them.
inline std::uint32_t word_of_lane(std::uint32_t word, [[maybe_unused]] std::uint32_t lane) {
#ifdef __SYCL_DEVICE_ONLY__
#ifndef __OPTIMIZE__
  // Where optimization is off, Intel's CPU driver has sub-groups of one work-item, and broadcasts
  // 0.
  if (sub_group_size() == 1)
    return word;
#endif
  return __spirv_GroupBroadcast(sub_group_scope, word, static_cast<plsycl_lane>(lane));
#else
  return word;
#endif
}

/// The word of work-item `lane` of the sub-group, another one for each.
inline std::uint32_t word_from_lane(std::uint32_t word, [[maybe_unused]] std::uint32_t lane) {
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  // The device library's broadcast is a shuffle.
  return word_of_lane(word, lane);
#else
  std::uint32_t chosen = word;
  for (std::uint32_t each = 0, size = sub_group_size(); each < size; ++each) {
    const std::uint32_t sent = word_of_lane(word, each);
    chosen = each == lane ? sent : chosen;
  }
  return chosen;
#endif
}

/// Applies `move` to the words of a value.
template <typename Type, typename Move> Type by_words(const Type &value, const Move &move) {
  constexpr std::size_t count = (sizeof(Type) + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
  std::uint32_t words[count] = {};
  std::memcpy(words, static_cast<const void *>(std::addressof(value)), sizeof(Type));
  for (std::uint32_t &word : words)
    word = move(word);
  Type moved = value;
  std::memcpy(static_cast<void *>(std::addressof(moved)), words, sizeof(Type));
  return moved;
}

template <typename Type> Type value_of_lane(const Type &value, std::uint32_t lane) {
  return by_words(value, [=](std::uint32_t word) { return word_of_lane(word, lane); });
}
template <typename Type> Type value_from_lane(const Type &value, std::uint32_t lane) {
  return by_words(value, [=](std::uint32_t word) { return word_from_lane(word, lane); });
}

/// `Bytes` of local memory, the same for all calls with these arguments: between barriers they
/// belong to one of them.
template <std::size_t Bytes, typename Purpose = void> void *local_bytes() {
#ifdef __SYCL_DEVICE_ONLY__
  static __attribute__((loader_uninitialized)) PLSYCL_LOCAL std::uint64_t words[(Bytes + 7) / 8];
  return (void *)(PLSYCL_LOCAL void *)words;
#else
  return nullptr;
#endif
}

/// The value of the one work-item of the work-group that sends.
template <typename Type> Type value_of_sender(const Type &value, [[maybe_unused]] bool sends) {
#ifdef __SYCL_DEVICE_ONLY__
  void *shared = local_bytes<sizeof(Type)>();
  if (sends)
    std::memcpy(shared, static_cast<const void *>(std::addressof(value)), sizeof(Type));
  work_group_barrier();
  Type sent = value;
  std::memcpy(static_cast<void *>(std::addressof(sent)), shared, sizeof(Type));
  work_group_barrier();
  return sent;
#else
  return value;
#endif
}

/// What the work-items up to one, those before it, and all of them make together. There is nothing
/// before the first.
template <typename Type> struct scanned {
  Type inclusive, exclusive, total;
  bool is_first;
};

/// Scans a sub-group in the order of its work-items.
template <typename Type, typename Operation>
scanned<Type> scan_values(const sub_group &, const Type &value, Operation operation) {
  const std::uint32_t own = sub_group_local_id();
  scanned<Type> result{value, value, value_of_lane(value, 0), own == 0};
  for (std::uint32_t lane = 1, size = sub_group_size(); lane < size; ++lane) {
    const Type sent = value_of_lane(value, lane);
    if (lane == own)
      result.exclusive = result.total;
    result.total = operation(result.total, sent);
    if (lane == own)
      result.inclusive = result.total;
  }
  return result;
}

/// Scans a part of a sub-group (detail/part_of_sub_group.hpp).
class part_of_sub_group;
template <typename Type, typename Operation>
scanned<Type> scan_values(const part_of_sub_group &part, const Type &value, Operation operation);

/// Scans a work-group: each sub-group, and then what they make, some at a time.
template <int Dimensions, typename Type, typename Operation>
scanned<Type> scan_values(const group<Dimensions> &, const Type &value, Operation operation) {
  [[maybe_unused]] constexpr std::uint32_t at_a_time = 32;
  scanned<Type> result = scan_values(sub_group(current()), value, operation);
#ifdef __SYCL_DEVICE_ONLY__
  const std::uint32_t own = sub_group_id(), count = sub_group_count();
  char *totals = static_cast<char *>(local_bytes<at_a_time * sizeof(Type)>());
  Type before = result.total;
  const bool leads = sub_group_local_id() == 0;
  for (std::uint32_t first = 0; first < count; first += at_a_time) {
    if (leads && own >= first && own - first < at_a_time)
      std::memcpy(totals + (own - first) * sizeof(Type),
                  static_cast<const void *>(std::addressof(result.total)), sizeof(Type));
    work_group_barrier();
    for (std::uint32_t each = first; each < count && each - first < at_a_time; ++each) {
      Type part = value;
      std::memcpy(static_cast<void *>(std::addressof(part)), totals + (each - first) * sizeof(Type),
                  sizeof(Type));
      if (each == own && own > 0) {
        result.inclusive = operation(before, result.inclusive);
        result.exclusive = result.is_first ? before : operation(before, result.exclusive);
        result.is_first = false;
      }
      before = each == 0 ? part : static_cast<Type>(operation(before, part));
    }
    work_group_barrier();
  }
  result.total = before;
#endif
  return result;
}

} // namespace sycl::detail
