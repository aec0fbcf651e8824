//===- kernels.h - What a kernel must not be -------------------------------------------------===//

#ifndef PLUMBLINE_KERNELS_H
#define PLUMBLINE_KERNELS_H

#include "clang/AST/Decl.h"
#include "clang/Sema/Sema.h"
#include <optional>

namespace plumbline {

/// Reports a kernel wrapper whose functor no device can get a copy of or has another layout on the
/// host, and one whose kernel has the name of another, each at the functor, which is the user's. A
/// functor that is device copyable because the program says so is passed as bytes from here on.
/// `gcc` is the major version of the g++ that lays out the host's functors, where one does.
void checkKernel(clang::Sema &sema, const clang::FunctionDecl &wrapper,
                 std::optional<unsigned> gcc);

/// Tells the lowering what it needs to know two kernels of the same name apart.
/// With a `gcc`, the kernel's name is written as compilers do for which template parameters are no
/// part of a function's name.
void describeKernel(clang::FunctionDecl &wrapper, std::optional<unsigned> gcc);

} // namespace plumbline

#endif
