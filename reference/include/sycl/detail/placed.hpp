//===- placed.hpp - memory objects in functors that no front end takes apart ----------------===//
//
// Upstream's clang gives a kernel its functor as it is. What the functor's accessors stand for
// comes behind it, in parameters of their own, with the places where the functor has them: the
// kernel puts each where it belongs before it begins. On the host the words of the memory that the
// command requires are looked for in the functor's bytes.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/abi.h>
#include <sycl/detail/config.hpp>
#include <sycl/detail/element_access.hpp>
#include <sycl/detail/names.hpp>
#include <sycl/exception.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#ifdef PLSYCL_UPSTREAM

namespace sycl::detail {

/// How many accessors and local accessors a functor may hold.
inline constexpr std::size_t placed_buffers = 8;
inline constexpr std::size_t placed_locals = 4;

/// Where a functor has memory objects, in bytes.
struct places {
  std::uint32_t buffer_count;
  std::uint32_t local_count;
  std::uint32_t buffers[placed_buffers];
  std::uint32_t locals[placed_locals];
};

#ifdef __SYCL_DEVICE_ONLY__

#define PLSYCL_MEMORY                                                                              \
  , places at = {}, PLSYCL_GLOBAL void *b0 = {}, PLSYCL_GLOBAL void *b1 = {},                      \
           PLSYCL_GLOBAL void *b2 = {}, PLSYCL_GLOBAL void *b3 = {}, PLSYCL_GLOBAL void *b4 = {},  \
           PLSYCL_GLOBAL void *b5 = {}, PLSYCL_GLOBAL void *b6 = {}, PLSYCL_GLOBAL void *b7 = {},  \
           PLSYCL_LOCAL void *l0 = {}, PLSYCL_LOCAL void *l1 = {}, PLSYCL_LOCAL void *l2 = {},     \
           PLSYCL_LOCAL void *l3 = {}
#define PLSYCL_PLACE(FUNCTOR)                                                                      \
  place(&FUNCTOR, at, {b0, b1, b2, b3, b4, b5, b6, b7}, {l0, l1, l2, l3})

/// Puts into a functor what its memory objects stand for.
inline void place(void *functor, const places &where,
                  PLSYCL_GLOBAL void *const (&buffers)[placed_buffers],
                  PLSYCL_LOCAL void *const (&locals)[placed_locals]) {
  auto *bytes = static_cast<unsigned char *>(functor);
  for (std::uint32_t i = 0; i < where.buffer_count; ++i)
    *reinterpret_cast<PLSYCL_GLOBAL void **>(bytes + where.buffers[i]) = buffers[i];
  for (std::uint32_t i = 0; i < where.local_count; ++i)
    *reinterpret_cast<PLSYCL_LOCAL void **>(bytes + where.locals[i]) = locals[i];
}

#endif

/// What the compiler calls on the host where the program calls a kernel. Programs never do: the
/// handler describes kernels to the runtime by their names.
template <typename Name, typename... Parts> void sycl_kernel_launch(const char *, Parts...) {}

/// A functor with the words of its memory objects, as the runtime takes it.
template <typename Functor> struct placed {
  Functor functor;
  places where;
  std::uintptr_t buffers[placed_buffers];
  std::uintptr_t locals[placed_locals];

  /// Finds the words in the functor. What is no memory of the command's is left as it is.
  void find(const std::vector<std::uintptr_t> &of_buffers,
            const std::vector<std::uintptr_t> &of_locals) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(std::addressof(functor));
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= sizeof(Functor);
         at += alignof(std::uintptr_t)) {
      std::uintptr_t word;
      std::memcpy(&word, bytes + at, sizeof(word));
      if (is_among(of_buffers, word & ~all_flags))
        add(buffers, where.buffers, where.buffer_count, word, at);
      else if (is_among(of_locals, word))
        add(locals, where.locals, where.local_count, word, at);
    }
  }

private:
  static bool is_among(const std::vector<std::uintptr_t> &words, std::uintptr_t wanted) {
    for (std::uintptr_t word : words)
      if (word == wanted)
        return true;
    return false;
  }
  template <std::size_t Most>
  static void add(std::uintptr_t (&words)[Most], std::uint32_t (&offsets)[Most],
                  std::uint32_t &count, std::uintptr_t word, std::size_t at) {
    if (count == Most)
      fail(errc::feature_not_supported, "the kernel has more accessors than can be passed");
    words[count] = word;
    offsets[count++] = static_cast<std::uint32_t>(at);
  }
};

#ifndef __SYCL_DEVICE_ONLY__

/// Makes a kernel of the program known before any code of it runs, as an integration header would.
template <typename Name, typename Functor> struct announced {
  /// In the order of the parameters that the kernel is declared with.
  struct parameters {
    plsycl_parameter all[2 + placed_buffers + placed_locals];
    parameters() {
      using whole = placed<Functor>;
      plsycl_parameter *next = all;
      *next++ = {PLSYCL_PARAMETER_VALUE, sizeof(Functor), offsetof(whole, functor)};
      *next++ = {PLSYCL_PARAMETER_VALUE, sizeof(places), offsetof(whole, where)};
      for (std::size_t i = 0; i < placed_buffers; ++i)
        *next++ = word(PLSYCL_PARAMETER_MEMORY, offsetof(whole, buffers), i);
      for (std::size_t i = 0; i < placed_locals; ++i)
        *next++ = word(PLSYCL_PARAMETER_LOCAL_MEMORY, offsetof(whole, locals), i);
      kernel = {stable_name<Name>(), sizeof(whole), all, std::size(all), ""};
      plsycl_announce_kernels(&kernel, 1);
    }
    plsycl_kernel_info kernel;

  private:
    static plsycl_parameter word(std::uint32_t kind, std::size_t first, std::size_t index) {
      const std::size_t size = sizeof(std::uintptr_t);
      return {kind, size, static_cast<std::uint32_t>(first + index * size)};
    }
  };
  inline static const parameters record;
};

#endif

} // namespace sycl::detail

#endif
