// Loops that are entered in several places get one entry.
#include "shim.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

static bool isIrreducible(Function &F) {
  const DominatorTree Tree(F);
  const LoopInfo Loops(Tree);
  const ReversePostOrderTraversal<const Function *> Order(&F);
  return containsIrreducibleCFG<const BasicBlock *>(Order, Loops);
}

void plumbline_fix_irreducible(LLVMModuleRef M) {
  SmallVector<Function *> Found;
  for (Function &Each : *unwrap(M))
    // Nothing loops in fewer blocks but in one way.
    if (Each.size() > 2 && isIrreducible(Each))
      Found.push_back(&Each);
  if (Found.empty())
    return;
  PassBuilder Builder;
  FunctionAnalysisManager Analyses;
  Builder.registerFunctionAnalyses(Analyses);
  FunctionPassManager Passes;
  // What joins the entries takes branches alone.
  Passes.addPass(LowerSwitchPass());
  Passes.addPass(FixIrreduciblePass());
  for (Function *Each : Found)
    Passes.run(*Each, Analyses);
}
