//===- host_files.h - Headers whose functions run on the host alone --------------------------===//

#ifndef PLUMBLINE_HOST_FILES_H
#define PLUMBLINE_HOST_FILES_H

#include "clang/AST/Decl.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSet.h"

namespace plumbline {

/// The files that say `#pragma plumbline host_file`: what is no template in them is never called on
/// a device. A device compilation needs the declarations, not the bodies, which make half of its
/// work: each body has the templates that it uses instantiated, whoever calls it.
class HostFiles {
public:
  /// Has the preprocessor tell of such files; this has to outlive it.
  void watch(clang::Preprocessor &preprocessor);
  /// Whether nobody will ask for the body of a function.
  bool isWithoutBody(const clang::FunctionDecl &function) const;

private:
  llvm::StringSet<> files;
};

} // namespace plumbline

#endif
