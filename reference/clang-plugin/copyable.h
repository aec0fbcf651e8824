//===- copyable.h - What a device can have a copy of -----------------------------------------===//

#ifndef PLUMBLINE_COPYABLE_H
#define PLUMBLINE_COPYABLE_H

#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Sema/Sema.h"

namespace plumbline {

/// Whether bytes are all there is to a copy of `type`, or the program says so of it through
/// `sycl::is_device_copyable` (SYCL 2020, "Device copyable").
bool isDeviceCopyable(clang::Sema &sema, clang::QualType type, clang::SourceLocation at);

} // namespace plumbline

#endif
