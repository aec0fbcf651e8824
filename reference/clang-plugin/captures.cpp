//===- captures.cpp - Closures that other host compilers lay out differently ----------------===//
//
// C++ leaves open in which order a lambda has the variables that it captures without naming them,
// and compilers differ in which constants it has. clang takes each when it knows that it is used,
// which for a constant may be at the end of a statement; g++ takes them in the order in which the
// source mentions them, also where code is left out, and in templates those that may be constants
// there or after all others. Where both come to the same closure, or to one of another size (which
// the runtime tells), a kernel may have it; the rest is refused.
//
//===----------------------------------------------------------------------------------------===//

#include "captures.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

/// A variable as a template and what is made of it have in common: by the place where it is
/// declared, a parameter by its name, since functions may be declared in several places.
struct Variable {
  SourceLocation at;
  StringRef name;

  explicit Variable(const ValueDecl &declaration)
      : at(isa<ParmVarDecl>(declaration) ? SourceLocation() : declaration.getLocation()),
        name(declaration.getIdentifier() ? declaration.getName() : StringRef()) {}
  bool operator==(const Variable &other) const { return at == other.at && name == other.name; }
};
using Variables = llvm::SmallVector<Variable, 8>;

/// The lambda of a place in the source, in what it was written in.
class FindLambda : public RecursiveASTVisitor<FindLambda> {
public:
  explicit FindLambda(SourceLocation at) : at(at) {}

  LambdaExpr *found = nullptr;

  bool VisitLambdaExpr(LambdaExpr *lambda) {
    if (lambda->getLambdaClass()->getLocation() == at)
      found = lambda;
    return !found;
  }

private:
  SourceLocation at;
};

/// The variables around a lambda that its body mentions, in the order of the source.
class Mentions : public RecursiveASTVisitor<Mentions> {
public:
  explicit Mentions(const LambdaExpr &lambda) : call(*lambda.getCallOperator()) {
    for (const LambdaCapture &capture : lambda.explicit_captures())
      if (capture.capturesVariable())
        named.insert(capture.getCapturedVar());
  }

  llvm::SmallSetVector<const ValueDecl *, 8> found;
  /// Those that a lambda within mentions.
  llvm::SmallPtrSet<const ValueDecl *, 4> within;

  bool TraverseLambdaExpr(LambdaExpr *lambda) {
    ++depth;
    const bool goesOn = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    --depth;
    return goesOn;
  }

  bool VisitDeclRefExpr(DeclRefExpr *mention) {
    const ValueDecl *variable = mention->getDecl();
    const auto *own = dyn_cast<VarDecl>(variable);
    const bool isLocal = own ? own->hasLocalStorage() : isa<BindingDecl>(variable);
    if (isLocal && !call.Encloses(variable->getDeclContext()) && !named.contains(variable)) {
      found.insert(variable);
      if (depth > 0)
        within.insert(variable);
    }
    return true;
  }
  // No compiler takes what is asked for its size or its type alone.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc) { return true; }

private:
  const CXXMethodDecl &call;
  unsigned depth = 0;
  llvm::SmallPtrSet<const ValueDecl *, 4> named;
};

/// The function that a closure is in, whatever lambdas are between, as it was written; null where
/// there is none.
const FunctionDecl *writtenAround(const CXXRecordDecl &closure) {
  const FunctionDecl *outermost = nullptr;
  for (const DeclContext *each = closure.getDeclContext(); each; each = each->getParent())
    if (const auto *function = dyn_cast<FunctionDecl>(each))
      outermost = function;
  if (!outermost)
    return nullptr;
  const FunctionDecl *pattern = outermost->getTemplateInstantiationPattern();
  return pattern ? pattern : outermost;
}

/// Whether only its use tells if a variable is captured: it may be a constant.
bool mayBeConstant(const ASTContext &context, const ValueDecl &variable) {
  const auto *own = dyn_cast<VarDecl>(&variable);
  if (!own || isa<ParmVarDecl>(own))
    return false;
  const QualType type = own->getType();
  const bool isUnknown =
      type->isDependentType() && (type.isConstQualified() || type->isReferenceType());
  return own->isConstexpr() || isUnknown || own->mightBeUsableInConstantExpressions(context);
}

