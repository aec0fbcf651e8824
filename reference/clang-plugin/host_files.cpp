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

/// The file that a place comes from. Text whose includes are written out has line markers for it.
StringRef fileOf(const SourceManager &sources, SourceLocation at) {
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at));
  return place.isValid() ? place.getFilename() : StringRef();
}

class HostFile : public PragmaHandler {
public:
  explicit HostFile(llvm::StringSet<> &files) : PragmaHandler("host_file"), files(files) {}

  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer introducer, Token &) override {
    const SourceManager &sources = preprocessor.getSourceManager();
    const StringRef file = fileOf(sources, introducer.Loc);
    // Headers pasted into the unit say it of the unit, where the user's functions are.
    const SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
    if (file != fileOf(sources, start))
      files.insert(file);
  }

private:
  llvm::StringSet<> &files;
};

} // namespace

void HostFiles::watch(Preprocessor &preprocessor) {
  preprocessor.AddPragmaHandler("plumbline", new HostFile(files)); // which it owns
}

bool HostFiles::isWithoutBody(const FunctionDecl &function) const {
  const auto isExternal = [](const AnnotateAttr *annotation) {
    return annotation->getAnnotation() == externalAnnotation ||
           annotation->getAnnotation().starts_with(functionPropertyAnnotation);
  };
  // Where template parameters are in reach, a kernel may be made.
  if (function.isDependentContext() || function.getDescribedFunctionTemplate() ||
      llvm::any_of(function.specific_attrs<AnnotateAttr>(), isExternal))
    return false;
  const SourceManager &sources = function.getASTContext().getSourceManager();
  return files.contains(fileOf(sources, function.getLocation()));
}
