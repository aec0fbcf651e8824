// LLVM's NVPTX back end writes copies and fills of bytes as loops over single bytes, however they
// are aligned. They become loads and stores of words.
#include "shim.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

// So many words stand one after another; more are a loop.
constexpr uint64_t MostWords = 128;
constexpr uint64_t LongestWord = 8;

namespace {

// A copy of bytes, or a fill with the constant that is there instead of a source.
struct Move {
  MemIntrinsic *Whole;
  uint64_t Size;
  Align Alignment;
  Value *From;
  const ConstantInt *Pattern;
};

} // namespace

// A move of a size that is known, of bytes that somewhere are or of a constant.
static std::optional<Move> describe(MemIntrinsic &Whole) {
  const auto *Size = dyn_cast<ConstantInt>(Whole.getLength());
  if (!Size || Whole.isVolatile())
    return std::nullopt;
  Move Found{&Whole, Size->getZExtValue(), Whole.getDestAlign().valueOrOne(), nullptr, nullptr};
  if (auto *Copy = dyn_cast<MemCpyInst>(&Whole)) {
    Found.From = Copy->getRawSource();
    Found.Alignment = std::min(Found.Alignment, Copy->getSourceAlign().valueOrOne());
  } else if (auto *Fill = dyn_cast<MemSetInst>(&Whole)) {
    Found.Pattern = dyn_cast<ConstantInt>(Fill->getValue());
  }
  if (!Found.From && !Found.Pattern)
    return std::nullopt;
  return Found;
}

// Moves one word, which begins so many bytes from where the whole does.
static void moveWord(IRBuilder<> &Builder, const Move &Each, uint64_t Word, Value *Begin) {
  const auto Bits = static_cast<unsigned>(Word * 8);
  Type *Integer = Builder.getIntNTy(Bits);
  const Align Alignment(Word);
  const auto Place = [&](Value *Of) {
    return Builder.CreateInBoundsGEP(Builder.getInt8Ty(), Of, Begin);
  };
  Value *Moved;
  if (Each.Pattern)
    Moved = ConstantInt::get(Integer, APInt::getSplat(Bits, Each.Pattern->getValue()));
  else
    Moved = Builder.CreateAlignedLoad(Integer, Place(Each.From), Alignment);
  Builder.CreateAlignedStore(Moved, Place(Each.Whole->getRawDest()), Alignment);
}

// Moves so many words one after another in a loop before the whole.
static void moveInLoop(const Move &Each, uint64_t Word, uint64_t Words) {
  BasicBlock *Before = Each.Whole->getParent();
  BasicBlock *After = Before->splitBasicBlock(Each.Whole->getIterator());
  BasicBlock *Body = BasicBlock::Create(Before->getContext(), "", Before->getParent(), After);
  Before->getTerminator()->setSuccessor(0, Body);
  IRBuilder<> Builder(Body);
  const uint64_t End = Words * Word;
  PHINode *Begin = Builder.CreatePHI(Builder.getInt64Ty(), 2);
  moveWord(Builder, Each, Word, Begin);
  Value *Next = Builder.CreateAdd(Begin, Builder.getInt64(Word));
  Begin->addIncoming(Builder.getInt64(0), Before);
  Begin->addIncoming(Next, Body);
  Builder.CreateCondBr(Builder.CreateICmpULT(Next, Builder.getInt64(End)), Body, After);
}

static void toWords(const Move &Each) {
  uint64_t Word = std::min(LongestWord, Each.Alignment.value());
  uint64_t Done = 0;
  if (const uint64_t Words = Each.Size / Word; Words > MostWords) {
    moveInLoop(Each, Word, Words);
    Done = Words * Word;
  }
  IRBuilder<> Builder(Each.Whole);
  for (; Word != 0; Word /= 2)
    for (; Done + Word <= Each.Size; Done += Word)
      moveWord(Builder, Each, Word, Builder.getInt64(Done));
  Each.Whole->eraseFromParent();
}

void plumbline_copy_by_words(LLVMModuleRef M) {
  SmallVector<Move> Found;
  for (Function &F : *unwrap(M))
    for (Instruction &Each : instructions(F))
      if (auto *Whole = dyn_cast<MemIntrinsic>(&Each))
        if (const auto Described = describe(*Whole))
          Found.push_back(*Described);
  for (const Move &Each : Found)
    toWords(Each);
}
