// The ThinLTO link: LLVM's own `lto::LTO`, up to where it would generate code. Symbols are resolved
// by the caller; what becomes of each module is handed on as bitcode with a summary, optimized
// once.

#include "analyses.h"
#include "recovery.h"
#include "shim.h"
#include "spirv_passes.h"
#include "summary.h"
#include "versions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/LTO/LTO.h"
#include "llvm/LTO/LTOBackend.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace llvm;

namespace {

// What `lto::LTO` looks up for each module, where this LLVM has no target for SPIR-V: a machine
// that optimizers can ask, and that generates no code. The writer of SPIR-V is a program of its
// own.
class WriterOutside final : public TargetMachine {
public:
  WriterOutside(const Target &T, const Triple &TT, StringRef CPU, StringRef Features,
                const TargetOptions &Options, std::optional<Reloc::Model>,
                std::optional<CodeModel::Model>, CodeGenOptLevel, bool)
      : TargetMachine(T, "", TT, CPU, Features, Options) {}
};

void registerSpirv(const Triple &Wanted) {
  static std::mutex Lock;
  static Target Spirv;
  std::lock_guard Guard(Lock);
  std::string Reason;
  if (targetOf(Wanted, Reason))
    return;
  TargetRegistry::RegisterTarget(Spirv, "spirv-outside", "SPIR-V, written by another program",
                                 "SPIRV",
                                 [](Triple::ArchType Arch) { return Arch == Triple::spir64; });
  const RegisterTargetMachine<WriterOutside> Machine(Spirv);
}

// Where functions call each other in circles, the inliner ends that by having calls stay calls,
// also those that are to be inlined whatever it takes: a module with calls that are both is none.
void keepApart(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->getAttributes().hasFnAttr(Attribute::NoInline))
        Call->removeFnAttr(Attribute::AlwaysInline);
}

// Whether a function calls one that is there: into others nothing is inlined.
bool callsDefined(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && !Callee->isDeclaration();
  });
}

// Inlines what was imported, and tidies the functions that this changed: all others are as good as
// their compilation made them.
void optimize(Module &M, TargetMachine *Machine) {
  if (none_of(M, [](const Function &F) { return F.hasAvailableExternallyLinkage(); }))
    return;
  DenseMap<const Function *, uint64_t> Before;
  for (const Function &F : M)
    if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() && callsDefined(F))
      Before[&F] = StructuralHash(F, /*DetailedHash=*/true);
  PassInstrumentationCallbacks Callbacks;
  const SpirvPasses Spirv(M, Callbacks);
  PassBuilder Builder(Machine, PipelineTuningOptions(), std::nullopt, &Callbacks);
  Spirv.extend(Builder);
  Analyses Known(Builder, M, /*LibraryFunctions=*/false);
  ModulePassManager Inline;
  cantFail(Builder.parsePassPipeline(Inline, "require<profile-summary>,cgscc(inline)"));
  Inline.run(M, Known.Modules);
  keepApart(M);
  const auto tidyAt = [&](OptimizationLevel Level) {
    return Builder.buildFunctionSimplificationPipeline(Level, ThinOrFullLTOPhase::ThinLTOPostLink);
  };
  std::optional<FunctionPassManager> Little, Much, Tidy;
  for (Function &F : M) {
    auto Found = Before.find(&F);
    // The level that its unit was compiled with; none says nothing.
    const StringRef Level = F.getFnAttribute("sycl-optlevel").getValueAsString();
    if (Found == Before.end() || Found->second == StructuralHash(F, true) || F.hasOptNone() ||
        Level == "0")
      continue;
    std::optional<FunctionPassManager> &Wanted = Level == "1" ? Little : Level == "3" ? Much : Tidy;
    if (!Wanted)
      Wanted = tidyAt(Level == "1"   ? OptimizationLevel::O1
                      : Level == "3" ? OptimizationLevel::O3
                                     : OptimizationLevel::O2);
    Known.Functions.invalidate(F, Wanted->run(F, Known.Functions));
  }
}

std::unique_ptr<TargetMachine> machineOf(const Module &M) {
  std::string Reason;
  const Target *Found = targetOf(Triple(M.getTargetTriple()), Reason);
  if (!Found)
    return nullptr;
  return std::unique_ptr<TargetMachine>(
      Found->createTargetMachine(M.getTargetTriple(), "", "", TargetOptions(), std::nullopt));
}

