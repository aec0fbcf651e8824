#include "recovery.h"
#include "shim.h"
#include "versions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/IRSymtab.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace llvm;

// Turns a failure into a message for LLVMDisposeMessage; true for a failure.
static LLVMBool report(Error Failure, char **Message) {
  if (!Failure)
    return false;
  *Message = LLVMCreateMessage(toString(std::move(Failure)).c_str());
  return true;
}

void *plumbline_linker_create(LLVMModuleRef Into) { return new Linker(*unwrap(Into)); }

LLVMBool plumbline_linker_add(void *Into, LLVMModuleRef From, LLVMBool OnlyNeeded,
                              LLVMBool *Crashed) {
  auto Flags = OnlyNeeded ? Linker::Flags::LinkOnlyNeeded : Linker::Flags::None;
  bool Failed = true;
  *Crashed = !runSafely([&] {
    Failed =
        static_cast<Linker *>(Into)->linkInModule(std::unique_ptr<Module>(unwrap(From)), Flags);
  });
  return Failed || *Crashed;
}

void plumbline_linker_dispose(void *Into) { delete static_cast<Linker *>(Into); }

// Hands on the symbols of a table that others can see; false when the table
// points beyond itself, which LLVM's own reader of it does not look for.
static bool takeSymbols(StringRef Symbols, StringRef Strings, void *State,
                        void (*Take)(void *, const plumbline_symbol *)) {
  using namespace irsymtab::storage;
  if (Symbols.size() < sizeof(Header))
    return false;
  const auto &Table = reinterpret_cast<const Header *>(Symbols.data())->Symbols;
  uint64_t Offset = Table.Offset;
  uint64_t Count = Table.Size;
  if (Offset + Count * sizeof(Symbol) > Symbols.size())
    return false;
  ArrayRef All(reinterpret_cast<const Symbol *>(Symbols.data() + Offset), Count);
  auto Inside = [&](const Str &Name) {
    return uint64_t(Name.Offset) + uint64_t(Name.Size) <= Strings.size();
  };
  for (const Symbol &Each : All) {
    if (!Inside(Each.Name) || !Inside(Each.IRName))
      return false;
    uint32_t Flags = Each.Flags;
    auto Has = [&](Symbol::FlagBits Bit) { return uint8_t(Flags >> Bit & 1); };
    if (!Has(Symbol::FB_global))
      continue;
    plumbline_symbol Found = {Strings.data() + Each.Name.Offset,
                              Each.Name.Size,
                              Strings.data() + Each.IRName.Offset,
                              Each.IRName.Size,
                              Has(Symbol::FB_undefined),
                              Has(Symbol::FB_weak),
                              Has(Symbol::FB_common),
                              Has(Symbol::FB_format_specific)};
    Take(State, &Found);
  }
  return true;
}

LLVMBool plumbline_symbols(const char *Bytes, size_t Length, void *State,
                           void (*Take)(void *, const plumbline_symbol *)) {
  bool Done = false;
  bool Returned = runSafely([&] {
    auto Look = [&]() -> Error {
      auto File = getBitcodeFileContents(MemoryBufferRef(StringRef(Bytes, Length), ""));
      if (!File)
        return File.takeError();
      auto Table = irsymtab::readBitcode(*File);
      if (!Table)
        return Table.takeError();
      // One that LLVM has made anew, or that of the file.
      bool Made = !Table->Symtab.empty();
      StringRef Symbols =
          Made ? StringRef(Table->Symtab.data(), Table->Symtab.size()) : File->Symtab;
      StringRef Strings =
          Made ? StringRef(Table->Strtab.data(), Table->Strtab.size()) : File->StrtabForSymtab;
      Done = takeSymbols(Symbols, Strings, State, Take);
      return Error::success();
    };
    consumeError(Look());
  });
  return Done && Returned;
}

char *plumbline_triple(const char *Bytes, size_t Length) {
  char *Triple = nullptr;
  runSafely([&] {
    auto Found = getBitcodeTargetTriple(MemoryBufferRef(StringRef(Bytes, Length), ""));
    if (Found)
      Triple = LLVMCreateMessage(Found->c_str());
    else
      consumeError(Found.takeError());
  });
  return Triple;
}

LLVMValueRef plumbline_switch_case(LLVMValueRef Switch, unsigned Number) {
  return wrap((unwrap<SwitchInst>(Switch)->case_begin() + Number)->getCaseValue());
}

LLVMBool plumbline_is_materializable(LLVMValueRef Global) {
  return unwrap<GlobalValue>(Global)->isMaterializable();
}

LLVMBool plumbline_materialize(LLVMValueRef Global, char **Message, LLVMBool *Crashed) {
  LLVMBool Failed = true;
  *Crashed =
      !runSafely([&] { Failed = report(unwrap<GlobalValue>(Global)->materialize(), Message); });
  return Failed;
}

LLVMBool plumbline_materialize_metadata(LLVMModuleRef M, char **Message, LLVMBool *Crashed) {
  LLVMBool Failed = true;
  *Crashed = !runSafely([&] { Failed = report(unwrap(M)->materializeMetadata(), Message); });
  return Failed;
}

