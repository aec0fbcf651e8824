//===- weak_object.hpp - sycl_ext_oneapi_weak_object -----------------------------------------===//
//
// Of the classes whose objects stand for something that lives while one of them does. Accessors and
// streams keep nothing alive.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/backend.hpp>
#include <sycl/image.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#include <functional>
#include <memory>
#include <optional>

PLSYCL_HOST_FILE

namespace sycl {

namespace detail {
template <typename Object, typename = void> inline constexpr bool is_watched = false;
template <typename Object>
inline constexpr bool
    is_watched<Object, std::void_t<decltype(std::declval<const Object &>().watch())>> = true;
} // namespace detail

namespace ext::oneapi {

/// Knows what an object stands for, and does not keep it.
template <typename Object> class weak_object {
  static_assert(sycl::detail::is_watched<Object>, "accessors and streams have no weak objects");

public:
  using object_type = Object;

  /// Of no object.
  constexpr weak_object() noexcept = default;
  weak_object(const Object &object) noexcept
      : find(sycl::detail::shared<const std::function<std::optional<Object>()>>::make(
            object.watch())),
        identity(object.identity()) {}
  weak_object(const weak_object &) noexcept = default;
  weak_object(weak_object &&other) noexcept { swap(other); }
  weak_object &operator=(const Object &object) noexcept { return *this = weak_object(object); }
  weak_object &operator=(const weak_object &) noexcept = default;
  weak_object &operator=(weak_object &&other) noexcept {
    weak_object(std::move(other)).swap(*this);
    return *this;
  }

  void reset() noexcept { weak_object().swap(*this); }
  void swap(weak_object &other) noexcept {
    std::swap(find, other.find);
    std::swap(identity, other.identity);
  }

  /// Whether no object is left that stands for the same, or there never was one.
  bool expired() const noexcept { return !try_lock(); }
  /// One more object that stands for the same, while there is another one.
  std::optional<Object> try_lock() const noexcept {
    return find ? (*find)() : std::optional<Object>();
  }
  /// The same; errc::invalid where there is none.
  Object lock() const {
    if (std::optional<Object> found = try_lock())
      return *std::move(found);
    sycl::detail::fail(errc::invalid, "what the weak object knew is gone");
  }

  /// An order by what objects stand for, or stood for.
  bool owner_before(const weak_object &other) const noexcept {
    return std::less<>()(identity, other.identity);
  }
  bool owner_before(const Object &other) const noexcept { return owner_before(weak_object(other)); }

private:
  /// Keeps the object's place in memory from being another one's, and so its identity.
  sycl::detail::shared<const std::function<std::optional<Object>()>> find;
  decltype(std::declval<const Object &>().identity()) identity = {};
};

/// That order, for containers.
template <typename Object> struct owner_less {
  template <typename Left, typename Right>
  using if_both = std::enable_if_t<std::is_constructible_v<weak_object<Object>, const Left &> &&
                                       std::is_constructible_v<weak_object<Object>, const Right &>,
                                   bool>;

  template <typename Left, typename Right>
  if_both<Left, Right> operator()(const Left &left, const Right &right) const noexcept {
    return weak_object<Object>(left).owner_before(weak_object<Object>(right));
  }
};

} // namespace ext::oneapi
} // namespace sycl
