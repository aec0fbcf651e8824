//===- attributes.cpp - The attributes of optional kernel features ---------------------------===//
//
// Makes clang accept SYCL's attributes of kernels and device functions, and turns each into an
// annotation, which template instantiation and code generation carry on. A spelling without its
// scope is registered beside the full one: clang 19 skips the arguments of an attribute whose bare
// name it does not know.
//
//===----------------------------------------------------------------------------------------===//

#include "attributes.h"
#include "annotations.h"
#include "repeated.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "llvm/ADT/SmallSet.h"

using namespace clang;
using namespace plumbline;

namespace {

using Spelling = ParsedAttrInfo::Spelling;
constexpr auto bracketed = ParsedAttr::AS_CXX11;

/// What all attributes of this plugin have in common.
class Attribute : public ParsedAttrInfo {
public:
  Attribute(ArrayRef<Spelling> spellings, StringRef annotation, unsigned required,
            unsigned optional)
      : annotation(annotation) {
    Spellings = spellings;
    NumArgs = required;
    OptArgs = optional;
  }

  bool diagAppertainsToDecl(Sema &sema, const ParsedAttr &attribute,
                            const Decl *declaration) const override {
    if (takes(*declaration))
      return true;
    sema.Diag(attribute.getLoc(), diag::warn_attribute_wrong_decl_type_str)
        << attribute << attribute.isRegularKeywordAttribute() << subjects();
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &sema, Decl *declaration,
                                   const ParsedAttr &attribute) const override {
    if (!attribute.hasScope()) {
      sema.Diag(attribute.getLoc(), diag::warn_unknown_attribute_ignored)
          << attribute << attribute.getRange();
      return AttributeNotApplied;
    }
    SmallVector<Expr *, 4> arguments;
    if (!takeArguments(sema, attribute, arguments) ||
        !sema.ConstantFoldAttrArgs(attribute, arguments) ||
        !checkArguments(sema, annotation, arguments))
      return AttributeNotApplied;
    if (!sema.getLangOpts().SYCLIsDevice)
      return AttributeApplied;
    const Further further =
        compareWithOthers(sema, *declaration, annotation, arguments, attribute.getLoc());
    if (further != Further::New)
      return further == Further::Same ? AttributeApplied : AttributeNotApplied;
    if (arguments.empty())
      arguments.push_back(noArgument(sema.Context));
    auto *made = AnnotateAttr::Create(sema.Context, annotation, arguments.data(), arguments.size(),
                                      attribute);
    declaration->addAttr(made);
    return AttributeApplied;
  }

protected:
  virtual bool takes(const Decl &declaration) const {
    return declaration.isFunctionOrFunctionTemplate();
  }
  virtual const char *subjects() const { return "functions"; }

  virtual bool takeArguments(Sema &sema, const ParsedAttr &attribute,
                             SmallVectorImpl<Expr *> &arguments) const {
    for (unsigned index = 0; index < attribute.getNumArgs(); ++index) {
      Expr *argument = attribute.isArgExpr(index) ? attribute.getArgAsExpr(index)
                                                  : lookUp(sema, *attribute.getArgAsIdent(index));
      // A dependent name has its type when the template is instantiated.
      const auto *name = argument ? dyn_cast<DeclRefExpr>(argument->IgnoreParens()) : nullptr;
      if (name && isa<VarDecl>(name->getDecl()))
        argument = valueOf(sema, argument);
      if (!argument)
        return false;
      arguments.push_back(argument);
    }
    return true;
  }

private:
  /// clang takes an identifier that stands alone for a word of the attribute's own.
  static Expr *lookUp(Sema &sema, const IdentifierLoc &identifier) {
    LookupResult found(sema, identifier.Ident, identifier.Loc, Sema::LookupOrdinaryName);
    if (!sema.LookupName(found, sema.getCurScope())) {
      sema.Diag(identifier.Loc, diag::err_undeclared_var_use) << identifier.Ident;
      return nullptr;
    }
    ExprResult reference = sema.BuildDeclarationNameExpr(CXXScopeSpec(), found, /*NeedsADL=*/false);
    return reference.isUsable() ? reference.get() : nullptr;
  }

  /// The value that a name stands for, as what is computed from one has it: a lambda in a template
  /// would capture the name alone, which the host's half does not.
  Expr *valueOf(Sema &sema, Expr *name) const {
    // Of which enumeration an aspect is that a template computes is known to its instances.
    const bool ofAspects = annotation == deviceHasAnnotation || annotation == usesAspectsAnnotation;
    const bool isKnownLater = ofAspects && name->isTypeDependent();
    const QualType type = isKnownLater
                              ? sema.Context.getDecltypeType(name, sema.Context.DependentTy)
                              : name->getType().getUnqualifiedType();
    const SourceLocation at = name->getExprLoc();
    const ExprResult value =
        isKnownLater || type->isEnumeralType()
            ? sema.BuildCStyleCastExpr(at, sema.Context.getTrivialTypeSourceInfo(type, at), at,
                                       name)
            : sema.BuildUnaryOp(nullptr, at, UO_Plus, name);
    return value.isUsable() ? value.get() : nullptr;
  }

