//===- positions.h - Attributes where clang does not take a plugin's -------------------------===//

#ifndef PLUMBLINE_POSITIONS_H
#define PLUMBLINE_POSITIONS_H

#include "clang/AST/Decl.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"

namespace plumbline {

/// Lets attributes stand behind a parameter list, and with pack expansions among their arguments.
void watchPositions(clang::Preprocessor &preprocessor);

/// Whether the translation unit has an attribute behind a parameter list.
bool hasAttributesOfTypes();

/// Moves what stands behind a function's parameter list to the function.
void takeAttributesOfType(clang::Sema &sema, clang::FunctionDecl &function);

/// The same for every function of the translation unit, lambdas and instances of templates too.
void takeAttributesOfTypes(clang::Sema &sema);

} // namespace plumbline

#endif
