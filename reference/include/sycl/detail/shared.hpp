//===- shared.hpp - objects with several owners ----------------------------------------------===//
#pragma once

#include <memory>
#include <utility>

namespace sycl::detail {

/// std::make_shared by two allocations: half the work for compilers, which do it in every program.
/// Not for what each command needs.
template <typename Type, typename... Arguments>
std::shared_ptr<Type> make_shared(Arguments &&...arguments) {
  return std::shared_ptr<Type>(new Type(std::forward<Arguments>(arguments)...));
}

} // namespace sycl::detail
