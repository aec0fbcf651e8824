//===- attributes.h - What the parts of the plugin share about attributes --------------------===//

#ifndef PLUMBLINE_ATTRIBUTES_H
#define PLUMBLINE_ATTRIBUTES_H

#include "clang/AST/Attr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace plumbline {

/// Reports values that the attribute behind an annotation must not have: what is no aspect, an
/// aspect twice, a size that is none. Arguments that depend on template parameters are
/// left for the instantiation. Returns whether all is well.
bool checkArguments(clang::Sema &sema, llvm::StringRef annotation,
                    llvm::ArrayRef<clang::Expr *> arguments);

/// Reports an argument of `named_sub_group_size` that is none of the names.
void diagnoseNamedSubGroupSize(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation at);

/// What stands for no argument in an annotation, which the lowering passes over: -1, at no place of
/// the source. Where global variables have an address space of their own, clang 19 mistypes an
/// annotation that has no arguments at all.
clang::Expr *noArgument(clang::ASTContext &context);

} // namespace plumbline

#endif
