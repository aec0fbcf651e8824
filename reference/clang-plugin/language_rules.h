//===- language_rules.h - What the language does not allow in device code --------------------===//

#ifndef PLUMBLINE_LANGUAGE_RULES_H
#define PLUMBLINE_LANGUAGE_RULES_H

#include "clang/AST/Decl.h"
#include "clang/Sema/Sema.h"

namespace plumbline {

/// Notes what device code must not have in a function's body (SYCL 2020, "Language restrictions for
/// device functions"): clang reports it once it knows that the function is device code. Only what
/// leaves no trace in LLVM IR is looked for here; the lowering finds the rest.
void checkBody(clang::Sema &sema, clang::FunctionDecl &function);

/// Reports a SYCL_EXTERNAL function that none can be: one of internal linkage, or one with a
/// work-group size of its own.
void checkExternal(clang::Sema &sema, const clang::FunctionDecl &function);

} // namespace plumbline

#endif
