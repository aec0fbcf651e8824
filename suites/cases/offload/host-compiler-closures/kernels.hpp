// Kernels that two translation units share, and others that each has for itself under the same
// names.
#pragma once
#include <sycl/sycl.hpp>

#include <cstdio>

inline int failures = 0;

inline void expect(const char *what, int *place, int wanted) {
  if (*place != wanted) {
    std::printf("WRONG: %s gives %d, not %d\n", what, *place, wanted);
    ++failures;
  }
  *place = 0;
}

inline void shared(sycl::queue &q, int *p) {
  auto show = [&](const char *what, int wanted) { expect(what, p, wanted); };
  q.single_task([=] { *p = 1; }).wait();
  show("the first shared kernel", 1);
  q.single_task([=] { *p = 2; }).wait();
  show("the second shared kernel", 2);
}

namespace {
/// Starts a kernel without a name for each kind of function object.
template <typename F> void each(sycl::queue &q, F f) {
  q.single_task([=] { f(); }).wait();
}
} // namespace

static void own(sycl::queue &q, int *p, int unit) {
  auto show = [&](const char *what, int wanted) { expect(what, p, wanted); };
  each(q, [=] { *p = UNIT * 10; });
  show("a unit's own first kernel", unit * 10);
  each(q, [=] { *p = UNIT * 10 + 1; });
  show("a unit's own second kernel", unit * 10 + 1);
}
