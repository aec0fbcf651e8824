//===- positions.cpp - Attributes where clang does not take a plugin's -----------------------===//
//
// clang 19 refuses an attribute of a plugin in two places where SYCL has them: behind a parameter
// list (`[](item<1>) [[sycl::device_has(...)]] {}`), where an attribute belongs to the function's
// type, and with a pack expansion among its arguments. Its own `annotate` and `annotate_type` may
// stand there. So in these two places, and only there, the tokens of the attribute become theirs as
// the parser reads them; an annotation of a function's type is moved to the function afterwards.
// A lambda's attributes move in front of its parameters instead, where C++23 has them for its call
// operator: clang 19 crashes when it instantiates a lambda whose type carries an annotation. Where
// a macro brings them, its use moves and is expanded there.
//
//===----------------------------------------------------------------------------------------===//

#include "positions.h"
#include "annotations.h"
#include "attributes.h"
#include "repeated.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "clang/Parse/ParseDiagnostic.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

bool seenAttributeOfType = false;

StringRef plain(StringRef name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
    return name.drop_front(2).drop_back(2);
  return name;
}

/// The annotation of an attribute that this file looks after; empty for any other.
StringRef annotationOf(StringRef scope, StringRef name) {
  return llvm::StringSwitch<StringRef>((plain(scope) + "::" + plain(name)).str())
      .Case("sycl::device_has", deviceHasAnnotation)
      .Case("sycl_detail::uses_aspects", usesAspectsAnnotation)
      .Case("sycl::reqd_work_group_size", workGroupSizeAnnotation)
      .Case("sycl::work_group_size_hint", workGroupHintAnnotation)
      .Cases("sycl::reqd_sub_group_size", "intel::reqd_sub_group_size", subGroupSizeAnnotation)
      .Case("intel::named_sub_group_size", namedSubGroupSizeAnnotation)
      .Default("");
}

