//===- host_kernel.hpp - which kernel of the device a host kernel means ---------------------===//
//
// The compiler that made the device half names kernels the same way in the host half. Any other
// numbers closures in its own way, so the number in a name tells nothing. All kernels of a binary
// whose names differ in such numbers alone are enrolled before the program runs, and the runtime
// puts them beside those that the integration header announces: both stand in the order of the
// source (ARCHITECTURE.md, "Headers to front end").
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/abi.h>
#include <sycl/detail/handle.hpp>
#include <sycl/detail/names.hpp>

#include <cstdint>

namespace sycl::detail {

#ifndef __SYCL_DEVICE_ONLY__
#ifdef __PLUMBLINE_HOST__

/// The entry point of the kernel of that name.
template <typename Name, typename Unit = this_unit> const char *entry_point_of() {
  return stable_name<Name, Unit>();
}
template <typename Name, typename Launched> const char *entry_point() {
  return entry_point_of<Name>();
}

#else

#if !defined(__GXX_RTTI) && !defined(__cpp_rtti)
#error "-fsycl-host-compiler: kernels are found by the names of types; leave out -fno-rtti"
#endif

#if defined(__clang__) && !__has_builtin(__builtin_sycl_unique_stable_name)
/// Whether a part of the type's name is a closure. Where clang does not know that it compiles for
/// SYCL, it counts closures over the whole translation unit, which says nothing of their functions.
template <typename Name> constexpr bool has_closures() {
  for (const char *text = __PRETTY_FUNCTION__; *text; ++text)
    for (const char *part : {"(lambda at ", "(anonymous class)"}) {
      const char *at = text;
      while (*part && *at == *part)
        ++at, ++part;
      if (!*part)
        return true;
    }
  return false;
}
#else
template <typename Name> constexpr bool has_closures() { return false; }
#endif

/// A kernel as this compiler names it.
template <typename Name, typename Unit> struct host_name {
  static_assert(!has_closures<Name>(),
                "this host compiler does not number the closures in the kernel's name: name the "
                "kernel by a class of namespace scope, or add '-Xclang -fsycl-is-host' to "
                "-fsycl-host-compiler-options=");

  /// In the binary's own code: each has its own.
  __attribute__((visibility("hidden"))) static void origin() {}

  static const void *origin_address() { return reinterpret_cast<const void *>(&origin); }
  static plsycl_host_kernel described(std::uint64_t functor_size) {
    return {typeid(Name *).name(), unit_of<Name, Unit>(), functor_size};
  }
  static std::string meant() {
    const plsycl_host_kernel kernel = described(0);
    return query_text([&](void *bytes, std::size_t capacity, std::size_t *size) {
      return plsycl_kernel_meant(&kernel, origin_address(), bytes, capacity, size);
    });
  }
};

/// A kernel that the binary starts.
template <typename Name, typename Launched> struct host_kernel {
  /// Before the program's own static objects, which may start kernels.
  __attribute__((constructor(101), used, visibility("hidden"))) static void enroll() {
    using name = host_name<Name, this_unit>;
    const plsycl_host_kernel kernel = name::described(sizeof(Launched));
    plsycl_enroll_kernel(&kernel, name::origin_address());
  }
};

/// The entry point of the kernel of that name. Throws where the runtime cannot tell for certain.
template <typename Name, typename Unit = this_unit> const char *entry_point_of() {
  // Never destroyed: destructors of static objects may start kernels.
  static const std::string &name = *new std::string(host_name<Name, Unit>::meant());
  return name.c_str();
}
template <typename Name, typename Launched> const char *entry_point() {
  // That it is mentioned makes the compiler write it.
  (void)&host_kernel<Name, Launched>::enroll;
  return entry_point_of<Name>();
}

#endif
#endif

} // namespace sycl::detail
