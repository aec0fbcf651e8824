#include <cstdio>
#include <cstdlib>
#include <sycl/sycl.hpp>
int main(int count, char **) {
  int sum = 0;
  {
    sycl::queue q;
    sycl::buffer<int, 1> b{&sum, sycl::range<1>{1}};
    q.submit([&](sycl::handler &cgh) {
      sycl::accessor a{b, cgh, sycl::read_write};
      cgh.parallel_for<class Kernel>(sycl::range<1>{4}, [=](sycl::id<1> i) {
        if (count > 1 && i[0] == 3)
          END();
        if (i[0] == 3)
          a[0] = 42;
      });
    });
  }
  std::printf("not reached when it ends\n");
  return sum;
}
