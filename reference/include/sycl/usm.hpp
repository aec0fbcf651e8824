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
template <typename T>
T *malloc(std::size_t count, const device &target, const context &owner, usm::alloc kind,
          const property_list &properties = {}) {
  return static_cast<T *>(
      aligned_alloc(alignof(T), count * sizeof(T), target, owner, kind, properties));
}
template <typename T>
T *malloc(std::size_t count, const queue &where, usm::alloc kind,
          const property_list &properties = {}) {
  return static_cast<T *>(aligned_alloc(alignof(T), count * sizeof(T), where, kind, properties));
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
  template <typename T>                                                                            \
  T *malloc_##KIND(std::size_t count, const device &target, const context &owner,                  \
                   const property_list &properties = {}) {                                         \
    return malloc<T>(count, target, owner, usm::alloc::KIND, properties);                          \
  }                                                                                                \
  template <typename T>                                                                            \
  T *malloc_##KIND(std::size_t count, const queue &where, const property_list &properties = {}) {  \
    return malloc<T>(count, where, usm::alloc::KIND, properties);                                  \
  }                                                                                                \
  inline void *aligned_alloc_##KIND(std::size_t alignment, std::size_t size, const device &target, \
                                    const context &owner, const property_list &properties = {}) {  \
    return aligned_alloc(alignment, size, target, owner, usm::alloc::KIND, properties);            \
  }                                                                                                \
  inline void *aligned_alloc_##KIND(std::size_t alignment, std::size_t size, const queue &where,   \
                                    const property_list &properties = {}) {                        \
    return aligned_alloc(alignment, size, where, usm::alloc::KIND, properties);                    \
  }                                                                                                \
  template <typename T>                                                                            \
  T *aligned_alloc_##KIND(std::size_t alignment, std::size_t count, const device &target,          \
                          const context &owner, const property_list &properties = {}) {            \
    return static_cast<T *>(                                                                       \
        aligned_alloc_##KIND(alignment, count * sizeof(T), target, owner, properties));            \
  }                                                                                                \
  template <typename T>                                                                            \
  T *aligned_alloc_##KIND(std::size_t alignment, std::size_t count, const queue &where,            \
                          const property_list &properties = {}) {                                  \
    return static_cast<T *>(                                                                       \
        aligned_alloc_##KIND(alignment, count * sizeof(T), where, properties));                    \
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
template <typename T>
T *malloc_host(std::size_t count, const context &owner, const property_list &properties = {}) {
  return static_cast<T *>(aligned_alloc_host(alignof(T), count * sizeof(T), owner, properties));
}
template <typename T>
T *malloc_host(std::size_t count, const queue &where, const property_list &properties = {}) {
  return malloc_host<T>(count, where.get_context(), properties);
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
template <typename T, usm::alloc Kind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(Kind != usm::alloc::device, "the host cannot touch a device's memory");

public:
  using value_type = T;
  template <typename U> struct rebind {
    using other = usm_allocator<U, Kind, Alignment>;
  };

  usm_allocator(const context &owner, const device &target, const property_list & = {})
      : owner(owner), target(target) {}
  explicit usm_allocator(const queue &where, const property_list & = {})
      : owner(where.get_context()), target(where.get_device()) {}
  template <typename U>
  usm_allocator(const usm_allocator<U, Kind, Alignment> &other)
      : owner(other.owner), target(other.target) {}

  T *allocate(std::size_t count) {
    constexpr std::size_t alignment = Alignment > alignof(T) ? Alignment : alignof(T);
    void *pointer = aligned_alloc(alignment, count * sizeof(T), target, owner, Kind);
    if (!pointer)
      detail::fail(errc::memory_allocation,
                   "no room for " + std::to_string(count * sizeof(T)) + " bytes of USM");
    return static_cast<T *>(pointer);
  }
  void deallocate(T *pointer, std::size_t) { free(pointer, owner); }

  template <typename U>
  friend bool operator==(const usm_allocator &left,
                         const usm_allocator<U, Kind, Alignment> &right) {
    return left.owner == right.owner && left.target == right.target;
  }
  template <typename U>
  friend bool operator!=(const usm_allocator &left,
                         const usm_allocator<U, Kind, Alignment> &right) {
    return !(left == right);
  }

private:
  template <typename U, usm::alloc K, std::size_t A> friend class usm_allocator;
  context owner;
  device target;
};

} // namespace sycl
