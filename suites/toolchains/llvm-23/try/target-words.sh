# MODEL, "Ahead Of Time Compilation": -Xsycl-target-backend= has words for a target's offline compiler, which the
# driver hands to the wrapper.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -Xsycl-target-backend=spir64_gen "-device pvc" -c a.cpp
# prints: error: unknown argument: '-Xsycl-target-backend=spir64_gen'
clang++ -fsycl -Xsycl-target-frontend=spir64 -g -c a.cpp
# prints: error: unknown argument: '-Xsycl-target-frontend=spir64'
