# OFF, "Integration header generation": the device compilation writes a header for the host compilation, so that any
# host compiler can make the host half.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
clang++ -fsycl -save-temps -c a.cpp -o a.o
ls
# prints: a.o
# does not print: .h
