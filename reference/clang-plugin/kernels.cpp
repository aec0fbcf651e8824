//===- kernels.cpp - What a kernel must not be -----------------------------------------------===//
//
// The lowering could say so as well, but only here are the places in the user's code.
//
//===----------------------------------------------------------------------------------------===//

#include "kernels.h"
#include "annotations.h"
#include "attributes.h"
#include "captures.h"
#include "closures.h"
#include "copyable.h"
#include "units.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Path.h"
#include <map>
#include <optional>

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

/// What in a functor is more than bytes.
struct Culprit {
  /// What it is to the functor; the message has words for each.
  enum Role { Itself, Member, Base } role;
  SourceLocation location;
  QualType type;
  StringRef name;
};

/// Whether copying is left to the members. The types of the headers that programs' functors are
/// wrapped in are made so.
bool copiesMembers(const CXXRecordDecl &record) {
  return record.isLambda() ||
         !(record.hasUserDeclaredCopyConstructor() || record.hasUserDeclaredMoveConstructor() ||
           record.hasUserDeclaredDestructor() || record.getNumVBases() > 0);
}

/// Whether a functor may have a part of `type`: a device can get a copy of it, or of all its parts,
/// which are all that it copies (SYCL 2020, "Rules for parameter passing to kernels").
bool isParameter(Sema &sema, QualType type, SourceLocation at) {
  if (isDeviceCopyable(sema, type, at))
    return true;
  const CXXRecordDecl *record = sema.Context.getBaseElementType(type)->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  const auto isOne = [&](const auto &part) { return isParameter(sema, part.getType(), at); };
  return record && !record->isPolymorphic() && copiesMembers(*record) &&
         llvm::all_of(record->bases(), isOne) &&
         llvm::all_of(record->fields(), [&](const FieldDecl *field) { return isOne(*field); });
}

/// Whether the headers put `type` around a functor.
bool isWrapper(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const auto *scope = record ? dyn_cast<NamespaceDecl>(record->getDeclContext()) : nullptr;
  const auto *outer = scope ? dyn_cast<NamespaceDecl>(scope->getDeclContext()) : nullptr;
  return outer && scope->getName() == "detail" && outer->getName() == "sycl" &&
         outer->getDeclContext()->isTranslationUnit();
}

/// A member of a functor, by the name and at the place that the source has for it: those of the
/// capture, where it is one of a variable.
Culprit memberCulprit(const FieldDecl &field, const LambdaCapture *capture) {
  if (capture && capture->capturesVariable())
    return Culprit{Culprit::Member, capture->getLocation(), field.getType(),
                   capture->getCapturedVar()->getName()};
  return Culprit{Culprit::Member, field.getLocation(), field.getType(), field.getName()};
}

/// The first part of a functor that no device can get a copy of.
std::optional<Culprit> findCulprit(Sema &sema, const CXXRecordDecl &functor, bool isWrapped) {
  const QualType own = sema.Context.getRecordType(&functor);
  if (isDeviceCopyable(sema, own, functor.getLocation()))
    return std::nullopt;
  if (!copiesMembers(functor))
    return Culprit{Culprit::Itself, functor.getLocation(), own, StringRef()};
  for (const CXXBaseSpecifier &base : functor.bases())
    if (!isParameter(sema, base.getType(), functor.getLocation()))
      return Culprit{Culprit::Base, base.getBeginLoc(), base.getType(), StringRef()};
  const LambdaCapture *capture = functor.isLambda() ? functor.captures_begin() : nullptr;
  for (const FieldDecl *field : functor.fields()) {
    const CXXRecordDecl *inner = isWrapped ? field->getType()->getAsCXXRecordDecl() : nullptr;
    if (inner && inner->hasDefinition()) {
      if (auto found = findCulprit(sema, *inner->getDefinition(), isWrapper(field->getType())))
        return found;
    } else if (!isParameter(sema, field->getType(), functor.getLocation())) {
      return memberCulprit(*field, capture);
    }
    if (capture)
      ++capture;
  }
  return std::nullopt;
}

