//===- handle.hpp - shared ownership of the runtime's objects --------------------------------===//
#pragma once

#include <sycl/exception.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace sycl::ext::oneapi {
template <typename Object> class weak_object;
}

namespace sycl::detail {

/// Owns one reference to an object of the runtime; null owns nothing.
template <typename Type, void (*Retain)(Type), void (*Release)(Type)> class handle {
public:
  handle() = default;
  /// Takes over a reference.
  explicit handle(Type object) : object(object) {}
  handle(const handle &other) : object(other.object) {
    if (object)
      Retain(object);
  }
  handle(handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  handle &operator=(handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~handle() {
    if (object)
      Release(object);
  }

  Type get() const { return object; }

private:
  Type object = nullptr;
};

using context_handle = handle<plsycl_context, plsycl_context_retain, plsycl_context_release>;
using queue_handle = handle<plsycl_queue, plsycl_queue_retain, plsycl_queue_release>;
using event_handle = handle<plsycl_event, plsycl_event_retain, plsycl_event_release>;
using program_handle = handle<plsycl_program, plsycl_program_retain, plsycl_program_release>;
using foreign_kernel_handle =
    handle<plsycl_foreign_kernel, plsycl_foreign_kernel_retain, plsycl_foreign_kernel_release>;
using known_kernel_handle =
    handle<plsycl_known_kernel, plsycl_known_kernel_retain, plsycl_known_kernel_release>;
using memory_handle = handle<plsycl_memory, plsycl_memory_retain, plsycl_memory_release>;

/// Knows an object of the runtime without keeping it.
template <typename Type, void *(*Downgrade)(Type), Type (*Upgrade)(const void *),
          void (*Forget)(void *)>
class weak_handle {
public:
  explicit weak_handle(Type object) {
    if (object)
      known = shared<knowledge>::make(Downgrade(object));
  }
  /// The object with a reference, or null where nobody keeps it any more.
  Type lock() const { return known ? Upgrade(known->object) : nullptr; }

private:
  struct knowledge {
    explicit knowledge(void *object) : object(object) {}
    knowledge(const knowledge &) = delete;
    ~knowledge() { Forget(object); }
    void *object;
  };
  shared<knowledge> known;
};

using weak_event_handle =
    weak_handle<plsycl_event, plsycl_event_downgrade, plsycl_event_upgrade, plsycl_event_forget>;

/// Objects that stand for the same are equal; a class of others that may be overloads this.
template <typename Object> bool equals_object_of_sycl(const Object &left, const Object &right) {
  return left.identity() == right.identity();
}

/// What every SYCL class with identity has: equality and a hash.
template <typename Derived> class by_identity {
public:
  /// The order of sycl_ext_oneapi_weak_object: any order of what objects stand for.
  bool ext_oneapi_owner_before(const Derived &other) const noexcept {
    return std::less<>()(static_cast<const Derived &>(*this).identity(), other.identity());
  }
  template <typename Weak,
            std::enable_if_t<std::is_same_v<Weak, ext::oneapi::weak_object<Derived>>, int> = 0>
  bool ext_oneapi_owner_before(const Weak &other) const noexcept {
    return Weak(static_cast<const Derived &>(*this)).owner_before(other);
  }

private:
  friend bool operator==(const Derived &left, const Derived &right) {
    return equals_object_of_sycl(left, right);
  }
  friend bool operator!=(const Derived &left, const Derived &right) { return !(left == right); }
};

struct hash_by_identity {
  template <typename Type> std::size_t operator()(const Type &object) const {
    return std::hash<const void *>()(object.identity());
  }
};

/// Text that the runtime gives through one of its query functions.
template <typename Query> std::string query_text(Query &&query) {
  std::size_t size = 0;
  check(query(nullptr, std::size_t(0), &size));
  std::string text(size, '\0');
  check(query(text.data(), size, &size));
  return text;
}

/// Numbers that the runtime gives through one of its query functions.
template <typename Query> std::vector<std::uint64_t> query_numbers(Query &&query) {
  std::size_t size = 0;
  check(query(nullptr, std::size_t(0), &size));
  std::vector<std::uint64_t> numbers(size / sizeof(std::uint64_t));
  check(query(numbers.data(), size, &size));
  return numbers;
}

/// Handles that the runtime gives through one of its query functions.
template <typename Handle, typename Query> std::vector<Handle> query_handles(Query &&query) {
  std::size_t count = 0;
  check(query(nullptr, std::size_t(0), &count));
  std::vector<Handle> handles(count);
  if (count)
    check(query(handles.data(), handles.size(), &count));
  handles.resize(std::min(handles.size(), count));
  return handles;
}

} // namespace sycl::detail
