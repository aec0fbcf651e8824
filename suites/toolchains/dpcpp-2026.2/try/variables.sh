# OFF, "Generation of device code diagnostics": the front end enforces the restrictions on device code. SYCL 2020, 5.4:
# static variables there are zero-initialized or constant-initialized.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
int seed();
struct Plain { static const int value; };
const int Plain::value = seed();
template <typename T> struct Of { static const T value; };
template <typename T> const T Of<T>::value = seed();
void start(sycl::queue &q, int *p) {
#ifdef PLAIN
  q.single_task<class One>([=] { *p = Plain::value; });
#endif
  q.single_task<class Two>([=] { *p = Of<int>::value; });
}
END
./compile a.cpp
# prints: taken
# The same of a class that is no template:
./compile a.cpp -DPLAIN
# prints: SYCL kernel cannot use a const static
