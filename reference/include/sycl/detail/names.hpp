//===- names.hpp - the names of types, the same in all compilations -------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <string>
#include <type_traits>
#ifndef __PLUMBLINE_HOST__
#include <typeinfo>
#endif

namespace sycl::detail {

/// Stands for the name of a kernel that has none: its functor's type names it.
class unnamed;
/// DPC++'s name of it.
using auto_name = unnamed;

template <typename Name, typename Functor>
using kernel_name = std::conditional_t<std::is_same_v<Name, unnamed>, Functor, Name>;

#if defined(__PLUMBLINE_HOST__) || defined(__SYCL_DEVICE_ONLY__)
/// The compiler gives what it makes of a name with internal linkage internal linkage, too.
struct this_unit;
#else
/// A parameter of every template that has no other but a name. g++ 14 forgets that a reference to
/// an object of internal linkage, as in `Name<object>`, makes a name of this unit: without it the
/// linker would keep one unit's function for all.
namespace {
struct this_unit;
} // namespace
#endif

#ifndef __SYCL_DEVICE_ONLY__
/// By this, argument-dependent lookup finds what the integration header declares, wherever that is.
template <typename Type> struct type_tag;
/// What translation units put behind names whose integration header has no better function:
/// nothing.
inline const char *unit_tag(const void *) { return ""; }

/// The tag of the translation unit.
template <typename Type, typename Unit = this_unit> const char *unit_of() {
  return unit_tag(static_cast<type_tag<Type> *>(nullptr));
}

/// The type's name as the device compilation writes it: "_ZTS" and the Itanium C++ ABI's encoding.
/// In a translation unit that has names of its own, its tag follows: the runtime looks for a name
/// of the unit first, and then for one that all units share. Of a type whose name has closures in
/// it, a compiler other than the device's makes another name (host_kernel.hpp).
template <typename Type, typename Unit = this_unit> const char *stable_name() {
  // Never destroyed: destructors of static objects may start kernels.
#ifdef __PLUMBLINE_HOST__
  static const std::string &name = *new std::string(__builtin_sycl_unique_stable_name(Type) +
                                                    std::string(unit_of<Type, Unit>()));
#else
  // Of a pointer, because Type need not be complete; its encoding is "P" and Type's.
  static const std::string &name =
      *new std::string(std::string("_ZTS") + (typeid(Type *).name() + 1) + unit_of<Type, Unit>());
#endif
  return name.c_str();
}
#endif

} // namespace sycl::detail
