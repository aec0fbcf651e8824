// Code generation by LLVM's own SPIR-V back end, as the last step of LTO: for a module that is
// complete, with what is left to do for it as a pass of LTO's own pass manager.

#include "recovery.h"
#include "shim.h"
#include "versions.h"

#include "llvm/IR/Module.h"

using namespace llvm;

#ifdef PLUMBLINE_SPIRV

#include "llvm-c/Target.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace {

using Work = LLVMBool (*)(void *);

// What the caller still does to a module. When that fails nothing is left to generate code for: a
// pass has no other way to end its manager's work.
class Finishing final : public ModulePass {
  Work Do;
  void *State;

public:
  static char ID;

  Finishing(Work Do, void *State) : ModulePass(ID), Do(Do), State(State) {}

  StringRef getPassName() const override { return "What a device module lacks"; }

  bool runOnModule(Module &M) override {
    if (!Do(State))
      for (Function &F : M)
        if (!F.isDeclaration())
          F.deleteBody();
    return true;
  }
};

char Finishing::ID = 0;

void initialize() {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
}

// The back end takes its extensions from an option of the whole process; true when it knows one of
// them not.
bool setExtensions(StringRef List) {
  auto &Known = cl::getRegisteredOptions();
  auto Found = Known.find("spirv-ext");
  if (Found == Known.end())
    return true;
  Found->second->reset();
  return !List.empty() && Found->second->addOccurrence(0, "spirv-ext", List);
}

// LTO's own step from a module to code.
Error generate(Module &M, StringRef TripleText, StringRef Extensions, Work Finish, void *State,
               SmallVectorImpl<char> &Made) {
  static std::once_flag Once;
  static std::mutex OfExtensions;
  std::call_once(Once, initialize);
  const Triple Wanted(TripleText);
  lto::Config Conf;
  Conf.OverrideTriple = Wanted.str();
  Conf.CodeGenOnly = true;
  Conf.RelocModel = std::nullopt;
  // Of its passes between IR and SPIR-V those that optimize think of other machines.
  Conf.CGOptLevel = CodeGenOptLevel::None;
  Conf.PreCodeGenPassesHook = [&](legacy::PassManager &Passes) {
    Passes.add(new Finishing(Finish, State));
  };
  std::unique_lock Guard(OfExtensions);
  if (setExtensions(Extensions))
    return createStringError(inconvertibleErrorCode(),
                             "it does not know all of the extensions " + Extensions);
  // The machine is made by now, and has read the option.
  Conf.PreCodeGenModuleHook = [&](unsigned, const Module &) {
    Guard.unlock();
    return true;
  };
  const auto Stream = [&](unsigned, const Twine &) -> Expected<std::unique_ptr<CachedFileStream>> {
    return std::make_unique<CachedFileStream>(std::make_unique<raw_svector_ostream>(Made));
  };
  const ModuleSummaryIndex Whole(/*HaveGVs=*/false);
  ImportList Nothing;
  return backEndOf(Conf, Stream, M, Whole, Nothing.get(), GVSummaryMapTy(), nullptr);
}

} // namespace

LLVMBool plumbline_spirv_is_there(void) { return true; }

char *plumbline_spirv_layout(const char *Text) {
  return LLVMCreateMessage(Triple(Text).computeDataLayout().c_str());
}

LLVMMemoryBufferRef plumbline_spirv_generate(LLVMModuleRef M, const char *Triple,
                                             const char *Extensions, void *State,
                                             LLVMBool (*Finish)(void *), char **Message,
                                             LLVMBool *Crashed) {
  SmallString<0> Made;
  bool Done = false;
  *Crashed = !runSafely([&] {
    if (Error Failure = generate(*unwrap(M), Triple, Extensions, Finish, State, Made))
      *Message = LLVMCreateMessage(toString(std::move(Failure)).c_str());
    else
      Done = true;
  });
  return Done ? wrap(MemoryBuffer::getMemBufferCopy(Made).release()) : nullptr;
}

#else

LLVMBool plumbline_spirv_is_there(void) { return false; }

char *plumbline_spirv_layout(const char *) { return nullptr; }

LLVMMemoryBufferRef plumbline_spirv_generate(LLVMModuleRef, const char *, const char *, void *,
                                             LLVMBool (*)(void *), char **Message, LLVMBool *) {
  *Message = LLVMCreateMessage("this LLVM has no SPIR-V back end");
  return nullptr;
}

#endif