/// Watches the tokens on their way to the parser.
class Watcher {
public:
  explicit Watcher(Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  void see(const Token &constant) {
    if (discarding)
      return;
    // The parser gets this very token next.
    Token &token = const_cast<Token &>(constant);
    if (rewriting)
      rewrite(token);
    else if (token.is(tok::identifier) && atAttribute())
      consider(token);
    followBrackets(token);
    if (passing)
      ++passing->tokens;
    if (token.is(tok::l_square))
      atList(token.getLocation());
    else if (passing && token.is(tok::r_square) && last == tok::r_square)
      passed();
    before = last;
    last = token.getKind();
  }

private:
  using Tokens = SmallVector<Token, 16>;

  /// A list of attributes that moves.
  struct Moved {
    /// Where the last token inside is spelled; when macros bring what is inside, the tokens that
    /// the parser had of it are counted instead.
    SourceLocation end;
    /// Whether a macro brings it, so that it comes by twice: moved, and where it stood.
    bool ofMacro;
    bool parsed = false;
    size_t tokens = 0;
  };

  SourceLocation spelling(SourceLocation location) const {
    return preprocessor.getSourceManager().getSpellingLoc(location);
  }

  std::optional<Token> next(SourceLocation from) const {
    return Lexer::findNextToken(spelling(from), preprocessor.getSourceManager(),
                                preprocessor.getLangOpts());
  }

  /// With a lambda's introducer just read: reads ahead for attributes behind its parameters, and
  /// hands them to the parser now.
  void moveAttributes(SourceLocation introducer) {
    if (preprocessor.isBacktrackEnabled())
      return;
    auto token = next(introducer);
    for (int depth = 0; token && token->isNot(tok::eof); token = next(token->getLocation())) {
      depth += token->is(tok::l_paren) - token->is(tok::r_paren);
      if (depth == 0)
        break;
    }
    if (!token || token->isNot(tok::r_paren))
      return;
    do
      token = next(token->getLocation());
    while (token && token->is(tok::raw_identifier) &&
           llvm::is_contained({"mutable", "constexpr", "noexcept"}, token->getRawIdentifier()));
    if (token && token->is(tok::raw_identifier)) {
      if (bringsAttributes(*token))
        return moveMacro(*token);
      token = argumentFor(*token, introducer);
    }
    const auto inner = token ? next(token->getLocation()) : std::nullopt;
    if (!inner || token->isNot(tok::l_square) || inner->isNot(tok::l_square))
      return;
    Tokens list{*token, *inner};
    bool ours = false, ofMacro = false;
    for (int depth = 2; depth > 0 && list.back().isNot(tok::eof);) {
      const auto each = next(list.back().getLocation());
      if (!each)
        return;
      depth += each->is(tok::l_square) - each->is(tok::r_square);
      ours |= each->is(tok::raw_identifier) && isOurScope(each->getRawIdentifier());
      ofMacro |= each->is(tok::raw_identifier) && bringsScope(each->getRawIdentifier());
      list.push_back(*each);
    }
    if (!(ours || ofMacro) || list.size() < 5 || list.back().isNot(tok::r_square))
      return;
    move(inner->getLocation(), {list[list.size() - 3].getLocation(), ofMacro}, list);
  }

  /// Whether a name is a macro's in whose replacement a scope of ours stands.
  bool bringsScope(StringRef name, unsigned depth = 0) const {
    constexpr unsigned deepest = 8; // A macro may name itself.
    const MacroInfo *macro =
        preprocessor.getMacroInfo(&preprocessor.getIdentifierTable().get(name));
    return macro && depth < deepest &&
           llvm::any_of(
               macro->tokens(),
               [&](const Token &token) {
                 const IdentifierInfo *each = token.getIdentifierInfo();
                 return each &&
                        (isOurScope(each->getName()) || bringsScope(each->getName(), depth + 1));
               });
  }

  static bool isOurScope(StringRef name) {
    return llvm::is_contained(
        {"sycl", "__sycl__", "intel", "__intel__", "__sycl_detail__", "sycl_detail"}, name);
  }

  /// Where `at` is in a macro's replacement and the name is one of its parameters: the first token
  /// of the argument.
  std::optional<Token> argumentFor(const Token &name, SourceLocation at) const {
    const SourceManager &sources = preprocessor.getSourceManager();
    while (sources.isMacroArgExpansion(at)) // The macro's use is an argument of another's.
      at = sources.getImmediateSpellingLoc(at);
    if (!at.isMacroID())
      return std::nullopt;
    const SourceLocation use = spelling(sources.getImmediateExpansionRange(at).getBegin());
    Token called;
    if (Lexer::getRawToken(use, called, sources, preprocessor.getLangOpts()) ||
        called.isNot(tok::raw_identifier))
      return std::nullopt;
    const auto *macro =
        preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(called.getRawIdentifier()));
    if (!macro || !macro->isFunctionLike())
      return std::nullopt;
    int left = macro->getParameterNum(preprocessor.getIdentifierInfo(name.getRawIdentifier()));
    if (left < 0)
      return std::nullopt;
    int depth = 0;
    for (auto token = next(use); token && token->isNot(tok::eof);
         token = next(token->getLocation())) {
      depth += token->is(tok::l_paren) - token->is(tok::r_paren);
      if (depth == 0)
        break;
      left -= depth == 1 && token->is(tok::comma);
      if (left == 0 && depth == 1)
        return next(token->getLocation());
    }
    return std::nullopt;
  }