// Whether what is to become of a module was made before, under a key.
using Look = uint8_t (*)(void *, const char *, size_t, const char *, size_t);

// Takes what became of a module.
using Take = void (*)(void *, const char *, size_t, const char *, size_t);

Expected<std::unique_ptr<CachedFileStream>> noCode(unsigned, const Twine &) {
  return createStringError(inconvertibleErrorCode(), "no code is generated");
}

// The module that this thread works on, for what LLVM says without a name.
thread_local std::string Working;

struct Link {
  std::string Triple;
  unsigned Jobs;
  std::mutex Lock;
  std::string Errors;
  // Whoever keeps what becomes of modules; several threads call at once.
  void *State = nullptr;
  Take Made = nullptr;
  std::deque<std::string> Names;
  // In the order in which they were added.
  std::vector<std::pair<std::unique_ptr<lto::InputFile>, std::vector<lto::SymbolResolution>>>
      Inputs;

  void fail(const Twine &Reason) {
    std::lock_guard Guard(Lock);
    if (!Errors.empty())
      Errors += '\n';
    Errors += Reason.str();
  }

  lto::Config config() {
    lto::Config Conf;
    Conf.OverrideTriple = Triple;
    Conf.Freestanding = true;
    // Whoever adds modules has them verified.
    Conf.DisableVerify = true;
    Conf.DiagHandler = [this](const DiagnosticInfo &Told) {
      if (Told.getSeverity() != DS_Error)
        return;
      std::string Text;
      raw_string_ostream Out(Text);
      DiagnosticPrinterRawOStream Printer(Out);
      Told.print(Printer);
      fail(Working.empty() ? Out.str() : Working + ": " + Out.str());
    };
    Conf.PostPromoteModuleHook = [](unsigned, const Module &M) {
      Working = M.getModuleIdentifier();
      return true;
    };
    Conf.PostImportModuleHook = [](unsigned, const Module &M) {
      optimize(const_cast<Module &>(M), machineOf(M).get());
      return true;
    };
    // What the other modules keep goes; what is left can have a summary again.
    Conf.OptPipeline = "elim-avail-extern,globaldce,canonicalize-aliases,name-anon-globals";
    Conf.PreCodeGenModuleHook = [this](unsigned, const Module &M) {
      // Whether LLVM marks what other modules define depends on how much of the index it has.
      for (GlobalValue &Global : const_cast<Module &>(M).global_values())
        if (Global.isDeclaration())
          Global.setDSOLocal(false);
      SmallString<0> Bytes = bitcodeWithSummary(M, /*SymbolTable=*/false);
      Working.clear();
      const StringRef Name = M.getModuleIdentifier();
      Made(State, Name.data(), Name.size(), Bytes.data(), Bytes.size());
      // No code is generated here.
      return false;
    };
    return Conf;
  }

  // Runs the whole link, with a back end for the modules.
  Error run(lto::ThinBackend Backend, FileCache Cache) {
    registerSpirv(llvm::Triple(Triple));
    lto::LTO Whole(config(), std::move(Backend));
    for (auto &[Input, Resolutions] : Inputs)
      if (Error Failure = Whole.add(std::move(Input), Resolutions))
        return Failure;
    Inputs.clear();
    return Whole.run(noCode, std::move(Cache));
  }

  Error run(Look Kept) {
    auto Ask = [&](unsigned, StringRef Key, const Twine &Of) -> Expected<AddStreamFn> {
      const std::string Name = Of.str();
      if (Kept(State, Key.data(), Key.size(), Name.data(), Name.size()))
        return AddStreamFn();
      return noCode;
    };
    return run(lto::createInProcessThinBackend(heavyweight_hardware_concurrency(Jobs)),
               Kept ? cacheOf(Ask) : FileCache());
  }

