//===- annotated_ptr.hpp - pointers with properties (sycl_ext_oneapi_annotated_ptr) ----------===//
#pragma once

#include <sycl/ext/oneapi/annotated_arg/properties.hpp>

#include <cstddef>
#include <cstdint>

namespace sycl::ext::oneapi::experimental {

/// A pointer to global memory that a kernel captures. What it points to is reached by plain
/// references: no property makes them different.
template <typename Type, typename Properties = empty_properties_t> class annotated_ptr {
  static_assert(is_property_list_v<Properties>, "what follows the type is a list of properties");

public:
  annotated_ptr() noexcept = default;
  explicit annotated_ptr(Type *place,
                         const std::common_type_t<Properties> & = Properties()) noexcept
      : place(place) {}
  template <
      typename... Values,
      std::enable_if_t<(sizeof...(Values) > 0) && (!is_property_list_v<Values> && ...), int> = 0>
  explicit annotated_ptr(Type *place, const Values &...) noexcept : place(place) {}
  /// The same with other properties as well.
  template <typename Other, typename OtherProperties>
  explicit annotated_ptr(const annotated_ptr<Other, OtherProperties> &other,
                         const std::common_type_t<Properties> & = Properties()) noexcept
      : place(other.get()) {}

  annotated_ptr &operator=(Type *other) noexcept {
    place = other;
    return *this;
  }

  Type *get() const noexcept { return place; }
  operator Type *() const noexcept { return get(); }
  explicit operator bool() const noexcept { return place != nullptr; }
  Type &operator*() const noexcept { return *get(); }
  Type &operator[](std::ptrdiff_t index) const noexcept { return get()[index]; }
  Type *operator->() const noexcept { return get(); }

  annotated_ptr &operator++() noexcept {
    ++place;
    return *this;
  }
  annotated_ptr operator++(int) noexcept {
    annotated_ptr before = *this;
    ++place;
    return before;
  }
  annotated_ptr &operator--() noexcept {
    --place;
    return *this;
  }
  annotated_ptr operator--(int) noexcept {
    annotated_ptr before = *this;
    --place;
    return before;
  }

  template <typename Key> static constexpr bool has_property() {
    return Properties::template has_property<Key>();
  }
  template <typename Key> static constexpr auto get_property() {
    return Properties::template get_property<Key>();
  }

private:
  Type *place = nullptr;
};

template <typename Type, typename Types>
annotated_ptr(Type *, properties<Types>) -> annotated_ptr<Type, properties<Types>>;
template <typename Type, typename... Values>
annotated_ptr(Type *, Values...) -> annotated_ptr<Type, decltype(properties(Values()...))>;

} // namespace sycl::ext::oneapi::experimental
