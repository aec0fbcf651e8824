//===- closures.cpp - Kernels that other host compilers name differently ---------------------===//
//
// The name of a closure's type has a number in it. Compilers count differently, but the closures of
// one function and one signature have numbers that grow in the order of the source, so the runtime
// finds a host kernel's counterpart by its place in that order (reference/runtime/src/names.rs).
// The order is certain where closures are numbered while the source is read. The body of a template
// is numbered again when it is instantiated: statement by statement, but in no certain order within
// a statement. Kernels whose order depends on that are refused here.
//
//===----------------------------------------------------------------------------------------===//

#include "closures.h"
#include "units.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <optional>
#include <string>
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

struct Kernel {
  QualType name;
  SourceLocation at;
};

llvm::MapVector<const Type *, Kernel> &kernels() {
  static llvm::MapVector<const Type *, Kernel> all;
  return all;
}

/// A mangled name without the numbers of closures and of types without names, as the runtime takes
/// them out: what stands between an `E` or `Ut` and a `_`.
std::string bare(StringRef name) {
  std::string kept;
  while (!name.empty()) {
    const bool isBeforeNumber = name.starts_with("E") || name.starts_with("Ut");
    const StringRef head = name.take_front(name.starts_with("Ut") ? 2 : 1);
    kept += head;
    name = name.drop_front(head.size());
    const StringRef rest = name.drop_while([](char c) { return llvm::isDigit(c); });
    if (isBeforeNumber && rest.starts_with("_"))
      name = rest;
  }
  return kept;
}

/// The closures in a kernel's name, in an order that depends on the name's form alone.
llvm::SmallVector<const CXXRecordDecl *, 4> closuresIn(QualType name) {
  llvm::SmallVector<const CXXRecordDecl *, 4> found;
  anyPartOfName(name, [&](const NamedDecl &part) {
    const auto *record = dyn_cast<CXXRecordDecl>(&part);
    if (record && record->isLambda())
      found.push_back(record);
    return false;
  });
  return found;
}

/// Whether something in or around `context` was instantiated.
bool isInstantiated(const DeclContext *context) {
  for (; context; context = context->getParent()) {
    if (const auto *function = dyn_cast<FunctionDecl>(context)) {
      if (function->getTemplateInstantiationPattern())
        return true;
    } else if (const auto *record = dyn_cast<CXXRecordDecl>(context)) {
      if (record->getTemplateInstantiationPattern())
        return true;
    }
  }
  return false;
}

/// Whether a closure is in the initializer of a variable of namespace scope that has no part in its
/// name; else it is in a default argument of a function, which has none with any compiler.
bool isInVariable(const SourceManager &sources, const CXXRecordDecl &closure) {
  const auto hasIt = [&](const Decl *each) {
    const SourceRange range = each->getSourceRange();
    return isa<FunctionDecl>(each) &&
           sources.isPointWithin(closure.getLocation(), range.getBegin(), range.getEnd());
  };
  const DeclContext *context = closure.getDeclContext();
  return context->isFileContext() && !closure.getLambdaContextDecl() &&
         llvm::none_of(context->decls(), hasIt);
}

/// Whether a closure is in a default argument of the function that it is named by.
bool isInDefaultArgument(const SourceManager &sources, const CXXRecordDecl &closure) {
  const auto *function = dyn_cast<FunctionDecl>(closure.getDeclContext());
  const auto hasIt = [&](const ParmVarDecl *parameter) {
    const SourceRange range = parameter->getSourceRange();
    return sources.isPointWithin(closure.getLocation(), range.getBegin(), range.getEnd());
  };
  const FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
  return pattern && llvm::any_of(pattern->parameters(), hasIt);
}

/// Whether compilers write different names for what a closure is in: it is not in the body of a
/// function, and only of some of such places they all say the same.
bool isPlacedDifferently(const SourceManager &sources, const CXXRecordDecl &closure) {
  const DeclContext *context = closure.getDeclContext();
  const Decl *owner = closure.getLambdaContextDecl();
  if (const auto *variable = dyn_cast_or_null<VarDecl>(owner); variable && !isa<ParmVarDecl>(owner))
    return variable->isStaticDataMember() || isa<VarTemplateSpecializationDecl>(variable);
  if (isa_and_nonnull<FieldDecl>(owner))
    return isInstantiated(context) || cast<CXXRecordDecl>(context)->isLocalClass();
  return isInVariable(sources, closure) || isInDefaultArgument(sources, closure);
}

