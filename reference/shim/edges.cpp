// Several ways from one block to another that chooses by where it is come from become one way.
#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static void joinEdges(BasicBlock &From) {
  Instruction *End = From.getTerminator();
  if (!End || !isa<SwitchInst, BranchInst>(End) || End->getNumSuccessors() < 2)
    return;
  SmallDenseMap<BasicBlock *, unsigned> Ways;
  SmallVector<BasicBlock *> Several;
  for (BasicBlock *To : successors(End))
    if (++Ways[To] == 2 && isa<PHINode>(To->front()))
      Several.push_back(To);
  for (BasicBlock *To : Several) {
    auto *Between = BasicBlock::Create(From.getContext(), "", From.getParent(), To);
    auto *Way = BranchInst::Create(To, Between);
    Way->setDebugLoc(End->getDebugLoc());
    // What is said of a loop stands at all ends that lead back to its begin.
    if (MDNode *Loop = End->getMetadata(LLVMContext::MD_loop))
      Way->setMetadata(LLVMContext::MD_loop, Loop);
    for (unsigned I = 0; I < End->getNumSuccessors(); ++I)
      if (End->getSuccessor(I) == To)
        End->setSuccessor(I, Between);
    for (PHINode &Choice : To->phis()) {
      Choice.setIncomingBlock(Choice.getBasicBlockIndex(&From), Between);
      for (int I; (I = Choice.getBasicBlockIndex(&From)) >= 0;)
        Choice.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
    }
  }
}

void plumbline_join_edges(LLVMModuleRef M) {
  for (Function &Each : *unwrap(M)) {
    SmallVector<BasicBlock *> Blocks;
    for (BasicBlock &Block : Each)
      Blocks.push_back(&Block);
    for (BasicBlock *Block : Blocks)
      joinEdges(*Block);
  }
}
