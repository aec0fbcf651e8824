//===- work_group_static.hpp - variables in local memory (sycl_ext_oneapi_work_group_static) -===//
//
// The front end puts variables of the class there: those of a namespace, static members, and static
// variables of functions. A kernel that uses one has it once for each work-group.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <type_traits>

namespace sycl::ext::oneapi::experimental {

#ifdef __SYCL_DEVICE_ONLY__
#define PLSYCL_WORK_GROUP_STATIC __attribute__((annotate("sycl-work-group-static")))
#else
#define PLSYCL_WORK_GROUP_STATIC
#endif

/// A `Type` in local memory, with no value before a work-item gives it one.
template <typename Type> class PLSYCL_WORK_GROUP_STATIC work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<Type> &&
                    std::is_trivially_destructible_v<Type>,
                "nobody constructs or destroys what is in local memory");
  static_assert(!std::is_const_v<Type> && !std::is_volatile_v<Type>,
                "what is in local memory is written, and by the work-group alone");

public:
  work_group_static() = default;
  work_group_static(const work_group_static &) = delete;
  work_group_static &operator=(const work_group_static &) = delete;

  operator Type &() noexcept { return value; }
  template <typename Other = Type, std::enable_if_t<!std::is_array_v<Other>, int> = 0>
  work_group_static &operator=(const Type &other) noexcept {
    value = other;
    return *this;
  }
  Type *operator&() noexcept { return &value; }

private:
  Type value;
};

#undef PLSYCL_WORK_GROUP_STATIC

} // namespace sycl::ext::oneapi::experimental