/// Looks for `this`, written or not.
class FindThis : public RecursiveASTVisitor<FindThis> {
public:
  bool found = false;
  bool VisitCXXThisExpr(CXXThisExpr *) {
    found = true;
    return false;
  }
};

/// Whether g++ may take a variable of a template when the template is instantiated, behind all
/// others: where the template does not tell if it is a constant. From version 13 on it does not.
bool mayBeTakenLater(const ValueDecl &variable) {
  const auto *own = dyn_cast<VarDecl>(&variable);
  if (!own || isa<ParmVarDecl>(own))
    return false;
  const QualType type = own->getType();
  const bool isNumber =
      type.isConstQualified() && !type->isDependentType() && type->isIntegralOrEnumerationType();
  const Expr *begin = own->getInit();
  if (begin) {
    // Nothing that is read from an object is a constant to it.
    FindThis object;
    object.TraverseStmt(const_cast<Expr *>(begin));
    if (!begin->isValueDependent() || object.found)
      return false;
  }
  return own->isConstexpr() || isNumber || type->isReferenceType();
}

/// What a closure captures without naming it.
using Captured = llvm::SmallVector<const ValueDecl *, 8>;

bool isAmong(const Captured &captured, const ValueDecl &variable) {
  const Variable wanted(variable);
  return llvm::any_of(captured, [&](const ValueDecl *one) { return Variable(*one) == wanted; });
}

/// Whether a closure's captures are these variables in this order; those of a pack are the pack, as
/// often as it has elements.
bool isOrderOf(const Captured &captured, const Variables &order) {
  const auto isIt = [](const ValueDecl *one, const Variable &other) {
    return Variable(*one) == other;
  };
  if (!llvm::equal(captured, order, isIt))
    return false;
  for (std::size_t i = 1; i < captured.size(); ++i) {
    const auto *first = dyn_cast<ParmVarDecl>(captured[i - 1]);
    const auto *second = dyn_cast<ParmVarDecl>(captured[i]);
    if (first && second && Variable(*first) == Variable(*second) &&
        first->getFunctionScopeIndex() >= second->getFunctionScopeIndex())
      return false;
  }
  return true;
}

/// Whether g++ comes to the order in which a closure has what its lambda mentions.
bool isOrderCertain(const Mentions &mentions, const Captured &captured, unsigned gcc) {
  Variables order, packs;
  bool hasLater = false;
  for (const ValueDecl *each : mentions.found) {
    const Variable variable(*each);
    if (each->isParameterPack()) {
      const auto isIt = [&](const ValueDecl *one) { return Variable(*one) == variable; };
      packs.append(llvm::count_if(captured, isIt), variable);
      continue;
    }
    // It takes such a variable in its place all the same, where more than the value is needed.
    const bool isLater = gcc < 13 && mayBeTakenLater(*each);
    if (isLater ? !packs.empty() : hasLater)
      return false;
    hasLater = hasLater || isLater;
    order.push_back(variable);
  }
  order.append(packs);
  return isOrderOf(captured, order);
}

/// What a closure has on one side at least.
struct Member {
  std::uint64_t size, alignment;
  /// Where the device compilation has it; nothing for what it does not capture.
  std::optional<std::uint64_t> offset;
  /// Whether it may not be there with g++.
  bool isOptional;
};

/// Whether g++ may have other members than the device compilation, and the closure be as large all
/// the same, so that nothing tells that some have moved.
bool mayMoveUnseen(llvm::ArrayRef<Member> members, std::uint64_t size) {
  const auto isOptional = [](const Member &each) { return each.isOptional; };
  const std::size_t optional = llvm::count_if(members, isOptional);
  if (optional > 10)
    return true;
  for (unsigned chosen = 0; chosen < 1U << optional; ++chosen) {
    std::uint64_t end = 0, alignment = 1;
    bool moves = false;
    unsigned place = 0;
    for (const Member &each : members) {
      if (each.isOptional && (chosen >> place++ & 1) == 0) {
        moves = moves || each.offset;
        continue;
      }
      end = llvm::alignTo(end, each.alignment);
      moves = moves || (each.offset && *each.offset != end);
      end += each.size;
      alignment = std::max(alignment, each.alignment);
    }
    if (moves && llvm::alignTo(end, alignment) == size)
      return true;
  }
  return false;
}