  /// Whether a name is a macro's whose replacement begins with a list of our attributes.
  bool bringsAttributes(const Token &name) const {
    const MacroInfo *macro =
        preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(name.getRawIdentifier()));
    if (!macro || macro->getNumTokens() < 5 || macro->getReplacementToken(0).isNot(tok::l_square) ||
        macro->getReplacementToken(1).isNot(tok::l_square))
      return false;
    const IdentifierInfo *scope = macro->getReplacementToken(2).getIdentifierInfo();
    return scope && isOurScope(scope->getName());
  }

  /// Has a macro expanded in front of the parameters that stands behind them.
  void moveMacro(const Token &name) {
    Tokens use{name};
    const auto *macro =
        preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(name.getRawIdentifier()));
    for (int depth = 0; macro->isFunctionLike() && (depth > 0 || use.size() == 1);) {
      const auto each = next(use.back().getLocation());
      if (!each || each->is(tok::eof) || (depth == 0 && each->isNot(tok::l_paren)))
        return;
      depth += each->is(tok::l_paren) - each->is(tok::r_paren);
      use.push_back(*each);
    }
    move(name.getLocation(), {SourceLocation(), true}, use);
  }

  void move(SourceLocation from, Moved list, ArrayRef<Token> tokens) {
    moved[from.getRawEncoding()] = list;
    enter(tokens, list.ofMacro);
    preprocessor.getDiagnostics().setSeverity(diag::ext_decl_attrs_on_lambda,
                                              diag::Severity::Ignored, SourceLocation());
  }

  /// With a square bracket read: lets a macro's list pass that moved, leaves out one that the
  /// parser has had.
  void atList(SourceLocation opening) {
    if (moved.empty() || passing)
      return;
    auto found = moved.find(spelling(opening).getRawEncoding());
    if (found == moved.end() && last == tok::l_square && opening.isMacroID()) {
      const auto &sources = preprocessor.getSourceManager();
      const SourceLocation name = sources.getImmediateExpansionRange(opening).getBegin();
      found = moved.find(spelling(name).getRawEncoding());
    }
    if (found == moved.end())
      return;
    if (found->second.ofMacro && !found->second.parsed) {
      passing = &found->second;
    } else {
      const Moved list = found->second;
      moved.erase(found);
      discard(list);
      leftEmpty = true;
    }
  }

  /// With a macro's list at its end that moved in front of a lambda's parameters.
  void passed() {
    passing->parsed = true;
    passing->tokens -= 2; // The brackets stay where they are.
    passing = nullptr;
    atParameters = true;
  }

  /// Puts tokens in front of what the parser reads next; those that macros bring are watched.
  void enter(ArrayRef<Token> list, bool watched) {
    Tokens made;
    for (size_t at = 0; at < list.size(); ++at) {
      Token token = list[at];
      if (token.is(tok::raw_identifier))
        preprocessor.LookUpIdentifierInfo(token);
      const bool named = at + 3 < list.size() && list[at].is(tok::raw_identifier) &&
                         list[at + 1].is(tok::coloncolon) && list[at + 2].is(tok::raw_identifier) &&
                         list[at + 3].is(tok::l_paren);
      const StringRef name =
          named ? annotationOf(list[at].getRawIdentifier(), list[at + 2].getRawIdentifier()) : "";
      if (watched || name.empty() || !hasPack(list[at + 3].getLocation())) {
        made.push_back(token);
        continue;
      }
      auto &names = preprocessor.getIdentifierTable();
      token.setIdentifierInfo(&names.get("clang"));
      Token annotate = list[at + 2];
      annotate.setKind(tok::identifier);
      annotate.setIdentifierInfo(&names.get("annotate"));
      made.append({token, list[at + 1], annotate, list[at + 3]});
      made.append(nameTokens(name, list[at + 3].getLocation(), /*comma=*/true));
      at += 3;
    }
    auto tokens = std::make_unique<Token[]>(made.size());
    llvm::copy(made, tokens.get());
    preprocessor.EnterTokenStream(std::move(tokens), made.size(), /*DisableMacroExpansion=*/false,
                                  /*IsReinject=*/!watched);
  }

  /// Leaves an attribute list empty whose attributes the parser has had already.
  void discard(const Moved &list) {
    discarding = true;
    Token token;
    token.startToken();
    auto left = [&, count = list.tokens]() mutable {
      return list.ofMacro ? count-- > 0 : spelling(token.getLocation()) != list.end;
    };
    while (token.isNot(tok::eof) && left())
      preprocessor.Lex(token);
    discarding = false;
  }

  /// Whether the next identifier opens an attribute of a `[[...]]` list.
  bool atAttribute() const {
    const bool opened = last == tok::l_square && before == tok::l_square;
    return opened || (inList && parentheses.size() == listDepth && last == tok::comma);
  }

  void consider(Token &scope) {
    if (last == tok::l_square) {
      inList = true;
      listDepth = parentheses.size();
      ofType = behindParameters;
    }
    if (preprocessor.isBacktrackEnabled())
      return; // Tokens are kept as they are for another reading.
    const auto colons = next(scope.getLocation());
    const auto name = colons ? next(colons->getLocation()) : std::nullopt;
    const auto opening = name ? next(name->getLocation()) : std::nullopt;
    if (!opening || colons->isNot(tok::coloncolon) || name->isNot(tok::raw_identifier) ||
        opening->isNot(tok::l_paren))
      return;
    annotation = annotationOf(scope.getIdentifierInfo()->getName(), name->getRawIdentifier());
    const auto first = next(opening->getLocation());
    withoutArguments = first && first->is(tok::r_paren);
    const bool pack = hasPack(opening->getLocation()) || hasPackFromUse(scope.getLocation());
    if (annotation.empty() || !(ofType || pack))
      return;
    seenAttributeOfType |= ofType;
    rewriting = true;
    scope.setIdentifierInfo(&preprocessor.getIdentifierTable().get("clang"));
  }

  /// Whether the arguments that open at `at` have a pack expansion.
  bool hasPack(SourceLocation at) const {
    for (int depth = 1; depth > 0;) {
      const auto token = next(at);
      if (!token || token->is(tok::eof))
        return false;
      if (token->is(tok::ellipsis))
        return true;
      depth += token->is(tok::l_paren) - token->is(tok::r_paren);
      at = token->getLocation();
    }
    return false;
  }

  /// Whether a token comes from macros in a use of which a pack expansion stands.
  bool hasPackFromUse(SourceLocation at) const {
    while (at.isMacroID()) {
      at = preprocessor.getSourceManager().getImmediateExpansionRange(at).getBegin();
      const auto token = next(at);
      if (token && token->is(tok::l_paren) && hasPack(token->getLocation()))
        return true;
    }
    return false;
  }

  void rewrite(Token &token) {
    if (inArguments) {
      number(token);
      rewriting = inArguments = false;
    } else if (token.is(tok::identifier)) {
      const char *name = ofType ? "annotate_type" : "annotate";
      token.setIdentifierInfo(&preprocessor.getIdentifierTable().get(name));
    } else if (token.is(tok::l_paren)) {
      insertName(token.getLocation());
      inArguments = annotation == namedSubGroupSizeAnnotation && !withoutArguments;
      rewriting = inArguments;
    }
  }

  /// Puts its number in the place of a sub-group size's name.
  void number(Token &token) {
    const StringRef name = token.is(tok::identifier) ? token.getIdentifierInfo()->getName() : "";
    const auto *known = llvm::find(namedSubGroupSizes, name);
    if (known == std::end(namedSubGroupSizes)) {
      diagnoseNamedSubGroupSize(preprocessor.getDiagnostics(), token.getLocation());
      known = std::begin(namedSubGroupSizes);
    }
    const SourceLocation location = token.getLocation();
    token.startToken();
    token.setKind(tok::numeric_constant);
    const auto place = std::to_string(known - std::begin(namedSubGroupSizes));
    preprocessor.CreateString(place, token, location, location);
  }

  /// Puts the annotation's name in front of the arguments.
  void insertName(SourceLocation location) {
    const Tokens made = nameTokens(annotation, location, !withoutArguments);
    auto tokens = std::make_unique<Token[]>(made.size());
    llvm::copy(made, tokens.get());
    preprocessor.EnterTokenStream(std::move(tokens), made.size(), /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/true);
  }

  /// An annotation's name as a string, and the comma behind it.
  Tokens nameTokens(StringRef name, SourceLocation location, bool comma) {
    Tokens tokens(1 + comma);
    for (Token &token : tokens)
      token.startToken();
    tokens[0].setKind(tok::string_literal);
    preprocessor.CreateString(("\"" + name + "\"").str(), tokens[0], location, location);
    if (comma) {
      tokens[1].setKind(tok::comma);
      tokens[1].setLocation(location);
    }
    return tokens;
  }

  /// Keeps track of what a `[[` would stand behind.
  void followBrackets(const Token &token) {
    if (token.is(tok::l_paren)) {
      const bool ofAttribute = last == tok::kw___attribute || last == tok::kw_alignas;
      parentheses.push_back(ofAttribute || (last == tok::r_square && closedIntroducer));
    } else if (token.is(tok::r_paren)) {
      behindParameters = !parentheses.empty() && !parentheses.back();
      if (!parentheses.empty())
        parentheses.pop_back();
    } else if (token.is(tok::l_square)) {
      squares.push_back(opensExpression(last));
    } else if (token.is(tok::r_square)) {
      const bool closesOfType =
          last == tok::r_square && (std::exchange(leftEmpty, false) || (inList && ofType));
      inList &= last != tok::r_square;
      closedIntroducer = !squares.empty() && squares.back() && last != tok::r_square;
      if (!squares.empty())
        squares.pop_back();
      behindParameters = closesOfType; // Another list may follow.
      if (closedIntroducer)
        moveAttributes(token.getLocation());
      closedIntroducer |= std::exchange(atParameters, false);
    } else if (!token.isOneOf(tok::kw_const, tok::kw_volatile, tok::kw_mutable, tok::kw_noexcept,
                              tok::kw_constexpr, tok::amp, tok::ampamp)) {
      behindParameters = false;
    }
  }

  /// Whether a `[` behind this token can open a lambda.
  static bool opensExpression(tok::TokenKind kind) {
    return !llvm::is_contained({tok::identifier, tok::r_paren, tok::r_square, tok::l_square,
                                tok::string_literal, tok::numeric_constant, tok::kw_this,
                                tok::greater},
                               kind);
  }

  Preprocessor &preprocessor;
  /// Attribute lists that moved, by where the second bracket, or the macro's name, is spelled.
  std::map<SourceLocation::UIntTy, Moved> moved;
  /// The one of a macro that the parser reads in its new place; none otherwise.
  Moved *passing = nullptr;
  bool atParameters = false;
  /// The list that is open was behind a lambda's parameters, and has moved.
  bool leftEmpty = false;
  /// For each open square bracket, whether it may be a lambda's introducer.
  SmallVector<bool, 16> squares;
  bool closedIntroducer = false, discarding = false;
  tok::TokenKind last = tok::unknown, before = tok::unknown;
  /// For each open parenthesis, whether it belongs to another kind of attribute.
  SmallVector<bool, 32> parentheses;
  bool behindParameters = false, ofType = false, inList = false, rewriting = false;
  size_t listDepth = 0;
  StringRef annotation;
  bool withoutArguments = false, inArguments = false;
};

