//===- usm.hpp - memory that host and device name by the same pointers -----------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/queue.hpp>

#include <cstdint>

PLSYCL_HOST_FILE

namespace sycl {
namespace usm {
enum class alloc { host = 0, device = 1, shared = 2, unknown = 3 };
} // namespace usm

namespace detail {
/// Refuses memory of a kind that is not there, and devices of other contexts.
inline void check_usm(const device &target, const context &owner, usm::alloc kind) {
  if (kind == usm::alloc::unknown)
    fail(errc::invalid, "an allocation must be of a known kind");
  bool is_there = false;
  if (kind == usm::alloc::host) {
    // Of whichever device of the context: the one that is named does not matter.
    for (const device &each : owner.get_kept_devices())
      is_there = is_there || each.has(aspect::usm_host_allocations);
  } else {
    owner.require(target);
    is_there = target.has(kind == usm::alloc::device ? aspect::usm_device_allocations
                                                     : aspect::usm_shared_allocations);
  }
  if (!is_there)
    fail(errc::feature_not_supported, "the device has no unified shared memory of the kind");
}

/// Bytes of so many elements; of more than can be counted, more than any device has.
constexpr std::size_t bytes_of(std::size_t count, std::size_t size) {
  return count > ~std::size_t(0) / size ? ~std::size_t(0) : count * size;
}

/// Whether memory can be aligned so; 0 is for any alignment.
constexpr bool is_alignment(std::size_t number) { return (number & (number - 1)) == 0; }
} // namespace detail

/// Null when the device has no room or cannot align so; an exception when it has no such memory at
/// all.
inline void *aligned_alloc(std::size_t alignment, std::size_t size, const device &target,
                           const context &owner, usm::alloc kind, const property_list & = {}) {
  detail::check_usm(target, owner, kind);
  if (!detail::is_alignment(alignment))
    return nullptr;
  void *pointer = nullptr;
  detail::check(plsycl_usm_allocate(owner.get(), target.get(), static_cast<std::uint32_t>(kind),
                                    size, alignment, &pointer));
  return pointer;
}
inline void *aligned_alloc(std::size_t alignment, std::size_t size, const queue &where,
                           usm::alloc kind, const property_list &properties = {}) {
  return aligned_alloc(alignment, size, where.get_device(), where.get_context(), kind, properties);
}
inline void *malloc(std::size_t size, const device &target, const context &owner, usm::alloc kind,
                    const property_list &properties = {}) {
  return aligned_alloc(0, size, target, owner, kind, properties);
}
inline void *malloc(std::size_t size, const queue &where, usm::alloc kind,
                    const property_list &properties = {}) {
  return aligned_alloc(0, size, where, kind, properties);
}
template <typename Type>
Type *aligned_alloc(std::size_t alignment, std::size_t count, const device &target,
                    const context &owner, usm::alloc kind, const property_list &properties = {}) {
  // Not where nothing can be aligned so: the larger of the two could be a number that is possible.
  if (detail::is_alignment(alignment))
    alignment = std::max(alignment, alignof(Type));
  return static_cast<Type *>(aligned_alloc(alignment, detail::bytes_of(count, sizeof(Type)), target,
                                           owner, kind, properties));
}
template <typename Type>
Type *aligned_alloc(std::size_t alignment, std::size_t count, const queue &where, usm::alloc kind,
                    const property_list &properties = {}) {
  return aligned_alloc<Type>(alignment, count, where.get_device(), where.get_context(), kind,
                             properties);
}
template <typename Type>
Type *malloc(std::size_t count, const device &target, const context &owner, usm::alloc kind,
             const property_list &properties = {}) {
  return static_cast<Type *>(aligned_alloc(alignof(Type), detail::bytes_of(count, sizeof(Type)),
                                           target, owner, kind, properties));
}
template <typename Type>
Type *malloc(std::size_t count, const queue &where, usm::alloc kind,
             const property_list &properties = {}) {
  return static_cast<Type *>(
      aligned_alloc(alignof(Type), detail::bytes_of(count, sizeof(Type)), where, kind, properties));
}

// The same for one kind of memory each: malloc_KIND and aligned_alloc_KIND, in bytes and in
// elements, for a queue or a device and its context.
#define PLSYCL_USM_KIND(KIND)                                                                      \
  inline void *malloc_##KIND(std::size_t size, const device &target, const context &owner,         \
                             const property_list &properties = {}) {                               \
    return malloc(size, target, owner, usm::alloc::KIND, properties);                              \
  }                                                                                                \
  inline void *malloc_##KIND(std::size_t size, const queue &where,                                 \
                             const property_list &properties = {}) {                               \
    return malloc(size, where, usm::alloc::KIND, properties);                                      \
  }                                                                                                \
  template <typename Type>                                                                         \
  Type *malloc_##KIND(std::size_t count, const device &target, const context &owner,               \
                      const property_list &properties = {}) {                                      \
    return malloc<Type>(count, target, owner, usm::alloc::KIND, properties);                       \
  }                                                                                                \
  template <typename Type>                                                                         \
  Type *malloc_##KIND(std::size_t count, const queue &where,                                       \
                      const property_list &properties = {}) {                                      \
    return malloc<Type>(count, where, usm::alloc::KIND, properties);                               \
  }                                                                                                \
  inline void *aligned_alloc_##KIND(std::size_t alignment, std::size_t size, const device &target, \
                                    const context &owner, const property_list &properties = {}) {  \
    return aligned_alloc(alignment, size, target, owner, usm::alloc::KIND, properties);            \
  }                                                                                                \
  inline void *aligned_alloc_##KIND(std::size_t alignment, std::size_t size, const queue &where,   \
                                    const property_list &properties = {}) {                        \
    return aligned_alloc(alignment, size, where, usm::alloc::KIND, properties);                    \
  }                                                                                                \
  template <typename Type>                                                                         \
  Type *aligned_alloc_##KIND(std::size_t alignment, std::size_t count, const device &target,       \
                             const context &owner, const property_list &properties = {}) {         \
    return aligned_alloc<Type>(alignment, count, target, owner, usm::alloc::KIND, properties);     \
  }                                                                                                \
  template <typename Type>                                                                         \
  Type *aligned_alloc_##KIND(std::size_t alignment, std::size_t count, const queue &where,         \
                             const property_list &properties = {}) {                               \
    return aligned_alloc<Type>(alignment, count, where, usm::alloc::KIND, properties);             \
  }

