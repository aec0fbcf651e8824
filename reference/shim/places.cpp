// Places of a function's own variables, of which a condition chooses one.
#include "shim.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// A place in a variable: the steps that lead to it, the last one first.
struct Place {
  AllocaInst *Variable = nullptr;
  SmallVector<GEPOperator *, 4> Steps;

  explicit Place(Value *Pointer) {
    for (;;) {
      if (auto *Step = dyn_cast<GEPOperator>(Pointer)) {
        Steps.push_back(Step);
        Pointer = Step->getPointerOperand();
      } else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
        Pointer = Cast->getPointerOperand();
      } else {
        Variable = dyn_cast<AllocaInst>(Pointer);
        return;
      }
    }
  }

  Value *offset(IRBuilder<> &Builder, const DataLayout &Layout, Type *Number) const {
    Value *Sum = nullptr;
    for (GEPOperator *Step : Steps) {
      Value *Bytes = emitGEPOffset(&Builder, Layout, Step, /*NoAssumptions=*/true);
      Bytes = Builder.CreateSExtOrTrunc(Bytes, Number);
      Sum = Sum ? Builder.CreateAdd(Sum, Bytes) : Bytes;
    }
    return Sum ? Sum : ConstantInt::get(Number, 0);
  }
};

void chooseOffset(SelectInst &Chosen, const DataLayout &Layout) {
  const Place One(Chosen.getTrueValue()), Other(Chosen.getFalseValue());
  if (!One.Variable || One.Variable != Other.Variable)
    return;
  IRBuilder<> Builder(&Chosen);
  Type *Number = Layout.getIndexType(One.Variable->getType());
  Value *First = One.offset(Builder, Layout, Number);
  Value *Second = Other.offset(Builder, Layout, Number);
  // Not by the builder, which would make constants of 0 and 1 a number of the condition.
  auto *Offset = SelectInst::Create(Chosen.getCondition(), First, Second);
  Builder.Insert(Offset);
  Value *Pointer = Builder.CreateGEP(Builder.getInt8Ty(), One.Variable, Offset);
  if (Pointer->getType() != Chosen.getType())
    Pointer = Builder.CreateAddrSpaceCast(Pointer, Chosen.getType());
  Pointer->takeName(&Chosen);
  Chosen.replaceAllUsesWith(Pointer);
  Chosen.eraseFromParent();
}

// What a pointer may point into.
void collectBases(Value *Pointer, SmallPtrSetImpl<Value *> &Seen, SmallPtrSetImpl<Value *> &Bases) {
  if (!Seen.insert(Pointer).second)
    return;
  if (auto *Step = dyn_cast<GEPOperator>(Pointer))
    return collectBases(Step->getPointerOperand(), Seen, Bases);
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer))
    return collectBases(Cast->getPointerOperand(), Seen, Bases);
  if (auto *Chosen = dyn_cast<SelectInst>(Pointer)) {
    collectBases(Chosen->getTrueValue(), Seen, Bases);
    return collectBases(Chosen->getFalseValue(), Seen, Bases);
  }
  if (auto *Chosen = dyn_cast<PHINode>(Pointer)) {
    for (Value *Each : Chosen->incoming_values())
      collectBases(Each, Seen, Bases);
    return;
  }
  Bases.insert(Pointer);
}

bool holdsPointers(Type *Of) {
  if (Of->isPointerTy())
    return true;
  if (auto *Structure = dyn_cast<StructType>(Of))
    return any_of(Structure->elements(), holdsPointers);
  return Of->isArrayTy() && holdsPointers(Of->getArrayElementType());
}

// The aggregates of a function that something chooses between, or between one and other memory, and
// its arrays of pointers.
SmallSetVector<AllocaInst *, 4> chosenBetween(Function &Of) {
  SmallSetVector<AllocaInst *, 4> Found;
  for (BasicBlock &Block : Of)
    for (Instruction &Each : Block) {
      if (auto *Variable = dyn_cast<AllocaInst>(&Each); Variable &&
                                                        Variable->getAllocatedType()->isArrayTy() &&
                                                        holdsPointers(Variable->getAllocatedType()))
        Found.insert(Variable);
      if (!Each.getType()->isPointerTy() || !(isa<SelectInst>(Each) || isa<PHINode>(Each)))
        continue;
      SmallPtrSet<Value *, 8> Seen, Bases;
      collectBases(&Each, Seen, Bases);
      if (Bases.size() < 2)
        continue;
      for (Value *Base : Bases)
        if (auto *Variable = dyn_cast<AllocaInst>(Base);
            Variable && Variable->getAllocatedType()->isAggregateType())
          Found.insert(Variable);
    }
  return Found;
}

// Has a variable be found by its address, to which the function adds nothing.
void openVariable(AllocaInst &Variable, FunctionCallee Add, Type *Number) {
  BasicBlock::iterator Behind = Variable.getIterator();
  while (isa<AllocaInst>(*Behind))
    ++Behind;
  IRBuilder<> Builder(&*Behind);
  Value *Address = Builder.CreatePtrToInt(&Variable, Number);
  Value *Same = Builder.CreateCall(Add, {Address, ConstantInt::get(Number, 0)});
  Value *Place = Builder.CreateIntToPtr(Same, Variable.getType());
  Variable.replaceUsesWithIf(Place, [&](Use &Each) {
    const auto *User = cast<Instruction>(Each.getUser());
    return User != Address && !User->isLifetimeStartOrEnd();
  });
}

} // namespace

void plumbline_open_variables(LLVMModuleRef M, const char *Add32, const char *Add64) {
  const DataLayout &Layout = unwrap(M)->getDataLayout();
  for (Function &Each : *unwrap(M)) {
    if (Each.hasOptNone())
      continue;
    for (AllocaInst *Variable : chosenBetween(Each)) {
      Type *Number = Layout.getIntPtrType(Variable->getType());
      const char *Name = Number->isIntegerTy(32) ? Add32 : Add64;
      openVariable(*Variable, unwrap(M)->getOrInsertFunction(Name, Number, Number, Number), Number);
    }
  }
}

void plumbline_choose_offsets(LLVMModuleRef M) {
  const DataLayout &Layout = unwrap(M)->getDataLayout();
  for (Function &Each : *unwrap(M)) {
    if (Each.hasOptNone())
      continue;
    SmallVector<SelectInst *> All;
    for (BasicBlock &Block : Each)
      for (Instruction &Instruction : Block)
        if (auto *Chosen = dyn_cast<SelectInst>(&Instruction);
            Chosen && Chosen->getType()->isPointerTy())
          All.push_back(Chosen);
    for (SelectInst *Chosen : All)
      chooseOffset(*Chosen, Layout);
  }
}
