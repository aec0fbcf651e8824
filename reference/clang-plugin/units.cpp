//===- units.cpp - Names that belong to one translation unit ---------------------------------===//
//
// clang's own linkage of a type does not say it: a lambda of an ordinary function has no linkage,
// and yet a name that no other translation unit may have.
//
//===----------------------------------------------------------------------------------------===//

#include "units.h"
#include "clang/AST/APValue.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace plumbline;

namespace {

/// Looks through the parts of a mangled name.
class Parts {
public:
  explicit Parts(llvm::function_ref<bool(const NamedDecl &)> holds) : holds(holds) {}

  bool anyOf(QualType type) {
    const Type *part = type.getCanonicalType().getTypePtr();
    if (const auto *tag = part->getAs<TagType>())
      return anyOf(*tag->getDecl());
    if (const auto *array = dyn_cast<ArrayType>(part))
      return anyOf(array->getElementType());
    if (const auto *member = part->getAs<MemberPointerType>())
      return anyOf(QualType(member->getClass(), 0)) || anyOf(member->getPointeeType());
    if (const auto *function = part->getAs<FunctionProtoType>())
      return anyOf(function->getReturnType()) || anyParameter(*function);
    const QualType pointee = part->getPointeeType();
    return !pointee.isNull() && anyOf(pointee);
  }

private:
  llvm::function_ref<bool(const NamedDecl &)> holds;
  llvm::SmallPtrSet<const Decl *, 16> seen;

  bool anyOf(const NamedDecl &declaration) {
    if (!seen.insert(declaration.getCanonicalDecl()).second)
      return false;
    if (holds(declaration))
      return true;
    if (const auto *function = dyn_cast<FunctionDecl>(&declaration)) {
      const auto *type = function->getType()->getAs<FunctionProtoType>();
      if ((type && anyParameter(*type)) || any(function->getTemplateSpecializationArgs()))
        return true;
    } else if (const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(&declaration)) {
      if (any(&record->getTemplateArgs()))
        return true;
    } else if (const auto *variable = dyn_cast<VarTemplateSpecializationDecl>(&declaration)) {
      if (any(&variable->getTemplateArgs()))
        return true;
    } else if (const auto *object = dyn_cast<TemplateParamObjectDecl>(&declaration)) {
      return anyOf(object->getType()) || any(object->getValue());
    }
    const auto *record = dyn_cast<CXXRecordDecl>(&declaration);
    if (record && record->isLambda()) {
      const CXXMethodDecl *call = record->getLambdaCallOperator();
      const auto *type = call ? call->getType()->getAs<FunctionProtoType>() : nullptr;
      if (type && !call->isDependentContext() && anyParameter(*type))
        return true;
      if (const auto *named = dyn_cast_or_null<NamedDecl>(record->getLambdaContextDecl()))
        return anyOf(*named);
    }
    const auto *scope = dyn_cast<NamedDecl>(declaration.getDeclContext());
    return scope && !isa<NamespaceDecl>(scope) && anyOf(*scope);
  }

  bool anyParameter(const FunctionProtoType &function) {
    return llvm::any_of(function.param_types(), [&](QualType type) { return anyOf(type); });
  }

  bool any(const TemplateArgumentList *arguments) { return arguments && any(arguments->asArray()); }

  bool any(ArrayRef<TemplateArgument> arguments) {
    return llvm::any_of(arguments, [&](const TemplateArgument &each) { return any(each); });
  }

  bool any(const TemplateArgument &argument) {
    switch (argument.getKind()) {
    case TemplateArgument::Type:
      return anyOf(argument.getAsType());
    case TemplateArgument::Integral:
      return anyOf(argument.getIntegralType());
    case TemplateArgument::Declaration:
      return anyOf(*argument.getAsDecl());
    case TemplateArgument::NullPtr:
      return anyOf(argument.getNullPtrType());
    case TemplateArgument::StructuralValue:
      return anyOf(argument.getStructuralValueType()) || any(argument.getAsStructuralValue());
    case TemplateArgument::Template: {
      const TemplateDecl *named = argument.getAsTemplate().getAsTemplateDecl();
      return named && anyOf(*named);
    }
    case TemplateArgument::Pack:
      return any(argument.getPackAsArray());
    case TemplateArgument::Null:
    case TemplateArgument::TemplateExpansion:
    case TemplateArgument::Expression:
      return false; // No part of a name that is known whole.
    }
    return false;
  }

  /// What a value refers to; its own type is looked at elsewhere.
  bool any(const APValue &value) {
    const auto element = [&](unsigned count, auto at) {
      return llvm::any_of(llvm::seq(count), [&](unsigned index) { return any(at(index)); });
    };
    switch (value.getKind()) {
    case APValue::LValue: {
      const APValue::LValueBase base = value.getLValueBase();
      if (const auto *object = base.dyn_cast<const ValueDecl *>())
        return anyOf(*object);
      return base.is<TypeInfoLValue>() && anyOf(QualType(base.get<TypeInfoLValue>().getType(), 0));
    }
    case APValue::MemberPointer:
      return value.getMemberPointerDecl() && anyOf(*value.getMemberPointerDecl());
    case APValue::Struct:
      return element(value.getStructNumBases(),
                     [&](unsigned i) { return value.getStructBase(i); }) ||
             element(value.getStructNumFields(),
                     [&](unsigned i) { return value.getStructField(i); });
    case APValue::Union:
      return value.getUnionField() && any(value.getUnionValue());
    case APValue::Array:
      return element(value.getArrayInitializedElts(),
                     [&](unsigned i) { return value.getArrayInitializedElt(i); }) ||
             (value.hasArrayFiller() && any(value.getArrayFiller()));
    default:
      return false; // Numbers.
    }
  }
};

/// Whether a declaration, rather than something around it, has no name in other units.
bool isItself(const NamedDecl &declaration) {
  if (const auto *function = dyn_cast<FunctionDecl>(&declaration))
    return function->getCanonicalDecl()->getStorageClass() == SC_Static &&
           !isa<CXXMethodDecl>(function);
  if (const auto *variable = dyn_cast<VarDecl>(&declaration))
    return variable->isFileVarDecl() && !variable->isStaticDataMember() &&
           variable->getFormalLinkage() == Linkage::Internal;
  const auto *tag = dyn_cast<TagDecl>(&declaration);
  if (!tag || tag->hasNameForLinkage() || !tag->getDeclContext()->isFileContext())
    return false;
  // Units count such types on their own; a lambda of an inline variable belongs to the variable.
  const auto *record = dyn_cast<CXXRecordDecl>(tag);
  return !record || !record->isLambda() || !record->getLambdaContextDecl();
}

} // namespace

bool plumbline::isOfOneUnit(QualType type) {
  return anyPartOfName(type, [](const NamedDecl &declaration) {
    return declaration.isInAnonymousNamespace() || isItself(declaration);
  });
}

bool plumbline::anyPartOfName(QualType type, llvm::function_ref<bool(const NamedDecl &)> holds) {
  return Parts(holds).anyOf(type);
}

void plumbline::keepInternal(VarDecl &variable) {
  if (variable.isFileVarDecl() && !variable.isStaticDataMember() &&
      !isa<VarTemplateSpecializationDecl>(variable) && !variable.getDescribedVarTemplate() &&
      variable.getStorageClass() == SC_None && variable.getFormalLinkage() == Linkage::Internal &&
      !variable.isInAnonymousNamespace())
    variable.setStorageClass(SC_Static);
}
