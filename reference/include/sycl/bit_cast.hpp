//===- bit_cast.hpp - the bytes of a value as those of another type --------------------------===//
#pragma once

#include <cstdint>
#include <type_traits>

namespace sycl {

/// What C++20's std::bit_cast gives, also before C++20.
template <typename To, typename From,
          std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                               std::is_trivially_copyable_v<From>,
                           int> = 0>
constexpr To bit_cast(const From &from) noexcept {
  // Pointers come of numbers: Intel's compiler for CPUs loses bytes of a pointer in private memory
  // that is written in parts and read as a whole.
  if constexpr (std::is_pointer_v<To> && !std::is_pointer_v<From>)
    return reinterpret_cast<To>(__builtin_bit_cast(std::uintptr_t, from));
  else
    return __builtin_bit_cast(To, from);
}

} // namespace sycl
