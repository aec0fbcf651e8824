//===- few.hpp - lists that are short most of the time ---------------------------------------===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl::detail {

/// A list of plain values, of which so many need no memory of their own. It can be moved and not
/// copied; where its values stand changes as it grows, and when it is moved.
template <typename Type, std::size_t Few> class few {
  static_assert(std::is_trivially_copyable_v<Type>, "values are copied as bytes");

public:
  few() = default;
  few(few &&other) noexcept : count(std::exchange(other.count, 0)), more(std::move(other.more)) {
    std::copy(other.own, other.own + std::min(count, Few), own);
  }
  few &operator=(few &&) = delete;

  void push_back(const Type &value) {
    if (count < Few) {
      own[count++] = value;
      return;
    }
    if (count == Few)
      more.assign(own, own + Few);
    more.push_back(value);
    ++count;
  }
  /// Has it be these.
  void assign(const Type *first, const Type *last) {
    count = static_cast<std::size_t>(last - first);
    if (count > Few)
      more.assign(first, last);
    else
      std::copy(first, last, own);
  }

  void clear() { count = 0; }

  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  Type *data() { return count > Few ? more.data() : own; }
  const Type *data() const { return count > Few ? more.data() : own; }
  const Type *begin() const { return data(); }
  const Type *end() const { return data() + count; }

private:
  std::size_t count = 0;
  alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Type own[Few];
  /// All of them, where there are more.
  std::vector<Type> more;
};

} // namespace sycl::detail
