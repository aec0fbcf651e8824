//===- positions.cpp - Attributes where clang does not take a plugin's -----------------------===//
//
// clang 19 refuses an attribute of a plugin in two places where SYCL has them: behind a parameter
// list (`[](item<1>) [[sycl::device_has(...)]] {}`), where an attribute belongs to the function's
// type, and with a pack expansion among its arguments. Its own `annotate` and `annotate_type` may
// stand there. So in these two places, and only there, the tokens of the attribute become theirs
// before the parser reads them; an annotation of a function's type is moved to the function
// afterwards (of_types.cpp).
// A lambda's attributes move in front of its parameters instead, where C++23 has them for its call
// operator: clang 19 crashes when it instantiates a lambda whose type carries an annotation.
//
// Both are done with what the preprocessor makes of the source: which part of it macros bring, and
// how, makes no difference.
//
//===----------------------------------------------------------------------------------------===//

#include "positions.h"
#include "attribute_lists.h"
#include "read_ahead.h"
#include "clang/Parse/ParseDiagnostic.h"
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

bool seenAttributeOfType = false;

/// Watches the tokens on their way to the parser. Where it reads ahead, it is shown these tokens
/// within that call.
class Watcher {
public:
  explicit Watcher(Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  void see(const Token &token) {
    const tok::TokenKind before = std::exchange(last, token.getKind());
    switch (last) {
    case tok::l_square:
      return open(token, before);
    case tok::r_square:
      return close(token);
    case tok::l_paren:
      parentheses.push_back(mayHoldParameters(before));
      behindIntroducer = behindParameters = false;
      break;
    case tok::r_paren:
      behindIntroducer = false;
      behindParameters = !parentheses.empty() && parentheses.pop_back_val();
      break;
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_noexcept:
    case tok::kw_throw:
    case tok::amp:
    case tok::ampamp:
      break;
    default:
      behindIntroducer = behindParameters = false;
    }
  }

private:
  /// What a square bracket opens.
  enum class Square { Introducer, AttributeList, Other };

  struct Opened {
    Square kind;
    /// Where it stands: a list of attributes changes nothing about what may follow.
    bool behindParameters, behindIntroducer;
  };

  void open(const Token &token, tok::TokenKind before) {
    const bool list = before == tok::l_square && !squares.empty();
    if (list)
      squares.back().kind = Square::AttributeList;
    const Square kind = list                      ? Square::AttributeList
                        : opensExpression(before) ? Square::Introducer
                                                  : Square::Other;
    squares.push_back({kind, behindParameters, behindIntroducer});
    if (list)
      atList(token);
  }

  void close(const Token &token) {
    const Opened opened = squares.empty() ? Opened{Square::Other, false, false} : squares.back();
    if (!squares.empty())
      squares.pop_back();
    const bool list = opened.kind == Square::AttributeList;
    behindParameters = list && opened.behindParameters;
    behindIntroducer = opened.kind == Square::Introducer || (list && opened.behindIntroducer);
    if (opened.kind == Square::Introducer)
      moveAttributes(token);
  }

  /// With a list of attributes just opened.
  void atList(const Token &opening) {
    const bool ofType = behindParameters;
    ReadAhead ahead(preprocessor, opening);
    size_t length = 0;
    for (int depth = 1; depth > 0; ++length) {
      const Token &token = ahead.at(length);
      if (token.is(tok::eof))
        return ahead.giveBack();
      depth += token.is(tok::l_square) - token.is(tok::r_square);
    }
    --length; // The bracket is no part of it.
    listIsOfSycl = hasAttributeOfSycl(ArrayRef(ahead.tokens()).take_front(length));
    if (annotate(preprocessor, ahead.tokens(), length, ofType))
      seenAttributeOfType |= ofType;
    ahead.giveBack();
  }

  /// With a lambda's introducer just read.
  void moveAttributes(const Token &closing) {
    ReadAhead ahead(preprocessor, closing);
    const auto atList = [&](size_t place) {
      return ahead.at(place).is(tok::l_square) && ahead.at(place + 1).is(tok::l_square);
    };
    const auto behindList = [&](size_t place) {
      return ahead.behind(place, tok::l_square, tok::r_square);
    };
    size_t front = behindTemplateParameters(ahead);
    while (atList(front))
      front = behindList(front);
    SmallVector<std::pair<size_t, size_t>, 2> lists;
    for (size_t place = behindSpecifiers(ahead, front); atList(place);) {
      const size_t begin = std::exchange(place, behindList(place));
      if (listIsOfSycl)
        lists.emplace_back(begin, place);
    }
    for (const auto &[begin, end] : lists) {
      const auto first = ahead.tokens().begin();
      std::rotate(first + front, first + begin, first + end);
      front += end - begin;
    }
    if (!lists.empty())
      preprocessor.getDiagnostics().setSeverity(diag::ext_decl_attrs_on_lambda,
                                                diag::Severity::Ignored, SourceLocation());
    ahead.giveBack();
  }

  /// The place behind a lambda's template parameters; the first one where it has none.
  size_t behindTemplateParameters(ReadAhead &ahead) {
    if (ahead.at(0).isNot(tok::less))
      return 0;
    size_t place = 0;
    for (int angles = 0;; ++place) {
      const tok::TokenKind kind = ahead.at(place).getKind();
      if (kind == tok::eof || kind == tok::semi)
        return place; // This is no lambda.
      if (kind == tok::l_paren)
        place = ahead.behind(place, tok::l_paren, tok::r_paren) - 1;
      angles += (kind == tok::less) - (kind == tok::greater) - 2 * (kind == tok::greatergreater);
      if (angles <= 0)
        break;
    }
    behindIntroducer = true; // Parameters that follow are the lambda's.
    return place + 1;
  }

  /// The place behind a lambda's parameters and what may stand between these and its attributes.
  static size_t behindSpecifiers(ReadAhead &ahead, size_t place) {
    if (ahead.at(place).is(tok::l_paren))
      place = ahead.behind(place, tok::l_paren, tok::r_paren);
    while (ahead.at(place).isOneOf(tok::kw_mutable, tok::kw_static, tok::kw_constexpr,
                                   tok::kw_consteval, tok::kw_noexcept, tok::kw_throw,
                                   tok::kw___attribute)) {
      const bool takesArguments =
          ahead.at(place).isOneOf(tok::kw_noexcept, tok::kw_throw, tok::kw___attribute);
      ++place;
      if (takesArguments && ahead.at(place).is(tok::l_paren))
        place = ahead.behind(place, tok::l_paren, tok::r_paren);
    }
    return place;
  }

  /// Whether a `(` behind this token may open parameters of a function that is no lambda, or stand
  /// between these and the attributes of its type.
  bool mayHoldParameters(tok::TokenKind before) const {
    if (before == tok::kw_noexcept || before == tok::kw_throw)
      return behindParameters;
    return !behindIntroducer && before != tok::kw___attribute && before != tok::kw_alignas &&
           before != tok::kw_operator; // That is the name of a call operator.
  }

  /// Whether a `[` behind this token can open a lambda.
  static bool opensExpression(tok::TokenKind kind) {
    return !llvm::is_contained({tok::identifier, tok::r_paren, tok::r_square, tok::l_square,
                                tok::string_literal, tok::numeric_constant, tok::kw_this,
                                tok::greater, tok::kw_operator},
                               kind);
  }

  Preprocessor &preprocessor;
  tok::TokenKind last = tok::unknown;
  SmallVector<Opened, 16> squares;
  /// For each open parenthesis, what `mayHoldParameters` said.
  SmallVector<bool, 32> parentheses;
  /// Whether a list of attributes that opened now would belong to a function's type.
  bool behindParameters = false;
  /// Whether a parenthesis that opened now would hold a lambda's parameters.
  bool behindIntroducer = false;
  /// Whether the last list of attributes had one of SYCL's.
  bool listIsOfSycl = false;
};

} // namespace

void plumbline::watchPositions(Preprocessor &preprocessor) {
  preprocessor.setTokenWatcher(
      [watcher = Watcher(preprocessor)](const Token &token) mutable { watcher.see(token); });
}

bool plumbline::hasAttributesOfTypes() { return seenAttributeOfType; }
