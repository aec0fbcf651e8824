# MODEL, "Device Linking": a host link tells which members of static libraries the program takes, and their device
# code is linked.
cat > caller.cpp <<'END'
int member();
int main() { return member(); }
END
cat > member.cpp <<'END'
template <typename N, typename... T> void sycl_kernel_launch(const char *, T...) {}
template <typename N, typename F> [[clang::sycl_kernel_entry_point(N)]] void start(F f) { f(); }
int member() {
  int v = 0, *p = &v;
  start<class Member>([=] { *p = 1; });
  return 0;
}
// In the place of the runtime.
extern "C" void __sycl_register_lib(void *, unsigned long) {}
extern "C" void __sycl_unregister_lib(void *, unsigned long) {}
END
# Host code alone, and a library with device code.
clang++ -c caller.cpp
clang++ -fsycl -c member.cpp
llvm-ar rc libmember.a member.o
clang++ -fsycl -nolibsycl caller.o member.o -o of-objects
clang++ -fsycl -nolibsycl caller.o libmember.a -o of-archive
for program in of-objects of-archive; do
  readelf -SW $program | grep -q '\.llvm\.offloading' && echo "$program: an image" || echo "$program: none"
done
# prints: of-objects: an image
# prints: of-archive: none
# The host takes the object's, and of the archive nothing.
clang++ -fsycl -nolibsycl caller.o member.o libmember.a
# prints: symbol multiply defined
