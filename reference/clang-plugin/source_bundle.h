//===- source_bundle.h - The kernels of a source that a program builds -----------------------===//

#ifndef PLUMBLINE_SOURCE_BUNDLE_H
#define PLUMBLINE_SOURCE_BUNDLE_H

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include <memory>

namespace plumbline {

/// For the host's half of a source that a program builds while it runs
/// (`sycl_ext_oneapi_kernel_compiler`): has the headers list its kernels and device globals
/// (`sycl/detail/source_bundle.hpp`). Null for any other compilation.
std::unique_ptr<clang::ASTConsumer> listSourceOf(clang::CompilerInstance &compiler);

} // namespace plumbline

#endif
