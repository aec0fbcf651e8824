# OFF, "Compilation Process": this line plans compilations for sm_52, for pvc ahead of time, and SPIR-V as the
# back-up beside pvc.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl --offload-arch=pvc,sm_52 -### a.cpp
# prints: error: unsupported offload gpu architecture: pvc