void plumbline_unite_named_metadata(LLVMModuleRef M) {
  for (NamedMDNode &List : unwrap(M)->named_metadata()) {
    SmallSetVector<MDNode *, 16> Nodes(List.op_begin(), List.op_end());
    if (Nodes.size() == List.getNumOperands())
      continue;
    List.clearOperands();
    for (MDNode *Node : Nodes)
      List.addOperand(Node);
  }
}

void plumbline_erase_named_metadata(LLVMModuleRef M, const char *Name, size_t Length) {
  if (NamedMDNode *Node = unwrap(M)->getNamedMetadata(StringRef(Name, Length)))
    Node->eraseFromParent();
}

void plumbline_end(int Status) { std::_Exit(Status); }

static void (*GiveUpOn)(const char *);

// What it takes to tell of it.
static std::atomic<void *> Reserve;
static constexpr size_t ReserveSize = 1 << 16;

// There is no way on, and LLVM's own threads have nobody who waits for a crash.
static void memoryIsUsedUp() {
  RanOut = true;
  std::free(Reserve.exchange(nullptr));
  if (!Guarded)
    GiveUpOn("out of memory");
  throw std::bad_alloc();
}

void plumbline_watch_memory(void (*GiveUp)(const char *)) {
  GiveUpOn = GiveUp;
  Reserve = std::malloc(ReserveSize);
  std::set_new_handler(memoryIsUsedUp);
  install_bad_alloc_error_handler([](void *, const char *, bool) { memoryIsUsedUp(); });
}

LLVMBool plumbline_ran_out(void) { return RanOut; }

void plumbline_keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  // The most that it takes.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

void plumbline_return_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// A text among the operands of a node. The verifier lets anything stand in its
// place, and the accessors of the node would take that for a text.
static StringRef textOf(const MDNode *Node, unsigned Operand) {
  const auto *Text = dyn_cast_or_null<MDString>(Node->getOperand(Operand).get());
  return Text ? Text->getString() : StringRef();
}

const char *plumbline_location_function(LLVMMetadataRef Location, size_t *Length) {
  const DISubprogram *Function = unwrap<DILocation>(Location)->getScope()->getSubprogram();
  if (!Function)
    return nullptr;
  StringRef Name = textOf(Function, /*linkageName=*/3);
  if (Name.empty())
    Name = textOf(Function, /*name=*/2);
  *Length = Name.size();
  return Name.data();
}

const char *plumbline_scope_file(LLVMMetadataRef Scope, size_t *Length) {
  const DIFile *File = unwrap<DIScope>(Scope)->getFile();
  if (!File)
    return nullptr;
  StringRef Name = textOf(File, /*filename=*/0);
  *Length = Name.size();
  return Name.data();
}

const char *plumbline_scope_folder(LLVMMetadataRef Scope, size_t *Length) {
  const auto *Where = unwrap<DIScope>(Scope);
  const DIFile *File = Where->getFile();
  if (!File)
    return nullptr;
  StringRef Folder = textOf(File, /*directory=*/1);
  const auto *Local = dyn_cast<DILocalScope>(Where);
  const DISubprogram *Function = Local ? Local->getSubprogram() : nullptr;
  const DICompileUnit *Unit = Function ? Function->getUnit() : nullptr;
  const DIFile *Compiled = Unit ? Unit->getFile() : nullptr;
  if (Compiled && textOf(Compiled, /*directory=*/1) == Folder)
    return nullptr;
  *Length = Folder.size();
  return Folder.data();
}

const char *plumbline_variable_attribute(LLVMValueRef Variable, const char *Key, size_t KeyLength,
                                         size_t *Length) {
  auto *Global = dyn_cast<GlobalVariable>(unwrap(Variable));
  StringRef Name(Key, KeyLength);
  if (!Global || !Global->hasAttribute(Name))
    return nullptr;
  StringRef Text = Global->getAttribute(Name).getValueAsString();
  *Length = Text.size();
  // An attribute without a value still has a place to point at.
  return Text.data() ? Text.data() : "";
}

void plumbline_set_variable_attribute(LLVMValueRef Variable, const char *Key, size_t KeyLength,
                                      const char *Text, size_t TextLength) {
  if (auto *Global = dyn_cast<GlobalVariable>(unwrap(Variable)))
    Global->addAttribute(StringRef(Key, KeyLength), StringRef(Text, TextLength));
}

// A constant with zeros for what it leaves undefined.
static Constant *defined(Constant *C) {
  if (isa<UndefValue>(C))
    return Constant::getNullValue(C->getType());
  if (!isa<ConstantAggregate>(C))
    return C;
  SmallVector<Constant *> Parts;
  for (const Use &Part : C->operands())
    Parts.push_back(defined(cast<Constant>(Part.get())));
  if (auto *Struct = dyn_cast<StructType>(C->getType()))
    return ConstantStruct::get(Struct, Parts);
  if (auto *Array = dyn_cast<ArrayType>(C->getType()))
    return ConstantArray::get(Array, Parts);
  return ConstantVector::get(Parts);
}

void plumbline_define_initializers(LLVMModuleRef M) {
  for (GlobalVariable &Variable : unwrap(M)->globals())
    // What is undefined as a whole begins with nothing, as all local memory does.
    if (Variable.hasInitializer() && !isa<UndefValue>(Variable.getInitializer()))
      Variable.setInitializer(defined(Variable.getInitializer()));
}
