# OFF, "Linking of device objects": --sycl-link calls clang-sycl-linker with the triple, the linker's words and the
# inputs.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
zig clang --driver-mode=g++ --target=x86_64-linux-gnu -fsycl -fsycl-device-only -c a.cpp -o a.bc
zig clang --target=spirv64-unknown-unknown --sycl-link a.bc -o a.img -### 2>&1 | grep -o 'clang-sycl-linker".*'
# prints: clang-sycl-linker" "a.bc" "-o" "a.img"
# does not print: -triple=
