// A copy of a part of a module, at a cost that depends on the part alone.
// llvm::CloneModule copies a declaration of everything else as well, which
// makes splitting a module into N parts quadratic.

#include "shim.h"
#include "versions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

// Metadata that names no global is shared between the two modules, which live
// in one context; what names one is copied, and the mention of a global that
// stays behind becomes null.
class Mentions {
public:
  bool global(const Metadata *Root) {
    SmallVector<const Metadata *, 16> Open{Root};
    SmallPtrSet<const Metadata *, 16> Seen;
    while (!Open.empty()) {
      const Metadata *Next = Open.pop_back_val();
      if (!Next || Clean.contains(Next) || !Seen.insert(Next).second)
        continue;
      if (const auto *Leaf = dyn_cast<ConstantAsMetadata>(Next)) {
        if (constantHasGlobal(Leaf->getValue()))
          return true;
      } else if (const auto *List = dyn_cast<DIArgList>(Next)) {
        Open.append(List->getArgs().begin(), List->getArgs().end());
      } else if (const auto *Node = dyn_cast<MDNode>(Next)) {
        for (const MDOperand &Operand : Node->operands())
          Open.push_back(Operand.get());
      }
    }
    Clean.insert(Seen.begin(), Seen.end());
    return false;
  }

private:
  static bool constantHasGlobal(const Constant *Value) {
    if (isa<GlobalValue>(Value))
      return true;
    for (const Use &Operand : Value->operands())
      if (const auto *Inner = dyn_cast<Constant>(Operand.get()))
        if (constantHasGlobal(Inner))
          return true;
    return false;
  }

  DenseSet<const Metadata *> Clean;
};

class Subset {
public:
  Subset(Module &From)
      : From(From), To(std::make_unique<Module>(From.getModuleIdentifier(), From.getContext())) {
    To->setSourceFileName(From.getSourceFileName());
    To->setDataLayout(From.getDataLayout());
    To->setTargetTriple(From.getTargetTriple());
    takeDebugForm(*To, From);
  }

  std::unique_ptr<Module> take(ArrayRef<LLVMValueRef> Globals, ArrayRef<uint8_t> Define) {
    keepUnits();
    for (size_t I = 0; I != Globals.size(); ++I)
      declare(unwrap<GlobalValue>(Globals[I]), Define[I]);
    for (size_t I = 0; I != Globals.size(); ++I)
      if (Define[I])
        define(unwrap<GlobalValue>(Globals[I]));
    copyNamedMetadata();
    return std::move(To);
  }

private:
  RemapFlags flags(bool Shared) const {
    return Shared ? RF_NoModuleLevelChanges : RF_NullMapMissingGlobalValues;
  }

  // A function whose own description names a global gets a copy of that, but
  // not of its compile unit: one unit would become two.
  void keepUnits() {
    if (NamedMDNode *List = From.getNamedMetadata("llvm.dbg.cu"))
      for (MDNode *Unit : List->operands())
        if (!Mention.global(Unit))
          Map.MD()[Unit].reset(Unit);
  }

  void declare(GlobalValue *Old, bool Define) {
    GlobalValue *New = nullptr;
    auto Linkage = Old->getLinkage();
    if (auto *Variable = dyn_cast<GlobalVariable>(Old)) {
      auto *Copy = new GlobalVariable(*To, Variable->getValueType(), Variable->isConstant(),
                                      Linkage, nullptr, Variable->getName(), nullptr,
                                      Variable->getThreadLocalMode(), Variable->getAddressSpace());
      Copy->copyAttributesFrom(Variable);
      New = Copy;
    } else if (auto *Alias = dyn_cast<GlobalAlias>(Old); Alias && Define) {
      auto *Copy = GlobalAlias::create(Alias->getValueType(), Alias->getAddressSpace(), Linkage,
                                       Alias->getName(), To.get());
      Copy->copyAttributesFrom(Alias);
      New = Copy;
    } else if (auto *IFunc = dyn_cast<GlobalIFunc>(Old); IFunc && Define) {
      auto *Copy = GlobalIFunc::create(IFunc->getValueType(), IFunc->getAddressSpace(), Linkage,
                                       IFunc->getName(), nullptr, To.get());
      Copy->copyAttributesFrom(IFunc);
      New = Copy;
    } else if (auto *Type = dyn_cast<FunctionType>(Old->getValueType())) {
      auto *Copy =
          Function::Create(Type, Linkage, Old->getAddressSpace(), Old->getName(), To.get());
      if (auto *Body = dyn_cast<Function>(Old))
        Copy->copyAttributesFrom(Body);
      // Personality and the like are set with the body, once all is mapped.
      Copy->setPersonalityFn(nullptr);
      Copy->setPrefixData(nullptr);
      Copy->setPrologueData(nullptr);
      New = Copy;
    } else {
      New = new GlobalVariable(*To, Old->getValueType(), false, Linkage, nullptr, Old->getName(),
                               nullptr, GlobalValue::NotThreadLocal, Old->getAddressSpace());
    }
    if (!Define && !Old->isDeclaration())
      New->setLinkage(GlobalValue::ExternalLinkage);
    if (Define)
      if (auto *OldObject = dyn_cast<GlobalObject>(Old))
        if (const Comdat *Group = OldObject->getComdat()) {
          Comdat *Copy = To->getOrInsertComdat(Group->getName());
          Copy->setSelectionKind(Group->getSelectionKind());
          cast<GlobalObject>(New)->setComdat(Copy);
        }
    Map[Old] = New;
  }

