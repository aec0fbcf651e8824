# SYCL 2020, 4.11.7: a bundle in the state input is compiled by sycl::compile.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
cat > a.cpp <<'END'
#include <cstdio>
#include <dlfcn.h>
#include <sycl/sycl.hpp>
constexpr auto opencl = sycl::backend::opencl;
using Context = sycl::backend_input_t<opencl, sycl::context>;
using Program = sycl::backend_input_t<opencl, sycl::kernel_bundle<sycl::bundle_state::input>>;
int main() {
  const auto create = reinterpret_cast<Program (*)(Context, unsigned, const char **, const size_t *, int *)>(
      dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clCreateProgramWithSource"));
  sycl::queue q;
  const char *source = "kernel void one(global int *p) { *p = 1; }";
  int status = 0;
  const Program program = create(sycl::get_native<opencl>(q.get_context()), 1, &source, nullptr, &status);
  const auto input = sycl::make_kernel_bundle<opencl, sycl::bundle_state::input>(program, q.get_context());
  std::puts("an input");
  std::fflush(stdout);
  sycl::compile(input);
  std::puts("an object");
}
END
g++ -std=c++17 -w -I"$DPCPP/include" a.cpp -L"$DPCPP/lib" -l:libsycl.so.9 \
  -Wl,-rpath,"$DPCPP/lib",-rpath-link,"$DPCPP/lib" -o a
ONEAPI_DEVICE_SELECTOR=opencl:cpu ./a || echo "ends with $?"
# prints: an input
# prints: ends with 139
# does not print: an object
