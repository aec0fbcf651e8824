# MODEL, "Post-link and SPIR-V translation": --llvm-spirv-options= has words for the translator.
echo 'int main() { return 0; }' > main.cpp
clang++ -c main.cpp -o plain.o
clang-linker-wrapper --linker-path=/usr/bin/g++ --llvm-spirv-options=-spirv-max-version=1.1 plain.o -o a.out
# prints: error: unrecognized command-line option '--llvm-spirv-options=-spirv-max-version=1.1'
