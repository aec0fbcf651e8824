# SYCL 2020 has no queue's destructor wait, and a program may end while its commands run: it ends.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
cat > a.cpp <<'END'
#include <cstdio>
#include <sycl/sycl.hpp>
namespace own = sycl::ext::oneapi::experimental;
int main() {
  sycl::device device;
  auto &context = *new sycl::context(device);
  auto &source = *new auto(own::create_kernel_bundle_from_source(context, own::source_language::sycl, R"(
#include <sycl/sycl.hpp>
namespace own = sycl::ext::oneapi::experimental;
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((own::single_task_kernel)) void longer(unsigned *p) {
  unsigned state = *p + 1;
  for (unsigned i = 0; i != 300000000; ++i)
    state = state * 1664525u + (state >> 7);
  *p = state;
}
)"));
  auto &built = *new auto(own::build(source));
  auto *p = sycl::malloc_shared<unsigned>(2, device, context);
  p[0] = p[1] = 0;
  const auto start = [&](sycl::queue q, unsigned *p) {
    q.submit([&](sycl::handler &group) {
      group.set_args(p);
      group.single_task(built.ext_oneapi_get_kernel("longer"));
    });
  };
  start(*new sycl::queue(context, device, sycl::property::queue::in_order()), p);
  start(sycl::queue(context, device), p + 1);
  std::puts("end of main");
  std::fflush(stdout);
}
END
g++ -std=c++17 -w -I"$DPCPP/include" a.cpp -L"$DPCPP/lib" -l:libsycl.so.9 \
  -Wl,-rpath,"$DPCPP/lib",-rpath-link,"$DPCPP/lib" -o a
# Not each time:
for run in 1 2 3 4 5 6; do
  ONEAPI_DEVICE_SELECTOR=opencl:cpu timeout 15 ./a || echo "ends with $?"
done
# prints: end of main
# prints: ends with 124
