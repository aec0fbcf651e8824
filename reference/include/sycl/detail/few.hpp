//===- few.hpp - lists that are short most of the time ---------------------------------------===//
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace sycl::detail {

/// Bytes beside a list, for what has no place in it: no template, so that compilers read it once.
class more_bytes {
public:
  more_bytes() = default;
  more_bytes(more_bytes &&other) noexcept : first(other.first), room(other.room) {
    other.first = nullptr;
  }
  more_bytes &operator=(more_bytes &&) = delete;
  ~more_bytes() { ::operator delete(first); }

  void *get() const { return first; }
  /// Has place for `needed` bytes and more to come, with the `used` bytes at `from` as the first.
  void *grow(std::size_t needed, const void *from, std::size_t used) {
    if (first && needed <= room)
      return first;
    room = 2 * needed;
    void *next = ::operator new(room);
    std::memcpy(next, from, used);
    ::operator delete(first);
    return first = next;
  }

private:
  void *first = nullptr;
  std::size_t room = 0;
};

/// A list of plain values, of which so many need no memory of their own. It can be moved and not
/// copied; where its values stand changes as it grows, and when it is moved.
template <typename Type, std::size_t Few> class few {
  static_assert(std::is_trivially_copyable_v<Type>, "values are copied as bytes");
  static_assert(alignof(Type) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "memory is of no type");

public:
  few() = default;
  few(few &&other) noexcept : count(other.count), more(std::move(other.more)) {
    if (!more.get())
      std::memcpy(static_cast<void *>(own), other.own, count * sizeof(Type));
    other.count = 0;
  }
  few &operator=(few &&) = delete;

  void push_back(const Type &value) {
    const Type kept = value; // which may be one of these
    resize(count + 1);
    data()[count - 1] = kept;
  }
  /// Has it be these, which are none of its own.
  void assign(const Type *first, std::size_t size) {
    count = 0;
    resize(size);
    std::memcpy(static_cast<void *>(data()), first, size * sizeof(Type));
  }
  /// Values that are added have to be set.
  void resize(std::size_t size) {
    if (size > Few)
      more.grow(size * sizeof(Type), data(), count * sizeof(Type));
    count = size;
  }

  void clear() { count = 0; }

  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  Type *data() { return more.get() ? static_cast<Type *>(more.get()) : own; }
  const Type *data() const { return more.get() ? static_cast<const Type *>(more.get()) : own; }
  Type &operator[](std::size_t place) { return data()[place]; }
  const Type *begin() const { return data(); }
  const Type *end() const { return data() + count; }

private:
  std::size_t count = 0;
  alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Type own[Few];
  /// All of them, since there were more.
  more_bytes more;
};

} // namespace sycl::detail
