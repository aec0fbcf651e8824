// Initializers of variables that point into other variables, as SPIR-V writers take them.
#include "shim.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <string>

using namespace llvm;

namespace {

// Writes a number's bytes, the lowest first.
void writeNumber(const APInt &Number, MutableArrayRef<uint8_t> Bytes) {
  const APInt Wide = Number.zextOrTrunc(static_cast<unsigned>(8 * Bytes.size()));
  for (size_t Place = 0; Place < Bytes.size(); ++Place)
    Bytes[Place] = static_cast<uint8_t>(Wide.extractBitsAsZExtValue(8, 8 * Place));
}

// Writes the bytes of a value that has no addresses in it; false for one that has.
bool writeBytes(const Constant &Value, const DataLayout &Layout, MutableArrayRef<uint8_t> Bytes) {
  if (Value.isNullValue() || isa<UndefValue>(Value))
    return true;
  Type *Of = Value.getType();
  const auto Own = Bytes.take_front(Layout.getTypeStoreSize(Of));
  if (const auto *Number = dyn_cast<ConstantInt>(&Value))
    return writeNumber(Number->getValue(), Own), true;
  if (const auto *Number = dyn_cast<ConstantFP>(&Value))
    return writeNumber(Number->getValueAPF().bitcastToAPInt(), Own), true;
  if (const auto *Place = dyn_cast<ConstantExpr>(&Value)) {
    const auto *Number = dyn_cast<ConstantInt>(Place->getOperand(0));
    if (Place->getOpcode() != Instruction::IntToPtr || !Number)
      return false;
    return writeNumber(Number->getValue(), Own), true;
  }
  const auto *Structure = dyn_cast<StructType>(Of);
  const auto *Vector = dyn_cast<FixedVectorType>(Of);
  if (!Structure && !Vector && !isa<ArrayType>(Of))
    return false;
  if (Vector && Layout.getTypeSizeInBits(Vector->getElementType()) % 8 != 0)
    return false;
  for (unsigned Index = 0;; ++Index) {
    const Constant *Part = Value.getAggregateElement(Index);
    if (!Part)
      return true;
    const uint64_t Offset = Structure ? Layout.getStructLayout(const_cast<StructType *>(Structure))
                                            ->getElementOffset(Index)
                                            .getFixedValue()
                                      : Index * (Vector ? Layout.getTypeStoreSize(Part->getType())
                                                        : Layout.getTypeAllocSize(Part->getType()));
    if (!writeBytes(*Part, Layout, Bytes.drop_front(Offset)))
      return false;
  }
}

// The variables that an initializer names.
void collectNamed(const Constant &Value, SmallSetVector<GlobalVariable *, 8> &Named) {
  SmallVector<const Constant *> Open{&Value};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Open.empty()) {
    const Constant *Next = Open.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (auto *Variable = dyn_cast<GlobalVariable>(Next)) {
      Named.insert(const_cast<GlobalVariable *>(Variable));
      continue;
    }
    for (const Use &Each : Next->operands())
      if (const auto *Part = dyn_cast<Constant>(Each))
        Open.push_back(Part);
  }
}

// Rewrites initializers so that a pointer into a variable is an offset in bytes of a variable of
// bytes: LLVM's back end counts the offset in elements of what the variable holds, and knows no
// offset of a pointer that was cast.
class Initializers {
public:
  explicit Initializers(Module &M) : M(M), Layout(M.getDataLayout()) {}

  // What is wrong with one of them; nothing where all are right.
  std::string rewriteAll() {
    for (GlobalVariable *Each : used())
      if (Reason.empty() && Each->hasInitializer())
        Each->setInitializer(rewritten(Each->getInitializer(), *Each));
    for (const auto &[Old, New] : Bytes) {
      New->takeName(Old);
      Old->replaceAllUsesWith(New);
      Old->eraseFromParent();
    }
    SmallPtrSet<GlobalVariable *, 16> Finished;
    for (GlobalVariable *Each : used())
      refuseCircle(*Each, Finished);
    return Reason;
  }

private:
  // The variables that functions use, and those that these name.
  SmallSetVector<GlobalVariable *, 8> used() const {
    SmallSetVector<GlobalVariable *, 8> Found;
    for (Function &F : M)
      for (BasicBlock &Block : F)
        for (Instruction &Each : Block)
          for (const Use &Operand : Each.operands())
            if (const auto *Value = dyn_cast<Constant>(Operand); Value && !isa<ConstantData>(Value))
              collectNamed(*Value, Found);
    for (size_t Index = 0; Index < Found.size(); ++Index)
      if (GlobalVariable *Each = Found[Index]; Each->hasInitializer())
        collectNamed(*Each->getInitializer(), Found);
    return Found;
  }

  // The first reason is told.
  void refuse(const GlobalVariable &Constant, const Twine &What) {
    if (Reason.empty())
      Reason = ("the constant '" + Twine(demangle(Constant.getName())) + "' " + What).str();
  }

