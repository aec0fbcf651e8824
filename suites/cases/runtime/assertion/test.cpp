#include <cassert>
#include <cstdio>
#include <sycl/sycl.hpp>
int main(int count, char **) {
  int sum = 0;
  {
    sycl::queue q;
    sycl::buffer<int, 1> b{&sum, sycl::range<1>{1}};
    q.submit([&](sycl::handler &cgh) {
      sycl::accessor a{b, cgh, sycl::read_write};
      cgh.single_task<class Kernel>([=] {
        assert(count < 2);
        a[0] = 42;
      });
    });
  }
  std::printf("not reached when it fails\n");
  return sum;
}
