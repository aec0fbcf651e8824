//===- attribute_lists.cpp - Lists of attributes as tokens -----------------------------------===//

#include "attribute_lists.h"
#include "annotations.h"
#include "attributes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace plumbline;

namespace {

using Tokens = SmallVector<Token, 32>;

/// The scope that `using` names for all attributes of a list; null without.
const Token *scopeOfAll(ArrayRef<Token> list) {
  const bool named = list.size() > 2 && list[0].is(tok::kw_using) && list[1].is(tok::identifier) &&
                     list[2].is(tok::colon);
  return named ? &list[1] : nullptr;
}

/// A list's attributes, each with its scope in front, if it has one, and the commas between.
SmallVector<Tokens, 4> attributes(ArrayRef<Token> list) {
  const Token *scope = scopeOfAll(list);
  Token colons = scope ? list[2] : Token();
  if (scope)
    colons.setKind(tok::coloncolon);
  SmallVector<Tokens, 4> all;
  int depth = 0;
  bool begins = true;
  for (const Token &token : scope ? list.drop_front(3) : list) {
    depth += token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace) -
             token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
    const bool between = depth == 0 && token.is(tok::comma);
    if (begins || between)
      all.emplace_back();
    if (begins && !between && scope)
      all.back().append({*scope, colons});
    all.back().push_back(token);
    begins = between;
  }
  return all;
}

bool isScoped(ArrayRef<Token> attribute) {
  return attribute.size() > 2 && attribute[0].is(tok::identifier) &&
         attribute[1].is(tok::coloncolon) && attribute[2].is(tok::identifier);
}

StringRef plain(const Token &token) {
  const StringRef name = token.getIdentifierInfo()->getName();
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
    return name.drop_front(2).drop_back(2);
  return name;
}

/// The annotation that stands for an attribute; empty for one that is none of this plugin's.
StringRef annotationOf(ArrayRef<Token> attribute) {
  if (!isScoped(attribute))
    return "";
  const std::string name = (plain(attribute[0]) + "::" + plain(attribute[2])).str();
  if (attribute.size() == 3)
    return name == "intel::kernel_args_restrict" ? StringRef(argsRestrictAnnotation) : "";
  if (attribute.size() < 5 || attribute[3].isNot(tok::l_paren))
    return "";
  return llvm::StringSwitch<StringRef>(name)
      .Case("sycl::device_has", deviceHasAnnotation)
      .Case("sycl_detail::uses_aspects", usesAspectsAnnotation)
      .Cases("sycl::reqd_work_group_size", "cl::reqd_work_group_size", workGroupSizeAnnotation)
      .Cases("sycl::work_group_size_hint", "cl::work_group_size_hint", workGroupHintAnnotation)
      .Cases("sycl::reqd_sub_group_size", "intel::reqd_sub_group_size",
             "cl::intel_reqd_sub_group_size", subGroupSizeAnnotation)
      .Case("intel::named_sub_group_size", namedSubGroupSizeAnnotation)
      .Default("");
}

/// A hint that SYCL 2020 deprecates, by a type, which attributes of plugins do not take
/// (SYCL 2020, 5.8.1): nothing follows from it.
bool isHintOfVectors(ArrayRef<Token> attribute) {
  return isScoped(attribute) && plain(attribute[2]) == "vec_type_hint" &&
         llvm::is_contained({"sycl", "cl"}, plain(attribute[0])) && attribute.size() > 5;
}

Token made(Preprocessor &preprocessor, tok::TokenKind kind, StringRef text, SourceLocation at) {
  Token token;
  token.startToken();
  token.setKind(kind);
  preprocessor.CreateString(text, token, at, at);
  return token;
}

