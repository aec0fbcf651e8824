//===- repeated.h - Attributes that say something else the second time -----------------------===//

#ifndef PLUMBLINE_REPEATED_H
#define PLUMBLINE_REPEATED_H

#include "clang/AST/Expr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace plumbline {

/// What a further attribute is to those that a declaration has.
enum class Further { New, Same, Different };

/// Compares an attribute that is about to be added to a declaration with its others of the same
/// kind, and reports it when their arguments differ. What depends on template parameters is left
/// for the instantiation.
Further compareWithOthers(clang::Sema &sema, const clang::Decl &declaration,
                          llvm::StringRef annotation, llvm::ArrayRef<clang::Expr *> arguments,
                          clang::SourceLocation at);

/// Does the same with all attributes of a function, inherited ones and those with pack expansions
/// too, and reports those that its first declaration lacks.
void checkRepeated(clang::Sema &sema, const clang::FunctionDecl &function);

} // namespace plumbline

#endif
