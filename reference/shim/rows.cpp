// The row lengths of local accessors come to a PTX kernel as parameters, so nothing is known of
// where a row begins, and each word of it is read alone. Most rows are whole vectors long: such a
// kernel gets a second body, in which that is known, and chooses as it starts.
#include "shim.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Words of four bytes in the longest vector that is read at once.
constexpr uint64_t WholeVectors = 4;
// A kernel of more instructions stays as it is: its second body costs more than it brings.
constexpr size_t Long = 4000;

namespace {

// The length of a local accessor's rows or planes, where it is read.
struct RowLength {
  Argument *Range;
  uint64_t Offset;
  LoadInst *Load;
};

} // namespace

// The lengths that a kernel reads: those but the first in the ranges of its parameters with the
// attribute (the first counts rows).
static SmallVector<RowLength> rowLengths(Function &Kernel, StringRef Attribute) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  SmallVector<RowLength> Found;
  for (Argument &Range : Kernel.args()) {
    if (!Kernel.getAttributes().hasAttributeAtIndex(AttributeList::FirstArgIndex + Range.getArgNo(),
                                                    Attribute))
      continue;
    SmallVector<std::pair<Value *, uint64_t>> Places{{&Range, 0}};
    while (!Places.empty()) {
      auto [Place, Offset] = Places.pop_back_val();
      for (User *Use : Place->users()) {
        APInt Step(Layout.getIndexTypeSizeInBits(Place->getType()), 0);
        if (auto *Element = dyn_cast<GetElementPtrInst>(Use)) {
          if (Element->accumulateConstantOffset(Layout, Step))
            Places.push_back({Element, Offset + Step.getZExtValue()});
        } else if (isa<AddrSpaceCastInst>(Use)) {
          Places.push_back({Use, Offset});
        } else if (auto *Load = dyn_cast<LoadInst>(Use)) {
          if (Load->isSimple() && Load->getType()->isIntegerTy(64) && (Offset == 8 || Offset == 16))
            Found.push_back({&Range, Offset, Load});
        }
      }
    }
  }
  return Found;
}

static void addBody(Function &Kernel, ArrayRef<RowLength> Lengths) {
  BasicBlock &Entry = Kernel.getEntryBlock();
  BasicBlock::iterator First = Entry.begin();
  // Variables of the whole kernel belong to both.
  while (isa<AllocaInst>(*First))
    ++First;
  BasicBlock *Any = Entry.splitBasicBlock(First, "any.rows");
  SmallVector<BasicBlock *> Blocks, Copies;
  for (BasicBlock &Block : Kernel)
    if (&Block != &Entry)
      Blocks.push_back(&Block);
  ValueToValueMapTy Map;
  for (BasicBlock *Block : Blocks) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, ".whole", &Kernel);
    Map[Block] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);

  IRBuilder<> Builder(Entry.getTerminator());
  Type *Word = Builder.getInt64Ty();
  Value *Rest = Builder.getInt64(0);
  for (const RowLength &Length : Lengths) {
    Value *Place =
        Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Length.Range, Length.Offset);
    Rest = Builder.CreateOr(Rest, Builder.CreateAlignedLoad(Word, Place, Align(8)));
    auto *Load = cast<LoadInst>(Map[Length.Load]);
    IRBuilder<> After(Load->getNextNode());
    Value *Whole = After.CreateAnd(Load, ~(WholeVectors - 1));
    Load->replaceUsesWithIf(Whole, [=](const Use &Each) { return Each.getUser() != Whole; });
  }
  Value *Part = Builder.CreateAnd(Rest, WholeVectors - 1);
  Builder.CreateCondBr(Builder.CreateIsNull(Part), cast<BasicBlock>(Map[Any]), Any);
  Entry.getTerminator()->eraseFromParent();
}

void plumbline_double_rows(LLVMModuleRef M, const char *Attribute, size_t Length) {
  for (Function &Kernel : *unwrap(M)) {
    if (Kernel.isDeclaration() || Kernel.getInstructionCount() > Long)
      continue;
    SmallVector<RowLength> Lengths = rowLengths(Kernel, StringRef(Attribute, Length));
    if (!Lengths.empty())
      addBody(Kernel, Lengths);
  }
}
