//===- bit_cast.hpp - the bytes of a value as those of another type --------------------------===//
#pragma once

#include <type_traits>

namespace sycl {

/// What C++20's std::bit_cast gives, also before C++20.
template <typename To, typename From,
          std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                               std::is_trivially_copyable_v<From>,
                           int> = 0>
constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}

} // namespace sycl
