// What LLVM's C interface lacks, as C functions. Each is described where
// src/llvm/shim.rs declares it.
#ifndef PLUMBLINE_SHIM_H
#define PLUMBLINE_SHIM_H

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <cstddef>
#include <cstdint>

extern "C" {
void *plumbline_linker_create(LLVMModuleRef Into);
LLVMBool plumbline_linker_add(void *Into, LLVMModuleRef From, LLVMBool OnlyNeeded,
                              LLVMBool *Crashed);
void plumbline_linker_dispose(void *Into);
void plumbline_believe_own(void);
enum plumbline_trust : uint8_t { TrustNothing, TrustReader, TrustAll };
LLVMBool plumbline_read(LLVMContextRef Context, LLVMMemoryBufferRef Buffer, LLVMBool Lazily,
                        plumbline_trust Trust, LLVMModuleRef *Module, char **Message,
                        LLVMBool *Crashed);
struct plumbline_symbol {
  const char *Name;
  size_t Length;
  const char *IRName;
  size_t IRLength;
  uint8_t IsUndefined;
  uint8_t IsWeak;
  uint8_t IsCommon;
  uint8_t IsSpecial;
};
LLVMBool plumbline_symbols(const char *Bytes, size_t Length, void *State,
                           void (*Take)(void *, const plumbline_symbol *));
char *plumbline_triple(const char *Bytes, size_t Length);
LLVMValueRef plumbline_switch_case(LLVMValueRef Switch, unsigned Number);
LLVMBool plumbline_is_materializable(LLVMValueRef Global);
LLVMBool plumbline_materialize(LLVMValueRef Global, char **Message, LLVMBool *Crashed);
LLVMBool plumbline_materialize_metadata(LLVMModuleRef Module, char **Message, LLVMBool *Crashed);
void plumbline_unite_named_metadata(LLVMModuleRef Module);
void plumbline_erase_named_metadata(LLVMModuleRef Module, const char *Name, size_t Length);
LLVMBool plumbline_knows_processor(LLVMTargetMachineRef Machine, const char *Name, size_t Length);
const char *plumbline_variable_attribute(LLVMValueRef Variable, const char *Key, size_t KeyLength,
                                         size_t *Length);
void plumbline_set_variable_attribute(LLVMValueRef Variable, const char *Key, size_t KeyLength,
                                      const char *Text, size_t TextLength);
[[noreturn]] void plumbline_end(int Status);
void plumbline_watch_memory(void (*GiveUp)(const char *));
LLVMBool plumbline_ran_out(void);
void plumbline_keep_memory(void);
void plumbline_return_memory(void);
const char *plumbline_location_function(LLVMMetadataRef Location, size_t *Length);
const char *plumbline_scope_file(LLVMMetadataRef Scope, size_t *Length);
const char *plumbline_scope_folder(LLVMMetadataRef Scope, size_t *Length);
void plumbline_define_initializers(LLVMModuleRef Module);
LLVMBool plumbline_plain_initializers(LLVMModuleRef Module, char **Message);
LLVMBool plumbline_run_passes(LLVMModuleRef Module, const char *Pipeline,
                              LLVMTargetMachineRef Machine, LLVMBool NoLibraryCalls,
                              char **Message);
LLVMValueRef plumbline_omit_parameters(LLVMValueRef Function, const uint8_t *Omitted);
LLVMBool plumbline_inline(LLVMValueRef Call);
void plumbline_join_dead_ends(LLVMModuleRef Module);
void plumbline_fix_irreducible(LLVMModuleRef Module);
void plumbline_end_recursion(LLVMModuleRef Module);
void plumbline_join_edges(LLVMModuleRef Module);
void plumbline_choose_offsets(LLVMModuleRef Module);
void plumbline_open_variables(LLVMModuleRef Module, const char *Add32, const char *Add64);
void plumbline_call_members(LLVMModuleRef Module);
void plumbline_copy_by_words(LLVMModuleRef Module);
void plumbline_double_rows(LLVMModuleRef Module, const char *Attribute, size_t Length);
LLVMModuleRef plumbline_clone_subset(LLVMModuleRef From, const LLVMValueRef *Globals,
                                     const uint8_t *Define, size_t Count);
LLVMMemoryBufferRef plumbline_thin_bitcode(LLVMModuleRef Module);
uint8_t plumbline_thin_has_summary(const char *Bytes, size_t Length, char **Message,
                                   LLVMBool *Crashed);
void *plumbline_thin_create(void);
uint8_t plumbline_thin_add(void *Index, const char *Name, const char *Bytes, size_t Length,
                           char **Message, LLVMBool *Crashed);
void plumbline_thin_link(void *Index);
uint8_t plumbline_thin_import(const void *Index, const char *Name, LLVMModuleRef Module,
                              const char *const *Weak, size_t WeakCount,
                              const char *const *Elsewhere, size_t ElsewhereCount, char **Message,
                              LLVMBool *Crashed);
void plumbline_thin_dispose(void *Index);
void *plumbline_lto_create(const char *Triple, unsigned Jobs);
LLVMBool plumbline_lto_add(void *To, const char *Name, const char *Bytes, size_t Length,
                           void *State, uint8_t (*Resolve)(void *, const char *, size_t),
                           char **Message, LLVMBool *Crashed);
LLVMBool plumbline_lto_run(void *Of, void *State,
                           uint8_t (*Look)(void *, const char *, size_t, const char *, size_t),
                           void (*Take)(void *, const char *, size_t, const char *, size_t),
                           char **Message, LLVMBool *Crashed);
LLVMBool plumbline_lto_write_indexes(void *Of, const char *Into, char **Message, LLVMBool *Crashed);
LLVMBool plumbline_lto_back_end(void *Of, const char *Name, const char *Index, size_t IndexLength,
                                void *State,
                                void (*Take)(void *, const char *, size_t, const char *, size_t),
                                char **Message, LLVMBool *Crashed);
const char *plumbline_lto_working(void);
void plumbline_lto_dispose(void *Of);
LLVMBool plumbline_spirv_is_there(void);
char *plumbline_spirv_layout(const char *Triple);
LLVMMemoryBufferRef plumbline_spirv_generate(LLVMModuleRef Module, const char *Triple,
                                             const char *Extensions, void *State,
                                             LLVMBool (*Finish)(void *), char **Message,
                                             LLVMBool *Crashed);
LLVMBool plumbline_cache_policy(const char *Policy, char **Message);
LLVMBool plumbline_cache_prune(const char *Folder, const char *Policy, LLVMBool *Crashed);
}

#endif
