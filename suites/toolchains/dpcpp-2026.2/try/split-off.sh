# FEAT, "Changes to the device code split algorithm": device code is split as the option says, and then once more by what
# kernels require.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
# include: compile.sh
cat > a.cpp <<'END'
#include <sycl/sycl.hpp>
void start(sycl::queue &q, int *p, double *d) {
  q.single_task<class Doubles>([=] { *d *= 2; });
  q.single_task<class Plain>([=] { *p = 1; });
  q.parallel_for<class Eight>(sycl::nd_range<1>{8, 8},
                              [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] { *p = 8; });
  q.parallel_for<class Sixteen>(sycl::nd_range<1>{16, 16},
                                [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(16)]] { *p = 16; });
}
END
for split in off auto; do
  ./compile a.cpp -O2 -fsycl-device-code-split=$split
  echo "$split: $(tr -c '[:print:]' '\n' < images | grep -c 'SYCL/device requirements') images"
  tr -c '[:print:]' '\n' < images | grep -E reqd_work_group_size= | sed "s/^/$split: /"
done
# prints: off: 1 images
# prints: auto: 4 images
