// Blocks at whose end a function does not go on, since a call before it does not return, go on
// where the function would have gone without them.
#include "shim.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

static bool isCall(const Instruction &Each) {
  return isa<CallBase>(Each) && !isa<IntrinsicInst>(Each);
}

static bool isDeadEnd(const BasicBlock *Block) {
  return isa<UnreachableInst>(Block->getTerminator());
}

// What work-items do together they do in one place.
static bool mayBeCopied(const BasicBlock &Block) {
  return none_of(Block, [](const Instruction &Each) {
    const auto *Call = dyn_cast<CallBase>(&Each);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const StringRef Name = Callee ? Callee->getName() : "";
    return Call && (Call->cannotDuplicate() || Name.contains("__spirv_ControlBarrier") ||
                    Name.contains("__spirv_Group") || Name.contains("__spirv_Subgroup"));
  });
}

// Gives a block that goes to a dead end among others a copy of it.
static BasicBlock *ownCopy(BasicBlock &End, BasicBlock &Before) {
  ValueToValueMapTy Map;
  BasicBlock *Own = CloneBasicBlock(&End, Map, "", End.getParent());
  for (PHINode &Each : End.phis()) {
    auto *Copy = cast<PHINode>(static_cast<Value *>(Map[&Each]));
    Map[&Each] = Each.getIncomingValueForBlock(&Before);
    Copy->eraseFromParent();
  }
  remapInstructionsInBlocks({Own}, Map);
  for (auto Edges = count(successors(&Before), &End); Edges != 0; --Edges)
    End.removePredecessor(&Before);
  Before.getTerminator()->replaceSuccessorWith(&End, Own);
  return Own;
}

// The blocks from which a function can return.
static SmallPtrSet<BasicBlock *, 32> returning(Function &F) {
  SmallPtrSet<BasicBlock *, 32> Found;
  SmallVector<BasicBlock *> Open;
  for (BasicBlock &Each : F)
    if (isa<ReturnInst>(Each.getTerminator()) && Found.insert(&Each).second)
      Open.push_back(&Each);
  while (!Open.empty())
    for (BasicBlock *Before : predecessors(Open.pop_back_val()))
      if (Found.insert(Before).second)
        Open.push_back(Before);
  return Found;
}

// Where a block goes that does not go to a dead end; null where it always does.
static BasicBlock *otherWay(BasicBlock &Before, const SmallPtrSetImpl<BasicBlock *> &Returning) {
  if (!isa<BranchInst, SwitchInst>(Before.getTerminator()))
    return nullptr;
  const auto Returns = [&](BasicBlock *Each) { return Returning.contains(Each); };
  const auto Found = find_if(successors(&Before), Returns);
  return Found == succ_end(&Before) ? nullptr : *Found;
}

// The end of a function, where there is no other way.
static void putReturn(BasicBlock &End) {
  IRBuilder<> Builder(&End);
  Type *Result = End.getParent()->getReturnType();
  if (Result->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Constant::getNullValue(Result));
}

// Has a dead end that comes after one block go that block's other way. A block that goes nowhere
// else is a dead end with it, which comes back then.
static BasicBlock *goOn(BasicBlock &End, const SmallPtrSetImpl<BasicBlock *> &Returning) {
  BasicBlock *Before = End.getUniquePredecessor();
  if (Before && Before->getUniqueSuccessor() == &End && MergeBlockIntoPredecessor(&End))
    return Before;
  BasicBlock *Next = Before ? otherWay(*Before, Returning) : nullptr;
  End.getTerminator()->eraseFromParent();
  if (!Next) {
    putReturn(End);
    return nullptr;
  }
  for (PHINode &Each : Next->phis())
    Each.addIncoming(Each.getIncomingValueForBlock(Before), &End);
  IRBuilder<>(&End).CreateBr(Next);
  return nullptr;
}

// Has nothing say of a call before a dead end that it does not return.
static void forgetNoReturn(BasicBlock &End) {
  for (Instruction &Each : End)
    if (auto *Call = dyn_cast<CallBase>(&Each); Call && Call->doesNotReturn()) {
      Call->removeFnAttr(Attribute::NoReturn);
      if (Function *Callee = Call->getCalledFunction())
        Callee->removeFnAttr(Attribute::NoReturn);
    }
}

void plumbline_join_dead_ends(LLVMModuleRef M) {
  for (Function &Each : *unwrap(M)) {
    SmallVector<BasicBlock *> Ends;
    for (BasicBlock &Block : Each)
      if (isDeadEnd(&Block) && any_of(Block, isCall))
        Ends.push_back(&Block);
    if (Ends.empty())
      continue;
    const auto Returning = returning(Each);
    while (!Ends.empty()) {
      BasicBlock &End = *Ends.pop_back_val();
      forgetNoReturn(End);
      SmallSetVector<BasicBlock *, 4> Befores(pred_begin(&End), pred_end(&End));
      if (mayBeCopied(End))
        while (Befores.size() > 1)
          Ends.push_back(ownCopy(End, *Befores.pop_back_val()));
      if (BasicBlock *Before = goOn(End, Returning))
        Ends.push_back(Before);
    }
  }
}
