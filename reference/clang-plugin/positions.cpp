//===- positions.cpp - Attributes where clang does not take a plugin's -----------------------===//
//
// clang 19 refuses an attribute of a plugin in two places where SYCL has them: behind a parameter
// list (`[](item<1>) [[sycl::device_has(...)]] {}`), where an attribute belongs to the function's
// type, and with a pack expansion among its arguments. Its own `annotate` and `annotate_type` may
// stand there. So in these two places, and only there, the tokens of the attribute become theirs as
// the parser reads them; an annotation of a function's type is moved to the function afterwards.
//
//===----------------------------------------------------------------------------------------===//

#include "positions.h"
#include "annotations.h"
#include "attributes.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/StringSwitch.h"

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
      .Cases("sycl::reqd_sub_group_size", "intel::reqd_sub_group_size", subGroupSizeAnnotation)
      .Default("");
}

/// Watches the tokens on their way to the parser.
class Watcher {
public:
  explicit Watcher(Preprocessor &preprocessor) : preprocessor(preprocessor) {}

  void see(const Token &constant) {
    // The parser gets this very token next.
    Token &token = const_cast<Token &>(constant);
    if (rewriting)
      rewrite(token);
    else if (token.is(tok::identifier) && atAttribute())
      consider(token);
    followBrackets(token);
    before = last;
    last = token.getKind();
  }

private:
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
    const auto &sources = preprocessor.getSourceManager();
    const auto &language = preprocessor.getLangOpts();
    auto next = [&](SourceLocation from) {
      return Lexer::findNextToken(sources.getSpellingLoc(from), sources, language);
    };
    const auto colons = next(scope.getLocation());
    const auto name = colons ? next(colons->getLocation()) : std::nullopt;
    const auto opening = name ? next(name->getLocation()) : std::nullopt;
    if (!opening || colons->isNot(tok::coloncolon) || name->isNot(tok::raw_identifier) ||
        opening->isNot(tok::l_paren))
      return;
    annotation = annotationOf(scope.getIdentifierInfo()->getName(), name->getRawIdentifier());
    const auto first = next(opening->getLocation());
    withoutArguments = first && first->is(tok::r_paren);
    if (annotation.empty() || !(ofType || hasPack(opening->getLocation(), next)))
      return;
    seenAttributeOfType |= ofType;
    rewriting = true;
    scope.setIdentifierInfo(&preprocessor.getIdentifierTable().get("clang"));
  }

  template <typename Next> static bool hasPack(SourceLocation at, Next next) {
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

  void rewrite(Token &token) {
    if (token.is(tok::identifier)) {
      const char *name = ofType ? "annotate_type" : "annotate";
      token.setIdentifierInfo(&preprocessor.getIdentifierTable().get(name));
    } else if (token.is(tok::l_paren)) {
      insertName(token.getLocation());
      rewriting = false;
    }
  }

  /// Puts the annotation's name in front of the arguments.
  void insertName(SourceLocation location) {
    const unsigned count = withoutArguments ? 1 : 2;
    auto tokens = std::make_unique<Token[]>(count);
    tokens[0].startToken();
    tokens[0].setKind(tok::string_literal);
    preprocessor.CreateString(("\"" + annotation + "\"").str(), tokens[0], location, location);
    if (!withoutArguments) {
      tokens[1].startToken();
      tokens[1].setKind(tok::comma);
      tokens[1].setLocation(location);
    }
    preprocessor.EnterTokenStream(std::move(tokens), count, /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/true);
  }

  /// Keeps track of what a `[[` would stand behind.
  void followBrackets(const Token &token) {
    if (token.is(tok::l_paren)) {
      const bool ofAttribute = last == tok::kw___attribute || last == tok::kw_alignas;
      parentheses.push_back(ofAttribute);
    } else if (token.is(tok::r_paren)) {
      behindParameters = !parentheses.empty() && !parentheses.back();
      if (!parentheses.empty())
        parentheses.pop_back();
    } else if (token.is(tok::r_square) && last == tok::r_square) {
      inList = false;
    } else if (!token.isOneOf(tok::kw_const, tok::kw_volatile, tok::kw_mutable, tok::kw_noexcept,
                              tok::kw_constexpr, tok::amp, tok::ampamp, tok::l_square)) {
      behindParameters = false;
    }
  }

  Preprocessor &preprocessor;
  tok::TokenKind last = tok::unknown, before = tok::unknown;
  /// For each open parenthesis, whether it belongs to another kind of attribute.
  SmallVector<bool, 32> parentheses;
  bool behindParameters = false, ofType = false, inList = false, rewriting = false;
  size_t listDepth = 0;
  StringRef annotation;
  bool withoutArguments = false;
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
                    annotation == workGroupSizeAnnotation || annotation == subGroupSizeAnnotation;
  const bool taken = llvm::any_of(function.specific_attrs<AnnotateAttr>(), [&](auto *other) {
    return other->getAnnotation() == annotation && other->getRange() == attribute.getRange();
  });
  if (!ours || taken)
    return;
  SmallVector<Expr *, 4> arguments(attribute.args_begin(), attribute.args_end());
  if (substitute(sema, function, arguments) && sema.ConstantFoldAttrArgs(attribute, arguments) &&
      checkArguments(sema, annotation, arguments))
    function.addAttr(AnnotateAttr::CreateImplicit(sema.Context, annotation, arguments.data(),
                                                  arguments.size(), attribute.getRange()));
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
