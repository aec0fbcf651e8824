//===- shared.hpp - objects with several owners ----------------------------------------------===//
//
// What std::shared_ptr and std::weak_ptr do, for the objects of this implementation: every program
// has some twenty types of them, and compilers instantiate much of the standard library for each.
// Here what counts owners is no template.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl::detail {

/// What stands in front of an object with several owners.
struct shared_object {
  /// Ends the object, whose memory stays.
  void (*end)(shared_object *);
  /// Gives the memory back.
  void (*remove)(shared_object *);
  std::atomic<std::size_t> owners{1};
  /// Those that know the object without owning it, and one for all of its owners.
  std::atomic<std::size_t> watchers{1};

  void own() noexcept { owners.fetch_add(1, std::memory_order_relaxed); }
  /// Whether somebody owned it still.
  bool try_own() {
    std::size_t count = owners.load(std::memory_order_relaxed);
    while (count != 0)
      if (owners.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel))
        return true;
    return false;
  }
  void disown() {
    if (owners.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    end(this);
    unwatch();
  }
  void watch() { watchers.fetch_add(1, std::memory_order_relaxed); }
  void unwatch() {
    if (watchers.fetch_sub(1, std::memory_order_acq_rel) == 1)
      remove(this);
  }
};

/// An owner of an object, whatever the object's type.
class any_owner {
public:
  any_owner() = default;
  /// Takes over what the object counts already.
  any_owner(const void *object, shared_object *of) : object(object), of(of) {}
  any_owner(const any_owner &other) noexcept : object(other.object), of(other.of) {
    if (of)
      of->own();
  }
  any_owner(any_owner &&other) noexcept { swap(other); }
  any_owner &operator=(any_owner other) noexcept {
    swap(other);
    return *this;
  }
  ~any_owner() {
    if (of)
      of->disown();
  }
  void swap(any_owner &other) noexcept {
    std::swap(object, other.object);
    std::swap(of, other.of);
  }
  /// The same object at the place of a part of it.
  any_owner at(const void *part) && {
    object = part;
    return std::move(*this);
  }

  void *get() const { return const_cast<void *>(object); }
  shared_object *get_shared() const { return of; }

private:
  const void *object = nullptr;
  shared_object *of = nullptr;
};

/// Finds an object while it has an owner. Until then, and after, its place is no other object's.
class any_watcher {
public:
  any_watcher() = default;
  explicit any_watcher(const any_owner &owner) : object(owner.get()), of(owner.get_shared()) {
    if (of)
      of->watch();
  }
  any_watcher(const any_watcher &other) : object(other.object), of(other.of) {
    if (of)
      of->watch();
  }
  any_watcher &operator=(any_watcher other) noexcept {
    std::swap(object, other.object);
    std::swap(of, other.of);
    return *this;
  }
  ~any_watcher() {
    if (of)
      of->unwatch();
  }

  any_owner lock() const { return of && of->try_own() ? any_owner(object, of) : any_owner(); }

private:
  const void *object = nullptr;
  shared_object *of = nullptr;
};

/// An object in one piece with what counts its owners.
template <typename Type> struct shared_value : shared_object {
  template <typename... Arguments>
  explicit shared_value(Arguments &&...arguments)
      : shared_object{end_value, remove_all}, value(std::forward<Arguments>(arguments)...) {}
  ~shared_value() {}

  static void end_value(shared_object *self) { static_cast<shared_value *>(self)->value.~Type(); }
  static void remove_all(shared_object *self) { delete static_cast<shared_value *>(self); }

  union {
    Type value;
  };
};

/// An object that stays while it has an owner; or null.
template <typename Type> class shared {
public:
  shared() = default;
  shared(std::nullptr_t) {}
  template <typename Other, std::enable_if_t<std::is_convertible_v<Other *, Type *>, int> = 0>
  shared(shared<Other> other) {
    Type *const place = other.get();
    owner = std::move(other.owner).at(place);
  }

  template <typename... Arguments> static shared make(Arguments &&...arguments) {
    auto *made = new shared_value<std::remove_const_t<Type>>(std::forward<Arguments>(arguments)...);
    return shared(any_owner(std::addressof(made->value), made));
  }
  /// The object as what it is known to be; the place of that must be the same.
  template <typename Other> shared<Other> as() const { return shared<Other>(owner); }

  Type *get() const { return static_cast<Type *>(owner.get()); }
  std::add_lvalue_reference_t<Type> operator*() const { return *get(); }
  Type *operator->() const { return get(); }
  explicit operator bool() const { return get() != nullptr; }
  std::size_t use_count() const { return owner.get_shared()->owners.load(); }

  friend bool operator==(const shared &left, const shared &right) {
    return left.get() == right.get();
  }
  friend bool operator!=(const shared &left, const shared &right) { return !(left == right); }

private:
  template <typename> friend class shared;
  template <typename> friend class watched;
  /// Takes over.
  explicit shared(any_owner owner) : owner(std::move(owner)) {}

  any_owner owner;
};

/// Finds an object while it has an owner.
template <typename Type> class watched {
public:
  watched() = default;
  watched(const shared<Type> &from) : watcher(from.owner) {}

  /// Null where it has none.
  shared<Type> lock() const { return shared<Type>(watcher.lock()); }

private:
  any_watcher watcher;
};

} // namespace sycl::detail
