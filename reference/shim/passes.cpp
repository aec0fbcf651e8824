#include "analyses.h"
#include "shim.h"
#include "spirv_passes.h"

#include "llvm-c/Core.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// LLVM's C interface has options against vectorizing, but the pipelines of
// levels (`default<O2>`) set them again as the level says. The last of these
// passes complains of loops that nothing vectorized although the user asked.
static bool vectorizes(StringRef Pass) {
  return is_contained({"LoopVectorizePass", "SLPVectorizerPass", "VectorCombinePass",
                       "WarnMissedTransformationsPass"},
                      Pass);
}

// Loops are unrolled once, when all of a kernel is there: what was unrolled as a unit was compiled
// would count as a longer loop then.
static bool unrolls(StringRef Pass) { return Pass == "LoopUnrollPass"; }

// Has short inner loops of unknown length unrolled as often as NVIDIA's own compiler does: LLVM's
// limit for loops that need a remainder leaves many as they are, whose counting and loads nothing
// hides then. Shorter ones LLVM unrolls by itself, and the assembler once more.
struct UnrollShortLoops : PassInfoMixin<UnrollShortLoops> {
  static constexpr unsigned Times = 4, Least = 32, Most = 64;

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Known) {
    auto &Loops = Known.getResult<LoopAnalysis>(F);
    auto &Evolution = Known.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : Loops.getLoopsInPreorder()) {
      if (!L->isInnermost() || !L->getExitingBlock() || Evolution.getSmallConstantTripCount(L) ||
          hasUnrollTransformation(L) != TM_Unspecified)
        continue;
      size_t Length = 0;
      for (const BasicBlock *Block : L->blocks())
        Length += Block->size();
      if (Length >= Least && Length <= Most)
        addStringMetadataToLoop(L, "llvm.loop.unroll.count", Times);
    }
    return PreservedAnalyses::all();
  }
};

LLVMBool plumbline_knows_processor(LLVMTargetMachineRef Machine, const char *Name, size_t Length) {
  const auto *Known = reinterpret_cast<const TargetMachine *>(Machine);
  return Known->getMCSubtargetInfo()->isCPUStringValid(StringRef(Name, Length));
}

LLVMBool plumbline_run_passes(LLVMModuleRef M, const char *Pipeline, LLVMTargetMachineRef Machine,
                              LLVMBool NoLibraryCalls, char **Message) {
  const bool IsUnit = Machine && !NoLibraryCalls, IsLinked = Machine && NoLibraryCalls;
  PassInstrumentationCallbacks Callbacks;
  Callbacks.registerShouldRunOptionalPassCallback(
      [=](StringRef Pass, Any) { return !vectorizes(Pass) && !(IsUnit && unrolls(Pass)); });
  const SpirvPasses Spirv(*unwrap(M), Callbacks);
  PassBuilder Builder(reinterpret_cast<TargetMachine *>(Machine), PipelineTuningOptions(),
                      std::nullopt, &Callbacks);
  if (IsLinked)
    Builder.registerVectorizerStartEPCallback(
        [](FunctionPassManager &Passes, OptimizationLevel) { Passes.addPass(UnrollShortLoops()); });
  Spirv.extend(Builder);
  Analyses Known(Builder, *unwrap(M), !NoLibraryCalls);
  ModulePassManager Passes;
  if (Error Failure = Builder.parsePassPipeline(Passes, Pipeline)) {
    *Message = LLVMCreateMessage(toString(std::move(Failure)).c_str());
    return true;
  }
  Passes.run(*unwrap(M), Known.Modules);
  return false;
}
