# FEAT, "AOT target identification": -fsycl-targets= takes intel_gpu_pvc, intel_gpu_12_0, nvidia_gpu_sm_90 and the
# like. MODEL, "Ahead Of Time Compilation": spir64_gen, spir64_fpga and spir64_x86_64.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
for target in intel_gpu_pvc intel_gpu_12_0 nvidia_gpu_sm_90 spir64_gen spir64_fpga spir64_x86_64; do
  clang++ -fsycl --offload-targets=$target -c a.cpp
done
# prints: error: invalid or unsupported offload target: 'intel_gpu_pvc'
# prints: error: invalid or unsupported offload target: 'intel_gpu_12_0'
# prints: error: invalid or unsupported offload target: 'nvidia_gpu_sm_90'
# prints: error: invalid or unsupported offload target: 'spir64_gen'
# prints: error: invalid or unsupported offload target: 'spir64_fpga'
# prints: error: invalid or unsupported offload target: 'spir64_x86_64'
