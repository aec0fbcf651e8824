# MODEL, "Objects": ELF shared objects are among the files that device code is extracted from.
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
llvm-offload-binary -o a.img --image=file=a.bc,triple=spirv64-unknown-unknown,kind=sycl
echo 'int host() { return 1; }' > host.cpp
clang++ -shared -fPIC host.cpp -o plain.so
llvm-objcopy --add-section .any.name=a.img --set-section-type .any.name=0x6fff4c0b plain.so fat.so
llvm-objdump --offloading fat.so
# prints: triple          spirv64-unknown-unknown
clang++ -c main.cpp -o plain.o
clang++ -fsycl -nolibsycl plain.o ./fat.so -o a.out && echo linked
# prints: linked
readelf -SW a.out | grep -q '\.llvm\.offloading' && echo "a.out: an image" || echo "a.out: none"
# prints: a.out: none
