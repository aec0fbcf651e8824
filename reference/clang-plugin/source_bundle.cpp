//===- source_bundle.cpp - The kernels of a source that a program builds ---------------------===//
//
// A kernel or device global is listed by a variable of a class template of the headers, over the
// object and its type, which registers it when the library is loaded. Here each is asked for.
//
//===----------------------------------------------------------------------------------------===//

#include "source_bundle.h"
#include "function_kernels.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace plumbline;

namespace {

/// What the runtime defines for such a source.
constexpr StringRef sourceMacro = "PLSYCL_SOURCE_BUNDLE";
/// The function that the headers declare behind it.
constexpr StringRef endOfSource = "plsycl_end_of_source";

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
    const auto *type =
        dyn_cast_or_null<ClassTemplateSpecializationDecl>(variable.getType()->getAsCXXRecordDecl());
    if (!type || type->getName() != "device_global" || !variable.hasGlobalStorage() ||
        variable.isStaticLocal() || variable.getDeclContext()->isDependentContext() ||
        variable.getDescribedVarTemplate())
      return;
    if (variable.isThisDeclarationADefinition() != VarDecl::DeclarationOnly)
      objects.push_back(&variable);
  }

  void list() {
    Sema &sema = compiler.getSema();
    ClassTemplateDecl *lister =
        findTemplate(sema.Context, {"sycl", "detail"}, "plsycl_object_in_source");
    if (!lister)
      return;
    for (ValueDecl *object : objects) {
      const CXXRecordDecl *listed = instantiateOver(sema, *lister, *object, object->getType());
      if (!listed)
        continue;
      for (Decl *member : listed->decls())
        if (auto *variable = dyn_cast<VarDecl>(member))
          sema.MarkVariableReferenced(object->getLocation(), variable);
    }
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
