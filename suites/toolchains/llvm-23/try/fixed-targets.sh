# FEAT, "Compiler switch to diagnose optional feature usage" and "Configuration file location and driver option": the
# driver takes the targets that all kernels are to run on, and the file that describes devices.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -fsycl-fixed-targets=intel_gpu_pvc -c a.cpp
# prints: error: unknown argument: '-fsycl-fixed-targets=intel_gpu_pvc'
clang++ -fsycl -fsycl-device-config-file=devices.yaml -c a.cpp
# prints: error: unknown argument: '-fsycl-device-config-file=devices.yaml'
