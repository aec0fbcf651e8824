# FEAT, "Changes to DPC++ headers" and "New LLVM IR metadata": attributes say which aspects code uses and which sizes a
# kernel requires; what it uses stands as metadata in the device code.
cat > a.cpp <<'END'
namespace sycl { enum class aspect { fp16 = 5, fp64 = 6 }; }
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
[[sycl::device_has(sycl::aspect::fp16)]] int half() { return 1; }
int main() {
  int v = 0, *p = &v;
  double w = 2, *q = &w;
  start<class One>([=] [[sycl::reqd_work_group_size(8)]] { *p = half(); });
  start<class Two>([=] [[sycl::reqd_sub_group_size(16)]] { *q *= *q; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fsycl-device-only -S -emit-llvm a.cpp -o a.ll
# prints: warning: unknown attribute 'sycl::device_has' ignored
# prints: warning: unknown attribute 'sycl::reqd_work_group_size' ignored
# prints: warning: unknown attribute 'sycl::reqd_sub_group_size' ignored
grep -E 'fmul|used_aspects|reqd_work_group_size|reqd_sub_group_size' a.ll
# prints: fmul double
# does not print: _used_aspects
# does not print: !reqd_work_group_size
