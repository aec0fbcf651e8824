//===- of_types.cpp - Attributes that stand on a function's type -----------------------------===//
//
// Behind a parameter list clang takes an annotation of the function's type (positions.cpp). What
// the attribute says belongs to the function, and is moved there.
//
//===----------------------------------------------------------------------------------------===//

#include "annotations.h"
#include "attributes.h"
#include "positions.h"
#include "repeated.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Sema/Template.h"

using namespace clang;
using namespace plumbline;

namespace {

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
                    annotation == namedSubGroupSizeAnnotation ||
                    annotation == argsRestrictAnnotation;
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
