// Places of functions' own variables that a condition chooses, or that become numbers.
#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

#include <memory>
#include <utility>
#include <vector>

using namespace llvm;

namespace {

// Whether a place may be found in a variable of a function's own: another function's, too, whose
// address this one was given and which a compiler may make a part of that one.
bool mayBeOwn(const Value *Base) {
  if (isa<AllocaInst>(Base))
    return true;
  const auto *Given = dyn_cast<Argument>(Base);
  if (isa<Constant>(Base) ||
      (Given && Given->getParent()->getCallingConv() == CallingConv::SPIR_KERNEL))
    return false;
  constexpr unsigned Private = 0, Generic = 4;
  const auto *Type = dyn_cast<PointerType>(Base->getType());
  return Type && (Type->getAddressSpace() == Private || Type->getAddressSpace() == Generic);
}

// A place in what may be a variable: the steps that lead to it, the last one first.
struct Place {
  Value *Variable = nullptr;
  SmallVector<GEPOperator *, 4> Steps;

  explicit Place(Value *Pointer) {
    // Code that nobody comes to may lead in circles.
    for (unsigned Left = 64; Left > 0; --Left) {
      if (auto *Step = dyn_cast<GEPOperator>(Pointer)) {
        Steps.push_back(Step);
        Pointer = Step->getPointerOperand();
      } else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
        Pointer = Cast->getPointerOperand();
      } else {
        Variable = mayBeOwn(Pointer) ? Pointer : nullptr;
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

// What differs from work-item to work-item of a group, and in which blocks they may part.
class Varying {
public:
  explicit Varying(Function &Of) : Of(Of), Dominators(Of) {
    const bool IsKernel = Of.getCallingConv() == CallingConv::SPIR_KERNEL;
    for (Argument &Each : Of.args())
      if (!IsKernel)
        Values.insert(&Each);
    for (bool Grows = true; Grows;) {
      Grows = false;
      for (BasicBlock &Block : Of)
        for (Instruction &Each : Block)
          if (!Values.contains(&Each) && varies(Each))
            Grows |= Values.insert(&Each).second;
    }
  }

  bool contains(const Value *Each) const { return Values.contains(Each); }

  // Whether work-items may have come to a block by several ways.
  bool join(const BasicBlock &Block) {
    return any_of(deciding(Block), [&](const Instruction *Each) { return Values.contains(Each); });
  }

private:
  bool varies(Instruction &Each) {
    if (isa<AllocaInst>(Each))
      return false;
    if (isa<AtomicRMWInst>(Each) || isa<AtomicCmpXchgInst>(Each))
      return true;
    if (auto *Call = dyn_cast<CallBase>(&Each)) {
      const Function *Callee = Call->getCalledFunction();
      if (!Callee || !Callee->isDeclaration() || isOwn(Callee->getName()))
        return true;
    }
    if (auto *Load = dyn_cast<LoadInst>(&Each)) {
      const Value *Base = getUnderlyingObject(Load->getPointerOperand());
      if (isa<AllocaInst>(Base))
        return true;
      if (const auto *Variable = dyn_cast<GlobalVariable>(Base);
          Variable && isOwn(Variable->getName()))
        return true;
    }
    if (isa<PHINode>(Each) && join(*Each.getParent()))
      return true;
    return any_of(Each.operands(), [&](const Use &Part) { return Values.contains(Part.get()); });
  }

  // By what writers know of names; legalise/hoisted.rs has those that matter before barriers.
  static bool isOwn(StringRef Name) {
    for (StringRef Part :
         {"LocalInvocation", "GlobalInvocation", "get_local_id", "get_global_id", "local_linear_id",
          "global_linear_id", "SubgroupLocal", "get_sub_group_local"})
      if (Name.contains(Part))
        return true;
    return false;
  }

  // What ends the blocks on the ways from where all ways to a block begin.
  ArrayRef<const Instruction *> deciding(const BasicBlock &Block) {
    auto [Known, IsNew] = Deciding.try_emplace(&Block);
    if (!IsNew)
      return Known->second;
    SmallVector<const Instruction *, 4> Found;
    const auto *Node = Dominators.getNode(&Block);
    const BasicBlock *Begin = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    SmallPtrSet<const BasicBlock *, 16> Seen;
    SmallVector<const BasicBlock *, 16> Open(predecessors(&Block));
    while (!Open.empty()) {
      const BasicBlock *Next = Open.pop_back_val();
      if (!Seen.insert(Next).second)
        continue;
      if (const Instruction *End = Next->getTerminator(); End->getNumSuccessors() > 1)
        Found.push_back(End);
      if (Next != Begin)
        append_range(Open, predecessors(Next));
    }
    return Deciding[&Block] = std::move(Found);
  }

  Function &Of;
  DominatorTree Dominators;
  SmallPtrSet<const Value *, 32> Values;
  DenseMap<const BasicBlock *, SmallVector<const Instruction *, 4>> Deciding;
};

// What a pointer may point into.
SmallSetVector<Value *, 8> basesOf(Value *Pointer) {
  SmallPtrSet<Value *, 8> Seen;
  SmallSetVector<Value *, 8> Bases;
  SmallVector<Value *, 8> Open{Pointer};
  while (!Open.empty()) {
    Value *Next = Open.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (auto *Step = dyn_cast<GEPOperator>(Next)) {
      Open.push_back(Step->getPointerOperand());
    } else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Next)) {
      Open.push_back(Cast->getPointerOperand());
    } else if (auto *Chosen = dyn_cast<SelectInst>(Next)) {
      Open.push_back(Chosen->getTrueValue());
      Open.push_back(Chosen->getFalseValue());
    } else if (auto *Chosen = dyn_cast<PHINode>(Next)) {
      append_range(Open, Chosen->incoming_values());
    } else {
      Bases.insert(Next);
    }
  }
  return Bases;
}

bool holdsPointers(Type *Of) {
  if (Of->isPointerTy())
    return true;
  if (auto *Structure = dyn_cast<StructType>(Of))
    return any_of(Structure->elements(), holdsPointers);
  return Of->isArrayTy() && holdsPointers(Of->getArrayElementType());
}

bool isArrayOfPointers(const AllocaInst &Variable) {
  Type *Of = Variable.getAllocatedType();
  return Of->isArrayTy() && holdsPointers(Of);
}

// What has to be found by its address: aggregates that each work-item chooses between, or between
// one and other memory, what has places that become numbers (`p - q`), and arrays of pointers.
// Where such a place comes from memory or a call, it may be in anything whose address goes there.
class Found {
public:
  explicit Found(ArrayRef<std::pair<Function *, Varying *>> All) {
    for (auto [Of, Own] : All)
      add(*Of, *Own);
    if (ComesFromElsewhere)
      for (auto [Of, Own] : All)
        addEscaping(*Of);
    // What a function does with an address that it is given, another one may do that calls it.
    for (bool Grows = true; Grows;) {
      Grows = false;
      for (auto [Of, Own] : All)
        for (BasicBlock &Block : *Of)
          for (Instruction &Each : Block)
            if (auto *Call = dyn_cast<CallBase>(&Each))
              Grows |= addGiven(*Call);
    }
  }

