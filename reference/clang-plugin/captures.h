//===- captures.h - Closures that other host compilers lay out differently ------------------===//

#ifndef PLUMBLINE_CAPTURES_H
#define PLUMBLINE_CAPTURES_H

#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Sema.h"

namespace plumbline {

/// Reports closures in a kernel's functor whose captures g++ of the major version `gcc` may put in
/// another order, or have more of, than the device compilation: functors are handed over as the
/// host has them.
void checkCaptures(clang::Sema &sema, const clang::CXXRecordDecl &functor, unsigned gcc);

} // namespace plumbline

#endif