/// The number of a sub-group size that is given by name.
Token numberOf(Preprocessor &preprocessor, const Token &name) {
  const StringRef text = name.is(tok::identifier) ? name.getIdentifierInfo()->getName() : "";
  const auto *known = llvm::find(namedSubGroupSizes, text);
  if (known == std::end(namedSubGroupSizes)) {
    diagnoseNamedSubGroupSize(preprocessor.getDiagnostics(), name.getLocation());
    known = std::begin(namedSubGroupSizes);
  }
  const auto number = std::to_string(known - std::begin(namedSubGroupSizes));
  return made(preprocessor, tok::numeric_constant, number, name.getLocation());
}

/// In the place of an attribute one that nothing follows from, of as many tokens: those that were
/// read ahead can be others, but not fewer.
Tokens withoutEffect(Preprocessor &preprocessor, ArrayRef<Token> attribute, bool ofType) {
  auto &names = preprocessor.getIdentifierTable();
  Tokens tokens(attribute);
  tokens[0].setIdentifierInfo(&names.get("clang"));
  tokens[2].setIdentifierInfo(&names.get(ofType ? "annotate_type" : "suppress"));
  for (Token &token : MutableArrayRef(tokens).drop_front(4).drop_back())
    token = made(preprocessor, tok::string_literal, "\"\"", token.getLocation());
  return tokens;
}

/// An attribute as one of clang's own: the annotation's name in front of the arguments.
Tokens annotated(Preprocessor &preprocessor, ArrayRef<Token> attribute, StringRef annotation,
                 bool ofType) {
  auto &names = preprocessor.getIdentifierTable();
  Tokens whole(attribute);
  if (attribute.size() == 3) {
    const SourceLocation end = attribute[2].getLocation();
    whole.push_back(made(preprocessor, tok::l_paren, "(", end));
    whole.push_back(made(preprocessor, tok::r_paren, ")", end));
    attribute = whole;
  }
  Tokens tokens(attribute.take_front(4));
  tokens[0].setIdentifierInfo(&names.get("clang"));
  tokens[2].setIdentifierInfo(&names.get(ofType ? "annotate_type" : "annotate"));
  const SourceLocation opening = tokens[3].getLocation();
  tokens.push_back(
      made(preprocessor, tok::string_literal, ("\"" + annotation + "\"").str(), opening));
  ArrayRef<Token> arguments = attribute.drop_front(4);
  if (arguments.front().isNot(tok::r_paren)) {
    Token comma = tokens[3];
    comma.setKind(tok::comma);
    tokens.push_back(comma);
    if (annotation == namedSubGroupSizeAnnotation) {
      tokens.push_back(numberOf(preprocessor, arguments.front()));
      arguments = arguments.drop_front();
    }
  }
  tokens.append(arguments.begin(), arguments.end());
  return tokens;
}

} // namespace

bool plumbline::hasAttributeOfSycl(ArrayRef<Token> list) {
  return llvm::any_of(attributes(list), [](ArrayRef<Token> attribute) {
    return isScoped(attribute) &&
           llvm::is_contained({"sycl", "intel", "cl", "sycl_detail"}, plain(attribute[0]));
  });
}

bool plumbline::annotate(Preprocessor &preprocessor, SmallVectorImpl<Token> &tokens, size_t length,
                         bool ofType) {
  bool any = false;
  Tokens list;
  for (const Tokens &attribute : attributes(ArrayRef(tokens).take_front(length))) {
    if (isHintOfVectors(attribute)) {
      any = true;
      list.append(withoutEffect(preprocessor, attribute, ofType));
      continue;
    }
    const StringRef annotation = annotationOf(attribute);
    const bool pack =
        llvm::any_of(attribute, [](const Token &token) { return token.is(tok::ellipsis); });
    if (annotation.empty() || !(ofType || pack)) {
      list.append(attribute);
    } else {
      any = true;
      list.append(annotated(preprocessor, attribute, annotation, ofType));
    }
  }
  if (any) {
    tokens.erase(tokens.begin(), tokens.begin() + length);
    tokens.insert(tokens.begin(), list.begin(), list.end());
  }
  return any;
}