  SmallSetVector<AllocaInst *, 8> Variables;

private:
  void add(Function &Of, Varying &Own) {
    for (BasicBlock &Block : Of)
      for (Instruction &Each : Block) {
        if (auto *Variable = dyn_cast<AllocaInst>(&Each); Variable && isArrayOfPointers(*Variable))
          Variables.insert(Variable);
        if (auto *Number = dyn_cast<PtrToIntInst>(&Each))
          add(basesOf(Number->getPointerOperand()), /*AnyType=*/true);
        if (!Each.getType()->isPointerTy())
          continue;
        const auto *Chosen = dyn_cast<SelectInst>(&Each);
        if (Chosen ? !Own.contains(Chosen->getCondition())
                   : !isa<PHINode>(Each) || !Own.join(Block))
          continue;
        if (const SmallSetVector<Value *, 8> Bases = basesOf(&Each); Bases.size() > 1)
          add(Bases, /*AnyType=*/false);
      }
  }

  // Adds what goes where other places may come from.
  void addEscaping(Function &Of) {
    for (BasicBlock &Block : Of)
      for (Instruction &Each : Block)
        if (isa<StoreInst>(Each) || isa<InsertValueInst>(Each) || isa<ReturnInst>(Each))
          for (Value *Part : Each.operands())
            if (Part->getType()->isPointerTy() && Part != getPointerOperand(&Each))
              add(basesOf(Part), /*AnyType=*/true);
  }

  bool addGiven(CallBase &Call) {
    Function *Callee = Call.getCalledFunction();
    // What stays a function of its own finds all by addresses.
    if (!Callee || Callee->hasFnAttribute(Attribute::NoInline))
      return false;
    bool Grows = false;
    for (Argument &Each : Callee->args())
      if (Arguments.contains(&Each) && Each.getArgNo() < Call.arg_size())
        Grows |= add(basesOf(Call.getArgOperand(Each.getArgNo())), /*AnyType=*/true);
    return Grows;
  }

  // Whether there are more by that; of numbers only where `AnyType` says so.
  bool add(const SmallSetVector<Value *, 8> &Bases, bool AnyType) {
    bool Grows = false;
    for (Value *Base : Bases) {
      if (auto *Given = dyn_cast<Argument>(Base))
        Grows |= Arguments.insert(Given).second;
      else if (auto *Variable = dyn_cast<AllocaInst>(Base);
               Variable && (AnyType || Variable->getAllocatedType()->isAggregateType()))
        Grows |= Variables.insert(Variable);
      else
        ComesFromElsewhere |= !Variable && mayBeOwn(Base);
    }
    return Grows;
  }