/// Arguments as an instance of a template has them.
bool substitute(Sema &sema, FunctionDecl &function, SmallVectorImpl<Expr *> &arguments) {
  const bool dependent =
      llvm::any_of(arguments, [](Expr *argument) { return argument->isInstantiationDependent(); });
  if (!dependent)
    return true;
  Sema::InstantiatingTemplate instantiation(sema, function.getLocation(), &function);
  SmallVector<Expr *, 4> substituted;
  if (sema.SubstExprs(arguments, /*IsCall=*/false, sema.getTemplateInstantiationArgs(&function),
                      substituted))
    return false;
  arguments = substituted;
  return true;
}

void take(Sema &sema, FunctionDecl &function, const AnnotateTypeAttr &attribute) {
  const StringRef annotation = attribute.getAnnotation();
  const bool ours = annotation == deviceHasAnnotation || annotation == usesAspectsAnnotation ||
                    annotation == workGroupSizeAnnotation ||
                    annotation == workGroupHintAnnotation || annotation == subGroupSizeAnnotation ||
                    annotation == namedSubGroupSizeAnnotation;
  const bool taken = llvm::any_of(function.specific_attrs<AnnotateAttr>(), [&](auto *other) {
    return other->getAnnotation() == annotation && other->getRange() == attribute.getRange();
  });
  if (!ours || taken)
    return;
  SmallVector<Expr *, 4> arguments(attribute.args_begin(), attribute.args_end());
  if (substitute(sema, function, arguments) && sema.ConstantFoldAttrArgs(attribute, arguments) &&
      checkArguments(sema, annotation, arguments) &&
      compareWithOthers(sema, function, annotation, arguments, attribute.getLocation()) ==
          Further::New) {
    if (arguments.empty())
      arguments.push_back(noArgument(sema.Context));
    function.addAttr(AnnotateAttr::CreateImplicit(sema.Context, annotation, arguments.data(),
                                                  arguments.size(), attribute.getRange()));
  }
}

