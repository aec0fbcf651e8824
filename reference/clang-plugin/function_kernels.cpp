//===- function_kernels.cpp - Functions that are kernels -------------------------------------===//
//
// A function becomes a kernel by the template of the headers that starts it
// (free_function_traits.hpp). Its name there, and that of the member that is wanted, are known
// here.
//
//===----------------------------------------------------------------------------------------===//

#include "function_kernels.h"
#include "annotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/Template.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace plumbline;

namespace {

/// The number by which an annotation says that the function is a kernel
/// (free_function_kernel_properties.hpp).
constexpr std::int64_t isKernel = 5;

bool saysKernel(const ASTContext &context, const AnnotateAttr &annotation) {
  Expr::EvalResult said;
  return annotation.getAnnotation().starts_with(functionPropertyAnnotation) &&
         annotation.args_size() > 0 && (*annotation.args_begin())->EvaluateAsInt(said, context) &&
         said.Val.getInt() == isKernel;
}

template <typename Kind> Kind *find(ASTContext &context, const DeclContext &scope, StringRef name) {
  for (NamedDecl *found : scope.lookup(&context.Idents.get(name)))
    if (auto *declaration = dyn_cast<Kind>(found))
      return declaration;
  return nullptr;
}

/// The member that starts the kernel, of a class or of the one that it comes from.
CXXMethodDecl *findMember(ASTContext &context, const CXXRecordDecl &start) {
  if (auto *member = find<CXXMethodDecl>(context, start, "start_called"))
    return member;
  for (const CXXBaseSpecifier &base : start.bases())
    if (const CXXRecordDecl *of = base.getType()->getAsCXXRecordDecl())
      return findMember(context, *of);
  return nullptr;
}

} // namespace

bool plumbline::isFunctionKernel(const FunctionDecl &function) {
  const auto annotations = function.specific_attrs<AnnotateAttr>();
  return !function.isDependentContext() && llvm::any_of(annotations, [&](const auto *each) {
    return saysKernel(function.getASTContext(), *each);
  });
}

ClassTemplateDecl *plumbline::findTemplate(ASTContext &context,
                                           std::initializer_list<StringRef> namespaces,
                                           StringRef name) {
  const DeclContext *scope = context.getTranslationUnitDecl();
  for (StringRef each : namespaces) {
    scope = find<NamespaceDecl>(context, *scope, each);
    if (!scope)
      return nullptr;
  }
  return find<ClassTemplateDecl>(context, *scope, name);
}

CXXRecordDecl *plumbline::instantiateOver(Sema &sema, ClassTemplateDecl &over, ValueDecl &object,
                                          QualType of) {
  const SourceLocation at = object.getLocation();
  Expr *named = sema.BuildDeclRefExpr(&object, object.getType(), VK_LValue, at);
  const ExprResult address = sema.BuildUnaryOp(nullptr, at, UO_AddrOf, named);
  if (!address.isUsable())
    return nullptr;
  TemplateArgumentListInfo arguments(at, at);
  arguments.addArgument(TemplateArgumentLoc(TemplateArgument(address.get()), address.get()));
  arguments.addArgument(
      TemplateArgumentLoc(TemplateArgument(of), sema.Context.getTrivialTypeSourceInfo(of, at)));
  const QualType type = sema.CheckTemplateIdType(TemplateName(&over), at, arguments);
  if (type.isNull() || sema.RequireCompleteType(at, type, diag::err_incomplete_type))
    return nullptr;
  return type->getAsCXXRecordDecl();
}

void plumbline::makeFunctionKernel(Sema &sema, FunctionDecl &function) {
  ASTContext &context = sema.Context;
  if (!isFunctionKernel(function))
    return;
  ClassTemplateDecl *start =
      findTemplate(context, {"sycl", "ext", "oneapi", "experimental", "detail"}, "function_start");
  if (!start)
    return;
  const QualType pointer = context.getPointerType(function.getType());
  const CXXRecordDecl *starting = instantiateOver(sema, *start, function, pointer);
  if (!starting)
    return;
  if (CXXMethodDecl *member = findMember(context, *starting))
    sema.MarkFunctionReferenced(function.getLocation(), member);
}
