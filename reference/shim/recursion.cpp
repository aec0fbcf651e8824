// The recursion of std::sort, which devices have none of.
#include "shim.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

// libstdc++'s: what lies between two places, how deep it may go, and what compares.
constexpr StringRef Sort = "_ZSt16__introsort_loop";
constexpr unsigned Depth = 2;

SmallVector<CallInst *, 2> callsOf(Function &Called, Function &Within) {
  SmallVector<CallInst *, 2> Found;
  for (User *Each : Called.users())
    if (auto *Call = dyn_cast<CallInst>(Each);
        Call && Call->getCalledFunction() == &Called && Call->getFunction() == &Within)
      Found.push_back(Call);
  return Found;
}

bool isSort(const Function &Each) {
  return !Each.isDeclaration() && Each.getName().starts_with(Sort) &&
         Each.getReturnType()->isVoidTy() && Each.arg_size() > Depth &&
         Each.getArg(Depth)->getType()->isIntegerTy();
}

} // namespace

void plumbline_end_recursion(LLVMModuleRef M) {
  SmallVector<Function *> Found;
  for (Function &Each : *unwrap(M))
    if (isSort(Each))
      Found.push_back(&Each);
  for (Function *Each : Found) {
    const SmallVector<CallInst *, 2> Own = callsOf(*Each, *Each);
    if (Own.empty())
      continue;
    // Where it may go no deeper it sorts by a heap, and does not call itself.
    ValueToValueMapTy Map;
    Function *Last = CloneFunction(Each, Map);
    Last->setName(Each->getName() + ".last");
    Last->setLinkage(GlobalValue::InternalLinkage);
    Last->setComdat(nullptr);
    Argument *Left = Last->getArg(Depth);
    Left->replaceAllUsesWith(ConstantInt::get(Left->getType(), 0));
    for (CallInst *Call : callsOf(*Each, *Last))
      Call->eraseFromParent();
    for (CallInst *Call : Own)
      Call->setCalledFunction(Last);
  }
}
