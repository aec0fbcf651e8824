//===- shared.hpp - objects with several owners ----------------------------------------------===//
#pragma once

#include <memory>
#include <utility>

namespace sycl::detail {

/// What std::make_shared does, by two allocations: half the work for compilers, which do it in
/// every program. Not for what each kernel needs, nor for what has its identity by its place
/// (`by_identity`): weak objects keep the place of what std::make_shared made, and this one's is
/// soon another's. A class, so that programs' own calls never find it by their arguments.
template <typename Type> struct shared {
  template <typename... Arguments> static std::shared_ptr<Type> make(Arguments &&...arguments) {
    return std::shared_ptr<Type>(new Type(std::forward<Arguments>(arguments)...));
  }
};

} // namespace sycl::detail
