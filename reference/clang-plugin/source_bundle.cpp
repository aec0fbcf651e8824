//===- source_bundle.cpp - The kernels of a source that a program builds ---------------------===//
//
// A kernel or device global is listed by a function of a class template of the headers, over the
// object and its type, which is called when the library is loaded. Here the calls are made, for the
// symbol is known here: the host's halves of kernels may be empty, and lie at one address.
//
//===----------------------------------------------------------------------------------------===//

#include "source_bundle.h"
#include "function_kernels.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <string>
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

/// What the runtime defines for such a source.
constexpr StringRef sourceMacro = "PLSYCL_SOURCE_BUNDLE";
/// The function that the headers declare behind it.
constexpr StringRef endOfSource = "plsycl_end_of_source";
/// How the variables begin that stand for names of the program's.
constexpr StringRef nameInSource = "plsycl_name_";

class SourceConsumer : public ASTConsumer {
public:
  explicit SourceConsumer(CompilerInstance &compiler) : compiler(compiler) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      visit(*declaration);
    return true;
  }

private:
  CompilerInstance &compiler;
  SmallVector<ValueDecl *> objects;
  llvm::DenseSet<const Decl *> listed;

  void visit(Decl &declaration) {
    if (auto *function = dyn_cast<FunctionDecl>(&declaration))
      return see(*function);
    if (auto *variable = dyn_cast<VarDecl>(&declaration))
      return see(*variable);
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(declaration))
      for (Decl *member : cast<DeclContext>(declaration).decls())
        visit(*member);
  }

  void see(FunctionDecl &function) {
    if (function.getDeclName().isIdentifier() && function.getName() == endOfSource)
      return list();
    if (function.doesThisDeclarationHaveABody() && isFunctionKernel(function))
      objects.push_back(&function);
  }

  void see(VarDecl &variable) {
    if (variable.getName().starts_with(nameInSource))
      return seeName(variable);
    const auto *type =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(variable.getType()->getAsCXXRecordDecl());
    if (!type || type->getName() != "device_global" || !variable.hasGlobalStorage() ||
        variable.isStaticLocal() || variable.getDeclContext()->isDependentContext() ||
        variable.getDescribedVarTemplate())
      return;
    if (variable.isThisDeclarationADefinition() != VarDecl::DeclarationOnly)
      objects.push_back(&variable);
  }

  /// What a name of the program's stands for, which may be an instance of a template.
  void seeName(const VarDecl &variable) {
    const auto *call = dyn_cast_or_null<CallExpr>(
        variable.getInit() ? variable.getInit()->IgnoreImplicit() : nullptr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const TemplateArgumentList *over = callee ? callee->getTemplateSpecializationArgs() : nullptr;
    if (!over || over->size() == 0 || over->get(0).getKind() != TemplateArgument::Declaration)
      return;
    objects.push_back(over->get(0).getAsDecl());
    list();
  }

  /// Lists what was seen and is not listed yet.
  void list() {
    Sema &sema = compiler.getSema();
    ClassTemplateDecl *lister =
        findTemplate(sema.Context, {"sycl", "detail"}, "plsycl_object_in_source");
    for (ValueDecl *object : std::exchange(objects, {})) {
      if (!lister || !listed.insert(object->getCanonicalDecl()).second)
        continue;
      if (const CXXRecordDecl *of = instantiateOver(sema, *lister, *object, object->getType()))
        listOne(sema, *object, *of);
    }
  }

  /// Defines a variable whose initialization calls the class's function with the object's symbol.
  void listOne(Sema &sema, const ValueDecl &object, const CXXRecordDecl &of) {
    ASTContext &context = sema.Context;
    const SourceLocation at = object.getLocation();
    CXXMethodDecl *function = nullptr;
    for (const CXXRecordDecl *each = &of; each && !function;) {
      for (NamedDecl *found : each->lookup(&context.Idents.get("plsycl_list")))
        function = dyn_cast<CXXMethodDecl>(found);
      each = each->getNumBases() ? each->bases_begin()->getType()->getAsCXXRecordDecl() : nullptr;
    }
    if (!function)
      return;
    const std::string symbol = ASTNameGenerator(context).getName(&object);
    const QualType text = context.getStringLiteralArrayType(context.CharTy, symbol.size());
    Expr *argument =
        StringLiteral::Create(context, symbol, StringLiteralKind::Ordinary, false, text, at);
    sema.MarkFunctionReferenced(at, function);
    Expr *named = sema.BuildDeclRefExpr(function, function->getType(), VK_LValue, at);
    const ExprResult call = sema.BuildCallExpr(nullptr, named, at, argument, at);
    if (!call.isUsable())
      return;
    const std::string name = "plsycl_listed_" + std::to_string(listed.size());
    auto *variable = VarDecl::Create(
        context, context.getTranslationUnitDecl(), at, at, &context.Idents.get(name),
        context.BoolTy, context.getTrivialTypeSourceInfo(context.BoolTy, at), SC_Static);
    sema.AddInitializerToDecl(variable, call.get(), false);
    context.getTranslationUnitDecl()->addDecl(variable);
    variable->addAttr(UsedAttr::CreateImplicit(context));
    compiler.getASTConsumer().HandleTopLevelDecl(DeclGroupRef(variable));
  }
};

} // namespace

std::unique_ptr<ASTConsumer> plumbline::listSourceOf(CompilerInstance &compiler) {
  const auto &macros = compiler.getPreprocessorOpts().Macros;
  const auto isSource = [](const auto &macro) {
    return !macro.second && StringRef(macro.first).split('=').first == sourceMacro;
  };
  if (llvm::none_of(macros, isSource))
    return nullptr;
  return std::make_unique<SourceConsumer>(compiler);
}
