// A function has its parameters for good: one with fewer of them is another function.
#include "shim.h"
#include "versions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace llvm;

LLVMValueRef plumbline_omit_parameters(LLVMValueRef F, const uint8_t *Omitted) {
  auto &Old = *unwrap<Function>(F);
  const AttributeList Given = Old.getAttributes();
  SmallVector<Type *> Types;
  SmallVector<AttributeSet> Attributes;
  SmallVector<Argument *> Kept;
  for (Argument &Each : Old.args()) {
    if (Omitted[Each.getArgNo()])
      continue;
    Types.push_back(Each.getType());
    Attributes.push_back(Given.getParamAttrs(Each.getArgNo()));
    Kept.push_back(&Each);
  }
  auto *Own = FunctionType::get(Old.getReturnType(), Types, Old.isVarArg());
  Function *New = Function::Create(Own, Old.getLinkage(), Old.getAddressSpace());
  New->copyAttributesFrom(&Old);
  New->setAttributes(
      AttributeList::get(Old.getContext(), Given.getFnAttrs(), Given.getRetAttrs(), Attributes));
  New->setComdat(Old.getComdat());
  Old.getParent()->getFunctionList().insert(Old.getIterator(), New);
  New->takeName(&Old);
  takeDebugForm(*New, Old);
  New->splice(New->begin(), &Old);
  New->copyMetadata(&Old, 0);
  for (auto [Before, After] : zip_equal(Kept, make_pointer_range(New->args()))) {
    Before->replaceAllUsesWith(After);
    After->takeName(Before);
  }
  Old.replaceAllUsesWith(New);
  Old.eraseFromParent();
  return wrap(New);
}
