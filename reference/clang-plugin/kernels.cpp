//===- kernels.cpp - What a kernel must not be -----------------------------------------------===//
//
// The lowering could say so as well, but only here are the places in the user's code.
//
//===----------------------------------------------------------------------------------------===//

#include "kernels.h"
#include "annotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include <map>

using namespace clang;
using namespace plumbline;

namespace {

/// The name of the kernel that a wrapper is for, as a type; null for a function that is none.
QualType nameOf(const FunctionDecl &wrapper) {
  for (const auto *annotation : wrapper.specific_attrs<AnnotateAttr>()) {
    if (annotation->getAnnotation() != kernelAnnotation || annotation->args_size() == 0)
      continue;
    const Expr *argument = *annotation->args_begin();
    if (const auto *constant = dyn_cast<ConstantExpr>(argument->IgnoreParenImpCasts()))
      argument = constant->getSubExpr();
    if (const auto *name = dyn_cast<SYCLUniqueStableNameExpr>(argument->IgnoreParenImpCasts()))
      return name->getTypeSourceInfo()->getType().getCanonicalType();
  }
  return QualType();
}

/// Whether bytes are all there is to a copy, so that a device can have one.
bool isBytes(const CXXRecordDecl &record) { return record.canPassInRegisters(); }

struct Culprit {
  SourceLocation location;
  QualType type;
  StringRef name;
};

/// What in a functor is more than bytes: a capture, a member, or the functor itself.
Culprit culprit(const CXXRecordDecl &functor) {
  const LambdaCapture *capture = functor.isLambda() ? functor.captures_begin() : nullptr;
  for (const FieldDecl *field : functor.fields()) {
    const CXXRecordDecl *type = field->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (type && !isBytes(*type)) {
      if (capture && capture->capturesVariable())
        return {capture->getLocation(), field->getType(), capture->getCapturedVar()->getName()};
      return {field->getLocation(), field->getType(), field->getName()};
    }
    if (capture)
      ++capture;
  }
  return {functor.getLocation(), functor.getASTContext().getRecordType(&functor), StringRef()};
}

} // namespace

void plumbline::checkKernel(DiagnosticsEngine &diagnostics, const FunctionDecl &wrapper) {
  static std::map<const Type *, const CXXRecordDecl *> kernels;
  const QualType name = nameOf(wrapper);
  if (name.isNull() || wrapper.getNumParams() != 1)
    return;
  const CXXRecordDecl *functor = wrapper.getParamDecl(0)->getType()->getAsCXXRecordDecl();
  if (!functor || !functor->hasDefinition())
    return;
  functor = functor->getDefinition();
  if (!isBytes(*functor)) {
    const Culprit found = culprit(*functor);
    const unsigned message = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "kernel %0 cannot be copied to a device: %select{its function "
                                  "object|'%2'}1 has the type %3, which is not device copyable");
    diagnostics.Report(found.location, message)
        << name << !found.name.empty() << found.name << found.type;
  }
  const auto [first, isNew] = kernels.try_emplace(name.getTypePtr(), functor);
  if (isNew || first->second == functor)
    return;
  const unsigned message =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "two kernels have the name %0");
  const unsigned note =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "the first kernel of this name is here");
  diagnostics.Report(functor->getLocation(), message) << name;
  diagnostics.Report(first->second->getLocation(), note);
}
