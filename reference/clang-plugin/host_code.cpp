//===- host_code.cpp - Keep host code out of device modules ----------------------------------===//
//
// With -fsycl-is-device, clang generates code for every function that a translation unit defines,
// the host's functions too, and some of those mean nothing on a device. Here every definition that
// is no kernel wrapper and no SYCL_EXTERNAL function becomes deferrable, as inline functions are:
// code is then generated only for what device code reaches. Variables with dynamic initialization
// or destruction would start such a reach from the host's side, so they lose both, and say so:
// device code that uses one all the same is diagnosed after the lowering.
//
//===----------------------------------------------------------------------------------------===//

#include "absent_headers.h"
#include "annotations.h"
#include "attributes.h"
#include "closures.h"
#include "function_kernels.h"
#include "host_files.h"
#include "kernels.h"
#include "language_rules.h"
#include "positions.h"
#include "records.h"
#include "repeated.h"
#include "source_bundle.h"
#include "units.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;
using namespace plumbline;

namespace {

bool isDeviceEntry(const Decl &declaration) {
  // A variable that is SYCL_EXTERNAL is a device global, and known by its type.
  const bool isVariable = isa<VarDecl>(declaration);
  for (const auto *annotation : declaration.specific_attrs<AnnotateAttr>()) {
    if (annotation->getAnnotation() == kernelAnnotation ||
        (!isVariable && annotation->getAnnotation() == externalAnnotation) ||
        (annotation->getAnnotation().starts_with(functionPropertyAnnotation) &&
         cast<NamedDecl>(declaration).isExternallyVisible()) ||
        (isVariable && annotation->getAnnotation() == usesAspectsAnnotation))
      return true;
  }
  return false;
}

class HostCodeConsumer : public ASTConsumer {
public:
  /// `isOtherHost` when another compiler names the host's kernels; `gcc` is its major version,
  /// where it is a g++.
  HostCodeConsumer(CompilerInstance &compiler, bool isOtherHost, std::optional<unsigned> gcc)
      : compiler(compiler), isOtherHost(isOtherHost), gcc(gcc) {
    hostFiles.watch(compiler.getPreprocessor());
    // The parser asks about each function, then.
    compiler.getFrontendOpts().SkipFunctionBodies = true;
  }

  bool shouldSkipFunctionBody(Decl *declaration) override {
    const auto *function = dyn_cast<FunctionDecl>(declaration);
    return function && hostFiles.isWithoutBody(*function);
  }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      visit(*declaration);
    return true;
  }

  /// What a precompiled header brings: it was seen when that was made.
  void HandleInterestingDecl(DeclGroupRef) override {}

  void HandleInlineFunctionDefinition(FunctionDecl *function) override { visit(*function); }

  void HandleCXXImplicitFunctionInstantiation(FunctionDecl *function) override { visit(*function); }

  void HandleCXXStaticMemberVarInstantiation(VarDecl *variable) override { visit(*variable); }

  void HandleTranslationUnit(ASTContext &context) override {
    // The unit that includes a precompiled header is where there is something to say.
    if (compiler.getFrontendOpts().ProgramAction == frontend::GeneratePCH)
      return;
    if (hasAttributesOfTypes())
      takeAttributesOfTypes(compiler.getSema());
    declareRecordsWithAspects(context, compiler.getASTConsumer());
    if (isOtherHost)
      checkOrderOfKernels(compiler.getSema(), gcc);
  }

private:
  CompilerInstance &compiler;
  bool isOtherHost;
  std::optional<unsigned> gcc;
  HostFiles hostFiles;
  /// Variables that have got what they need.
  llvm::DenseSet<const VarDecl *> deferrable;

