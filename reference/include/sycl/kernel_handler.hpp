//===- kernel_handler.hpp - specialization constants and how kernels read them -------------===//
//
// A kernel reads a constant through the function template calls that post-link lowers: to SPIR-V
// specialization constants, or to loads from a buffer of values.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/names.hpp>

#include <cstring>
#include <type_traits>

#ifdef __SYCL_DEVICE_ONLY__
template <typename Type>
Type __sycl_getScalar2020SpecConstantValue(const char *name, const void *default_value,
                                           const void *buffer);
template <typename Type>
Type __sycl_getComposite2020SpecConstantValue(const char *name, const void *default_value,
                                              const void *buffer);
#endif

namespace sycl {

/// A constant whose value a program may set each time it submits a kernel. Programs define objects
/// of this type at namespace scope and name them by reference.
template <typename Type> class specialization_id {
public:
  using value_type = Type;

  template <typename... Arguments,
            std::enable_if_t<std::is_constructible_v<Type, Arguments...>, int> = 0>
  explicit constexpr specialization_id(Arguments &&...arguments)
      : default_value(static_cast<Arguments &&>(arguments)...) {}
  specialization_id(const specialization_id &) = delete;
  specialization_id(specialization_id &&) = delete;
  specialization_id &operator=(const specialization_id &) = delete;
  specialization_id &operator=(specialization_id &&) = delete;

  /// What the constant is when nobody sets it; for the implementation.
  constexpr const Type &get_default() const { return default_value; }

private:
  Type default_value;
};

namespace detail {

/// The type whose name names a specialization constant.
template <auto &Name> struct specialization_name;

template <auto &Name>
using specialization_type =
    typename std::remove_cv_t<std::remove_reference_t<decltype(Name)>>::value_type;

/// The constant's name in the program's images; only the host compilation knows it.
template <auto &Name, typename Unit = this_unit> const char *constant_name() {
#ifndef __SYCL_DEVICE_ONLY__
  return stable_name<specialization_name<Name>, Unit>();
#else
  return nullptr;
#endif
}

/// What a program set the constant to, at `set`; its default where that is null.
template <auto &Name> specialization_type<Name> constant_value(const void *set) {
  using Type = specialization_type<Name>;
  if (!set)
    return Type(Name.get_default());
  alignas(Type) unsigned char bytes[sizeof(Type)];
  std::memcpy(bytes, set, sizeof(Type));
  return *reinterpret_cast<Type *>(bytes);
}

} // namespace detail

/// A kernel's second parameter, when it asks for one.
class kernel_handler {
public:
  /// For the implementation: where the emulated constants are, on the device.
  explicit constexpr kernel_handler(const void *constants) : constants(constants) {}

  template <auto &Name> detail::specialization_type<Name> get_specialization_constant() const {
    using Type = detail::specialization_type<Name>;
#ifdef __SYCL_DEVICE_ONLY__
    const char *name = __builtin_sycl_unique_stable_name(detail::specialization_name<Name>);
    if constexpr (std::is_scalar_v<Type>)
      return __sycl_getScalar2020SpecConstantValue<Type>(name, &Name, constants);
    else
      return __sycl_getComposite2020SpecConstantValue<Type>(name, &Name, constants);
#else
    return Type(Name.get_default());
#endif
  }

private:
  [[maybe_unused]] const void *constants;
};

namespace detail {

/// A functor that takes a kernel_handler, and where its emulated constants are.
template <typename Functor> struct handled_functor {
  Functor functor;
  const void *constants;

  template <typename Other = Functor> properties_of<Other> get(properties_tag) const;
};

} // namespace detail
} // namespace sycl
