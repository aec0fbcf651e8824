//===- kernels.h - What a kernel must not be -------------------------------------------------===//

#ifndef PLUMBLINE_KERNELS_H
#define PLUMBLINE_KERNELS_H

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"

namespace plumbline {

/// Reports a kernel wrapper whose functor no device can get a copy of, and one whose kernel has the
/// name of another, each at the functor, which is the user's.
void checkKernel(clang::DiagnosticsEngine &diagnostics, const clang::FunctionDecl &wrapper);

} // namespace plumbline

#endif