/// Whether `long double` has another size or alignment here than on the host.
bool isLongDoubleAnother(const ASTContext &context) {
  const TargetInfo *host = context.getAuxTargetInfo();
  const TargetInfo &device = context.getTargetInfo();
  // With `-mlong-double-64` it is `double` on both.
  return host && context.getLangOpts().LongDoubleSize != 64 &&
         (host->getLongDoubleWidth() != device.getLongDoubleWidth() ||
          host->getLongDoubleAlign() != device.getLongDoubleAlign());
}

/// Looks for a `long double` in objects, in what they point to, and in what the headers' objects
/// (accessors) stand for.
class LongDouble {
public:
  explicit LongDouble(ASTContext &context) : context(context) {}

  bool isIn(QualType type) {
    type = context.getBaseElementType(type).getCanonicalType();
    if (type->isPointerType() || type->isReferenceType())
      return isIn(type->getPointeeType());
    if (const auto *complex = type->getAs<ComplexType>())
      type = complex->getElementType();
    if (type->isSpecificBuiltinType(BuiltinType::LongDouble))
      return true;
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (!record || !record->hasDefinition() || !seen.insert(record->getCanonicalDecl()).second)
      return false;
    record = record->getDefinition();
    const auto hasOne = [&](const auto &part) { return isIn(part.getType()); };
    return llvm::any_of(record->bases(), hasOne) ||
           llvm::any_of(record->fields(), [&](const FieldDecl *field) { return hasOne(*field); }) ||
           isElement(*record);
  }

private:
  ASTContext &context;
  llvm::SmallPtrSet<const Decl *, 16> seen;

  /// Whether a template of the headers is one over such a type: its objects are handles.
  bool isElement(const CXXRecordDecl &record) {
    const auto *instance = dyn_cast<ClassTemplateSpecializationDecl>(&record);
    const auto *scope = dyn_cast<NamespaceDecl>(record.getDeclContext());
    if (!instance || !scope || scope->getName() != "sycl")
      return false;
    return llvm::any_of(instance->getTemplateArgs().asArray(), [&](const TemplateArgument &each) {
      return each.getKind() == TemplateArgument::Type && isIn(each.getAsType());
    });
  }
};

/// The first part of the user's functor by which a kernel comes to a `long double`.
std::optional<Culprit> findLongDouble(ASTContext &context, const CXXRecordDecl &functor) {
  for (const CXXBaseSpecifier &base : functor.bases())
    if (LongDouble(context).isIn(base.getType()))
      return Culprit{Culprit::Base, base.getBeginLoc(), base.getType(), StringRef()};
  const LambdaCapture *capture = functor.isLambda() ? functor.captures_begin() : nullptr;
  for (const FieldDecl *field : functor.fields()) {
    if (LongDouble(context).isIn(field->getType())) {
      return memberCulprit(*field, capture);
    }
    if (capture)
      ++capture;
  }
  return std::nullopt;
}

/// The user's functor inside those that the headers put around it.
const CXXRecordDecl *userFunctor(QualType type) {
  const CXXRecordDecl *functor = type->getAsCXXRecordDecl();
  while (functor && isWrapper(type) && functor->hasDefinition() && !functor->field_empty()) {
    type = functor->getDefinition()->field_begin()->getType();
    functor = type->getAsCXXRecordDecl();
  }
  return functor;
}

/// Reports a functor that has another layout on the host, in whose layout it is handed over.
void checkLayout(Sema &sema, QualType name, QualType type) {
  ASTContext &context = sema.Context;
  const CXXRecordDecl *functor = userFunctor(type);
  if (!functor || !functor->hasDefinition() || !isLongDoubleAnother(context))
    return;
  const auto found = findLongDouble(context, *functor->getDefinition());
  if (!found)
    return;
  DiagnosticsEngine &diagnostics = sema.Diags;
  const unsigned message = diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "kernel %0 has another layout on the device: %select{its function object|'%2'|the base of "
      "its "
      "function object}1 has the type %3; 'long double' takes %4 bytes on the device and "
      "%5 on the host");
  const auto bytes = [](const TargetInfo &target) {
    return static_cast<unsigned>(target.getLongDoubleWidth() / 8);
  };
  diagnostics.Report(found->location, message)
      << name << found->role << found->name << found->type << bytes(context.getTargetInfo())
      << bytes(*context.getAuxTargetInfo());
}

