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
clang++ -fsycl --offload-arch=pvc,sm_52 -### a.cpp
# prints: error: unsupported offload gpu architecture: pvc
clang++ -fsycl --offload-arch=bmg_g21 -### a.cpp
# prints: error: invalid or unsupported offload target: ''
# With the target beside it every name is taken, and there is no second image.
clang++ -fsycl --offload-targets=spirv64 --offload-arch=no_such_chip -### a.cpp 2>&1 | grep -o '"--image=.*kind=sycl"'
# prints: triple=spirv64,arch=no_such_chip,kind=sycl"
# does not print: triple=spirv64,kind=sycl"
