# FEAT, "Changes to the DPC++ front-end": device_has has the rules of SYCL 2020, whose arguments are constants.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
int runtime_value();
[[sycl::device_has(static_cast<sycl::aspect>(runtime_value()))]] void no_constant();
END
./compile a.cpp
# prints: taken
# does not print: error
