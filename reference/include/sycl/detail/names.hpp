//===- names.hpp - the names of types, the same in all compilations -------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <string>
#include <type_traits>
#ifndef PLSYCL_HAS_STABLE_NAME
#include <typeinfo>
#endif

namespace sycl::detail {

/// Stands for the name of a kernel that has none: its functor's type names it.
class unnamed;

template <typename Name, typename Functor>
using kernel_name = std::conditional_t<std::is_same_v<Name, unnamed>, Functor, Name>;

#ifndef __SYCL_DEVICE_ONLY__
/// The type's name as the device compilation writes it: "_ZTS" and the Itanium C++ ABI's encoding.
template <typename T> const char *stable_name() {
#ifdef PLSYCL_HAS_STABLE_NAME
  return __builtin_sycl_unique_stable_name(T);
#else
  // Of a pointer, because T need not be complete; its encoding is "P" and T's.
  static const std::string name = std::string("_ZTS") + (typeid(T *).name() + 1);
  return name.c_str();
#endif
}
#endif

} // namespace sycl::detail
