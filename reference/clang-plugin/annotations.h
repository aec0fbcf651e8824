//===- annotations.h - The annotations that carry SYCL attributes into LLVM IR ---------------===//
//
// Both ends of the contract between headers, plugin and lowering (ARCHITECTURE.md) use these names;
// the lowering has them in reference/src/frontend/annotations.rs.
//
//===----------------------------------------------------------------------------------------===//

#ifndef PLUMBLINE_ANNOTATIONS_H
#define PLUMBLINE_ANNOTATIONS_H

#include "llvm/ADT/StringRef.h"

namespace plumbline {

/// On a kernel wrapper; one argument, the kernel's name.
inline constexpr llvm::StringLiteral kernelAnnotation = "sycl-kernel";
/// On a SYCL_EXTERNAL function.
inline constexpr llvm::StringLiteral externalAnnotation = "sycl-external";

} // namespace plumbline

#endif
