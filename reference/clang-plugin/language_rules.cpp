//===- language_rules.cpp - What the language does not allow in device code ------------------===//

#include "language_rules.h"
#include "annotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace plumbline;

namespace {

class Body : public RecursiveASTVisitor<Body> {
  using Base = RecursiveASTVisitor<Body>;

public:
  Body(Sema &sema, FunctionDecl &function) : sema(sema), function(function) {}

  void check() {
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
      for (CXXCtorInitializer *initializer : constructor->inits())
        TraverseConstructorInitializer(initializer);
    TraverseStmt(function.getBody());
  }

  /// Members of local classes come by on their own.
  bool TraverseCXXRecordDecl(CXXRecordDecl *) { return true; }

  /// A lambda's body is a function of its own, which nothing else brings by.
  bool TraverseLambdaExpr(LambdaExpr *lambda) {
    for (Expr *capture : lambda->capture_inits())
      if (capture)
        TraverseStmt(capture);
    CXXMethodDecl *call = lambda->getCallOperator();
    if (call && call->hasBody() && !call->isDependentContext())
      Body(sema, *call).check();
    return true;
  }

  /// Of a branch that is chosen while compiling, what is left out keeps no rules of device code
  /// (SYCL 2020, 5.4): only outside templates is it there at all.
  bool TraverseIfStmt(IfStmt *branch) {
    const auto kept =
        branch->isConstexpr() ? branch->getNondiscardedCase(sema.Context) : std::nullopt;
    if (!kept)
      return Base::TraverseIfStmt(branch);
    TraverseStmt(branch->getInit());
    TraverseStmt(branch->getCond());
    TraverseStmt(*kept);
    return true;
  }

  // What is not evaluated is no use.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) { return true; }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc) { return true; }

  bool VisitCXXTryStmt(CXXTryStmt *statement) {
    return note(statement->getTryLoc(), "device code cannot throw or catch exceptions");
  }
  bool VisitCXXTypeidExpr(CXXTypeidExpr *expression) {
    return note(expression->getBeginLoc(), rtti);
  }
  bool VisitCoroutineBodyStmt(CoroutineBodyStmt *) {
    return note(function.getLocation(), "device code cannot have coroutines");
  }
  bool VisitCXXDynamicCastExpr(CXXDynamicCastExpr *cast) {
    return cast->getCastKind() != CK_Dynamic || note(cast->getBeginLoc(), rtti);
  }

private:
  static constexpr char rtti[] = "device code cannot use run-time type information";

  Sema &sema;
  FunctionDecl &function;

  template <unsigned Length> bool note(SourceLocation at, const char (&text)[Length]) {
    const unsigned message = sema.Diags.getCustomDiagID(DiagnosticsEngine::Error, text);
    sema.DeviceDeferredDiags[&function].push_back({at, sema.PDiag(message)});
    return true;
  }
};

/// Whether `function` itself, and no earlier declaration of it, has an annotation.
bool isGiven(const FunctionDecl &function, StringRef name, bool inherited) {
  for (const auto *annotation : function.specific_attrs<AnnotateAttr>())
    if (annotation->getAnnotation() == name && (inherited || !annotation->isInherited()))
      return true;
  return false;
}

} // namespace

void plumbline::checkBody(Sema &sema, FunctionDecl &function) {
  const SourceManager &sources = sema.getSourceManager();
  if (function.isDependentContext() || sources.isInSystemHeader(function.getLocation()))
    return;
  Body(sema, function).check();
}

void plumbline::checkExternal(Sema &sema, const FunctionDecl &function) {
  // What a template's instance is called by is checked where it is made.
  if (!isGiven(function, externalAnnotation, /*inherited=*/true) ||
      function.isTemplateInstantiation())
    return;
  const bool isNew = isGiven(function, externalAnnotation, /*inherited=*/false);
  const auto report = [&](auto &text) {
    const unsigned message = sema.Diags.getCustomDiagID(DiagnosticsEngine::Error, text);
    sema.Diags.Report(function.getLocation(), message) << &function;
  };
  if (isNew && !function.isExternallyVisible())
    report("SYCL_EXTERNAL function %0 has internal linkage: no other translation unit can call it");
  if ((isNew || isGiven(function, workGroupSizeAnnotation, /*inherited=*/false)) &&
      isGiven(function, workGroupSizeAnnotation, /*inherited=*/true))
    report("'reqd_work_group_size' attribute cannot be applied to SYCL_EXTERNAL function %0, which "
           "kernels of other sizes may call");
}