/// The first part of the user's functor that is a reference, at any depth.
std::optional<Culprit> findReference(ASTContext &context, const CXXRecordDecl &functor) {
  for (const CXXBaseSpecifier &base : functor.bases()) {
    const CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl();
    if (record && record->hasDefinition())
      if (auto found = findReference(context, *record->getDefinition()))
        return found;
  }
  const LambdaCapture *capture = functor.isLambda() ? functor.captures_begin() : nullptr;
  for (const FieldDecl *field : functor.fields()) {
    if (field->getType()->isReferenceType())
      return memberCulprit(*field, capture);
    const QualType element = context.getBaseElementType(field->getType());
    const CXXRecordDecl *record = element->getAsCXXRecordDecl();
    if (record && record->hasDefinition())
      if (auto found = findReference(context, *record->getDefinition()))
        return found;
    if (capture)
      ++capture;
  }
  return std::nullopt;
}

/// Reports what in a functor refers to objects of the host (SYCL 2020, 4.12.4).
void checkReferences(Sema &sema, QualType name, QualType type) {
  const CXXRecordDecl *functor = userFunctor(type);
  if (!functor || !functor->hasDefinition())
    return;
  functor = functor->getDefinition();
  DiagnosticsEngine &diagnostics = sema.Diags;
  if (const auto found = findReference(sema.Context, *functor)) {
    const unsigned message = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error,
        "kernel %0 cannot have references to what the host has: '%1' has the type %2");
    diagnostics.Report(found->location, message) << name << found->name << found->type;
  }
  if (!functor->isLambda())
    return;
  for (const LambdaCapture &capture : functor->captures()) {
    if (!capture.capturesThis() || !capture.isImplicit())
      continue;
    const unsigned message = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "kernel %0 captures 'this' without naming it; capture '*this', "
                                  "or 'this' where devices can reach the object");
    diagnostics.Report(capture.getLocation(), message) << name;
  }
}

/// Puts a text in the place of what the annotation of a wrapper names its kernel by.
void nameForGcc(FunctionDecl &wrapper, StringRef name) {
  ASTContext &context = wrapper.getASTContext();
  const QualType array = context.getStringLiteralArrayType(context.CharTy, name.size());
  auto *literal = StringLiteral::Create(context, name, StringLiteralKind::Ordinary,
                                        /*Pascal=*/false, array, SourceLocation());
  const QualType pointer = context.getPointerType(context.CharTy.withConst());
  Expr *first = ImplicitCastExpr::Create(context, pointer, CK_ArrayToPointerDecay, literal, nullptr,
                                         VK_PRValue, FPOptionsOverride());
  const APValue value(APValue::LValueBase(literal), CharUnits::Zero(),
                      {APValue::LValuePathEntry::ArrayIndex(0)}, /*OnePastTheEnd=*/false);
  Expr *argument = ConstantExpr::Create(context, first, value);
  AttrVec attributes;
  for (Attr *attribute : wrapper.attrs()) {
    const auto *annotation = dyn_cast<AnnotateAttr>(attribute);
    if (annotation && annotation->getAnnotation() == kernelAnnotation)
      attribute = AnnotateAttr::CreateImplicit(context, kernelAnnotation, &argument, 1,
                                               annotation->getRange());
    attributes.push_back(attribute);
  }
  wrapper.setAttrs(attributes);
}

