// The folder that LLVM keeps results of ThinLTO links in: how large it may get, and what goes.

#include "recovery.h"
#include "shim.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"

using namespace llvm;

LLVMBool plumbline_cache_policy(const char *Policy, char **Message) {
  auto Read = parseCachePruningPolicy(Policy);
  if (Read)
    return true;
  *Message = LLVMCreateMessage(toString(Read.takeError()).c_str());
  return false;
}

LLVMBool plumbline_cache_prune(const char *Folder, const char *Policy, LLVMBool *Crashed) {
  bool Looked = false;
  *Crashed = !runSafely([&] {
    auto Read = parseCachePruningPolicy(Policy);
    if (Read)
      Looked = pruneCache(Folder, *Read);
    else
      consumeError(Read.takeError());
  });
  return Looked;
}
