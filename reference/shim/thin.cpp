// ThinLTO: modules with a summary, the index over the summaries, and the import of what a module
// lacks. The index is made by one thread and then only read, by as many as like.

#include "recovery.h"
#include "shim.h"
#include "summary.h"
#include "versions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ModuleSummaryAnalysis.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSummaryIndex.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/FunctionImport.h"

using namespace llvm;

namespace {

struct Index {
  ModuleSummaryIndex Summaries{/*HaveGVs=*/false};
  StringMap<MemoryBufferRef> Sources;
  DenseMap<StringRef, GVSummaryMapTy> Defined;
};

Expected<BitcodeModule> onlyModule(MemoryBufferRef Buffer) {
  Expected<std::vector<BitcodeModule>> Modules = getBitcodeModuleList(Buffer);
  if (!Modules)
    return Modules.takeError();
  if (Modules->size() != 1)
    return createStringError(inconvertibleErrorCode(), "the file does not hold one module");
  return Modules->front();
}

Expected<bool> hasSummary(BitcodeModule &Module) {
  Expected<BitcodeLTOInfo> Info = Module.getLTOInfo();
  if (!Info)
    return Info.takeError();
  return Info->IsThinLTO && Info->HasSummary;
}

// False when there is no summary to add.
Expected<bool> add(Index &Into, StringRef Name, MemoryBufferRef Buffer) {
  Expected<BitcodeModule> Module = onlyModule(Buffer);
  if (!Module)
    return Module.takeError();
  Expected<bool> Summary = hasSummary(*Module);
  if (!Summary || !*Summary)
    return Summary;
  if (Error Failure = Module->readSummary(Into.Summaries, Name))
    return Failure;
  // Promoted local symbols get a module's hash into their names; a module without one gets its
  // number, so that they stay apart.
  ModuleHash &Hash = Into.Summaries.getModule(Name)->second;
  if (Hash == ModuleHash())
    Hash[0] = Into.Sources.size() + 1;
  auto &Source = *Into.Sources.try_emplace(Name).first;
  Source.second = MemoryBufferRef(Buffer.getBuffer(), Source.first());
  return true;
}

// The definition that ThinLTO takes for a symbol that a module mentions: the first that nothing may
// replace and that can leave its module; for a local symbol, the module's own. Where a weak one
// counts, that is taken: LLVM's link left no other.
const GlobalValueSummary *select(ValueInfo Wanted, StringRef MentionedIn, bool Weak) {
  for (const auto &Candidate : Wanted.getSummaryList()) {
    GlobalValue::LinkageTypes Linkage = Candidate->linkage();
    bool Local = GlobalValue::isLocalLinkage(Linkage);
    if (GlobalValue::isInterposableLinkage(Linkage) != Weak || Candidate->notEligibleToImport() ||
        (Local && Candidate->modulePath() != MentionedIn))
      continue;
    // LLVM's importer makes a copy of the function out of an alias, and knows none of variables.
    if (isa<AliasSummary>(Candidate.get()) && !isa<FunctionSummary>(Candidate->getBaseObject()))
      continue;
    return Candidate.get();
  }
  return nullptr;
}

using Symbols = DenseSet<GlobalValue::GUID>;

Symbols numbersOf(ArrayRef<const char *> Names) {
  Symbols Numbers;
  for (StringRef Name : Names)
    Numbers.insert(numberOf(Name));
  return Numbers;
}

// All that a module lacks and another one defines. LLVM's own ComputeCrossModuleImport leaves to a
// linker what is not worth inlining, and no linker comes after this.
void findImports(ImportList &Imports, const Index &Whole, StringRef Name, const Symbols &Weak,
                 const Symbols &Elsewhere) {
  SmallVector<const GlobalValueSummary *, 32> Open;
  DenseSet<const GlobalValueSummary *> Seen;
  auto Mention = [&](ValueInfo Mentioned, StringRef In) {
    auto Candidates = Mentioned.getSummaryList();
    bool Own = any_of(Candidates, [&](const std::unique_ptr<GlobalValueSummary> &Candidate) {
      return Candidate->modulePath() == Name &&
             (In == Name || !GlobalValue::isLocalLinkage(Candidate->linkage()));
    });
    const GlobalValueSummary *Taken =
        Own || Elsewhere.contains(Mentioned.getGUID())
            ? nullptr
            : select(Mentioned, In, Weak.contains(Mentioned.getGUID()));
    if (!Taken || !Seen.insert(Taken).second)
      return;
    Imports.add(Taken->modulePath(), Mentioned.getGUID());
    Open.push_back(Taken);
  };
  auto Own = Whole.Defined.find(Name);
  if (Own != Whole.Defined.end())
    for (auto [Symbol, Summary] : Own->second)
      Open.push_back(Summary);
  while (!Open.empty()) {
    const GlobalValueSummary *Next = Open.pop_back_val();
    StringRef In = Next->modulePath();
    const GlobalValueSummary *Base = Next->getBaseObject();
    for (ValueInfo Mentioned : Base->refs())
      Mention(Mentioned, In);
    if (const auto *Function = dyn_cast<FunctionSummary>(Base))
      for (const FunctionSummary::EdgeTy &Call : Function->calls())
        Mention(Call.first, In);
  }
}

// Answers what is true or false, or says why there is no answer.
template <typename Work> uint8_t guarded(char **Message, LLVMBool *Crashed, Work &&Do) {
  uint8_t Answer = 0;
  *Crashed = !runSafely([&] {
    Expected<bool> Done = Do();
    if (Done)
      Answer = *Done;
    else
      *Message = LLVMCreateMessage(toString(Done.takeError()).c_str());
  });
  return Answer;
}

} // namespace

