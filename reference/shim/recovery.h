// LLVM's reader crashes on some broken bitcode.
#ifndef PLUMBLINE_RECOVERY_H
#define PLUMBLINE_RECOVERY_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <mutex>

// Does what may crash over bytes from outside; false when it did.
inline bool runSafely(llvm::function_ref<void()> Work) {
  static std::once_flag Once;
  std::call_once(Once, llvm::CrashRecoveryContext::Enable);
  return llvm::CrashRecoveryContext().RunSafely(Work);
}

#endif
