//===- read_ahead.h - Tokens changed on their way to the parser ------------------------------===//

#ifndef PLUMBLINE_READ_AHEAD_H
#define PLUMBLINE_READ_AHEAD_H

#include "clang/Lex/Preprocessor.h"

namespace plumbline {

/// The tokens behind one that a token watcher is shown: to be read and changed before the parser
/// has them. They are what the preprocessor makes, with all macros expanded, and come to the
/// watcher as they are read, not again when the parser has them.
class ReadAhead {
public:
  ReadAhead(clang::Preprocessor &preprocessor, const clang::Token &shown);

  /// The token at a place behind the shown one; the end of the file for what is behind that.
  const clang::Token &at(size_t place);

  /// All that was read. It may grow, and not shrink.
  llvm::SmallVectorImpl<clang::Token> &tokens() { return read; }

  /// Hands the tokens to the parser; reading is over then.
  void giveBack();

  /// The place behind the bracket that closes the one at `place`, or of the end of the file.
  size_t behind(size_t place, clang::tok::TokenKind opening, clang::tok::TokenKind closing);

private:
  clang::Preprocessor &preprocessor;
  /// Whether the parser may read these tokens again, and the preprocessor keeps them for that.
  bool kept;
  size_t count = 0;
  llvm::SmallVector<clang::Token, 32> read;
};

} // namespace plumbline

#endif