  // The work of one module, with its own index and the modules that it imports from.
  Error backEnd(StringRef Name, MemoryBufferRef Written) {
    registerSpirv(llvm::Triple(Triple));
    auto Index = getModuleSummaryIndex(Written);
    if (!Index)
      return Index.takeError();
    MapVector<StringRef, BitcodeModule> Modules;
    for (auto &[Input, Resolutions] : Inputs)
      Modules.insert({Input->getName(), Input->getSingleBitcodeModule()});
    auto Own = Modules.find(Name);
    if (Own == Modules.end())
      return createStringError(inconvertibleErrorCode(), "the module is not there");
    const lto::Config Conf = config();
    lto::LTOLLVMContext Context(Conf);
    Expected<std::unique_ptr<Module>> M = Own->second.parseModule(Context);
    if (!M)
      return M.takeError();
    ImportList Imports;
    if (!lto::initImportList(**M, **Index, Imports.get()))
      return createStringError(inconvertibleErrorCode(), "the index is not this module's");
    for (StringRef From : Imports.sources())
      if (!Modules.count(From))
        return createStringError(inconvertibleErrorCode(),
                                 "it imports from '" + From + "', which is not there");
    DenseMap<StringRef, GVSummaryMapTy> Defined;
    (*Index)->collectDefinedGVSummariesPerModule(Defined);
    return backEndOf(Conf, noCode, **M, **Index, Imports.get(), Defined[Name], &Modules);
  }
};

} // namespace

void *plumbline_lto_create(const char *Triple, unsigned Jobs) {
  auto *New = new Link;
  New->Triple = Triple;
  New->Jobs = Jobs;
  return New;
}

const char *plumbline_lto_working(void) { return Working.c_str(); }

void plumbline_lto_dispose(void *Of) { delete static_cast<Link *>(Of); }

LLVMBool plumbline_lto_add(void *To, const char *Name, const char *Bytes, size_t Length,
                           void *State, uint8_t (*Resolve)(void *, const char *, size_t),
                           char **Message, LLVMBool *Crashed) {
  bool Done = false;
  *Crashed = !runSafely([&] {
    auto &Whole = *static_cast<Link *>(To);
    // Modules are known by their names as long as the link lasts.
    const StringRef Kept = Whole.Names.emplace_back(Name);
    auto Input = lto::InputFile::create(MemoryBufferRef(StringRef(Bytes, Length), Kept));
    if (!Input) {
      *Message = LLVMCreateMessage(toString(Input.takeError()).c_str());
      return;
    }
    std::vector<lto::SymbolResolution> Resolutions;
    for (const lto::InputFile::Symbol &Symbol : (*Input)->symbols()) {
      const StringRef IRName = Symbol.getIRName();
      const uint8_t Word = Symbol.isUndefined() ? 0 : Resolve(State, IRName.data(), IRName.size());
      lto::SymbolResolution Resolution;
      Resolution.Prevailing = Word & 1;
      Resolution.FinalDefinitionInLinkageUnit = Word & 1;
      Resolution.VisibleToRegularObj = Word >> 1 & 1;
      Resolutions.push_back(Resolution);
    }
    Whole.Inputs.emplace_back(std::move(*Input), std::move(Resolutions));
    Done = true;
  });
  return Done;
}

// Runs a link in one way or another, once.
static LLVMBool finish(Link &Whole, char **Message, LLVMBool *Crashed, function_ref<Error()> Work) {
  *Crashed = !runSafely([&] {
    if (Error Failure = Work())
      Whole.fail(toString(std::move(Failure)));
  });
  if (*Crashed)
    return false;
  if (Whole.Errors.empty())
    return true;
  *Message = LLVMCreateMessage(Whole.Errors.c_str());
  return false;
}

LLVMBool plumbline_lto_run(void *Of, void *State,
                           uint8_t (*Look)(void *, const char *, size_t, const char *, size_t),
                           void (*Take)(void *, const char *, size_t, const char *, size_t),
                           char **Message, LLVMBool *Crashed) {
  auto &Whole = *static_cast<Link *>(Of);
  Whole.State = State;
  Whole.Made = Take;
  return finish(Whole, Message, Crashed, [&] { return Whole.run(Look); });
}

LLVMBool plumbline_lto_write_indexes(void *Of, const char *Into, char **Message,
                                     LLVMBool *Crashed) {
  auto &Whole = *static_cast<Link *>(Of);
  return finish(Whole, Message, Crashed,
                [&] { return Whole.run(writesIndexes(Into), FileCache()); });
}

LLVMBool plumbline_lto_back_end(void *Of, const char *Name, const char *Index, size_t IndexLength,
                                void *State,
                                void (*Take)(void *, const char *, size_t, const char *, size_t),
                                char **Message, LLVMBool *Crashed) {
  auto &Whole = *static_cast<Link *>(Of);
  Whole.State = State;
  Whole.Made = Take;
  const MemoryBufferRef Written(StringRef(Index, IndexLength), Name);
  return finish(Whole, Message, Crashed, [&] { return Whole.backEnd(Name, Written); });
}