/// Whether a context is in a lambda that is a template.
bool isInGenericLambda(const DeclContext *context) {
  for (; context; context = context->getParent()) {
    const auto *record = dyn_cast<CXXRecordDecl>(context);
    if (record && record->isGenericLambda())
      return true;
  }
  return false;
}

/// One closure and its lambda as it was written.
class Closure {
public:
  Closure(ASTContext &context, const CXXRecordDecl &closure, const LambdaExpr &lambda)
      : context(context), closure(closure), mentions(lambda), isGeneric(lambda.isGenericLambda()) {
    const DeclContext *around = lambda.getLambdaClass()->getDeclContext();
    isOfTemplate = around->isDependentContext();
    isInGeneric = isInGenericLambda(around);
    mentions.TraverseStmt(lambda.getBody());
    for (const LambdaCapture &capture : closure.captures())
      if (capture.capturesVariable() && capture.isImplicit())
        captured.push_back(capture.getCapturedVar());
  }

  bool isCertain(unsigned gcc) {
    const llvm::SmallSetVector<const ValueDecl *, 8> all = mentions.found;
    // What clang reads as a constant is in no closure.
    mentions.found.remove_if([&](const ValueDecl *each) { return isConstant(*each); });
    if (!mentions.found.empty() && !isOrderCertain(mentions, captured, gcc))
      return false;
    // A number of a type that only the template's user knows may have any of these sizes.
    const auto mayMove = [&](std::uint64_t unknown) {
      return mayMoveUnseen(membersElsewhere(all, gcc, unknown),
                           sizeOf(context.getRecordType(&closure)));
    };
    return !llvm::any_of(std::initializer_list<std::uint64_t>{1, 2, 4, 8}, mayMove);
  }

  /// What to write between the brackets.
  std::string written() const {
    llvm::SmallVector<std::string, 8> names;
    for (const LambdaCapture &capture : closure.captures()) {
      if (capture.capturesThis())
        names.push_back(capture.getCaptureKind() == LCK_StarThis ? "*this" : "this");
      const auto *variable =
          capture.capturesVariable() && !capture.isImplicit() ? capture.getCapturedVar() : nullptr;
      if (variable)
        names.push_back(variable->getNameAsString() + (variable->isInitCapture() ? " = …" : ""));
    }
    for (const ValueDecl *each : mentions.found)
      names.push_back(each->getNameAsString() + (each->isParameterPack() ? "..." : ""));
    return llvm::join(names, ", ");
  }

private:
  ASTContext &context;
  const CXXRecordDecl &closure;
  Mentions mentions;
  bool isGeneric, isOfTemplate, isInGeneric;
  Captured captured;

  std::uint64_t sizeOf(QualType type) const {
    return context.getTypeSizeInChars(type).getQuantity();
  }
  std::uint64_t alignmentOf(QualType type) const {
    return context.getTypeAlignInChars(type).getQuantity();
  }

  bool isConstant(const ValueDecl &variable) const {
    return !isAmong(captured, variable) && mayBeConstant(context, variable);
  }

  /// Whether g++ may capture a variable that is a constant to clang: an object or an array, what an
  /// inner lambda uses or a lambda in a generic one, and from version 13 on what a template knows
  /// by itself.
  bool mayBeTaken(const ValueDecl &variable, unsigned gcc) const {
    const QualType type = variable.getType();
    if (!isConstant(variable) || type->isReferenceType())
      return false;
    const auto *own = dyn_cast<VarDecl>(&variable);
    const bool isKnown = own && own->getInit() && !own->getInit()->isValueDependent();
    return type->isRecordType() || type->isArrayType() || isInGeneric ||
           mentions.within.contains(&variable) || (gcc >= 13 && isOfTemplate && isKnown);
  }

