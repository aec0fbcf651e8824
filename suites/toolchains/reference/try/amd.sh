# OFF, "SYCL Offloading": AMD's GPUs are among the targets.
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
int main() { sycl::queue().single_task<class One>([] {}); }
END
sycl-clang++ -fsycl --offload-arch=gfx90a a.cpp
# prints: this toolchain has no compiler for AMD
