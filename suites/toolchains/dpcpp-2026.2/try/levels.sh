# OPT, "Changes to the sycl-post-link tool": the image has the level that the user gave, and no property where none was.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
void start(sycl::queue &q) {
  q.single_task<class One>([] {});
}
END
for level in -O0 -O1 -O2 -O3 -DNO_LEVEL; do
  ./compile a.cpp $level
  tr -c '[:print:]' '\n' < images | grep -E optLevel | sed "s/^/$level: /"
done
# prints: -O0: optLevel=1|0
# prints: -O1: optLevel=1|2
# prints: -O3: optLevel=1|2
# prints: -DNO_LEVEL: optLevel=1|2
