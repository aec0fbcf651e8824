//===- records.cpp - Types that use aspects --------------------------------------------------===//
//
// IR has no place for an attribute of a type, and only code generation knows the name that a type
// gets there. So every type with an aspect attribute gets a variable, which carries the annotation;
// the lowering reads the type off the variable and drops it.
//
//===----------------------------------------------------------------------------------------===//

#include "records.h"
#include "annotations.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace plumbline;

namespace {

VarDecl *variableOf(ASTContext &context, CXXRecordDecl &type, AnnotateAttr &annotation,
                    unsigned number) {
  auto &name = context.Idents.get("__plumbline_record_" + std::to_string(number));
  auto *variable =
      VarDecl::Create(context, context.getTranslationUnitDecl(), type.getLocation(),
                      type.getLocation(), &name, context.getRecordType(&type), nullptr, SC_None);
  variable->addAttr(annotation.clone(context));
  variable->addAttr(UsedAttr::CreateImplicit(context));
  variable->addAttr(NoDestroyAttr::CreateImplicit(context));
  return variable;
}

bool hasAspects(const CXXRecordDecl &type) {
  return llvm::any_of(type.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *annotation) {
    return annotation->getAnnotation() == usesAspectsAnnotation;
  });
}

} // namespace

void plumbline::declareRecordsWithAspects(ASTContext &context, ASTConsumer &consumer) {
  // Every class that the unit has a type of: what an attribute is written on becomes several of
  // them where templates are around it, classes in class templates among them.
  SmallVector<CXXRecordDecl *, 16> types;
  for (const Type *each : context.getTypes()) {
    const auto *record = dyn_cast<RecordType>(each);
    auto *type = record ? dyn_cast<CXXRecordDecl>(record->getDecl()) : nullptr;
    if (type && (type = type->getDefinition()) && hasAspects(*type) && !type->isDependentType() &&
        !type->isInvalidDecl())
      types.push_back(type);
  }
  unsigned number = 0;
  for (CXXRecordDecl *type : types) {
    for (auto *annotation : type->specific_attrs<AnnotateAttr>()) {
      if (annotation->getAnnotation() == usesAspectsAnnotation)
        consumer.HandleTopLevelDecl(
            DeclGroupRef(variableOf(context, *type, *annotation, number++)));
    }
  }
}
