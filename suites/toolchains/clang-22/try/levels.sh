# OPT, "Changes to the clang front-end": kernels have the attribute sycl-optlevel with the level of their compilation.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -O0 -fsycl-device-only -S -emit-llvm a.cpp -o a.ll
grep -E 'define.*kernel|sycl-optlevel' a.ll
# prints: define spir_kernel void @_ZTSZ4mainE3One
# does not print: sycl-optlevel
