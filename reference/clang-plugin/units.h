//===- units.h - Names that belong to one translation unit -----------------------------------===//

#ifndef PLUMBLINE_UNITS_H
#define PLUMBLINE_UNITS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"

namespace plumbline {

/// Whether another translation unit may have another type of the same mangled name: a part of the
/// name has internal linkage, or no name at all.
bool isOfOneUnit(clang::QualType type);

/// Leaves a constant at namespace scope its internal linkage, whatever becomes of it later.
void keepInternal(clang::VarDecl &variable);

} // namespace plumbline

#endif
