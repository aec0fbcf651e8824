#include "analyses.h"
#include "shim.h"

#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

// LLVM's C interface has options against vectorizing, but the pipelines of
// levels (`default<O2>`) set them again as the level says. The last of these
// passes complains of loops that nothing vectorized although the user asked.
static bool vectorizes(StringRef Pass) {
  return is_contained({"LoopVectorizePass", "SLPVectorizerPass", "VectorCombinePass",
                       "WarnMissedTransformationsPass"},
                      Pass);
}

LLVMBool plumbline_knows_processor(LLVMTargetMachineRef Machine, const char *Name, size_t Length) {
  const auto *Known = reinterpret_cast<const TargetMachine *>(Machine);
  return Known->getMCSubtargetInfo()->isCPUStringValid(StringRef(Name, Length));
}

LLVMBool plumbline_run_passes(LLVMModuleRef M, const char *Pipeline, LLVMTargetMachineRef Machine,
                              LLVMBool NoLibraryCalls, char **Message) {
  PassInstrumentationCallbacks Callbacks;
  Callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef Pass, Any) { return !vectorizes(Pass); });
  PassBuilder Builder(reinterpret_cast<TargetMachine *>(Machine), PipelineTuningOptions(),
                      std::nullopt, &Callbacks);
  Analyses Known(Builder, *unwrap(M), !NoLibraryCalls);
  ModulePassManager Passes;
  if (Error Failure = Builder.parsePassPipeline(Passes, Pipeline)) {
    *Message = LLVMCreateMessage(toString(std::move(Failure)).c_str());
    return true;
  }
  Passes.run(*unwrap(M), Known.Modules);
  return false;
}