/// Whether a name has what g++ writes differently and the runtime does not know to be the same: a
/// member of a class template of `std` in an expression (`std::is_integral<T>::value`).
bool isWrittenDifferently(StringRef name) {
  for (std::size_t at = name.find("sr3std"); at != StringRef::npos;
       at = name.find("sr3std", at + 1))
    if (!name.substr(at).starts_with("sr3stdE"))
      return true;
  return false;
}

/// Whether a closure is in a template with constraints that are part of its name since g++ 14, but
/// for one by a concept without further arguments, in no namespace or `std`.
bool isConstrained(const CXXRecordDecl *closure) {
  for (const DeclContext *each = closure; each; each = each->getParent()) {
    const auto *function = dyn_cast<FunctionDecl>(each);
    const FunctionTemplateDecl *made = function ? function->getPrimaryTemplate() : nullptr;
    const FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
    if (pattern && pattern->getTrailingRequiresClause())
      return true;
    if (!made)
      continue;
    if (made->getTemplateParameters()->getRequiresClause())
      return true;
    for (const NamedDecl *parameter : *made->getTemplateParameters()) {
      const auto *type = dyn_cast<TemplateTypeParmDecl>(parameter);
      const TypeConstraint *constraint = type ? type->getTypeConstraint() : nullptr;
      if (!constraint)
        continue;
      const DeclContext *scope = constraint->getNamedConcept()->getDeclContext();
      if (constraint->hasExplicitTemplateArgs() ||
          !(scope->isTranslationUnit() || scope->isStdNamespace()))
        return true;
    }
  }
  return false;
}

/// The statements that closures of a function stand in: the innermost ones that come after one
/// another.
class Statements {
public:
  explicit Statements(const FunctionDecl &function) {
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
      for (const CXXCtorInitializer *each : constructor->inits())
        walk(each->getInit(), each->getInit(), false);
    walk(function.getBody(), nullptr, true);
  }

  const Stmt *of(const CXXRecordDecl &closure) const { return statements.lookup(&closure); }

private:
  llvm::DenseMap<const CXXRecordDecl *, const Stmt *> statements;

  static bool isStep(const Stmt &parent, const Stmt *child) {
    if (isa<CompoundStmt, LabelStmt, AttributedStmt>(parent))
      return true;
    if (const auto *branch = dyn_cast<IfStmt>(&parent))
      return child == branch->getThen() || child == branch->getElse();
    if (const auto *loop = dyn_cast<ForStmt>(&parent))
      return child == loop->getBody();
    if (const auto *loop = dyn_cast<WhileStmt>(&parent))
      return child == loop->getBody();
    if (const auto *loop = dyn_cast<DoStmt>(&parent))
      return child == loop->getBody();
    if (const auto *loop = dyn_cast<CXXForRangeStmt>(&parent))
      return child == loop->getBody();
    if (const auto *choice = dyn_cast<SwitchStmt>(&parent))
      return child == choice->getBody();
    const auto *label = dyn_cast<SwitchCase>(&parent);
    return label && child == label->getSubStmt();
  }

  /// `own` is the statement around; within an expression, what follows one another does not count.
  void walk(const Stmt *statement, const Stmt *own, bool steps) {
    if (!statement)
      return;
    if (const auto *lambda = dyn_cast<LambdaExpr>(statement)) {
      statements[lambda->getLambdaClass()] = own;
      for (const Expr *captured : lambda->capture_inits())
        walk(captured, own, false);
      return;
    }
    steps = steps && !isa<StmtExpr>(statement);
    for (const Stmt *child : statement->children())
      walk(child, steps && isStep(*statement, child) ? child : own, steps);
  }
};

/// Whether all compilers number two closures of one context in the same order.
bool areInOrder(const SourceManager &sources, const CXXRecordDecl &one,
                const CXXRecordDecl &other) {
  const auto isWithin = [&](const CXXRecordDecl &inner, const CXXRecordDecl &outer) {
    const CXXMethodDecl *call = outer.getLambdaCallOperator();
    const SourceLocation at = inner.getLocation();
    return call && sources.isBeforeInTranslationUnit(outer.getLocation(), at) &&
           sources.isBeforeInTranslationUnit(at, call->getEndLoc());
  };
  // One in what the other captures or has as parameters may come before or after it.
  if (isWithin(one, other) || isWithin(other, one))
    return false;
  const DeclContext *context = one.getDeclContext();
  const Decl *owner = one.getLambdaContextDecl();
  if (owner != other.getLambdaContextDecl() ||
      isa_and_nonnull<VarTemplateSpecializationDecl, ParmVarDecl>(owner))
    return false;
  if (!isInstantiated(context))
    return true;
  const auto *function = dyn_cast<FunctionDecl>(context);
  if (!function || !function->getBody())
    return false;
  const Statements statements(*function);
  const Stmt *first = statements.of(one);
  const Stmt *second = statements.of(other);
  return first && second && first != second;
}

