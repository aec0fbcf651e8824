//===- function_kernels.h - Functions that are kernels ---------------------------------------===//

#ifndef PLUMBLINE_FUNCTION_KERNELS_H
#define PLUMBLINE_FUNCTION_KERNELS_H

#include "clang/Sema/Sema.h"

namespace plumbline {

/// Has the headers make the kernel of a function that a property says is one
/// (`sycl_ext_oneapi_free_function_kernels`), whoever starts it: that may stand where only the
/// host's compilation sees it.
void makeFunctionKernel(clang::Sema &sema, clang::FunctionDecl &function);

} // namespace plumbline

#endif
