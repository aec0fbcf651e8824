//===- records.cpp - Types that use aspects --------------------------------------------------===//
//
// IR has no place for an attribute of a type, and only code generation knows the name that a type
// gets there. So every type with an aspect attribute gets a variable, which carries the annotation;
// the lowering reads the type off the variable and drops it.
//
//===----------------------------------------------------------------------------------------===//

#include "records.h"
#include "annotations.h"
#include "attributes.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace plumbline;

namespace {

/// The types that an attribute written on `record` means: itself, or what its template became.
void collect(CXXRecordDecl &record, SmallVectorImpl<CXXRecordDecl *> &types) {
  ClassTemplateDecl *family = record.getDescribedClassTemplate();
  auto *partial = dyn_cast<ClassTemplatePartialSpecializationDecl>(&record);
  if (partial)
    family = partial->getSpecializedTemplate();
  if (!family) {
    types.push_back(&record);
    return;
  }
  for (ClassTemplateSpecializationDecl *each : family->specializations()) {
    const auto source = each->getSpecializedTemplateOrPartial();
    const bool fromPartial = isa<ClassTemplatePartialSpecializationDecl *>(source);
    const bool same =
        partial ? fromPartial &&
                      cast<ClassTemplatePartialSpecializationDecl *>(source)->getCanonicalDecl() ==
                          partial->getCanonicalDecl()
                : !fromPartial && !each->isExplicitSpecialization();
    if (same)
      types.push_back(each);
  }
}

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

} // namespace

void plumbline::declareRecordsWithAspects(ASTContext &context, ASTConsumer &consumer) {
  SmallVector<CXXRecordDecl *, 16> types;
  for (CXXRecordDecl *record : recordsWithAspects())
    collect(*record, types);
  unsigned number = 0;
  for (CXXRecordDecl *type : types) {
    type = type->getDefinition();
    if (!type || type->isDependentType() || type->isInvalidDecl())
      continue;
    for (auto *annotation : type->specific_attrs<AnnotateAttr>()) {
      if (annotation->getAnnotation() == usesAspectsAnnotation)
        consumer.HandleTopLevelDecl(
            DeclGroupRef(variableOf(context, *type, *annotation, number++)));
    }
  }
}
