// The body of a function in the place of one of its calls, whatever an optimizer would say to it.
#include "shim.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

LLVMBool plumbline_inline(LLVMValueRef Call) {
  InlineFunctionInfo Info;
  return InlineFunction(*unwrap<CallBase>(Call), Info).isSuccess();
}