/// Reports a name that the two halves write differently: with a constant of an enumeration without
/// a name, within a function.
void checkName(Sema &sema, QualType name, SourceLocation at) {
  const bool isUnnamed = anyPartOfName(name, [](const NamedDecl &part) {
    const auto *constants = dyn_cast<EnumDecl>(&part);
    return constants && !constants->getIdentifier() && !constants->getTypedefNameForAnonDecl() &&
           constants->getParentFunctionOrMethod();
  });
  if (!isUnnamed)
    return;
  const unsigned message = sema.Diags.getCustomDiagID(
      DiagnosticsEngine::Error,
      "kernel %0 cannot be named by a constant of an enumeration that has no name, within a "
      "function: name the enumeration");
  sema.Diags.Report(at, message) << name;
}

} // namespace

void plumbline::describeKernel(FunctionDecl &wrapper, std::optional<unsigned> gcc) {
  ASTContext &context = wrapper.getASTContext();
  const QualType name = nameOf(wrapper);
  if (name.isNull() || wrapper.getNumParams() == 0)
    return;
  if (gcc)
    nameForGcc(wrapper, nameWithoutParameters(context, name));
  const auto annotate = [&](StringRef text) {
    Expr *argument = noArgument(context);
    wrapper.addAttr(AnnotateAttr::CreateImplicit(context, text, &argument, 1));
  };
  if (isOfOneUnit(name))
    annotate(nameOfOneUnitAnnotation);
  const CXXRecordDecl *functor = userFunctor(wrapper.getParamDecl(0)->getType());
  // An explicit instantiation stands elsewhere in each unit, or nowhere.
  const CXXRecordDecl *pattern = functor ? functor->getTemplateInstantiationPattern() : nullptr;
  const CXXRecordDecl *written = pattern ? pattern : functor;
  const SourceManager &sources = context.getSourceManager();
  const auto place =
      sources.getPresumedLoc(written ? written->getLocation() : wrapper.getLocation());
  if (place.isValid()) {
    // One header may have several paths.
    const StringRef file = llvm::sys::path::filename(place.getFilename());
    annotate((functorAtAnnotation + file + ":" + std::to_string(place.getLine())).str());
  }
}

void plumbline::checkKernel(Sema &sema, const FunctionDecl &wrapper, std::optional<unsigned> gcc) {
  DiagnosticsEngine &diagnostics = sema.Diags;
  static std::map<std::string, CXXRecordDecl *> kernels;
  const QualType name = nameOf(wrapper);
  if (name.isNull() || wrapper.getNumParams() == 0)
    return;
  const QualType type = wrapper.getParamDecl(0)->getType();
  CXXRecordDecl *functor = type->getAsCXXRecordDecl();
  if (!functor || !functor->hasDefinition())
    return;
  functor = functor->getDefinition();
  if (const auto found = findCulprit(sema, *functor, isWrapper(type))) {
    const unsigned message = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error,
        "kernel %0 cannot be copied to a device: %select{its function object has the type|'%2' has "
        "the type|its function object has the base}1 %3, which is not device copyable");
    diagnostics.Report(found->location, message)
        << name << found->role << found->name << found->type;
  } else {
    // Code generation then passes the functor as bytes, and not the address of an object that a
    // constructor made.
    functor->setArgPassingRestrictions(RecordArgPassingKind::CanPassInRegs);
  }
  checkLayout(sema, name, type);
  checkReferences(sema, name, type);
  if (gcc)
    checkCaptures(sema, *functor, *gcc);
  const CXXRecordDecl *user = userFunctor(type);
  // Types may be two and have one name, as local classes have in blocks of one function.
  const auto [first, isNew] =
      kernels.try_emplace(SYCLUniqueStableNameExpr::ComputeName(sema.Context, name), functor);
  if (isNew) {
    const SourceLocation at = (user ? user : functor)->getLocation();
    checkName(sema, name, at);
    rememberKernel(name, at);
  }
  if (first->second == functor)
    return;
  const unsigned message =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "two kernels have the name %0");
  const unsigned note =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "the first kernel of this name is here");
  const CXXRecordDecl *firstUser = userFunctor(sema.Context.getRecordType(first->second));
  diagnostics.Report((user ? user : functor)->getLocation(), message) << name;
  diagnostics.Report((firstUser ? firstUser : first->second)->getLocation(), note);
}
