# THIN, "Summary": with -foffload-lto=thin device code is split when it is compiled, and ThinLTO links it.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
  start<class Two>([=] { *p = 2; });
}
// In the place of the runtime.
extern "C" void __sycl_register_lib(void *, unsigned long) {}
extern "C" void __sycl_unregister_lib(void *, unsigned long) {}
END
clang++ -fsycl -foffload-lto=thin -fsycl-device-image-split=kernel -c a.cpp
# Two kernels, and one image:
echo "images: $(llvm-objdump --offloading a.o | grep -c kind)."
# prints: images: 1.
clang++ -fsycl -foffload-lto=thin -nolibsycl a.o
# prints: clang: error: 'spirv64-unknown-unknown': unable to pass LLVM bit-code files to linker
