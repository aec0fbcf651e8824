# FEAT, "New LLVM IR pass to propagate aspect usage": the pass is before all others, so that what a kernel requires does
# not depend on optimization.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
struct Removed {
  int *p;
  void operator()() const {
    double unused = *p;
    *p += 0 * static_cast<int>(unused);
  }
};
void start(sycl::queue &q, int *p) {
  q.single_task<class One>(Removed{p});
}
END
for level in 0 1; do
  ./compile a.cpp -O$level
  tr -c '[:print:]' '\n' < images | grep -E aspects | sed "s/^/-O$level: /"
done
# fp64 with the one, nothing with the other:
# prints: -O0: aspects=2|gAAAAAAAAAgBAAAA
# prints: -O1: aspects=2|AAAAAAAAAAA
