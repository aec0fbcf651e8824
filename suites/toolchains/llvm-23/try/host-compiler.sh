# MODEL, "Fat Binary Generation": host and device are compiled apart, so that an external compiler can be the host's.
# OFF, "Integration header generation": any host compiler can make the host half.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -fsycl-host-compiler=g++ -fsycl-host-compiler-options=-std=c++17 -c a.cpp
# prints: error: unknown argument: '-fsycl-host-compiler=g++'
# prints: error: unknown argument: '-fsycl-host-compiler-options=-std=c++17'
