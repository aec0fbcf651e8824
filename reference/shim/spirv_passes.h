// What pipelines do for SPIR-V beside what LLVM's own levels do: this LLVM has no target for it
// that would ask for it.
#ifndef PLUMBLINE_SPIRV_PASSES_H
#define PLUMBLINE_SPIRV_PASSES_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

// Takes the wish to be unrolled off loops that have barriers, which then are if they are short, as
// other loops. To compilers for processors each barrier is a loop over the work-group and has
// values that are kept for all of it: Intel's loses count of hundreds, and ends.
struct RollBarriers : llvm::PassInfoMixin<RollBarriers> {
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &, llvm::LPMUpdater &) {
    const bool IsWished = llvm::getBooleanLoopAttribute(&L, "llvm.loop.unroll.enable") ||
                          llvm::getBooleanLoopAttribute(&L, "llvm.loop.unroll.full");
    if (IsWished && llvm::any_of(L.blocks(), hasBarrier)) {
      llvm::LLVMContext &Context = L.getHeader()->getContext();
      L.setLoopID(
          llvm::makePostTransformationMetadata(Context, L.getLoopID(), {"llvm.loop.unroll."}, {}));
    }
    return llvm::PreservedAnalyses::all();
  }

private:
  static bool hasBarrier(const llvm::BasicBlock *Block) {
    return llvm::any_of(*Block, [](const llvm::Instruction &Each) {
      const auto *Call = llvm::dyn_cast<llvm::CallInst>(&Each);
      const llvm::Function *Called = Call ? Call->getCalledFunction() : nullptr;
      return Called && Called->getName().contains("__spirv_ControlBarrier");
    });
  }
};

// For one module, if it is for SPIR-V, as long as its passes run.
class SpirvPasses {
public:
  SpirvPasses(llvm::Module &M, llvm::PassInstrumentationCallbacks &Callbacks) {
    const llvm::Triple Target(M.getTargetTriple());
    IsSpirv = Target.isSPIR() || Target.isSPIRV();
    if (IsSpirv)
      widenCounters(M, Callbacks);
  }

  // Has pointers say what memory they are into that have no address space of their own: where such
  // a pass finds out by itself which one that is, it asks the target. And has loops of barriers
  // left as they are.
  void extend(llvm::PassBuilder &Builder) const {
    if (!IsSpirv)
      return;
    constexpr unsigned Generic = 4;
    Builder.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager &Passes, llvm::OptimizationLevel) {
          Passes.addPass(llvm::InferAddressSpacesPass(Generic));
        });
    Builder.registerLateLoopOptimizationsEPCallback(
        [](llvm::LoopPassManager &Passes, llvm::OptimizationLevel) {
          Passes.addPass(RollBarriers());
        });
  }

private:
  // Lets loops count in the width of addresses, without which device compilers do not see that
  // neighbours among work-items read neighbours in memory. LLVM widens to integers that the layout
  // of the data calls native, and this LLVM's layout for SPIR-V names none. It is to name none to
  // other passes: they would compute in 64 bits what then needs shifts to be an index of 32 again.
  static void widenCounters(llvm::Module &M, llvm::PassInstrumentationCallbacks &Callbacks) {
    const auto IsIt = [](llvm::StringRef Pass) { return Pass == "IndVarSimplifyPass"; };
    const std::string Own = M.getDataLayoutStr();
    if (Own.empty() || llvm::StringRef(Own).contains("-n"))
      return;
    const auto Restore = [=, &M](llvm::StringRef Pass) {
      if (IsIt(Pass))
        M.setDataLayout(Own);
    };
    Callbacks.registerBeforeNonSkippedPassCallback([=, &M](llvm::StringRef Pass, llvm::Any) {
      if (IsIt(Pass))
        M.setDataLayout(Own + "-n8:16:32:64");
    });
    Callbacks.registerAfterPassCallback(
        [=](llvm::StringRef Pass, llvm::Any, const llvm::PreservedAnalyses &) { Restore(Pass); });
    Callbacks.registerAfterPassInvalidatedCallback(
        [=](llvm::StringRef Pass, const llvm::PreservedAnalyses &) { Restore(Pass); });
  }

  bool IsSpirv = false;
};

#endif