  StringRef annotation;
};

class DeviceHas : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "sycl::device_has"},     {bracketed, "sycl::__device_has__"},
      {bracketed, "__sycl__::device_has"}, {bracketed, "__sycl__::__device_has__"},
      {bracketed, "device_has"},           {bracketed, "__device_has__"},
  };

public:
  DeviceHas() : Attribute(spellings, deviceHasAnnotation, 0, 15) {}
};

class UsesAspects : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "sycl_detail::uses_aspects"},
      {bracketed, "sycl_detail::__uses_aspects__"},
      {bracketed, "__sycl_detail__::uses_aspects"},
      {bracketed, "__sycl_detail__::__uses_aspects__"},
      {bracketed, "uses_aspects"},
      {bracketed, "__uses_aspects__"},
  };

public:
  UsesAspects() : Attribute(spellings, usesAspectsAnnotation, 1, 15) {}

protected:
  bool takes(const Decl &declaration) const override {
    return declaration.isFunctionOrFunctionTemplate() || isa<CXXRecordDecl>(declaration);
  }
  const char *subjects() const override { return "functions and classes"; }
};

class WorkGroupSize : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "sycl::reqd_work_group_size"},
      {bracketed, "sycl::__reqd_work_group_size__"},
      {bracketed, "cl::reqd_work_group_size"},
      {bracketed, "__sycl__::reqd_work_group_size"},
      {bracketed, "__sycl__::__reqd_work_group_size__"},
      {bracketed, "reqd_work_group_size"},
      {bracketed, "__reqd_work_group_size__"},
  };

public:
  WorkGroupSize() : Attribute(spellings, workGroupSizeAnnotation, 1, 2) {}
};

class WorkGroupHint : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "sycl::work_group_size_hint"},
      {bracketed, "sycl::__work_group_size_hint__"},
      {bracketed, "cl::work_group_size_hint"},
      {bracketed, "__sycl__::work_group_size_hint"},
      {bracketed, "__sycl__::__work_group_size_hint__"},
      {bracketed, "work_group_size_hint"},
      {bracketed, "__work_group_size_hint__"},
  };

public:
  WorkGroupHint() : Attribute(spellings, workGroupHintAnnotation, 1, 2) {}
};

class SubGroupSize : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "sycl::reqd_sub_group_size"},
      {bracketed, "sycl::__reqd_sub_group_size__"},
      {bracketed, "__sycl__::reqd_sub_group_size"},
      {bracketed, "__sycl__::__reqd_sub_group_size__"},
      {bracketed, "intel::reqd_sub_group_size"},
      {bracketed, "__intel__::__reqd_sub_group_size__"},
      {bracketed, "cl::intel_reqd_sub_group_size"},
      {bracketed, "reqd_sub_group_size"},
      {bracketed, "__reqd_sub_group_size__"},
  };

public:
  SubGroupSize() : Attribute(spellings, subGroupSizeAnnotation, 1, 0) {}
};

class NamedSubGroupSize : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "intel::named_sub_group_size"},
      {bracketed, "intel::__named_sub_group_size__"},
      {bracketed, "__intel__::named_sub_group_size"},
      {bracketed, "__intel__::__named_sub_group_size__"},
      {bracketed, "named_sub_group_size"},
      {bracketed, "__named_sub_group_size__"},
  };

public:
  NamedSubGroupSize() : Attribute(spellings, namedSubGroupSizeAnnotation, 1, 0) {}

protected:
  bool takeArguments(Sema &sema, const ParsedAttr &attribute,
                     SmallVectorImpl<Expr *> &arguments) const override {
    const IdentifierLoc *word = attribute.isArgIdent(0) ? attribute.getArgAsIdent(0) : nullptr;
    const auto *known = word ? llvm::find(namedSubGroupSizes, word->Ident->getName())
                             : std::end(namedSubGroupSizes);
    if (known == std::end(namedSubGroupSizes)) {
      diagnoseNamedSubGroupSize(sema.Diags, attribute.getLoc());
      return false;
    }
    ASTContext &context = sema.Context;
    const llvm::APInt number(32, known - std::begin(namedSubGroupSizes));
    arguments.push_back(IntegerLiteral::Create(context, number, context.IntTy, word->Loc));
    return true;
  }
};

/// It has no arguments, and so its name needs no registration without scope.
class ArgsRestrict : public Attribute {
  static constexpr Spelling spellings[] = {
      {bracketed, "intel::kernel_args_restrict"},
      {bracketed, "intel::__kernel_args_restrict__"},
      {bracketed, "__intel__::kernel_args_restrict"},
      {bracketed, "__intel__::__kernel_args_restrict__"},
  };

public:
  ArgsRestrict() : Attribute(spellings, argsRestrictAnnotation, 0, 0) {}
};

ParsedAttrInfoRegistry::Add<DeviceHas> deviceHas("device_has", "aspects that code may use");
ParsedAttrInfoRegistry::Add<UsesAspects> usesAspects("uses_aspects", "aspects that code uses");
ParsedAttrInfoRegistry::Add<WorkGroupSize> workGroupSize("reqd_work_group_size",
                                                         "required work-group size");
