# MODEL, "spir64_fpga support": -fintelfpga compiles ahead of time for FPGAs, and -fsycl-link= writes archives of
# what was compiled.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fintelfpga -c a.cpp
# prints: error: unknown argument: '-fintelfpga'
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fsycl-link=image a.cpp
# prints: error: unknown argument: '-fsycl-link=image'
