# OFF, "Generation of device code diagnostics": the front end enforces the restrictions on device code. "Front-end
# device compilation" names exceptions and virtual calls.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
struct Base { virtual int get() { return 1; } };
int table = 1;
int outside(int);
int endless(int n) { return n ? endless(n - 1) + 1 : 0; }
int main() {
  int v = 0, *p = &v;
  Base base, *b = &base;
  start<class Throws>([=] { throw 1; });
  start<class Virtual>([=] { *p = b->get(); });
  start<class Recursive>([=] { *p = endless(3); });
  start<class Variable>([=] { *p = table; });
  start<class Undefined>([=] { *p = outside(3); });
}
END
clang++ -fsycl -fsycl-device-only -c a.cpp -o a.bc && echo taken
# prints: taken
# does not print: a.cpp:
