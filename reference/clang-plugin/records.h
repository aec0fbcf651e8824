//===- records.h - Types that use aspects ----------------------------------------------------===//

#ifndef PLUMBLINE_RECORDS_H
#define PLUMBLINE_RECORDS_H

#include "clang/AST/ASTConsumer.h"

namespace plumbline {

/// Hands `consumer` a variable of every complete type that carries an aspect attribute, annotated
/// with the type's aspects.
void declareRecordsWithAspects(clang::ASTContext &context, clang::ASTConsumer &consumer);

} // namespace plumbline

#endif