SmallString<0> bitcodeWithSummary(const Module &From, bool SymbolTable) {
  ProfileSummaryInfo Profile(From);
  ModuleSummaryIndex Summary = buildModuleSummaryIndex(From, nullptr, &Profile);
  SmallString<0> Bytes;
  BitcodeWriter Writer(Bytes);
  Writer.writeModule(From, /*ShouldPreserveUseListOrder=*/false, &Summary, /*GenerateHash=*/true);
  if (SymbolTable)
    Writer.writeSymtab();
  Writer.writeStrtab();
  return Bytes;
}

LLVMMemoryBufferRef plumbline_thin_bitcode(LLVMModuleRef M) {
  return wrap(MemoryBuffer::getMemBufferCopy(bitcodeWithSummary(*unwrap(M), /*SymbolTable=*/true))
                  .release());
}

uint8_t plumbline_thin_has_summary(const char *Bytes, size_t Length, char **Message,
                                   LLVMBool *Crashed) {
  return guarded(Message, Crashed, [&]() -> Expected<bool> {
    Expected<BitcodeModule> Module = onlyModule(MemoryBufferRef(StringRef(Bytes, Length), ""));
    if (!Module)
      return Module.takeError();
    return hasSummary(*Module);
  });
}

void *plumbline_thin_create(void) { return new Index; }

void plumbline_thin_dispose(void *Of) { delete static_cast<Index *>(Of); }

uint8_t plumbline_thin_add(void *Into, const char *Name, const char *Bytes, size_t Length,
                           char **Message, LLVMBool *Crashed) {
  return guarded(Message, Crashed, [&] {
    return add(*static_cast<Index *>(Into), Name, MemoryBufferRef(StringRef(Bytes, Length), Name));
  });
}

void plumbline_thin_link(void *Over) {
  auto &Whole = *static_cast<Index *>(Over);
  Whole.Summaries.collectDefinedGVSummariesPerModule(Whole.Defined);
}

uint8_t plumbline_thin_import(const void *From, const char *Name, LLVMModuleRef M,
                              const char *const *Weak, size_t WeakCount,
                              const char *const *Elsewhere, size_t ElsewhereCount, char **Message,
                              LLVMBool *Crashed) {
  const auto &Whole = *static_cast<const Index *>(From);
  Module &Into = *unwrap(M);
  const ArrayRef<const char *> WeakNames(Weak, WeakCount);
  auto Load = [&](StringRef Source) -> Expected<std::unique_ptr<Module>> {
    Expected<BitcodeModule> Found = onlyModule(Whole.Sources.lookup(Source));
    if (!Found)
      return Found.takeError();
    auto Read = Found->getLazyModule(Into.getContext(), /*ShouldLazyLoadMetadata=*/true,
                                     /*IsImporting=*/true);
    // Device code for every target comes in under one triple.
    if (Read) {
      (*Read)->setTargetTriple(Into.getTargetTriple());
      (*Read)->setDataLayout(Into.getDataLayout());
      // LLVM makes copies of nothing that may be replaced; these are the ones that count.
      for (StringRef Symbol : WeakNames)
        if (GlobalValue *Found = (*Read)->getNamedValue(Symbol);
            Found && !Found->isDeclaration() &&
            GlobalValue::isInterposableLinkage(Found->getLinkage()))
          Found->setLinkage(GlobalValue::WeakODRLinkage);
    }
    return Read;
  };
  return guarded(Message, Crashed, [&]() -> Expected<bool> {
    FunctionImporter Importer(Whole.Summaries, Load, /*ClearDSOLocalOnDeclarations=*/false);
    ImportList Imports;
    findImports(Imports, Whole, Name, numbersOf(WeakNames),
                numbersOf(ArrayRef<const char *>(Elsewhere, ElsewhereCount)));
    return Importer.importFunctions(Into, Imports.get());
  });
}
