//===- function_kernels.h - Functions that are kernels ---------------------------------------===//

#ifndef PLUMBLINE_FUNCTION_KERNELS_H
#define PLUMBLINE_FUNCTION_KERNELS_H

#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"
#include <initializer_list>

namespace plumbline {

/// Has the headers make the kernel of a function that a property says is one
/// (`sycl_ext_oneapi_free_function_kernels`), whoever starts it: that may stand where only the
/// host's compilation sees it.
void makeFunctionKernel(clang::Sema &sema, clang::FunctionDecl &function);

/// Whether a property says that a function is a kernel, and it is no template.
bool isFunctionKernel(const clang::FunctionDecl &function);

/// The class template that a header declares in namespaces; null where none has.
clang::ClassTemplateDecl *findTemplate(clang::ASTContext &context,
                                       std::initializer_list<llvm::StringRef> namespaces,
                                       llvm::StringRef name);

/// The class that such a template is over an object's address and a type; null where that is said
/// to be wrong.
clang::CXXRecordDecl *instantiateOver(clang::Sema &sema, clang::ClassTemplateDecl &over,
                                      clang::ValueDecl &object, clang::QualType type);

} // namespace plumbline

#endif
