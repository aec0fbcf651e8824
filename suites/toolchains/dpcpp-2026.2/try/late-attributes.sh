# FEAT, "Changes to the DPC++ front-end": device_has has the rules of SYCL 2020, by which it stands on a function's first
# declaration.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
using sycl::aspect;
void late();
[[sycl::device_has(aspect::fp16)]] void late() {}
template <typename T> void special(T) {}
template <> void special(int);
template <> [[sycl::device_has(aspect::fp16)]] void special(int) {}
END
./compile a.cpp
# prints: taken
# does not print: error
# does not print: warning
