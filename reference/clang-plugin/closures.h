//===- closures.h - Kernels that other host compilers name differently -----------------------===//

#ifndef PLUMBLINE_CLOSURES_H
#define PLUMBLINE_CLOSURES_H

#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Sema.h"
#include <optional>
#include <string>

namespace plumbline {

/// Remembers a kernel of the translation unit by the type that names it; `at` is where messages
/// place it.
void rememberKernel(clang::QualType name, clang::SourceLocation at);

/// The mangled name of a type as clang 17 wrote it: functions' template parameters are no part of
/// it, nor are they of g++'s names before version 14.
std::string nameWithoutParameters(clang::ASTContext &context, clang::QualType type);

/// Reports kernels that a host compiler which numbers closures in another way might mistake for one
/// another, and those that it names differently; `gcc` is the major version of a g++.
void checkOrderOfKernels(clang::Sema &sema, std::optional<unsigned> gcc);

} // namespace plumbline

#endif
