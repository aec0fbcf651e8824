//! The C functions of `reference/shim/`.

use std::ffi::{c_char, c_int, c_uint, c_void};

use inkwell::llvm_sys::prelude::{
    LLVMBool, LLVMContextRef, LLVMMemoryBufferRef, LLVMMetadataRef, LLVMModuleRef, LLVMValueRef,
};
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;

/// A symbol in a table of bitcode: the name in the object to be, and that in the module, which is
/// empty for what only its assembly has.
#[repr(C)]
pub struct TableSymbol {
    pub name: *const c_char,
    pub length: usize,
    pub ir_name: *const c_char,
    pub ir_length: usize,
    pub is_undefined: u8,
    pub is_weak: u8,
    pub is_common: u8,
    /// It is LLVM's own, and stands in no object.
    pub is_special: u8,
}

/// How far a module is believed that is read whole.
#[repr(u8)]
#[derive(Debug, Clone, Copy)]
pub enum Trust {
    /// It is verified.
    Nothing,
    /// LLVM's reader does what it does to all, which is little but where there may be debug information.
    Reader,
    /// This process, or one before it, wrote it.
    All,
}

/// Answers whether what is to become of a module was made before: asked with a key and the module's name.
pub type Look = extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize) -> u8;

/// Takes the name of a module and what became of it.
pub type Take = extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);

