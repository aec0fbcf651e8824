// No package of LLVM 23 has SYCL headers. This one has what sources of the cases name, so that its
// front end sees their kernels: they compile and link, and nothing of them runs. What is not here is
// not observable.
#pragma once
#include <cstddef>

#define SYCL_EXTERNAL [[clang::sycl_external]]

// In the place of libLLVMSYCL.so, which has no package either.
extern "C" {
[[gnu::weak]] void __sycl_register_lib(void *, std::size_t) {}
[[gnu::weak]] void __sycl_unregister_lib(void *, std::size_t) {}
}

namespace sycl {

namespace detail {
/// What the compiler calls on the host for a kernel; a runtime would start it.
template <typename Name, typename... Parts> void sycl_kernel_launch(const char *, Parts...) {}

template <typename Name, typename Functor>
[[clang::sycl_kernel_entry_point(Name)]] void enter(Functor functor) {
  functor();
}

/// The name of a kernel: the one that it is given, or its function object's type.
template <typename Name, typename Functor> struct named {
  using type = Name;
};
template <typename Functor> struct named<void, Functor> {
  using type = Functor;
};
} // namespace detail

class event {
public:
  void wait() {}
};

class queue;
class handler {
public:
  template <typename Name = void, typename Functor> void single_task(Functor functor) {
    detail::enter<typename detail::named<Name, Functor>::type>(functor);
  }
};

class queue {
public:
  template <typename Name = void, typename Functor> event single_task(Functor functor) {
    detail::enter<typename detail::named<Name, Functor>::type>(functor);
    return {};
  }
  template <typename Group> event submit(Group group) {
    handler h;
    group(h);
    return {};
  }
  void wait() {}
};

template <typename T> T *malloc_shared(std::size_t count, const queue &) { return new T[count]; }
template <typename T> void free(T *memory, const queue &) { delete[] memory; }

} // namespace sycl
