// What differs between the releases of LLVM that the shim is built over, in one place: 19, and the
// newer one that the feature llvm22 chooses.
#ifndef PLUMBLINE_VERSIONS_H
#define PLUMBLINE_VERSIONS_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/LTO/LTO.h"
#include "llvm/LTO/LTOBackend.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Caching.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/FunctionImport.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

// What ThinLTO imports into one module; the newer LLVM keeps a table of names beside the list.
class ImportList {
#if LLVM_VERSION_MAJOR >= 22
  llvm::FunctionImporter::ImportIDTable Table;
  llvm::FunctionImporter::ImportMapTy List{Table};
#else
  llvm::FunctionImporter::ImportMapTy List;
#endif

public:
  ImportList() = default;
  ImportList(const ImportList &) = delete;
  ImportList &operator=(const ImportList &) = delete;

  llvm::FunctionImporter::ImportMapTy &get() { return List; }

  void add(llvm::StringRef From, llvm::GlobalValue::GUID Symbol) {
#if LLVM_VERSION_MAJOR >= 22
    List.addDefinition(From, Symbol);
#else
    List[From][Symbol] = llvm::GlobalValueSummary::Definition;
#endif
  }

  std::vector<llvm::StringRef> sources() const {
    std::vector<llvm::StringRef> Sources;
#if LLVM_VERSION_MAJOR >= 22
    for (llvm::StringRef Source : List.getSourceModules())
      Sources.push_back(Source);
#else
    for (const auto &From : List)
      Sources.push_back(From.first);
#endif
    return Sources;
  }
};

// The number of a symbol that other modules see.
inline llvm::GlobalValue::GUID numberOf(llvm::StringRef Symbol) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::GlobalValue::getGUIDAssumingExternalLinkage(Symbol);
#else
  return llvm::GlobalValue::getGUID(Symbol);
#endif
}

// Triples were texts.
inline const std::string &textOf(const llvm::Triple &Triple) { return Triple.str(); }
inline const std::string &textOf(const std::string &Triple) { return Triple; }

inline const llvm::Target *targetOf(const llvm::Triple &Triple, std::string &Reason) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::TargetRegistry::lookupTarget(Triple, Reason);
#else
  return llvm::TargetRegistry::lookupTarget(Triple.str(), Reason);
#endif
}

// Marks in a module or a function how it keeps places of variables; there is one way only in the
// newer LLVM.
template <typename Code>
void takeDebugForm([[maybe_unused]] Code &To, [[maybe_unused]] const Code &From) {
#if LLVM_VERSION_MAJOR < 22
  To.IsNewDbgInfoFormat = From.IsNewDbgInfoFormat;
#endif
}

// A cache without a folder that LLVM knows.
template <typename Look> llvm::FileCache cacheOf(Look &&Ask) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::FileCache(std::forward<Look>(Ask), "");
#else
  return llvm::FileCache(std::forward<Look>(Ask));
#endif
}

// Has LTO write the index of each module, and the list of what it imports from, below a folder.
inline llvm::lto::ThinBackend writesIndexes(const std::string &Into) {
  return llvm::lto::createWriteIndexesThinBackend(
#if LLVM_VERSION_MAJOR >= 22
      llvm::heavyweight_hardware_concurrency(1),
#endif
      "", Into + "/", "", /*ShouldEmitImportsFiles=*/true, nullptr, nullptr);
}

// LTO's back end of one module; `Conf` says whether it generates code alone.
inline llvm::Error backEndOf(const llvm::lto::Config &Conf, llvm::AddStreamFn AddStream,
                             llvm::Module &M, const llvm::ModuleSummaryIndex &Index,
                             const llvm::FunctionImporter::ImportMapTy &Imports,
                             const llvm::GVSummaryMapTy &Defined,
                             llvm::MapVector<llvm::StringRef, llvm::BitcodeModule> *Modules) {
  return llvm::lto::thinBackend(Conf, 0, std::move(AddStream), M, Index, Imports, Defined, Modules
#if LLVM_VERSION_MAJOR >= 22
                                ,
                                Conf.CodeGenOnly
#endif
  );
}

#endif