PLSYCL_USM_KIND(device)
PLSYCL_USM_KIND(shared)
#undef PLSYCL_USM_KIND

// Host memory belongs to a context, not to a device.
inline void *aligned_alloc_host(std::size_t alignment, std::size_t size, const context &owner,
                                const property_list &properties = {}) {
  return aligned_alloc(alignment, size, owner.get_kept_devices().front(), owner, usm::alloc::host,
                       properties);
}
inline void *aligned_alloc_host(std::size_t alignment, std::size_t size, const queue &where,
                                const property_list &properties = {}) {
  return aligned_alloc_host(alignment, size, where.get_context(), properties);
}
inline void *malloc_host(std::size_t size, const context &owner,
                         const property_list &properties = {}) {
  return aligned_alloc_host(0, size, owner, properties);
}
inline void *malloc_host(std::size_t size, const queue &where,
                         const property_list &properties = {}) {
  return malloc_host(size, where.get_context(), properties);
}
template <typename Type>
Type *malloc_host(std::size_t count, const context &owner, const property_list &properties = {}) {
  return static_cast<Type *>(
      aligned_alloc_host(alignof(Type), detail::bytes_of(count, sizeof(Type)), owner, properties));
}
template <typename Type>
Type *malloc_host(std::size_t count, const queue &where, const property_list &properties = {}) {
  return malloc_host<Type>(count, where.get_context(), properties);
}

