//===- units.h - Names that belong to one translation unit -----------------------------------===//

#ifndef PLUMBLINE_UNITS_H
#define PLUMBLINE_UNITS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace plumbline {

/// Whether another translation unit may have another type of the same mangled name: a part of the
/// name has internal linkage, or no name at all.
bool isOfOneUnit(clang::QualType type);

/// Whether there is a part of a type's mangled name of which `holds` is true: a type, a function, a
/// variable or what they are members or closures of.
bool anyPartOfName(clang::QualType type, llvm::function_ref<bool(const clang::NamedDecl &)> holds);

/// Leaves a constant at namespace scope its internal linkage, whatever becomes of it later.
void keepInternal(clang::VarDecl &variable);

} // namespace plumbline

#endif
