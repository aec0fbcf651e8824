//===- usm.hpp - memory that host and device name by the same pointers -----------------------===//
#pragma once

#include <sycl/queue.hpp>

namespace sycl {
namespace usm {
enum class alloc { host = 0, device = 1, shared = 2, unknown = 3 };
} // namespace usm

/// Null when the device has no room; an exception when it has no such memory at all.
inline void *aligned_alloc(std::size_t alignment, std::size_t size, const device &target,
                           const context &owner, usm::alloc kind, const property_list & = {}) {
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
Type *malloc(std::size_t count, const device &target, const context &owner, usm::alloc kind,
             const property_list &properties = {}) {
  return static_cast<Type *>(
      aligned_alloc(alignof(Type), count * sizeof(Type), target, owner, kind, properties));
}
template <typename Type>
Type *malloc(std::size_t count, const queue &where, usm::alloc kind,
             const property_list &properties = {}) {
  return static_cast<Type *>(
      aligned_alloc(alignof(Type), count * sizeof(Type), where, kind, properties));
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
    return static_cast<Type *>(                                                                    \
        aligned_alloc_##KIND(alignment, count * sizeof(Type), target, owner, properties));         \
  }                                                                                                \
  template <typename Type>                                                                         \
  Type *aligned_alloc_##KIND(std::size_t alignment, std::size_t count, const queue &where,         \
                             const property_list &properties = {}) {                               \
    return static_cast<Type *>(                                                                    \
        aligned_alloc_##KIND(alignment, count * sizeof(Type), where, properties));                 \
  }

PLSYCL_USM_KIND(device)
PLSYCL_USM_KIND(shared)

// Host memory belongs to a context, not to a device.
inline void *aligned_alloc_host(std::size_t alignment, std::size_t size, const context &owner,
                                const property_list &properties = {}) {
  return aligned_alloc(alignment, size, owner.get_devices().front(), owner, usm::alloc::host,
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
      aligned_alloc_host(alignof(Type), count * sizeof(Type), owner, properties));
}
template <typename Type>
Type *malloc_host(std::size_t count, const queue &where, const property_list &properties = {}) {
  return malloc_host<Type>(count, where.get_context(), properties);
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
  return device(target);
}

/// An allocator of host or shared memory for the standard library's containers.
template <typename Type, usm::alloc Kind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(Kind != usm::alloc::device, "the host cannot touch a device's memory");

public:
  using value_type = Type;
  template <typename Other> struct rebind {
    using other = usm_allocator<Other, Kind, Alignment>;
  };

  usm_allocator(const context &owner, const device &target, const property_list & = {})
      : owner(owner), target(target) {}
  explicit usm_allocator(const queue &where, const property_list & = {})
      : owner(where.get_context()), target(where.get_device()) {}
  template <typename Other>
  usm_allocator(const usm_allocator<Other, Kind, Alignment> &other)
      : owner(other.owner), target(other.target) {}

  Type *allocate(std::size_t count) {
    constexpr std::size_t alignment = Alignment > alignof(Type) ? Alignment : alignof(Type);
    void *pointer = aligned_alloc(alignment, count * sizeof(Type), target, owner, Kind);
    if (!pointer)
      detail::fail(errc::memory_allocation,
                   "no room for " + std::to_string(count * sizeof(Type)) + " bytes of USM");
    return static_cast<Type *>(pointer);
  }
  void deallocate(Type *pointer, std::size_t) { free(pointer, owner); }

  template <typename Other>
  friend bool operator==(const usm_allocator &left,
                         const usm_allocator<Other, Kind, Alignment> &right) {
    return left.owner == right.owner && left.target == right.target;
  }
  template <typename Other>
  friend bool operator!=(const usm_allocator &left,
                         const usm_allocator<Other, Kind, Alignment> &right) {
    return !(left == right);
  }

private:
  template <typename Other, usm::alloc OtherKind, std::size_t OtherAlignment>
  friend class usm_allocator;
  context owner;
  device target;
};

} // namespace sycl
