//===- device_global.hpp - variables of devices (sycl_ext_oneapi_device_global) --------------===//
//
// On a device, the variable begins with a pointer to its value, which the runtime sets when an
// image is built; with image scope it is the value. Its object on the host is where the device
// compilation's name for it is found from (ARCHITECTURE.md, "Device globals").
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/device_global/properties.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/queue.hpp>

#include <cstddef>
#include <memory>
#include <utility>

#ifdef PLSYCL_UPSTREAM
#error "Plumbline has no sycl_ext_oneapi_device_global for upstream's compiler"
#endif

namespace sycl::ext::oneapi::experimental {

namespace detail {

/// What a value is initialized from: of numbers, any other kind of number.
template <typename Type, typename Argument>
constexpr decltype(auto) for_value(Argument &&argument) {
  using element = std::remove_cv_t<std::remove_all_extents_t<Type>>;
  if constexpr (std::is_arithmetic_v<element> && std::is_arithmetic_v<std::decay_t<Argument>>)
    return static_cast<element>(argument);
  else
    return static_cast<Argument &&>(argument);
}

// Arrays of arrays are given their elements one by one.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"

template <typename Type, bool HasImageScope> class device_global_value {
public:
  constexpr device_global_value() = default;
  template <typename... Arguments>
  constexpr explicit device_global_value(std::in_place_t, Arguments &&...arguments)
      : initial{for_value<Type>(static_cast<Arguments &&>(arguments))...} {}

  /// Where the value is, on a device.
  Type *find() const { return place; }
  constexpr const Type &get_initial() const { return initial; }

private:
  PLSYCL_GLOBAL Type *place = nullptr;
  Type initial{};
};

template <typename Type> class device_global_value<Type, true> {
public:
  constexpr device_global_value() = default;
  template <typename... Arguments>
  constexpr explicit device_global_value(std::in_place_t, Arguments &&...arguments)
      : value{for_value<Type>(static_cast<Arguments &&>(arguments))...} {}

  Type *find() const { return const_cast<Type *>(std::addressof(value)); }
  constexpr const Type &get_initial() const { return value; }

private:
  Type value{};
};

#pragma GCC diagnostic pop

template <typename Type> struct is_device_global : std::false_type {};
template <typename Type, typename Properties>
struct is_device_global<device_global<Type, Properties>> : std::true_type {};
/// Whether arguments are one device global.
template <typename... Arguments>
inline constexpr bool is_copy =
    sizeof...(Arguments) == 1 && (is_device_global<std::decay_t<Arguments>>::value && ...);

/// Access for the implementation.
struct device_globals;

} // namespace detail

#ifdef __SYCL_DEVICE_ONLY__
#define PLSYCL_DEVICE_GLOBAL                                                                       \
  __attribute__((annotate("sycl-device-global", sizeof(Type), alignof(Type),                       \
                          Properties::template has_property<device_image_scope_key>())))
#else
#define PLSYCL_DEVICE_GLOBAL
#endif

/// A variable at namespace scope, or a static member, that each device has in each context. Kernels
/// reach its value; the host copies to and from it.
template <typename Type, typename Properties> class PLSYCL_DEVICE_GLOBAL device_global {
  static_assert(is_property_list_v<Properties>, "what follows the type is a list of properties");
  static_assert(std::is_trivially_destructible_v<Type>, "the type must be trivially destructible");
  static constexpr bool has_image_scope =
      Properties::template has_property<device_image_scope_key>();

public:
  using element_type = std::remove_extent_t<Type>;

#if defined(__cpp_consteval) && __cpp_consteval
  /// What the value is initialized from.
  template <typename... Arguments, std::enable_if_t<!detail::is_copy<Arguments...>, int> = 0>
  consteval explicit device_global(Arguments &&...arguments)
      : value(std::in_place, static_cast<Arguments &&>(arguments)...) {}
#else
  static_assert(std::is_trivially_default_constructible_v<Type>,
                "before C++20, the type must be trivially default constructible");
  constexpr device_global() = default;
#endif
  /// Begins with what the other one begins with.
  constexpr device_global(const device_global &other)
      : value(std::in_place, other.value.get_initial()) {
    static_assert(!has_image_scope, "a variable of image scope is no copy");
  }
  template <typename Other, typename OtherProperties>
  constexpr device_global(const device_global<Other, OtherProperties> &other)
      : value(std::in_place, other.value.get_initial()) {
    static_assert(!has_image_scope, "a variable of image scope is no copy");
  }
  device_global &operator=(const device_global &) = delete;

  // ---- in kernels ----

  Type &get() noexcept { return *value.find(); }
  const Type &get() const noexcept { return *value.find(); }
  operator Type &() noexcept { return get(); }
  operator const Type &() const noexcept { return get(); }
  template <access::decorated Decorated>
  multi_ptr<Type, access::address_space::global_space, Decorated> get_multi_ptr() noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(value.find());
  }
  template <access::decorated Decorated>
  multi_ptr<const Type, access::address_space::global_space, Decorated>
  get_multi_ptr() const noexcept {
    const Type *place = value.find();
    return address_space_cast<access::address_space::global_space, Decorated>(place);
  }
  device_global &operator=(const Type &other) noexcept {
    get() = other;
    return *this;
  }
  template <typename Other = Type>
  auto operator[](std::ptrdiff_t index) noexcept
      -> std::remove_reference_t<decltype(std::declval<Other &>()[index])> & {
    return get()[index];
  }
  template <typename Other = Type>
  auto operator[](std::ptrdiff_t index) const noexcept
      -> const std::remove_reference_t<decltype(std::declval<const Other &>()[index])> & {
    return get()[index];
  }
  Type &operator->() noexcept { return get(); }
  const Type &operator->() const noexcept { return get(); }

  // ---- what it is ----

  template <typename Key> static constexpr bool has_property() {
    return Properties::template has_property<Key>();
  }
  template <typename Key> static constexpr auto get_property() {
    return Properties::template get_property<Key>();
  }

private:
  friend struct detail::device_globals;
  template <typename, typename> friend class device_global;

  detail::device_global_value<Type, has_image_scope> value;
};
#undef PLSYCL_DEVICE_GLOBAL

PLSYCL_HOST_FILE

namespace detail {

struct device_globals {
  template <typename Type, typename Properties>
  static void *memory(plsycl_queue queue, const device_global<Type, Properties> &object) {
    void *memory = nullptr;
    sycl::detail::check(plsycl_device_global_memory(queue, &object,
                                                    std::addressof(object.value.get_initial()),
                                                    sizeof(Type), object.has_image_scope, &memory));
    return memory;
  }
};

} // namespace detail

/// For handlers: where on the queue's device so many bytes of the variable are.
template <typename Type, typename Properties>
void *place_in_device_global(const sycl::detail::shared<sycl::detail::queue_state> &queue,
                             const device_global<Type, Properties> &object, std::size_t size,
                             std::size_t offset) {
  if (offset > sizeof(Type) || size > sizeof(Type) - offset)
    sycl::detail::fail(errc::invalid, "the copy goes beyond the device global");
  return static_cast<char *>(detail::device_globals::memory(queue->owned.get(), object)) + offset;
}

} // namespace sycl::ext::oneapi::experimental
