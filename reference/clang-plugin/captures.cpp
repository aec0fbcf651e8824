//===- captures.cpp - Closures that other host compilers lay out differently ----------------===//
//
// C++ leaves open in which order a lambda has the variables that it captures without naming them.
// clang takes each when it knows that it is used, which for a constant may be at the end of a
// statement; g++ takes them in the order in which the source mentions them, also where `if
// constexpr` leaves code out, and in templates those that may be constants after all others. Where
// both come to the same order, a kernel may have it; the rest is refused.
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
#include <optional>
#include <string>
#include <utility>

using namespace clang;
using namespace plumbline;

namespace {

/// Variables by the places where they are declared, which a template has in common with what is
/// made of it.
using Places = llvm::SmallVector<SourceLocation, 8>;

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
  return own->isConstexpr() || own->getType()->isDependentType() ||
         own->mightBeUsableInConstantExpressions(context);
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

/// Whether two closures' captures are the same variables in the same order; `order` has those of a
/// pack by the pack's place.
bool isOrderOf(const Captured &captured, const Places &order) {
  const auto isAt = [](const ValueDecl *variable, SourceLocation at) {
    return variable->getLocation() == at;
  };
  if (!llvm::equal(captured, order, isAt))
    return false;
  const auto isBefore = [](const ValueDecl *one, const ValueDecl *other) {
    const auto *first = dyn_cast<ParmVarDecl>(one), *second = dyn_cast<ParmVarDecl>(other);
    return one->getLocation() != other->getLocation() || !first || !second ||
           first->getFunctionScopeIndex() < second->getFunctionScopeIndex();
  };
  for (std::size_t i = 1; i < captured.size(); ++i)
    if (!isBefore(captured[i - 1], captured[i]))
      return false;
  return true;
}

/// Whether g++ comes to the order in which a closure has what its lambda mentions.
bool isOrderCertain(const Mentions &mentions, const Captured &captured, unsigned gcc) {
  Places order, packs;
  bool hasLater = false;
  for (const ValueDecl *each : mentions.found) {
    const SourceLocation at = each->getLocation();
    if (each->isParameterPack()) {
      packs.append(
          llvm::count_if(captured, [&](const ValueDecl *one) { return one->getLocation() == at; }),
          at);
      continue;
    }
    // It takes such a variable in its place all the same, where more than the value is needed.
    const bool isLater = gcc < 13 && mayBeTakenLater(*each);
    if (isLater ? !packs.empty() : hasLater)
      return false;
    hasLater = hasLater || isLater;
    order.push_back(at);
  }
  order.append(packs);
  return isOrderOf(captured, order);
}

/// What a closure has, or may have with g++, in the order of its members.
struct Member {
  std::uint64_t size, alignment;
  /// Where the device compilation has it; nothing for what it does not capture.
  std::optional<std::uint64_t> offset;
};

/// Whether members that the device compilation does not capture may be there and the closure be as
/// large as without them, so that nothing tells that others have moved.
bool mayMoveUnseen(llvm::ArrayRef<Member> members, std::uint64_t size, std::uint64_t alignment) {
  const auto isMore = [](const Member &each) { return !each.offset; };
  const std::size_t more = llvm::count_if(members, isMore);
  if (more > 10)
    return true;
  for (unsigned chosen = 1; chosen < 1U << more; ++chosen) {
    std::uint64_t end = 0, all = alignment;
    bool moves = false;
    unsigned place = 0;
    for (const Member &each : members) {
      if (!each.offset && (chosen >> place++ & 1) == 0)
        continue;
      end = llvm::alignTo(end, each.alignment);
      moves = moves || (each.offset && *each.offset != end);
      end += each.size;
      all = std::max(all, each.alignment);
    }
    if (moves && llvm::alignTo(end, all) == size)
      return true;
  }
  return false;
}

/// One closure and its lambda as it was written.
class Closure {
public:
  Closure(ASTContext &context, const CXXRecordDecl &closure, const LambdaExpr &lambda,
          bool isOfTemplate)
      : context(context), closure(closure), mentions(lambda), isOfTemplate(isOfTemplate) {
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
    return !mayMoveUnseen(membersElsewhere(all, gcc), sizeOf(own()), alignmentOf(own()));
  }

  /// What to write between the brackets.
  std::string written() const {
    llvm::SmallVector<std::string, 8> names;
    for (const LambdaCapture &capture : closure.captures())
      if (capture.capturesVariable() && !capture.isImplicit())
        names.push_back(capture.getCapturedVar()->getNameAsString());
    for (const ValueDecl *each : mentions.found)
      names.push_back(each->getNameAsString() + (each->isParameterPack() ? "..." : ""));
    return llvm::join(names, ", ");
  }

private:
  ASTContext &context;
  const CXXRecordDecl &closure;
  Mentions mentions;
  bool isOfTemplate;
  Captured captured;

  QualType own() const { return context.getRecordType(&closure); }
  std::uint64_t sizeOf(QualType type) const {
    return context.getTypeSizeInChars(type).getQuantity();
  }
  std::uint64_t alignmentOf(QualType type) const {
    return context.getTypeAlignInChars(type).getQuantity();
  }

  bool isConstant(const ValueDecl &variable) const {
    const auto isIt = [&](const ValueDecl *one) {
      return one->getLocation() == variable.getLocation();
    };
    return llvm::none_of(captured, isIt) && mayBeConstant(context, variable);
  }

  /// Whether g++ may capture a variable that is a constant to clang: what an inner lambda uses, and
  /// from version 13 on what a template knows by itself.
  bool mayBeTaken(const ValueDecl &variable, unsigned gcc) const {
    const QualType type = variable.getType();
    if (!isConstant(variable) || type->isDependentType() || type->isReferenceType())
      return false;
    const auto *own = dyn_cast<VarDecl>(&variable);
    const bool isKnown = own && own->getInit() && !own->getInit()->isValueDependent();
    return mentions.within.contains(&variable) || (gcc >= 13 && isOfTemplate && isKnown);
  }

  /// What g++ may have: constants, too, where the lambda mentions them.
  llvm::SmallVector<Member, 8>
  membersElsewhere(const llvm::SmallSetVector<const ValueDecl *, 8> &all, unsigned gcc) const {
    llvm::SmallVector<Member, 8> members;
    llvm::SmallVector<std::pair<SourceLocation, Member>, 8> implicit;
    const ASTRecordLayout &layout = context.getASTRecordLayout(&closure);
    const auto *capture = closure.captures_begin();
    for (const FieldDecl *field : closure.fields()) {
      const Member member{sizeOf(field->getType()), alignmentOf(field->getType()),
                          layout.getFieldOffset(field->getFieldIndex()) / 8};
      if (capture->capturesVariable() && capture->isImplicit())
        implicit.emplace_back(capture->getCapturedVar()->getLocation(), member);
      else
        members.push_back(member);
      ++capture;
    }
    for (const ValueDecl *each : all) {
      for (const auto &[at, member] : implicit)
        if (at == each->getLocation())
          members.push_back(member);
      const QualType type = each->getType();
      if (mayBeTaken(*each, gcc))
        members.push_back({sizeOf(type), alignmentOf(type), std::nullopt});
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
  Closure checked(sema.Context, closure, *search.found, around->isDependentContext());
  if (checked.isCertain(gcc))
    return;
  const unsigned message = sema.Diags.getCustomDiagID(
      DiagnosticsEngine::Error,
      "the host compiler of -fsycl-host-compiler= may have other captures in a kernel's lambda, or "
      "in another order: write them out, as in '[%0]'");
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