unsafe extern "C" {
    /// A linker that adds modules to `into`, and knows what it has added.
    pub fn plumbline_linker_create(into: LLVMModuleRef) -> *mut c_void;
    /// Adds `from` and consumes it; true when that failed (the reason goes to the context's
    /// diagnostic handler). With `only_needed`, takes only what is referred to. Bodies that were not
    /// read yet are read: for `crashed`, see [`plumbline_read`].
    pub fn plumbline_linker_add(
        linker: *mut c_void,
        from: LLVMModuleRef,
        only_needed: LLVMBool,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Frees a linker; the module that it added to stays.
    pub fn plumbline_linker_dispose(linker: *mut c_void);
    /// Has LLVM's readers from now on, in the whole process, leave alone what [`plumbline_read`] holds modules
    /// to itself then. To be called before there are other threads.
    pub fn plumbline_believe_own();
    /// Reads a module, lazily when it is bitcode and that is asked for, and takes the buffer; true
    /// when that failed. LLVM's reader crashes on some broken bitcode: `crashed` then tells so, and
    /// the context is not to be touched any more, not even to dispose of it.
    pub fn plumbline_read(
        context: LLVMContextRef,
        buffer: LLVMMemoryBufferRef,
        lazily: LLVMBool,
        trust: Trust,
        module: *mut LLVMModuleRef,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Hands the symbols of bitcode that others can see to `take`, with `state`; false when they
    /// cannot be had from its table of symbols, some of them taken already perhaps.
    pub fn plumbline_symbols(
        bytes: *const c_char,
        length: usize,
        state: *mut c_void,
        take: unsafe extern "C" fn(*mut c_void, *const TableSymbol),
    ) -> LLVMBool;
    /// The target triple of bitcode, ours to dispose of as a message; null when there is none to be
    /// read.
    pub fn plumbline_triple(bytes: *const c_char, length: usize) -> *mut c_char;
    /// What a case of a `switch`, counted from 0, compares with: an operand, or not, as LLVM's version
    /// has it.
    pub fn plumbline_switch_case(switch: LLVMValueRef, number: c_uint) -> LLVMValueRef;
    /// Whether a global of a lazily read module still has its body in the file.
    pub fn plumbline_is_materializable(global: LLVMValueRef) -> LLVMBool;
    /// Reads the body of a global of a lazily read module; true when that failed. For `crashed`, see
    /// [`plumbline_read`].
    pub fn plumbline_materialize(
        global: LLVMValueRef,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Reads the metadata of a lazily read module; true when that failed. For `crashed`, see
    /// [`plumbline_read`].
    pub fn plumbline_materialize_metadata(
        module: LLVMModuleRef,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Puts zeros for what initializers of the module's variables leave undefined in part.
    pub fn plumbline_define_initializers(module: LLVMModuleRef);
    /// Has pointers of initializers into other variables be offsets in bytes of variables of bytes; true, and a
    /// message that LLVM frees, when there is one that cannot be.
    pub fn plumbline_plain_initializers(
        module: LLVMModuleRef,
        message: *mut *mut c_char,
    ) -> LLVMBool;
    /// Runs passes as `opt -passes=` would, without those that vectorize, for the machine where there
    /// is one (null is none); true, and nothing done, when the pipeline's text is wrong. With `no_library_calls` no pass knows what functions of
    /// the C library do, so that none puts in a call of one.
    pub fn plumbline_run_passes(
        module: LLVMModuleRef,
        pipeline: *const c_char,
        machine: LLVMTargetMachineRef,
        no_library_calls: LLVMBool,
        message: *mut *mut c_char,
    ) -> LLVMBool;
    /// Puts in place of a function that is defined one without the parameters whose bytes are not 0, a byte
    /// for each of its parameters; none of those has a use. The old one is gone.
    pub fn plumbline_omit_parameters(function: LLVMValueRef, omitted: *const u8) -> LLVMValueRef;
    /// Puts the body of the function that a call names in its place; false, and nothing done, where there is
    /// none. The call is gone.
    pub fn plumbline_inline(call: LLVMValueRef) -> LLVMBool;
    /// Has blocks that a call ends which does not return go on where their function would have gone without
    /// them, or else return.
    pub fn plumbline_join_dead_ends(module: LLVMModuleRef);
    /// Gives loops that are entered in several places one entry.
    pub fn plumbline_fix_irreducible(module: LLVMModuleRef);
    /// Has what calls itself of libstdc++'s `std::sort` call a copy of itself that may go no deeper.
    pub fn plumbline_end_recursion(module: LLVMModuleRef);
    /// Has what chooses between two places of one variable of an optimized function choose between their offsets in
    /// bytes.
    pub fn plumbline_choose_offsets(module: LLVMModuleRef);
    /// Has aggregates of optimized functions whose places something chooses between and those of others, and arrays of
    /// pointers, be found by an address to which a function adds nothing, which is called by one of the names.
    pub fn plumbline_open_variables(
        module: LLVMModuleRef,
        add32: *const c_char,
        add64: *const c_char,
    );
    /// Has several ways from one block to another that chooses by where it is come from be one way.
    pub fn plumbline_join_edges(module: LLVMModuleRef);
    /// Has calls through pointers to member functions that are constants call the functions.
    pub fn plumbline_call_members(module: LLVMModuleRef);
    /// Has copies and fills of a known number of bytes be loads and stores of words.
    pub fn plumbline_copy_by_words(module: LLVMModuleRef);
    /// Gives each kernel that reads how long the rows of a local accessor are, in the range that a parameter
    /// with the attribute is, a second body for rows of whole vectors.
    pub fn plumbline_double_rows(module: LLVMModuleRef, attribute: *const c_char, length: usize);
    /// Leaves each node in a named metadata list once, where it comes first.
    pub fn plumbline_unite_named_metadata(module: LLVMModuleRef);
    /// Removes a named metadata list; nothing when there is none of this name.
    pub fn plumbline_erase_named_metadata(
        module: LLVMModuleRef,
        name: *const c_char,
        length: usize,
    );
    /// Whether the back end of a machine knows a processor by that name.
    pub fn plumbline_knows_processor(
        machine: LLVMTargetMachineRef,
        name: *const c_char,
        length: usize,
    ) -> LLVMBool;
    /// The text of a global variable's string attribute, owned by the context; null when the
    /// variable lacks it.
    pub fn plumbline_variable_attribute(
        variable: LLVMValueRef,
        key: *const c_char,
        key_length: usize,
        length: *mut usize,
    ) -> *const c_char;
    /// Gives a global variable an attribute of a key and a text; nothing but a variable takes one.
    pub fn plumbline_set_variable_attribute(
        variable: LLVMValueRef,
        key: *const c_char,
        key_length: usize,
        text: *const c_char,
        text_length: usize,
    );
    /// Ends the process at once: nothing is flushed, no destructor runs.
    pub fn plumbline_end(status: c_int) -> !;
    /// Has `give_up`, which does not return, called in a thread of LLVM's own that gets no memory.
    pub fn plumbline_watch_memory(give_up: extern "C" fn(*const c_char));
    /// Whether what this thread last did that crashed had used up the memory.
    pub fn plumbline_ran_out() -> LLVMBool;
    /// Lets the C library keep freed memory for later use, rather than return it to the system.
    pub fn plumbline_keep_memory();
    /// Returns freed memory to the system, where the C library keeps it otherwise.
    pub fn plumbline_return_memory();
    /// The linkage name, or else the name, of the function that a debug location lies in, owned by
    /// the context; null when the location names none.
    pub fn plumbline_location_function(
        location: LLVMMetadataRef,
        length: *mut usize,
    ) -> *const c_char;
    /// The name of the file that a debug scope lies in, owned by the context; null when it names
    /// none.
    pub fn plumbline_scope_file(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    /// The folder that a debug scope's file is named from; null where it is that of the compilation.
    pub fn plumbline_scope_folder(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    /// A new module in the same context that holds copies of `globals` alone: definitions where
    /// `define` is not 0, declarations elsewhere.
    pub fn plumbline_clone_subset(
        from: LLVMModuleRef,
        globals: *const LLVMValueRef,
        define: *const u8,
        count: usize,
    ) -> LLVMModuleRef;
    /// The module as bitcode with a summary for ThinLTO; its globals all have names.
    pub fn plumbline_thin_bitcode(module: LLVMModuleRef) -> LLVMMemoryBufferRef;
    /// Whether bitcode has a summary for ThinLTO; `message` and `crashed` as elsewhere.
    pub fn plumbline_thin_has_summary(
        bytes: *const c_char,
        length: usize,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> u8;
    /// An index of summaries, empty.
    pub fn plumbline_thin_create() -> *mut c_void;
    /// Adds the summary of the bitcode, which outlives the index, under a name; 0 when it has none
    /// or cannot be read (`message` says why then).
    pub fn plumbline_thin_add(
        index: *mut c_void,
        name: *const c_char,
        bytes: *const c_char,
        length: usize,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> u8;
    /// Makes an index ready for imports; it stays as it is then.
    pub fn plumbline_thin_link(index: *mut c_void);
    /// Brings into `module`, which was added as `name`, what it imports: of the `weak` symbols the definitions
    /// that are weak, of those `elsewhere` none. Several threads can do so at once, each with a module of its
    /// own context.
    pub fn plumbline_thin_import(
        index: *const c_void,
        name: *const c_char,
        module: LLVMModuleRef,
        weak: *const *const c_char,
        weak_count: usize,
        elsewhere: *const *const c_char,
        elsewhere_count: usize,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> u8;
    /// Frees an index.
    pub fn plumbline_thin_dispose(index: *mut c_void);
    /// A ThinLTO link for a target, with so many threads at most.
    pub fn plumbline_lto_create(triple: *const c_char, jobs: c_uint) -> *mut c_void;
    /// Adds bitcode with a summary that is true of it, which outlives the link, under a name of its own:
    /// threads that no crash can be kept in read it. `resolve` says of
    /// each symbol that it defines whether this definition counts (bit 0) and whether something beside
    /// the link refers to it (bit 1). False when it cannot be read.
    pub fn plumbline_lto_add(
        link: *mut c_void,
        name: *const c_char,
        bytes: *const c_char,
        length: usize,
        state: *mut c_void,
        resolve: extern "C" fn(*mut c_void, *const c_char, usize) -> u8,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Runs the link, once; false when it failed. `take` is called with the name of each module and what
    /// became of it. Before that `look`, where there is one, is asked whether this was made before, under a
    /// key, for the module of a name. Both are called on several threads.
    pub fn plumbline_lto_run(
        link: *mut c_void,
        state: *mut c_void,
        look: Option<Look>,
        take: Take,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Writes, in the place of running the link, the index that each module needs and the list of what it
    /// imports from, under the folder `into` and the module's name; false when it failed.
    pub fn plumbline_lto_write_indexes(
        link: *mut c_void,
        into: *const c_char,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// Does, in the place of running the link, the work of one module, with the index that was written for
    /// it and with the modules that it imports from, which were added too; false when it failed.
    pub fn plumbline_lto_back_end(
        link: *mut c_void,
        name: *const c_char,
        index: *const c_char,
        index_length: usize,
        state: *mut c_void,
        take: Take,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
    /// The module that a link works on in this thread; empty for none.
    pub fn plumbline_lto_working() -> *const c_char;
    /// Frees a link and all that it made.
    pub fn plumbline_lto_dispose(link: *mut c_void);
    /// Whether LLVM's SPIR-V back end was linked.
    pub fn plumbline_spirv_is_there() -> LLVMBool;
    /// The layout of data of a triple, ours to dispose of as a message; null where the back end is not.
    pub fn plumbline_spirv_layout(triple: *const c_char) -> *mut c_char;
    /// SPIR-V of a complete module that was made ready for a triple, which is of no use afterwards; null when it failed.
    /// `finish` is called with `state` before code is generated, and false when that has no use any more.
    pub fn plumbline_spirv_generate(
        module: LLVMModuleRef,
        triple: *const c_char,
        extensions: *const c_char,
        state: *mut c_void,
        finish: extern "C" fn(*mut c_void) -> LLVMBool,
        message: *mut *mut c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMMemoryBufferRef;
    /// Whether a text is a policy of LLVM's caches, or why not.
    pub fn plumbline_cache_policy(policy: *const c_char, message: *mut *mut c_char) -> LLVMBool;
    /// Takes away what a policy has no room for; false when it was too early for a look at the folder.
    pub fn plumbline_cache_prune(
        folder: *const c_char,
        policy: *const c_char,
        crashed: *mut LLVMBool,
    ) -> LLVMBool;
}
