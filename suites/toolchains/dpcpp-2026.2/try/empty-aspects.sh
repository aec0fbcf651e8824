# FEAT, "Create the "SYCL/device requirements" property set": the property of aspects is there only if the list is not empty.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
void start(sycl::queue &q) {
  q.single_task<class Plain>([] {});
}
END
./compile a.cpp -O2
tr -c '[:print:]' '\n' < images | grep -E aspects
# No bytes:
# prints: aspects=2|AAAAAAAAAAA