class Visitor : public RecursiveASTVisitor<Visitor> {
public:
  explicit Visitor(Sema &sema) : sema(sema) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  // The traversal goes into a lambda's body, and past its call operator.
  bool VisitLambdaExpr(LambdaExpr *lambda) {
    takeAttributesOfType(sema, *lambda->getCallOperator());
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *function) {
    takeAttributesOfType(sema, *function);
    return true;
  }

private:
  Sema &sema;
};

} // namespace

void plumbline::watchPositions(Preprocessor &preprocessor) {
  preprocessor.setTokenWatcher(
      [watcher = Watcher(preprocessor)](const Token &token) mutable { watcher.see(token); });
}

bool plumbline::hasAttributesOfTypes() { return seenAttributeOfType; }

void plumbline::takeAttributesOfType(Sema &sema, FunctionDecl &function) {
  if (function.isDependentContext() || !function.getTypeSourceInfo())
    return;
  TypeLoc type = function.getTypeSourceInfo()->getTypeLoc();
  while (auto attributed = type.getAs<AttributedTypeLoc>()) {
    if (const auto *attribute = attributed.getAttrAs<AnnotateTypeAttr>())
      take(sema, function, *attribute);
    type = attributed.getModifiedLoc();
  }
}

void plumbline::takeAttributesOfTypes(Sema &sema) {
  Visitor(sema).TraverseDecl(sema.Context.getTranslationUnitDecl());
}
