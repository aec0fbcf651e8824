# MODEL, "spir64_gen support": the wrapper has ocloc compile images of spir64_gen, once for each --gen-tool-arg=, with
# its words.
cat > a.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int main() {
  int v = 0, *p = &v;
  start<class One>([=] { *p = 1; });
}
END
echo 'int main() { return 0; }' > main.cpp
clang++ -fsycl -fsycl-device-only -c a.cpp -o a.bc
llvm-offload-binary -o a.img --image=file=a.bc,triple=spir64_gen-unknown-unknown,kind=sycl
clang++ -c main.cpp -Xclang -fembed-offload-object=a.img -o main.o
clang++ -c main.cpp -o plain.o
clang-linker-wrapper --linker-path=/usr/bin/g++ main.o -o a.out
# prints: spir64_gen linking is not supported
clang-linker-wrapper --linker-path=/usr/bin/g++ "--gen-tool-arg=-device tgllp" plain.o -o a.out
# prints: error: unrecognized command-line option '--gen-tool-arg=-device tgllp'