  void define(GlobalValue *Old) {
    Value *New = Map[Old];
    if (auto *OldObject = dyn_cast<GlobalObject>(Old))
      if (isa<GlobalObject>(New))
        copyAttachments(OldObject, cast<GlobalObject>(New));
    if (auto *Body = dyn_cast<Function>(Old)) {
      if (!Body->isDeclaration())
        copyBody(*Body, *cast<Function>(New));
    } else if (auto *Variable = dyn_cast<GlobalVariable>(Old)) {
      if (Variable->hasInitializer())
        cast<GlobalVariable>(New)->setInitializer(MapValue(Variable->getInitializer(), Map));
    } else if (auto *Alias = dyn_cast<GlobalAlias>(Old)) {
      cast<GlobalAlias>(New)->setAliasee(MapValue(Alias->getAliasee(), Map));
    } else if (auto *IFunc = dyn_cast<GlobalIFunc>(Old)) {
      cast<GlobalIFunc>(New)->setResolver(MapValue(IFunc->getResolver(), Map));
    }
  }

  void copyAttachments(GlobalObject *Old, GlobalObject *New) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> Attached;
    Old->getAllMetadata(Attached);
    for (auto &[Kind, Node] : Attached) {
      bool Shared = !Mention.global(Node);
      New->addMetadata(Kind, *MapMetadata(Node, Map, flags(Shared)));
      if (auto *Subprogram = dyn_cast<DISubprogram>(Node))
        addUnit(Subprogram);
    }
  }

  void addUnit(const DISubprogram *Subprogram) {
    if (DICompileUnit *Unit = Subprogram->getUnit())
      Units.insert(Unit);
  }

  void copyBody(Function &Old, Function &New) {
    if (Old.hasPersonalityFn())
      New.setPersonalityFn(MapValue(Old.getPersonalityFn(), Map));
    if (Old.hasPrefixData())
      New.setPrefixData(MapValue(Old.getPrefixData(), Map));
    if (Old.hasPrologueData())
      New.setPrologueData(MapValue(Old.getPrologueData(), Map));
    for (auto [OldArg, NewArg] : zip(Old.args(), New.args())) {
      NewArg.setName(OldArg.getName());
      Map[&OldArg] = &NewArg;
    }
    bool Shared = true;
    for (BasicBlock &Block : Old) {
      Map[&Block] = CloneBasicBlock(&Block, Map, "", &New);
      Shared &= !mentionsGlobals(Block);
    }
    for (BasicBlock &Block : New)
      for (Instruction &I : Block) {
        RemapDbgRecordRange(To.get(), I.getDbgRecordRange(), Map, flags(Shared));
        RemapInstruction(&I, Map, flags(Shared));
        for (const DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt())
          addUnit(At->getScope()->getSubprogram());
      }
  }

  bool mentionsGlobals(const BasicBlock &Block) {
    for (const Instruction &I : Block) {
      SmallVector<std::pair<unsigned, MDNode *>, 4> Attached;
      I.getAllMetadata(Attached);
      for (auto &[Kind, Node] : Attached)
        if (Mention.global(Node))
          return true;
      for (const Value *Operand : I.operands())
        if (const auto *Wrapped = dyn_cast<MetadataAsValue>(Operand))
          if (Mention.global(Wrapped->getMetadata()))
            return true;
      for (const DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
        if (Mention.global(Record.getRawLocation()) || Mention.global(Record.getVariable()))
          return true;
    }
    return false;
  }

  void copyNamedMetadata() {
    for (NamedMDNode &Named : From.named_metadata()) {
      if (Named.getName() == "llvm.dbg.cu")
        continue;
      SmallVector<MDNode *, 8> Kept;
      for (MDNode *Node : Named.operands())
        if (!Mention.global(Node))
          Kept.push_back(Node);
        else if (allMapped(Node))
          Kept.push_back(MapMetadata(Node, Map, flags(false)));
      // A list that was empty before is a statement too.
      if (Kept.empty() && Named.getNumOperands() != 0)
        continue;
      NamedMDNode *Copy = To->getOrInsertNamedMetadata(Named.getName());
      for (MDNode *Node : Kept)
        Copy->addOperand(Node);
    }
    if (Units.empty())
      return;
    NamedMDNode *Copy = To->getOrInsertNamedMetadata("llvm.dbg.cu");
    for (DICompileUnit *Unit : Units)
      Copy->addOperand(MapMetadata(Unit, Map, flags(!Mention.global(Unit))));
  }

  // Whether every global that a list's entry names directly is in the copy.
  bool allMapped(const MDNode *Node) const {
    for (const MDOperand &Operand : Node->operands())
      if (const auto *Leaf = dyn_cast_or_null<ConstantAsMetadata>(Operand.get()))
        if (const auto *Global = dyn_cast<GlobalValue>(Leaf->getValue()))
          if (!Map.count(Global))
            return false;
    return true;
  }

  Module &From;
  std::unique_ptr<Module> To;
  ValueToValueMapTy Map;
  Mentions Mention;
  SetVector<DICompileUnit *> Units;
};

} // namespace

LLVMModuleRef plumbline_clone_subset(LLVMModuleRef From, const LLVMValueRef *Globals,
                                     const uint8_t *Define, size_t Count) {
  return wrap(
      Subset(*unwrap(From)).take(ArrayRef(Globals, Count), ArrayRef(Define, Count)).release());
}
