# OPT, "Changes to the clang front-end": kernels have the attribute sycl-optlevel with the level of their compilation.
# "Changes to the sycl-post-link tool": the image has the property optLevel.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -O0 -fsycl-device-only -S -emit-llvm a.cpp -o a.ll
grep -E 'define.*kernel|sycl-optlevel' a.ll
# prints: define spir_kernel void @_ZTSZ4mainE3One
# does not print: sycl-optlevel
clang++ -fsycl -O0 -fsycl-device-only -c a.cpp -o a.bc
clang-sycl-linker --triple=spirv64-unknown-unknown a.bc -o a.img
tr -c '[:print:]' '\n' < a.img | grep -E 'symbols|optLevel'
# prints: symbols
# does not print: optLevel