ParsedAttrInfoRegistry::Add<WorkGroupHint> workGroupHint("work_group_size_hint",
                                                         "preferred work-group size");
ParsedAttrInfoRegistry::Add<SubGroupSize> subGroupSize("reqd_sub_group_size",
                                                       "required sub-group size");
ParsedAttrInfoRegistry::Add<NamedSubGroupSize> namedSubGroupSize("named_sub_group_size",
                                                                 "required sub-group size by name");
ParsedAttrInfoRegistry::Add<ArgsRestrict> argsRestrict("kernel_args_restrict",
                                                       "arguments that share no memory");

bool isAspect(QualType type) {
  const auto *enumeration = type->getAs<EnumType>();
  if (!enumeration)
    return false;
  const EnumDecl *declaration = enumeration->getDecl();
  const auto *scope = dyn_cast<NamespaceDecl>(declaration->getEnclosingNamespaceContext());
  while (scope && scope->isInline())
    scope = dyn_cast<NamespaceDecl>(scope->getParent());
  return declaration->getName() == "aspect" && scope && scope->getName() == "sycl";
}

/// The enumerator of a value; null for a value that is none.
const EnumConstantDecl *enumerator(QualType type, const llvm::APSInt &value) {
  for (const EnumConstantDecl *each : type->castAs<EnumType>()->getDecl()->enumerators())
    if (llvm::APSInt::isSameValue(each->getInitVal(), value))
      return each;
  return nullptr;
}

std::optional<llvm::APSInt> valueOf(Sema &sema, const Expr &argument) {
  Expr::EvalResult result;
  if (!argument.EvaluateAsInt(result, sema.Context))
    return std::nullopt;
  return result.Val.getInt();
}

bool checkAspects(Sema &sema, ArrayRef<Expr *> arguments) {
  auto &diagnostics = sema.Diags;
  llvm::SmallSet<int64_t, 8> seen;
  for (Expr *argument : arguments) {
    if (argument->isValueDependent() || argument->isTypeDependent())
      continue;
    const QualType type = argument->IgnoreImpCasts()->getType();
    const auto value = valueOf(sema, *argument);
    const auto *aspect = value && isAspect(type) ? enumerator(type, *value) : nullptr;
    if (!aspect) {
      const unsigned message = diagnostics.getCustomDiagID(
          DiagnosticsEngine::Error, "argument must be an enumerator of 'sycl::aspect'");
      sema.Diag(argument->getExprLoc(), message) << argument->getSourceRange();
      return false;
    }
    if (!seen.insert(value->getExtValue()).second) {
      const unsigned message =
          diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "aspect %0 is listed twice");
      sema.Diag(argument->getExprLoc(), message) << aspect << argument->getSourceRange();
      return false;
    }
  }
  return true;
}

bool checkSizes(Sema &sema, StringRef annotation, ArrayRef<Expr *> arguments) {
  const bool ofSubGroup = annotation == subGroupSizeAnnotation;
  // Sizes that no device has are for the runtime to refuse: work-groups have those of a `size_t`.
  const unsigned bits = ofSubGroup ? 31 : 64;
  for (Expr *argument : arguments) {
    if (argument->isValueDependent() || argument->isTypeDependent())
      continue;
    const auto value = valueOf(sema, *argument);
    if (value && value->isStrictlyPositive() && value->getActiveBits() <= bits)
      continue;
    const unsigned message = sema.Diags.getCustomDiagID(
        DiagnosticsEngine::Error, "%select{work-group|sub-group}0 size must be a positive integer");
    sema.Diag(argument->getExprLoc(), message) << ofSubGroup << argument->getSourceRange();
    return false;
  }
  return true;
}

} // namespace

Expr *plumbline::noArgument(ASTContext &context) {
  const llvm::APInt number(32, -1, /*isSigned=*/true);
  Expr *literal = IntegerLiteral::Create(context, number, context.IntTy, SourceLocation());
  return ConstantExpr::Create(context, literal,
                              APValue(llvm::APSInt(number, /*isUnsigned=*/false)));
}

bool plumbline::checkArguments(Sema &sema, StringRef annotation, ArrayRef<Expr *> arguments) {
  if (arguments.size() == 1 && arguments[0]->getExprLoc().isInvalid())
    return true; // It is noArgument.
  if (annotation == deviceHasAnnotation || annotation == usesAspectsAnnotation)
    return checkAspects(sema, arguments);
  if (annotation == workGroupSizeAnnotation || annotation == workGroupHintAnnotation ||
      annotation == subGroupSizeAnnotation)
    return checkSizes(sema, annotation, arguments);
  return true;
}

void plumbline::diagnoseNamedSubGroupSize(DiagnosticsEngine &diagnostics, SourceLocation at) {
  const unsigned message = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error, "'named_sub_group_size' attribute takes 'automatic' or 'primary'");
  diagnostics.Report(at, message);
}
