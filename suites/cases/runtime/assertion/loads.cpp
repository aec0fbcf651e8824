#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  auto loaded =
      reinterpret_cast<int (*)(int, char **)>(library ? dlsym(library, "_Z6loadediPPc") : nullptr);
  if (!loaded)
    return puts(dlerror());
  return loaded(count, words);
}