  SmallPtrSet<Argument *, 8> Arguments;
  bool ComesFromElsewhere = false;
};

// Whether compilers may know that a number is one of two, or one of two beside what all work-items
// have.
bool isOneOfTwo(const Value *Number, const Varying &Own, const DataLayout &Layout) {
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    if (!Number->getType()->isIntegerTy())
      return false;
    const KnownBits Known = computeKnownBits(Number, Layout);
    const unsigned Open = Known.getBitWidth() - (Known.Zero | Known.One).popcount();
    if (Open <= 1 || isa<SelectInst>(Number) || Number->getType()->isIntegerTy(1))
      return true;
    const ConstantRange Range = computeConstantRange(Number, /*ForSigned=*/false);
    if (!Range.isSizeLargerThan(2))
      return true;
    if (const auto *Chosen = dyn_cast<PHINode>(Number))
      return all_of(Chosen->incoming_values(), [](const Use &Each) { return isa<Constant>(Each); });
    const auto *Made = dyn_cast<Instruction>(Number);
    if (!Made || Made->getNumOperands() == 0)
      return false;
    if (isa<CastInst>(Made) || isa<FreezeInst>(Made))
      Number = Made->getOperand(0);
    else if (isa<BinaryOperator>(Made) && !Own.contains(Made->getOperand(1)))
      Number = Made->getOperand(0);
    else if (isa<BinaryOperator>(Made) && !Own.contains(Made->getOperand(0)))
      Number = Made->getOperand(1);
    else
      return false;
  }
  return false;
}

// A number to which the function of the module adds nothing.
class Adder {
public:
  Adder(Module &M, const char *Add32, const char *Add64) : M(M), Add32(Add32), Add64(Add64) {}

  Value *same(IRBuilder<> &Builder, Value *Number) {
    Type *Of = Number->getType();
    const char *Name = Of->isIntegerTy(32) ? Add32 : Add64;
    const FunctionCallee Add = M.getOrInsertFunction(Name, Of, Of, Of);
    return Builder.CreateCall(Add, {Number, ConstantInt::get(Of, 0)});
  }

  Module &M;

private:
  const char *Add32, *Add64;
};

// Has a variable be found by its address, to which the function adds nothing.
void openVariable(AllocaInst &Variable, Adder &Add) {
  BasicBlock::iterator Behind = Variable.getIterator();
  while (isa<AllocaInst>(*Behind))
    ++Behind;
  IRBuilder<> Builder(&*Behind);
  Type *Number = Add.M.getDataLayout().getIntPtrType(Variable.getType());
  Value *Address = Builder.CreatePtrToInt(&Variable, Number);
  Value *Place = Builder.CreateIntToPtr(Add.same(Builder, Address), Variable.getType());
  Variable.replaceUsesWithIf(Place, [&](Use &Each) {
    const auto *User = cast<Instruction>(Each.getUser());
    return User != Address && !User->isLifetimeStartOrEnd();
  });
}

// Has indices into variables that are one of two come from the function.
void openIndices(Function &Of, Varying &Own, Adder &Add) {
  const DataLayout &Layout = Add.M.getDataLayout();
  for (BasicBlock &Block : Of)
    for (Instruction &Each : Block) {
      auto *Step = dyn_cast<GetElementPtrInst>(&Each);
      if (!Step)
        continue;
      for (Use &Index : Step->indices()) {
        Type *Number = Index->getType();
        const bool IsKnown = Number->isIntegerTy(32) || Number->isIntegerTy(64);
        if (!IsKnown || isa<Constant>(Index) || !Own.contains(Index) ||
            !isOneOfTwo(Index, Own, Layout) ||
            none_of(basesOf(Step->getPointerOperand()), mayBeOwn))
          continue;
        IRBuilder<> Builder(Step);
        Index.set(Add.same(Builder, Index));
      }
    }
}

} // namespace

void plumbline_open_variables(LLVMModuleRef M, const char *Add32, const char *Add64) {
  Adder Add(*unwrap(M), Add32, Add64);
  std::vector<std::unique_ptr<Varying>> Known;
  std::vector<std::pair<Function *, Varying *>> All;
  for (Function &Each : *unwrap(M)) {
    if (Each.isDeclaration() || Each.hasOptNone())
      continue;
    Known.push_back(std::make_unique<Varying>(Each));
    All.emplace_back(&Each, Known.back().get());
  }
  for (auto [Each, Own] : All)
    openIndices(*Each, *Own, Add);
  for (AllocaInst *Variable : Found(All).Variables)
    openVariable(*Variable, Add);
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
