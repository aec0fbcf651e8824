//===- attribute_lists.h - Lists of attributes as tokens -------------------------------------===//

#ifndef PLUMBLINE_ATTRIBUTE_LISTS_H
#define PLUMBLINE_ATTRIBUTE_LISTS_H

#include "clang/Lex/Preprocessor.h"

namespace plumbline {

/// Whether one of the attributes between `[[` and `]]` is in a scope of SYCL's.
bool hasAttributeOfSycl(llvm::ArrayRef<clang::Token> list);

/// Puts clang's own annotations in the place of attributes that it does not take from a plugin: of
/// those with a pack expansion among their arguments and, in the list of a function's type, of all.
/// A hint that nothing follows from becomes an attribute of clang's that nothing follows from.
/// Whether there were any. `length` tokens from the front are the list between `[[` and `]]`.
bool annotate(clang::Preprocessor &preprocessor, llvm::SmallVectorImpl<clang::Token> &tokens,
              size_t length, bool ofType);

} // namespace plumbline

#endif