  Constant *rewritten(Constant *Value, const GlobalVariable &Holder) {
    if (Value->getType()->isPointerTy())
      return place(Value, Holder);
    // Drivers take another number for an address inside a variable that is kept as one.
    if (auto *Number = dyn_cast<ConstantExpr>(Value);
        Number && Number->getOpcode() == Instruction::PtrToInt) {
      auto *Address = cast<Constant>(Number->getOperand(0));
      if (place(Address, Holder) != Address)
        refuse(Holder, "keeps an address as a number");
      return Value;
    }
    if (!isa<ConstantAggregate>(Value))
      return Value;
    SmallVector<Constant *> Parts;
    bool Changed = false;
    for (const Use &Each : Value->operands()) {
      Parts.push_back(rewritten(cast<Constant>(Each), Holder));
      Changed |= Parts.back() != Each.get();
    }
    if (!Changed)
      return Value;
    if (auto *Of = dyn_cast<StructType>(Value->getType()))
      return ConstantStruct::get(Of, Parts);
    if (auto *Of = dyn_cast<ArrayType>(Value->getType()))
      return ConstantArray::get(Of, Parts);
    return ConstantVector::get(Parts);
  }

  Constant *place(Constant *Value, const GlobalVariable &Holder) {
    APInt Offset(Layout.getIndexTypeSizeInBits(Value->getType()), 0);
    auto *Base = dyn_cast<GlobalVariable>(
        Value->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true));
    if (!Base || Offset.isZero())
      return Value;
    GlobalVariable *Target = asBytes(*Base);
    if (!Target) {
      refuse(Holder, "points into the middle of '" + demangle(Base->getName()) +
                         "', which holds addresses itself or has no value here");
      return Value;
    }
    LLVMContext &Context = M.getContext();
    // From the array itself: the translator steps by the whole of what a pointer points to.
    Constant *const Way[] = {ConstantInt::get(Context, APInt::getZero(Offset.getBitWidth())),
                             ConstantInt::get(Context, Offset)};
    Constant *Inside = ConstantExpr::getGetElementPtr(Target->getValueType(), Target, Way);
    return ConstantExpr::getPointerBitCastOrAddrSpaceCast(Inside, Value->getType());
  }

  // The variable as an array of bytes; null for one whose bytes nobody knows yet.
  GlobalVariable *asBytes(GlobalVariable &Variable) {
    Type *Of = Variable.getValueType();
    Type *Byte = Type::getInt8Ty(M.getContext());
    if (Of->isArrayTy() && Of->getArrayElementType() == Byte)
      return &Variable;
    GlobalVariable *&Known = Bytes[&Variable];
    if (Known || !Variable.hasDefinitiveInitializer())
      return Known;
    SmallVector<uint8_t> Content(Layout.getTypeAllocSize(Of), 0);
    if (!writeBytes(*Variable.getInitializer(), Layout, Content)) {
      Bytes.erase(&Variable);
      return nullptr;
    }
    Constant *Value = ConstantDataArray::get(M.getContext(), Content);
    Known = new GlobalVariable(M, Value->getType(), Variable.isConstant(), Variable.getLinkage(),
                               Value, "", &Variable, Variable.getThreadLocalMode(),
                               Variable.getAddressSpace());
    Known->copyAttributesFrom(&Variable);
    Known->setAlignment(Layout.getValueOrABITypeAlignment(Variable.getAlign(), Of));
    Known->copyMetadata(&Variable, 0);
    return Known;
  }

  // Constants that lead to themselves have no order in which SPIR-V could tell them.
  void refuseCircle(GlobalVariable &Start, SmallPtrSetImpl<GlobalVariable *> &Finished) {
    struct Step {
      GlobalVariable *Variable;
      SmallSetVector<GlobalVariable *, 8> Named;
      size_t Next = 0;
    };
    SmallVector<Step> Way;
    SmallPtrSet<GlobalVariable *, 16> OnWay;
    const auto Enter = [&](GlobalVariable &Variable) {
      OnWay.insert(&Variable);
      Way.push_back({&Variable, {}});
      if (!Finished.contains(&Variable) && Variable.hasInitializer())
        collectNamed(*Variable.getInitializer(), Way.back().Named);
    };
    Enter(Start);
    while (!Way.empty() && Reason.empty()) {
      Step &Last = Way.back();
      if (Last.Next == Last.Named.size()) {
        Finished.insert(Last.Variable);
        OnWay.erase(Last.Variable);
        Way.pop_back();
        continue;
      }
      GlobalVariable *Pointee = Last.Named[Last.Next++];
      if (OnWay.contains(Pointee))
        refuse(*Last.Variable, "leads back to itself by its addresses");
      else if (!Finished.contains(Pointee))
        Enter(*Pointee);
    }
  }

  Module &M;
  const DataLayout &Layout;
  MapVector<GlobalVariable *, GlobalVariable *> Bytes;
  std::string Reason;
};

} // namespace

LLVMBool plumbline_plain_initializers(LLVMModuleRef M, char **Message) {
  const std::string Reason = Initializers(*unwrap(M)).rewriteAll();
  if (Reason.empty())
    return 0;
  *Message = LLVMCreateMessage(Reason.c_str());
  return 1;
}
