#define UNIT 2
#include "kernels.hpp"

void other(sycl::queue &q, int *p) {
  auto unused = [](int) {};
  unused(0);
  shared(q, p);
  own(q, p, 2);
}
