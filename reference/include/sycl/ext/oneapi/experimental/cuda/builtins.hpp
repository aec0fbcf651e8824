//===- builtins.hpp - sycl_ext_oneapi_cuda_tex_cache_read ------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace sycl::ext::oneapi::experimental::cuda {

/// What global memory holds that nothing writes while the kernel runs: NVIDIA's GPUs read it
/// through the cache of textures. All other devices just read it.
template <typename Type> Type ldg(const Type *place) {
  static_assert(std::is_trivially_copyable_v<Type>, "ldg reads what can be copied as bytes");
#if defined(__SYCL_DEVICE_ONLY__) && defined(__NVPTX__)
  Type result;
  const auto read = [&](auto first, auto load) {
    using Part = decltype(first);
    for (std::size_t i = 0; i < sizeof(Type) / sizeof(Part); ++i) {
      const Part part = load(reinterpret_cast<const Part *>(place) + i);
      std::memcpy(reinterpret_cast<Part *>(&result) + i, &part, sizeof(part));
    }
  };
  typedef unsigned long long pair __attribute__((ext_vector_type(2)));
  if constexpr (alignof(Type) >= 16)
    read(pair(), [](const pair *part) { return __nvvm_ldg_ull2(part); });
  else if constexpr (alignof(Type) == 8)
    read(0ull, [](const unsigned long long *part) { return __nvvm_ldg_ull(part); });
  else if constexpr (alignof(Type) == 4)
    read(0u, [](const unsigned *part) { return __nvvm_ldg_ui(part); });
  else if constexpr (alignof(Type) == 2)
    read(static_cast<unsigned short>(0),
         [](const unsigned short *part) { return __nvvm_ldg_us(part); });
  else
    read(static_cast<unsigned char>(0),
         [](const unsigned char *part) { return __nvvm_ldg_uc(part); });
  return result;
#else
  return *place;
#endif
}

} // namespace sycl::ext::oneapi::experimental::cuda
