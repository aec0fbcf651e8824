// Whole modules from bytes, and what they are held to.

#include "recovery.h"
#include "shim.h"
#include "versions.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/IRReader.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// Whether LLVM's readers leave modules with debug information as they are.
static bool Believing = false;

// LLVM's readers verify each module that says which form its debug information has, at each of many
// readings.
void plumbline_believe_own(void) {
  const StringRef Option = "disable-auto-upgrade-debug-info";
  auto &Known = cl::getRegisteredOptions();
  auto Found = Known.find(Option);
  if (!Believing && Found != Known.end())
    Believing = !Found->second->addOccurrence(0, Option, "true");
}

// Holds a module to LLVM's rules, and takes away debug information that breaks them, as LLVM's
// readers do; false, with a reason, for a broken module.
static bool hold(Module &M, char **Message) {
  std::string Reason;
  raw_string_ostream Out(Reason);
  bool BrokenDebugInfo = false;
  if (verifyModule(M, &Out, &BrokenDebugInfo)) {
    *Message = LLVMCreateMessage(StringRef(Out.str()).rtrim().str().c_str());
    return false;
  }
  const unsigned Version = getDebugMetadataVersionFromModule(M);
  const bool IsKnown = Version == DEBUG_METADATA_VERSION;
  if (IsKnown && !BrokenDebugInfo)
    return true;
  if (IsKnown)
    M.getContext().diagnose(DiagnosticInfoIgnoringInvalidDebugMetadata(M));
  if (StripDebugInfo(M) && !IsKnown)
    M.getContext().diagnose(DiagnosticInfoDebugMetadataVersion(M, Version));
  return true;
}

LLVMBool plumbline_read(LLVMContextRef Context, LLVMMemoryBufferRef Buffer, LLVMBool Lazily,
                        plumbline_trust Trust, LLVMModuleRef *Module, char **Message,
                        LLVMBool *Crashed) {
  LLVMBool Failed = true;
  *Crashed = !runSafely([&] {
    Failed = Lazily ? LLVMGetBitcodeModuleInContext2(Context, Buffer, Module)
                    : LLVMParseIRInContext(Context, Buffer, Module, Message);
    if (Failed || !*Module)
      return;
    // The reader of bitcode brings old layouts up to date, that of text does not: both read alike.
    unwrap(*Module)->setDataLayout(UpgradeDataLayoutString(
        unwrap(*Module)->getDataLayoutStr(), textOf(unwrap(*Module)->getTargetTriple())));
    const bool IsHeld = Trust == TrustNothing || (Trust == TrustReader && Believing);
    if (!Lazily && IsHeld && !hold(*unwrap(*Module), Message)) {
      LLVMDisposeModule(*Module);
      *Module = nullptr;
      Failed = true;
    }
  });
  return Failed || *Crashed;
}
