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
