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
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -### a.cpp
# does not print: --sycl-device-libraries=
# does not print: --sycl-device-library-location=
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fno-sycl-device-lib=all -### a.cpp
# prints: error: unknown argument: '-fno-sycl-device-lib=all'
