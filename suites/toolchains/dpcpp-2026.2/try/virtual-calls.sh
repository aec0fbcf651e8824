# OFF, "Front-end device compilation": the front end refuses virtual calls in device code.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
struct Base { virtual int get() { return 1; } };
void start(sycl::queue &q, Base *b, int *p) {
  q.single_task<class Virtual>([=] { *p = b->get(); });
}
END
./compile a.cpp
# prints: taken
# does not print: error