  void visit(Decl &declaration) {
    if (auto *function = dyn_cast<FunctionDecl>(&declaration))
      return makeDeferrable(*function);
    if (auto *variable = dyn_cast<VarDecl>(&declaration))
      return makeDeferrable(*variable);
    if (auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(&declaration))
      return makeDeferrable(*specialization);
    if (auto *record = dyn_cast<CXXRecordDecl>(&declaration))
      return makeDeferrable(*record);
    // A linkage specification or a namespace holds declarations of its own.
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(declaration)) {
      for (Decl *member : cast<DeclContext>(declaration).decls())
        visit(*member);
    }
  }

  /// Attributes whose arguments depended on template parameters have values now.
  void checkInstantiated(FunctionDecl &function) {
    if (!function.isTemplateInstantiation())
      return;
    for (const auto *annotation : function.specific_attrs<AnnotateAttr>())
      checkArguments(compiler.getSema(), annotation->getAnnotation(),
                     {annotation->args_begin(), annotation->args_size()});
  }

  /// The lowering has no other way to tell the user's functions from those of system headers.
  void markSystemCode(FunctionDecl &function) {
    ASTContext &context = function.getASTContext();
    if (!context.getSourceManager().isInSystemHeader(function.getLocation()))
      return;
    // Code generation asks the declaration by which it met the function first.
    for (FunctionDecl *declaration : function.redecls()) {
      declaration->addAttr(AnnotateAttr::CreateImplicit(context, systemCodeAnnotation, nullptr, 0));
      fillAnnotations(*declaration);
    }
  }

  /// Gives each annotation an argument (`noArgument`).
  void fillAnnotations(Decl &declaration) {
    ASTContext &context = declaration.getASTContext();
    const auto isEmpty = [](const Attr *attribute) {
      const auto *annotation = dyn_cast<AnnotateAttr>(attribute);
      return annotation && annotation->args_size() == 0;
    };
    if (!declaration.hasAttrs() || llvm::none_of(declaration.attrs(), isEmpty))
      return;
    AttrVec attributes;
    for (Attr *attribute : declaration.attrs()) {
      if (isEmpty(attribute)) {
        Expr *argument = noArgument(context);
        const auto *annotation = cast<AnnotateAttr>(attribute);
        attribute = AnnotateAttr::CreateImplicit(context, annotation->getAnnotation(), &argument, 1,
                                                 annotation->getRange());
      }
      attributes.push_back(attribute);
    }
    declaration.setAttrs(attributes);
  }

  /// Has a virtual function that is defined outside its class be none by whose definition the
  /// class's table is defined, with all functions in it and what they call, wanted on the device or
  /// not.
  void keepFromKey(FunctionDecl &function) {
    auto *method = dyn_cast<CXXMethodDecl>(function.getFirstDecl());
    if (!method || !method->isVirtual() || method->isInlined() || !function.isOutOfLine())
      return;
    method->setInlineSpecified(true);
    method->getASTContext().setNonKeyFunction(method);
    // The definition that was just read asked for the table.
    auto &asked = compiler.getSema().VTablesUsed;
    if (const auto table = asked.find(method->getParent()->getCanonicalDecl());
        table != asked.end())
      table->second = false;
  }

  void makeDeferrable(FunctionDecl &function) {
    // Of a declaration too: its definition inherits what stands on it.
    if (hasAttributesOfTypes())
      takeAttributesOfType(compiler.getSema(), function);
    checkRepeated(compiler.getSema(), function);
    checkExternal(compiler.getSema(), function);
    if (!function.doesThisDeclarationHaveABody())
      return fillAnnotations(function);
    checkInstantiated(function);
    checkBody(compiler.getSema(), function);
    makeFunctionKernel(compiler.getSema(), function);
    if (isDeviceEntry(function)) {
      // Nothing on the device side calls an entry; it is wanted all the same. Of a template that
      // would be each member of each class, called or not.
      if (!function.hasAttr<UsedAttr>() && !function.isDependentContext())
        function.addAttr(UsedAttr::CreateImplicit(function.getASTContext()));
      checkKernel(compiler.getSema(), function, gcc);
      describeKernel(function, gcc);
      return fillAnnotations(function);
    }
    markSystemCode(function);
    fillAnnotations(function);
    function.dropAttrs<UsedAttr, RetainAttr, ConstructorAttr, DestructorAttr>();
    keepFromKey(function);
    function.setImplicitlyInline();
    if (function.getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition)
      function.setTemplateSpecializationKind(TSK_ImplicitInstantiation);
  }

  // Explicit instantiation of a class instantiates its members one by one, each of which comes
  // through the functions above; an explicit specialization is a class like any other.
  void makeDeferrable(ClassTemplateSpecializationDecl &specialization) {
    if (specialization.getSpecializationKind() == TSK_ExplicitSpecialization)
      return makeDeferrable(static_cast<CXXRecordDecl &>(specialization));
    if (specialization.getSpecializationKind() == TSK_ExplicitInstantiationDefinition)
      specialization.setSpecializationKind(TSK_ImplicitInstantiation);
  }

  /// Whether instances are made of a variable, each of which comes by on its own.
  static bool isPattern(const VarDecl &variable) {
    return variable.getDeclContext()->isDependentContext() || variable.getDescribedVarTemplate() ||
           isa<VarTemplatePartialSpecializationDecl>(variable);
  }

  /// The function that a class's member, or a friend of it, only declares.
  static FunctionDecl *declaredFunction(Decl &member) {
    const auto *other = dyn_cast<FriendDecl>(&member);
    auto *function = dyn_cast_or_null<FunctionDecl>(other ? other->getFriendDecl() : &member);
    return function && !function->doesThisDeclarationHaveABody() ? function : nullptr;
  }

  /// A class may define variables of its own, inline members, and declare functions that other
  /// units define.
  void makeDeferrable(CXXRecordDecl &record) {
    if (record.isDependentContext())
      return;
    for (Decl *member : record.decls()) {
      if (auto *variable = dyn_cast<VarDecl>(member))
        makeDeferrable(*variable);
      else if (auto *inner = dyn_cast<CXXRecordDecl>(member))
        makeDeferrable(*inner);
      else if (auto *function = declaredFunction(*member))
        fillAnnotations(*function);
    }
  }

  /// What the type of a device global says of the variable; null for any other type.
  static const AnnotateAttr *deviceGlobal(const VarDecl &variable) {
    const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition())
      return nullptr;
    for (const auto *annotation : record->getDefinition()->specific_attrs<AnnotateAttr>())
      if (annotation->getAnnotation() == deviceGlobalAnnotation)
        return annotation;
    return nullptr;
  }

  /// Whether the variable lies in local memory, whose values nobody gives before kernels do.
  static bool isInLocalMemory(const VarDecl &variable) {
    const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition())
      return false;
    const auto marks = record->getDefinition()->specific_attrs<AnnotateAttr>();
    return llvm::any_of(marks, [](const AnnotateAttr *mark) {
      return mark->getAnnotation() == workGroupStaticAnnotation;
    });
  }

  static bool isSpecializedMember(const VarDecl &variable) {
    return variable.isStaticDataMember() &&
           variable.getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
  }

  /// What a variable begins with that only the host initializes: nothing. An instance of a template
  /// whose type is that of its initializer would be given that again where it is named next, and a
  /// static member's explicit specialization without one is no definition.
  static Expr *withoutValue(const VarDecl &variable) {
    const QualType type = variable.getType();
    const bool isDeduced =
        isa<VarTemplateSpecializationDecl>(variable) && type->getContainedDeducedType();
    if (!(isDeduced || isSpecializedMember(variable)) || type->isReferenceType())
      return nullptr;
    return new (variable.getASTContext()) ImplicitValueInitExpr(type);
  }

  /// Whether the variable's value is known without running anything. Of constants that takes what
  /// clang can compute and writes down, as `2 * pi` of a `const double pi`, which the language does
  /// not call a constant expression.
  static bool hasConstantValue(const VarDecl &variable) {
    QualType type = variable.getType();
    return variable.hasConstantInitialization() ||
           (!type->isReferenceType() && !type.isVolatileQualified() &&
            type.isConstantStorage(variable.getASTContext(), true, true) &&
            variable.evaluateValue());
  }

  void makeDeferrable(VarDecl &variable) {
    if (isDeviceEntry(variable) || !variable.hasGlobalStorage() || variable.isStaticLocal())
      return;
    variable.dropAttrs<UsedAttr, RetainAttr>();
    // clang calls an instantiated static member a declaration until its initializer is there.
    const bool instantiated =
        variable.isStaticDataMember() && variable.getTemplateSpecializationKind() != TSK_Undeclared;
    const bool declared =
        variable.isThisDeclarationADefinition() == VarDecl::DeclarationOnly && !instantiated;
    if (declared || variable.getType()->isDependentType() || isPattern(variable))
      return;
    // An instantiated static member comes by whenever something refers to it.
    if (!deferrable.insert(&variable).second)
      return;
    const AnnotateAttr *global = deviceGlobal(variable);
    if (global) {
      fillAnnotations(variable);
      variable.addAttr(global->clone(variable.getASTContext()));
    }
    const bool constant = !variable.getInit() || isInLocalMemory(variable) ||
                          variable.getInit()->isValueDependent() || hasConstantValue(variable);
    if (!constant) {
      variable.setInit(withoutValue(variable));
      // Nor would the compiler take nothing for its value.
      if (variable.hasInit() && variable.getType()->isScalarType())
        variable.setType(variable.getType().getUnqualifiedType());
      Expr *argument = noArgument(variable.getASTContext());
      variable.addAttr(AnnotateAttr::CreateImplicit(variable.getASTContext(),
                                                    hostInitializedAnnotation, &argument, 1));
    }
    variable.addAttr(NoDestroyAttr::CreateImplicit(variable.getASTContext()));
    // Kernels of other units may use it, and the host finds it by its name.
    if (global)
      return;
    // A reference has nothing to begin with: what only the host binds stays a declaration.
    if (!constant && variable.getType()->isReferenceType() && isSpecializedMember(variable))
      return;
    // Inline, it would be the same in all units.
    keepInternal(variable);
    variable.setInlineSpecified();
  }
};

class HostCodeAction : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    watchPositions(compiler.getPreprocessor());
    watchAbsentHeaders(compiler.getPreprocessor());
    // A host compilation takes the attributes, which mean nothing to it, and is left alone.
    if (!compiler.getLangOpts().SYCLIsDevice) {
      auto list = listSourceOf(compiler);
      return list ? std::move(list) : std::make_unique<ASTConsumer>();
    }
    return std::make_unique<HostCodeConsumer>(compiler, isOtherHost, gcc);
  }

  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &words) override {
    isOtherHost = llvm::is_contained(words, "other-host-compiler");
    for (StringRef word : words)
      if (unsigned version = 0; word.consume_front("gcc=") && !word.getAsInteger(10, version))
        gcc = version;
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  bool isOtherHost = false;
  std::optional<unsigned> gcc;
};

} // namespace

static FrontendPluginRegistry::Add<HostCodeAction>
    registration("plumbline-host-code", "keep host code out of SYCL device modules");
