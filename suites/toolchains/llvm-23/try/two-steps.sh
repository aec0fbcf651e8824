# MODEL, "Device Linking": --sycl-device-libraries= names the libraries of the device link to the wrapper, and
# --sycl-device-library-location= where they are.
echo 'int main() { return 0; }' > main.cpp
clang++ -c main.cpp -o plain.o
clang-linker-wrapper --linker-path=/usr/bin/g++ --sycl-device-libraries=a.bc --sycl-device-library-location=. plain.o
# prints: error: unrecognized command-line option '--sycl-device-libraries=a.bc'
# prints: error: unrecognized command-line option '--sycl-device-library-location=.'
