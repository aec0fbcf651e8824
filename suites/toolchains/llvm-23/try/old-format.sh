# MODEL, "Support of existing fat object format": device code in sections __CLANG_OFFLOAD_BUNDLE__KIND-TRIPLE is
# extracted and linked. "Transitioning from old model to new model": older binaries can be linked on.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
echo 'int main() { return 0; }' > main.cpp
clang++ -fsycl -fsycl-device-only -c a.cpp -o a.bc
clang++ -c main.cpp -o plain.o
section=__CLANG_OFFLOAD_BUNDLE__sycl-spirv64-unknown-unknown
llvm-objcopy --add-section=$section=a.bc --set-section-flags=$section=exclude plain.o old.o
clang++ -fsycl -nolibsycl old.o -o a.out && echo linked
# prints: linked
readelf -SW a.out | grep -q '\.llvm\.offloading' && echo "a.out: an image" || echo "a.out: none"
# prints: a.out: none
