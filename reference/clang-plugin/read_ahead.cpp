//===- read_ahead.cpp - Tokens changed on their way to the parser ----------------------------===//

#include "read_ahead.h"

using namespace clang;
using namespace plumbline;

// While the parser may come back to a token, the preprocessor keeps what it reads, and so must have
// the changes among what it keeps. A token that the parser only peeks at is not the last kept one:
// behind that the preprocessor reads as it always does.
ReadAhead::ReadAhead(Preprocessor &preprocessor, const Token &shown)
    : preprocessor(preprocessor),
      kept(preprocessor.isBacktrackEnabled() && preprocessor.IsPreviousCachedToken(shown)) {}

const Token &ReadAhead::at(size_t place) {
  while (read.size() <= place && (read.empty() || read.back().isNot(tok::eof))) {
    Token token;
    if (kept)
      token = preprocessor.LookAhead(count);
    else
      preprocessor.Lex(token);
    ++count;
    read.push_back(token);
  }
  return read[std::min(place, read.size() - 1)];
}

void ReadAhead::giveBack() {
  assert(read.size() >= count && "kept tokens cannot be taken away");
  if (!kept) {
    auto tokens = std::make_unique<Token[]>(read.size());
    llvm::copy(read, tokens.get());
    preprocessor.EnterTokenStream(std::move(tokens), read.size(), /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/true);
    return;
  }
  // In front of tokens that are kept this makes room among them.
  if (read.size() > count)
    preprocessor.EnterTokenStream(ArrayRef(read).drop_front(count),
                                  /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
  for (size_t place = 0; place < read.size(); ++place)
    const_cast<Token &>(preprocessor.LookAhead(place)) = read[place];
}

size_t ReadAhead::behind(size_t place, tok::TokenKind opening, tok::TokenKind closing) {
  for (size_t depth = 0; at(place).isNot(tok::eof); ++place) {
    if (at(place).is(opening))
      ++depth;
    else if (at(place).is(closing) && --depth == 0)
      return place + 1;
  }
  return place;
}
