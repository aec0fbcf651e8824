// What pipelines do for SPIR-V beside what LLVM's own levels do: this LLVM has no target for it
// that would ask for it.
#ifndef PLUMBLINE_SPIRV_PASSES_H
#define PLUMBLINE_SPIRV_PASSES_H

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

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
  // a pass finds out by itself which one that is, it asks the target.
  void extend(llvm::PassBuilder &Builder) const {
    constexpr unsigned Generic = 4;
    if (IsSpirv)
      Builder.registerPeepholeEPCallback(
          [](llvm::FunctionPassManager &Passes, llvm::OptimizationLevel) {
            Passes.addPass(llvm::InferAddressSpacesPass(Generic));
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
