//===- closures.h - Kernels that other host compilers name differently -----------------------===//

#ifndef PLUMBLINE_CLOSURES_H
#define PLUMBLINE_CLOSURES_H

#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Sema.h"

namespace plumbline {

/// Remembers a kernel of the translation unit by the type that names it; `at` is where messages
/// place it.
void rememberKernel(clang::QualType name, clang::SourceLocation at);

/// Reports kernels that a host compiler which numbers closures in another way might mistake for one
/// another.
void checkOrderOfKernels(clang::Sema &sema);

} // namespace plumbline

#endif
