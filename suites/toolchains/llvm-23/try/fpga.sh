# MODEL, "spir64_fpga support": the wrapper compiles images of spir64_fpga by aoc or opencl-aot, with the
# words of --fpga-tool-arg=, and with --fpga-link-type=image writes an archive of the result.
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
llvm-offload-binary -o a.img --image=file=a.bc,triple=spir64_fpga-unknown-unknown,kind=sycl
clang++ -c main.cpp -Xclang -fembed-offload-object=a.img -o main.o
clang++ -c main.cpp -o plain.o
clang-linker-wrapper --linker-path=/usr/bin/g++ main.o -o a.out
# prints: spir64_fpga linking is not supported
clang-linker-wrapper --linker-path=/usr/bin/g++ --fpga-tool-arg=-hardware --fpga-link-type=image plain.o -o a.a
# prints: error: unrecognized command-line option '--fpga-tool-arg=-hardware'
# prints: error: unrecognized command-line option '--fpga-link-type=image'
