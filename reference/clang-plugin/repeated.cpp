//===- repeated.cpp - Attributes that say something else the second time ---------------------===//
//
// SYCL lets an attribute stand on a kernel or device function more than once, on one declaration or
// on several, as long as its arguments are the same (SYCL 2020, "Attributes for device code").
//
//===----------------------------------------------------------------------------------------===//

#include "repeated.h"
#include "annotations.h"
#include "clang/AST/Attr.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>
#include <set>

using namespace clang;
using namespace plumbline;

namespace {

using Values = SmallVector<int64_t, 4>;

/// The attribute behind an annotation, for one of those that must not differ; empty for others.
StringRef attributeOf(StringRef annotation) {
  return llvm::StringSwitch<StringRef>(annotation)
      .Case(deviceHasAnnotation, "device_has")
      .Case(workGroupSizeAnnotation, "reqd_work_group_size")
      .Case(workGroupHintAnnotation, "work_group_size_hint")
      .Case(subGroupSizeAnnotation, "reqd_sub_group_size")
      .Case(namedSubGroupSizeAnnotation, "named_sub_group_size")
      .Default("");
}

bool isSubGroupSize(StringRef annotation) {
  return annotation == subGroupSizeAnnotation || annotation == namedSubGroupSizeAnnotation;
}

/// The numbers of an attribute; nothing when they depend on template parameters.
std::optional<Values> valuesOf(Sema &sema, StringRef annotation, ArrayRef<Expr *> arguments) {
  Values values;
  for (const Expr *argument : arguments) {
    Expr::EvalResult result;
    if (argument->isValueDependent() || argument->isTypeDependent() ||
        !argument->EvaluateAsInt(result, sema.Context))
      return std::nullopt;
    const llvm::APSInt &value = result.Val.getInt();
    // Sizes of a `size_t` may go beyond.
    values.push_back(value.isRepresentableByInt64() ? value.getExtValue() : INT64_MAX);
  }
  // `noArgument` stands for none, and aspects have no order.
  llvm::erase(values, -1);
  if (annotation == deviceHasAnnotation)
    llvm::sort(values);
  return values;
}

/// Reports the attribute at `at`, once however many instances its function has.
void report(Sema &sema, StringRef attribute, StringRef other, SourceLocation at,
            SourceLocation previous) {
  static std::set<SourceLocation> reported;
  if (!reported.insert(at).second)
    return;
  const unsigned message = sema.Diags.getCustomDiagID(
      DiagnosticsEngine::Error, "attribute '%0' %select{stands on this function already, with "
                                "other arguments|cannot stand beside '%2'}1");
  sema.Diag(at, message) << attribute << (attribute != other) << other;
  sema.Diag(previous, diag::note_previous_attribute);
}

/// The first declaration of a function. What the compiler makes of a template before an explicit
/// specialization is declared is none of that: it is said to stand where the specialization does.
const FunctionDecl &firstDeclaration(const FunctionDecl &function) {
  const FunctionDecl *first = &function;
  while (const FunctionDecl *before = first->getPreviousDecl()) {
    if (before->getLocation() == first->getLocation())
      break;
    first = before;
  }
  return *first;
}

/// Reports an attribute that the first declaration of its function lacks (SYCL 2020, "Attributes
/// for device code").
void checkFirst(Sema &sema, const FunctionDecl &function, const AnnotateAttr &attribute) {
  const FunctionDecl &first = firstDeclaration(function);
  const StringRef name = attributeOf(attribute.getAnnotation());
  if (&first == &function || name.empty() || function.isTemplateInstantiation() ||
      llvm::any_of(first.specific_attrs<AnnotateAttr>(), [&](const AnnotateAttr *each) {
        return each->getAnnotation() == attribute.getAnnotation();
      }))
    return;
  const unsigned message = sema.Diags.getCustomDiagID(
      DiagnosticsEngine::Error, "the first declaration of %0 lacks attribute '%1'");
  sema.Diag(attribute.getLocation(), message) << &function << name;
  sema.Diag(first.getLocation(), diag::note_previous_declaration);
}

} // namespace

Further plumbline::compareWithOthers(Sema &sema, const Decl &declaration, StringRef annotation,
                                     ArrayRef<Expr *> arguments, SourceLocation at) {
  const StringRef attribute = attributeOf(annotation);
  if (attribute.empty())
    return Further::New;
  for (const auto *first : declaration.specific_attrs<AnnotateAttr>()) {
    const StringRef other = first->getAnnotation();
    const bool sameKind = other == annotation;
    if (!sameKind && !(isSubGroupSize(other) && isSubGroupSize(annotation)))
      continue;
    const auto values = valuesOf(sema, annotation, arguments);
    const auto others = valuesOf(sema, other, {first->args_begin(), first->args_size()});
    if (sameKind && (!values || !others))
      continue;
    if (sameKind && *values == *others)
      return Further::Same;
    report(sema, attribute, attributeOf(other), at, first->getLocation());
    return Further::Different;
  }
  return Further::New;
}

void plumbline::checkRepeated(Sema &sema, const FunctionDecl &function) {
  if (!function.hasAttrs() || function.isDependentContext())
    return;
  for (const AnnotateAttr *attribute : function.specific_attrs<AnnotateAttr>()) {
    if (attribute->isInherited())
      continue;
    checkFirst(sema, function, *attribute);
    // A declaration does not inherit an annotation of a kind that it has itself.
    for (const FunctionDecl *each = &function; each; each = each->getPreviousDecl())
      compareWithOthers(sema, *each, attribute->getAnnotation(),
                        {attribute->args_begin(), attribute->args_size()},
                        attribute->getLocation());
  }
}
