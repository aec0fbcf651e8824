//===- host_files.cpp - Headers whose functions run on the host alone ------------------------===//

#include "host_files.h"
#include "annotations.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Pragma.h"

using namespace clang;
using namespace plumbline;

namespace {

FileID fileOf(const SourceManager &sources, SourceLocation at) {
  return sources.getFileID(sources.getExpansionLoc(at));
}

class HostFile : public PragmaHandler {
public:
  explicit HostFile(llvm::DenseSet<FileID> &files) : PragmaHandler("host_file"), files(files) {}

  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer, Token &) override {
    files.insert(fileOf(preprocessor.getSourceManager(), introducer.Loc));
  }

private:
  llvm::DenseSet<FileID> &files;
};

} // namespace

void HostFiles::watch(Preprocessor &preprocessor) {
  preprocessor.AddPragmaHandler("plumbline", new HostFile(files)); // which it owns
}

bool HostFiles::isWithoutBody(const FunctionDecl &function) const {
  const auto isExternal = [](const AnnotateAttr *annotation) {
    return annotation->getAnnotation() == externalAnnotation;
  };
  // Where template parameters are in reach, a kernel may be made.
  if (function.isDependentContext() || function.getDescribedFunctionTemplate() ||
      llvm::any_of(function.specific_attrs<AnnotateAttr>(), isExternal))
    return false;
  const SourceManager &sources = function.getASTContext().getSourceManager();
  return files.contains(fileOf(sources, function.getLocation()));
}
