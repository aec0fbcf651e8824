// Calls through pointers to members that are constants become calls of the members.
#include "shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

// The function whose address a constant is, in whatever space and kept as a number or not.
static Function *functionOf(const Value *Address) {
  while (const auto *Cast = dyn_cast<ConstantExpr>(Address)) {
    if (!Cast->isCast())
      return nullptr;
    Address = Cast->getOperand(0);
  }
  return const_cast<Function *>(dyn_cast<Function>(Address));
}

// The block that clang gives such a call for what is not virtual, where a constant says that it is.
static BasicBlock *plainBlock(const PHINode &Callee) {
  for (const Use &Each : Callee.incoming_values())
    if (functionOf(Each.get()))
      return Callee.getIncomingBlock(Each);
  return nullptr;
}

// Takes away the lookup in a table of virtual functions that such a call has beside it.
static void dropLookup(const PHINode &Callee) {
  BasicBlock *Plain = plainBlock(Callee);
  BasicBlock *Before = Plain ? Plain->getSinglePredecessor() : nullptr;
  const auto *Choice = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  if (!Choice || !Choice->isConditional() || !isa<ConstantInt>(Choice->getCondition()))
    return;
  SmallVector<BasicBlock *, 2> Ways{Choice->getSuccessor(0), Choice->getSuccessor(1)};
  ConstantFoldTerminator(Before);
  for (BasicBlock *Each : Ways)
    if (pred_empty(Each))
      DeleteDeadBlock(Each);
}

void plumbline_call_members(LLVMModuleRef M) {
  SmallVector<CallBase *> Indirect;
  for (Function &Each : *unwrap(M))
    for (Instruction &Any : instructions(Each))
      if (auto *Call = dyn_cast<CallBase>(&Any); Call && Call->isIndirectCall())
        Indirect.push_back(Call);
  for (CallBase *Each : Indirect) {
    if (const auto *Joined = dyn_cast<PHINode>(Each->getCalledOperand()))
      dropLookup(*Joined);
    Function *Member = functionOf(Each->getCalledOperand());
    if (Member && Member->getFunctionType() == Each->getFunctionType())
      Each->setCalledOperand(Member);
  }
}
