# OFF, "Compilation Process": the front end is started with the triple spir64_gen for pvc, and with spir64 for the
# back-up.
echo 'int main() {}' > a.cpp
sycl-clang++ -fsycl --offload-arch=pvc -### a.cpp 2>&1 | grep -oE '"-triple" "spir64[^"]*"|triple=spir64[^,]*'
# prints: "-triple" "spir64-unknown-unknown"
# prints: triple=spir64_gen
# does not print: "-triple" "spir64_gen
