//===- copyable.cpp - What a device can have a copy of ---------------------------------------===//
//
// The trait is a template of the headers, which a program may specialize for its own types: it is
// instantiated here as if the program had written `sycl::is_device_copyable<T>::value`.
//
//===----------------------------------------------------------------------------------------===//

#include "copyable.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/SemaDiagnostic.h"

using namespace clang;
using namespace plumbline;

namespace {

/// The trait of the headers; null in a program without them.
ClassTemplateDecl *traitOf(ASTContext &context) {
  DeclContext *scope = context.getTranslationUnitDecl();
  for (const NamedDecl *found : scope->lookup(&context.Idents.get("sycl")))
    if (const auto *space = dyn_cast<NamespaceDecl>(found))
      for (NamedDecl *member : space->lookup(&context.Idents.get("is_device_copyable")))
        if (auto *trait = dyn_cast<ClassTemplateDecl>(member))
          return trait;
  return nullptr;
}

/// `trait<type>::value`.
bool valueOf(Sema &sema, ClassTemplateDecl &trait, QualType type, SourceLocation at) {
  ASTContext &context = sema.Context;
  EnterExpressionEvaluationContext constant(sema,
                                            Sema::ExpressionEvaluationContext::ConstantEvaluated);
  TemplateArgumentListInfo arguments(at, at);
  arguments.addArgument(
      TemplateArgumentLoc(TemplateArgument(type), context.getTrivialTypeSourceInfo(type, at)));
  const QualType asked = sema.CheckTemplateIdType(TemplateName(&trait), at, arguments);
  if (asked.isNull() || sema.RequireCompleteType(at, asked, diag::err_incomplete_type))
    return false;
  LookupResult value(sema, &context.Idents.get("value"), at, Sema::LookupOrdinaryName);
  if (!sema.LookupQualifiedName(value, asked->getAsCXXRecordDecl()))
    return false;
  const ExprResult read = sema.BuildDeclarationNameExpr(CXXScopeSpec(), value, /*NeedsADL=*/false);
  bool result = false;
  return read.isUsable() && read.get()->EvaluateAsBooleanCondition(result, context) && result;
}

} // namespace

bool plumbline::isDeviceCopyable(Sema &sema, QualType type, SourceLocation at) {
  type = sema.Context.getBaseElementType(type).getUnqualifiedType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || record->canPassInRegisters())
    return true;
  ClassTemplateDecl *trait = traitOf(sema.Context);
  return trait && valueOf(sema, *trait, type, at);
}
