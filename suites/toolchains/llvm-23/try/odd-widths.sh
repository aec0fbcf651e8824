# MODEL, "Post-link and SPIR-V translation": linked device code is translated to SPIR-V.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  long v = 9, *p = &v;
  start<class Sum>([=] {
    long n = *p, s = 0;
    for (long i = 0; i < n; ++i)
      s += i * i;
    *p = s;
  });
}
// In the place of the runtime.
extern "C" void __sycl_register_lib(void *, unsigned long) {}
extern "C" void __sycl_unregister_lib(void *, unsigned long) {}
END
clang++ -fsycl -O2 -nolibsycl a.cpp
# prints: LLVM ERROR: OpTypeInt type with a width other than 8, 16, 32 or 64 bits requires the following SPIR-V extension: SPV_ALTERA_arbitrary_precision_integers
clang++ -fsycl -O0 -nolibsycl a.cpp && echo linked with -O0
# prints: linked with -O0
