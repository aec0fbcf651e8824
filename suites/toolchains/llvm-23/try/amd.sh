# OFF, "SYCL Offloading": AMD's GPUs are among the targets.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl --offload-arch=gfx90a a.cpp
# prints: ld.lld: error: unknown argument '-triple=amdgcn-amd-amdhsa'
# prints: ld.lld: error: unknown argument '-arch=gfx90a'