template <typename Type>
Type *aligned_alloc_host(std::size_t alignment, std::size_t count, const context &owner,
                         const property_list &properties = {}) {
  return aligned_alloc<Type>(alignment, count, owner.get_kept_devices().front(), owner,
                             usm::alloc::host, properties);
}
template <typename Type>
Type *aligned_alloc_host(std::size_t alignment, std::size_t count, const queue &where,
                         const property_list &properties = {}) {
  return aligned_alloc_host<Type>(alignment, count, where.get_context(), properties);
}

inline void free(void *pointer, const context &owner) {
  detail::check(plsycl_usm_free(owner.get(), pointer));
}
inline void free(void *pointer, const queue &where) { free(pointer, where.get_context()); }

inline usm::alloc get_pointer_type(const void *pointer, const context &owner) {
  std::uint32_t kind = PLSYCL_USM_UNKNOWN;
  plsycl_device target = nullptr;
  detail::check(plsycl_usm_query(owner.get(), pointer, &kind, &target));
  return static_cast<usm::alloc>(kind);
}
inline device get_pointer_device(const void *pointer, const context &owner) {
  std::uint32_t kind = PLSYCL_USM_UNKNOWN;
  plsycl_device target = nullptr;
  detail::check(plsycl_usm_query(owner.get(), pointer, &kind, &target));
  if (!target)
    detail::fail(errc::invalid, "the pointer is no USM allocation of the context");
  // Host memory is no device's; the first one stands for it.
  return kind == PLSYCL_USM_HOST ? owner.get_kept_devices().front() : device(target);
}

/// An allocator of host or shared memory for the standard library's containers.
template <typename Type, usm::alloc Kind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(Kind != usm::alloc::device, "the host cannot touch a device's memory");

public:
  using value_type = Type;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <typename Other> struct rebind {
    using other = usm_allocator<Other, Kind, Alignment>;
  };

  usm_allocator() = delete;
  usm_allocator(const context &owner, const device &target, const property_list &properties = {})
      : owner(owner), target(target), properties(properties) {
    detail::check_usm(target, owner, Kind);
  }
  usm_allocator(const queue &where, const property_list &properties = {})
      : usm_allocator(where.get_context(), where.get_device(), properties) {}
  template <typename Other>
  usm_allocator(const usm_allocator<Other, Kind, Alignment> &other) noexcept
      : owner(other.owner), target(other.target), properties(other.properties) {}

  /// Null for no objects; throws errc::memory_allocation where there is no room.
  Type *allocate(std::size_t count) {
    if (count == 0)
      return nullptr;
    Type *pointer = aligned_alloc<Type>(Alignment, count, target, owner, Kind);
    if (!pointer)
      detail::fail(errc::memory_allocation,
                   "no room for " + std::to_string(detail::bytes_of(count, sizeof(Type))) +
                       " bytes of USM");
    return pointer;
  }
  void deallocate(Type *pointer, std::size_t) {
    if (pointer)
      free(pointer, owner);
  }

  template <typename Property> bool has_property() const noexcept {
    return properties.has_property<Property>();
  }
  template <typename Property> Property get_property() const {
    return properties.get_property<Property>();
  }

  template <typename Other, usm::alloc OtherKind, std::size_t OtherAlignment>
  friend bool operator==(const usm_allocator &left,
                         const usm_allocator<Other, OtherKind, OtherAlignment> &right) {
    return OtherKind == Kind && OtherAlignment == Alignment && left.owner == right.get_owner() &&
           left.target == right.get_target();
  }
  template <typename Other, usm::alloc OtherKind, std::size_t OtherAlignment>
  friend bool operator!=(const usm_allocator &left,
                         const usm_allocator<Other, OtherKind, OtherAlignment> &right) {
    return !(left == right);
  }

  /// For the implementation.
  const context &get_owner() const { return owner; }
  const device &get_target() const { return target; }

private:
  template <typename Other, usm::alloc OtherKind, std::size_t OtherAlignment>
  friend class usm_allocator;
  context owner;
  device target;
  property_list properties;
};

} // namespace sycl
