// LLVM's reader crashes on some broken bitcode, and wherever memory is used up.
#ifndef PLUMBLINE_RECOVERY_H
#define PLUMBLINE_RECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <mutex>
#include <new>

// Whether somebody above waits for what happens in this thread, and whether memory was used up
// then.
inline thread_local bool Guarded = false, RanOut = false;

// Does what may crash over bytes from outside; false when it did. LLVM knows no
// exceptions, but the C++ library throws when a count in the bytes is too large.
inline bool runSafely(llvm::function_ref<void()> Work) {
  static std::once_flag Once;
  std::call_once(Once, llvm::CrashRecoveryContext::Enable);
  const bool Around = Guarded;
  Guarded = true;
  RanOut = false;
  bool Threw = false;
  bool Returned = llvm::CrashRecoveryContext().RunSafely([&] {
    try {
      Work();
    } catch (...) {
      Threw = true;
    }
  });
  Guarded = Around;
  return Returned && !Threw;
}

#endif
