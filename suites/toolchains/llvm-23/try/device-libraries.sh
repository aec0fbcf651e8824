# MODEL, "Device Linking": the driver names device libraries, and where they are, to the wrapper, and
# -fno-sycl-device-lib= decides which.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -### a.cpp
# does not print: --sycl-device-libraries=
# does not print: --sycl-device-library-location=
clang++ -fsycl -fno-sycl-device-lib=all -### a.cpp
# prints: error: unknown argument: '-fno-sycl-device-lib=all'
cat > b.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  _Complex float v = 2, *p = &v;
  start<class One>([=] { *p *= *p; });
}
END
clang++ -fsycl -fsycl-device-only -c b.cpp -o b.bc
clang-sycl-linker --triple=spirv64-unknown-unknown b.bc -o b.img
# A function that no device has:
grep -ao __mulsc3 b.img
# prints: __mulsc3