/// The places of two closures.
using Places = std::pair<SourceLocation, SourceLocation>;

/// Why it is not certain that all compilers put two kernels of one bare name in the same order: the
/// closures that may come in any, or no places at all.
std::optional<Places> uncertainOrder(const SourceManager &sources, QualType one, QualType other) {
  const auto first = closuresIn(one);
  const auto second = closuresIn(other);
  if (first.size() != second.size())
    return Places();
  bool isCertain = false;
  for (const auto [a, b] : llvm::zip(first, second)) {
    // Those of two functions follow from the functions' own names.
    if (a == b || a->getDeclContext() != b->getDeclContext())
      continue;
    if (!areInOrder(sources, *a, *b))
      return Places(a->getLocation(), b->getLocation());
    isCertain = true;
  }
  return isCertain ? std::nullopt : std::optional<Places>(Places());
}

} // namespace

void plumbline::rememberKernel(QualType name, SourceLocation at) {
  kernels().insert({name.getTypePtr(), Kernel{name, at}});
}

std::string plumbline::nameWithoutParameters(ASTContext &context, QualType type) {
  // Names ask the options of the compilation, whose other functions keep their own.
  auto &options = const_cast<LangOptions &>(context.getLangOpts());
  const LangOptions::ClangABI own = options.getClangABICompat();
  options.setClangABICompat(std::min(own, LangOptions::ClangABI::Ver17));
  std::string name = SYCLUniqueStableNameExpr::ComputeName(context, type);
  options.setClangABICompat(own);
  return name;
}

void plumbline::checkOrderOfKernels(Sema &sema, std::optional<unsigned> gcc) {
  ASTContext &context = sema.Context;
  std::map<std::string, llvm::SmallVector<const Kernel *, 2>> alike;
  for (const auto &[type, kernel] : kernels()) {
    const std::string name = gcc ? nameWithoutParameters(context, kernel.name)
                                 : SYCLUniqueStableNameExpr::ComputeName(context, kernel.name);
    alike[bare(name)].push_back(&kernel);
  }
  DiagnosticsEngine &diagnostics = sema.Diags;
  const unsigned outside = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "kernel %0 is started by a lambda outside functions, which the host compiler of "
      "-fsycl-host-compiler= names differently: declare 'class NAME;' at namespace scope and name "
      "the kernel by it");
  const unsigned constrained = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "kernel %0 is started by a lambda in a template whose name the host compiler of "
      "-fsycl-host-compiler= writes differently: declare 'class NAME;' at namespace scope and name "
      "the kernel by it");
  for (const auto &[type, kernel] : kernels()) {
    const auto closures = closuresIn(kernel.name);
    if (llvm::any_of(closures, [&](const CXXRecordDecl *each) {
          return isPlacedDifferently(context.getSourceManager(), *each);
        }))
      diagnostics.Report(kernel.at, outside) << kernel.name;
    else if (gcc && (isWrittenDifferently(nameWithoutParameters(context, kernel.name)) ||
                     (*gcc >= 14 && llvm::any_of(closures, isConstrained))))
      diagnostics.Report(kernel.at, constrained) << kernel.name;
  }
  const unsigned message = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "kernel %0 has a name that the host compiler of -fsycl-host-compiler= may give to another "
      "kernel: declare 'class NAME;' at namespace scope and name the kernel by it, or start the "
      "two kernels in statements of their own");
  const unsigned other =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "the other kernel is %0");
  const unsigned closure = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Note, "compilers may number the closures of this statement in any order");
  for (const auto &[name, group] : alike) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const auto places =
            uncertainOrder(context.getSourceManager(), group[k]->name, group[i]->name);
        if (!places)
          continue;
        diagnostics.Report(group[i]->at, message) << group[i]->name;
        diagnostics.Report(group[k]->at, other) << group[k]->name;
        for (const SourceLocation place : {places->first, places->second})
          if (place.isValid())
            diagnostics.Report(place, closure);
        break;
      }
    }
  }
}