  /// Whether g++ may not capture what clang does: a constant in an expression that depends on
  /// template parameters, or an object or an array.
  bool mayBeLeftOut(const ValueDecl &variable) const {
    const QualType type = variable.getType();
    const auto *own = dyn_cast<VarDecl>(&variable);
    return own && own->isUsableInConstantExpressions(context) && !type->isReferenceType() &&
           (isGeneric || isOfTemplate || type->isRecordType() || type->isArrayType());
  }

  /// What g++ may have: constants, too, where the lambda mentions them. Types that are not known
  /// take `unknown` bytes.
  llvm::SmallVector<Member, 8>
  membersElsewhere(const llvm::SmallSetVector<const ValueDecl *, 8> &all, unsigned gcc,
                   std::uint64_t unknown) const {
    llvm::SmallVector<Member, 8> members;
    llvm::SmallVector<std::pair<Variable, Member>, 8> implicit;
    const ASTRecordLayout &layout = context.getASTRecordLayout(&closure);
    const auto *capture = closure.captures_begin();
    for (const FieldDecl *field : closure.fields()) {
      Member member{sizeOf(field->getType()), alignmentOf(field->getType()),
                    layout.getFieldOffset(field->getFieldIndex()) / 8, false};
      if (capture->capturesVariable() && capture->isImplicit()) {
        member.isOptional = mayBeLeftOut(*capture->getCapturedVar());
        implicit.emplace_back(Variable(*capture->getCapturedVar()), member);
      } else {
        members.push_back(member);
      }
      ++capture;
    }
    for (const ValueDecl *each : all) {
      for (const auto &[variable, member] : implicit)
        if (variable == Variable(*each))
          members.push_back(member);
      if (!mayBeTaken(*each, gcc))
        continue;
      const QualType type = each->getType();
      const bool isKnown = !type->isDependentType();
      members.push_back({isKnown ? sizeOf(type) : unknown, isKnown ? alignmentOf(type) : unknown,
                         std::nullopt, true});
    }
    return members;
  }
};

/// Reports one closure.
void checkClosure(Sema &sema, const CXXRecordDecl &closure, unsigned gcc) {
  const auto isImplicit = [](const LambdaCapture &each) {
    return each.capturesVariable() && each.isImplicit();
  };
  const FunctionDecl *around = writtenAround(closure);
  if (!around || llvm::none_of(closure.captures(), isImplicit))
    return;
  FindLambda search(closure.getLocation());
  search.TraverseDecl(const_cast<FunctionDecl *>(around));
  if (!search.found)
    return;
  Closure checked(sema.Context, closure, *search.found);
  if (checked.isCertain(gcc))
    return;
  const unsigned message = sema.Diags.getCustomDiagID(
      DiagnosticsEngine::Error,
      "the host compiler of -fsycl-host-compiler= may have other captures in a kernel's lambda, or "
      "in another order: write them out, as in '[%0]', and declare constants 'static constexpr'");
  sema.Diags.Report(closure.getLocation(), message) << checked.written();
}

} // namespace

void plumbline::checkCaptures(Sema &sema, const CXXRecordDecl &functor, unsigned gcc) {
  static llvm::SmallPtrSet<const CXXRecordDecl *, 32> seen;
  const CXXRecordDecl *record = functor.getDefinition();
  if (!record || !seen.insert(record).second)
    return;
  if (record->isLambda())
    checkClosure(sema, *record, gcc);
  const auto checkPart = [&](QualType type) {
    type = sema.Context.getBaseElementType(type);
    if (const CXXRecordDecl *part = type->getAsCXXRecordDecl())
      checkCaptures(sema, *part, gcc);
  };
  for (const CXXBaseSpecifier &base : record->bases())
    checkPart(base.getType());
  for (const FieldDecl *field : record->fields())
    checkPart(field->getType());
}
