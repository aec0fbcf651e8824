# FEAT, "Changes to the device code split algorithm": device code is split as the option says, and then once more by what
# kernels require.
# The wheels intel-sycl-rt 2026.2.0, with what it needs, and intel-opencl-rt are unpacked, the first in $DPCPP;
# the folder in OCL_ICD_VENDORS has a file NAME.icd that names the second's libintelocl.so.
cat > compile.cpp <<'END'
#include <fstream>
#include <iostream>
#include <iterator>
#include <sycl/sycl.hpp>
namespace own = sycl::ext::oneapi::experimental;
int main(int count, char **words) try {
  std::ifstream file(words[1]);
  std::string log, text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> options(words + 2, words + count);
  auto source = own::create_kernel_bundle_from_source(sycl::queue().get_context(), own::source_language::sycl, text);
  auto made = own::compile(source, own::properties{own::build_options{options}, own::save_log{&log}});
  auto images = made.ext_oneapi_get_content();
  std::ofstream("images").write(images.data(), images.size());
  std::cout << log << "taken\n";
} catch (const sycl::exception &error) {
  std::cout << error.what() << '\n';
}
END
g++ -std=c++17 -w -I"$DPCPP/include" compile.cpp -L"$DPCPP/lib" -l:libsycl.so.9 \
  -Wl,-rpath,"$DPCPP/lib",-rpath-link,"$DPCPP/lib" -o compile
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
