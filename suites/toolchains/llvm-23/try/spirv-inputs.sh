# MODEL, "Packager" and "Device Linking": device code that comes as SPIR-V is packaged and linked.
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
clang++ --target=spirv64-unknown-unknown -c a.bc -o a.spv
od -An -tx4 -N4 a.spv
# prints: 07230203
llvm-offload-binary -o a.img --image=file=a.spv,triple=spirv64-unknown-unknown,kind=sycl
clang++ -c main.cpp -Xclang -fembed-offload-object=a.img -o main.o
clang++ -fsycl -nolibsycl main.o
# prints: unsupported file type
