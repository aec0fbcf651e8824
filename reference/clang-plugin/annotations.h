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
/// On a kernel wrapper whose kernel's name other translation units may give to kernels of theirs.
inline constexpr llvm::StringLiteral nameOfOneUnitAnnotation = "sycl-name-of-one-unit";
/// The beginning of an annotation on a kernel wrapper, which goes on with the file, without its
/// folders, and the line where the functor is written.
inline constexpr llvm::StringLiteral functorAtAnnotation = "sycl-functor-at ";
/// On a SYCL_EXTERNAL function.
inline constexpr llvm::StringLiteral externalAnnotation = "sycl-external";
/// The beginning of an annotation on a function, which goes on with a property as it is written
/// before it: clang keeps one of each text. A number that stands for an attribute, and its three.
inline constexpr llvm::StringLiteral functionPropertyAnnotation = "sycl-function-property ";
/// On a function that a system header defines, where clang would not complain either.
inline constexpr llvm::StringLiteral systemCodeAnnotation = "sycl-system-code";
/// On a constant whose value only the host knows: its initializer runs there, before `main`.
inline constexpr llvm::StringLiteral hostInitializedAnnotation = "sycl-host-initialized";
/// On a function; the aspects that it may use.
inline constexpr llvm::StringLiteral deviceHasAnnotation = "sycl-device-has";
/// On a function or a record; the aspects that it uses. For a record it also stands on a variable
/// of the record's type, by which the lowering learns the type's name in IR.
inline constexpr llvm::StringLiteral usesAspectsAnnotation = "sycl-uses-aspects";
/// On a function; one to three sizes, outermost dimension first.
inline constexpr llvm::StringLiteral workGroupSizeAnnotation = "sycl-reqd-work-group-size";
/// On a function; one to three sizes, as above, that it runs best with.
inline constexpr llvm::StringLiteral workGroupHintAnnotation = "sycl-work-group-size-hint";
/// On a function; one size.
inline constexpr llvm::StringLiteral subGroupSizeAnnotation = "sycl-reqd-sub-group-size";
/// On a function; one of namedSubGroupSizes by its number.
inline constexpr llvm::StringLiteral namedSubGroupSizeAnnotation = "sycl-named-sub-group-size";
/// On a function: memory that a kernel reaches by one of its pointers or accessors and writes, it
/// reaches by no other.
inline constexpr llvm::StringLiteral argsRestrictAnnotation = "sycl-kernel-args-restrict";
/// On a class, and by the plugin on each variable of it: such a variable is a device global.
inline constexpr llvm::StringLiteral deviceGlobalAnnotation = "sycl-device-global";
/// On a class: its variables lie in local memory (reference/src/frontend/work_group_static.rs).
inline constexpr llvm::StringLiteral workGroupStaticAnnotation = "sycl-work-group-static";

/// The named sub-group sizes; the lowering knows them by their place here.
inline constexpr llvm::StringLiteral namedSubGroupSizes[] = {"automatic", "primary"};

} // namespace plumbline

#endif
