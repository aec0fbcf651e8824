# MODEL, "Offload Binary": a device-only binary is the file that the packager writes, which begins with 10 ff 10 ad.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fsycl-device-only -c a.cpp -o only
od -An -tx1 -N4 only
# prints: 42 43 c0 de
