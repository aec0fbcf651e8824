//! Metadata as typed values: attached to functions and variables, or in a module's named lists.

use std::marker::PhantomData;
use std::ptr;
use std::slice;

use inkwell::context::AsContextRef;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, GlobalValue, InstructionValue};

use super::{c_string, shim};

/// A metadata node of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'ctx> {
    /// The node itself.
    node: LLVMMetadataRef,
    /// The node wrapped as a value, as LLVM's C interface reads it. The wrapper of a node that
    /// holds one constant is that constant's own, so it cannot stand for the node elsewhere.
    value: LLVMValueRef,
    context: PhantomData<&'ctx ()>,
}

/// One operand of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'ctx> {
    /// No operand in this place.
    Null,
    /// A string.
    Text(String),
    /// An integer constant of up to 64 bits, with its width.
    Integer {
        /// Its bits, extended with zeros.
        value: u64,
        /// Its width in bits.
        bits: u32,
    },
    /// A function or variable.
    Global(GlobalValue<'ctx>),
    /// Another node.
    Node(Node<'ctx>),
    /// Anything else: a floating-point or composite constant.
    Other,
}

impl Operand<'_> {
    /// A 32-bit integer.
    #[must_use]
    pub fn u32(value: u32) -> Self {
        Operand::Integer {
            value: value.into(),
            bits: 32,
        }
    }

    /// A string.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Operand::Text(text.into())
    }
}

impl<'ctx> Node<'ctx> {
    /// A node with these operands.
    #[must_use]
    pub fn new(context: impl AsContextRef<'ctx>, operands: &[Operand<'ctx>]) -> Self {
        let context = context.as_ctx_ref();
        let mut raw: Vec<_> = operands.iter().map(|o| raw_operand(context, o)).collect();
        // SAFETY: the operands are metadata of this context, as many as said.
        unsafe {
            let node = LLVMMDNodeInContext2(context, raw.as_mut_ptr(), raw.len());
            Self::from_metadata(context, node)
        }
    }

    /// # Safety
    /// `node` is a metadata node of `context`.
    unsafe fn from_metadata(context: LLVMContextRef, node: LLVMMetadataRef) -> Self {
        Node {
            node,
            // SAFETY: by contract.
            value: unsafe { LLVMMetadataAsValue(context, node) },
            context: PhantomData,
        }
    }

    /// # Safety
    /// `value` wraps a metadata node.
    unsafe fn from_value(value: LLVMValueRef) -> Self {
        // SAFETY: by contract; a wrapper of a lone constant is one of a node that holds it.
        unsafe {
            let mut metadata = LLVMValueAsMetadata(value);
            if !LLVMIsAValueAsMetadata(value).is_null() {
                let context = LLVMGetTypeContext(LLVMTypeOf(value));
                metadata = LLVMMDNodeInContext2(context, &mut metadata, 1);
            }
            Node {
                node: metadata,
                value,
                context: PhantomData,
            }
        }
    }

    /// The node's operands.
    #[must_use]
    pub fn operands(self) -> Vec<Operand<'ctx>> {
        // SAFETY: the value wraps a node; LLVM fills as many operands as it says.
        unsafe {
            let count = LLVMGetMDNodeNumOperands(self.value) as usize;
            let mut raw = vec![ptr::null_mut(); count];
            LLVMGetMDNodeOperands(self.value, raw.as_mut_ptr());
            raw.into_iter().map(|value| typed_operand(value)).collect()
        }
    }

    /// The operands as 32-bit numbers; none unless all are integers that fit.
    #[must_use]
    pub fn u32s(self) -> Option<Vec<u32>> {
        let number = |operand| match operand {
            Operand::Integer { value, .. } => u32::try_from(value).ok(),
            _ => None,
        };
        self.operands().into_iter().map(number).collect()
    }

    /// The operands as strings; none unless all are strings.
    #[must_use]
    pub fn texts(self) -> Option<Vec<String>> {
        let text = |operand| match operand {
            Operand::Text(text) => Some(text),
            _ => None,
        };
        self.operands().into_iter().map(text).collect()
    }
}

/// The node of this kind that is attached to a function or variable.
#[must_use]
pub fn of_global<'ctx>(global: GlobalValue<'ctx>, kind: &str) -> Option<Node<'ctx>> {
    // SAFETY: the global is valid; the entries are ours until disposed of, and the indices in
    // their range.
    unsafe {
        let (context, kind) = (context_of(global), kind_id(global, kind));
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(global.as_value_ref(), &mut count);
        let found = u32::try_from(count)
            .into_iter()
            .flat_map(|count| 0..count)
            .find(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == kind)
            .map(|i| {
                let node = LLVMValueMetadataEntriesGetMetadata(entries, i);
                Node::from_metadata(context, node)
            });
        LLVMDisposeValueMetadataEntries(entries);
        found
    }
}

/// The number of a kind of metadata in a module's context.
#[must_use]
pub fn kind_in(module: &Module<'_>, kind: &str) -> u32 {
    module.get_context().get_kind_id(kind)
}

/// The node of this kind, by its number, that is attached to an instruction.
#[must_use]
pub fn of_instruction<'ctx>(instruction: InstructionValue<'ctx>, kind: u32) -> Option<Node<'ctx>> {
    let instruction = instruction.as_value_ref();
    // SAFETY: the instruction is valid; LLVM answers null where it has no such node.
    unsafe {
        if LLVMHasMetadata(instruction) == 0 {
            return None;
        }
        let value = LLVMGetMetadata(instruction, kind);
        (!value.is_null()).then(|| Node::from_value(value))
    }
}

/// Attaches a node to a function or variable, in place of those of the same kind.
pub fn set_on_global<'ctx>(global: GlobalValue<'ctx>, kind: &str, node: Node<'ctx>) {
    // SAFETY: the global and the node are valid and of one context.
    unsafe {
        LLVMGlobalSetMetadata(global.as_value_ref(), kind_id(global, kind), node.node);
    }
}

/// Removes what is attached of this kind.
pub fn erase_from_global(global: GlobalValue<'_>, kind: &str) {
    // SAFETY: the global is valid.
    unsafe { LLVMGlobalEraseMetadata(global.as_value_ref(), kind_id(global, kind)) };
}

/// The nodes of a module's named list; empty when there is no such list.
#[must_use]
pub fn named<'ctx>(module: &Module<'ctx>, name: &str) -> Vec<Node<'ctx>> {
    let name = c_string(name);
    // SAFETY: the module is valid; LLVM fills as many operands as it says.
    unsafe {
        let raw = module.as_mut_ptr();
        let count = LLVMGetNamedMetadataNumOperands(raw, name.as_ptr()) as usize;
        let mut values = vec![ptr::null_mut(); count];
        LLVMGetNamedMetadataOperands(raw, name.as_ptr(), values.as_mut_ptr());
        values
            .into_iter()
            .map(|value| Node::from_value(value))
            .collect()
    }
}

/// Appends a node to a module's named list, which is made when there is none.
pub fn add_named<'ctx>(module: &Module<'ctx>, name: &str, node: Node<'ctx>) {
    let name = c_string(name);
    // SAFETY: the module and the node are valid and of one context.
    unsafe { LLVMAddNamedMetadataOperand(module.as_mut_ptr(), name.as_ptr(), node.value) };
}

/// Leaves each node in a named list of the module once: the linker appends the lists of what it
/// links, so that a hundred modules that say the same say it a hundred times.
pub fn unite_lists(module: &Module<'_>) {
    // SAFETY: the module is valid.
    unsafe { shim::plumbline_unite_named_metadata(module.as_mut_ptr()) };
}

/// Removes a module's named list.
pub fn erase_named(module: &Module<'_>, name: &str) {
    // SAFETY: the module is valid and the name as long as said.
    unsafe {
        shim::plumbline_erase_named_metadata(module.as_mut_ptr(), name.as_ptr().cast(), name.len());
    }
}

/// # Safety
/// The global is valid (which its type promises).
unsafe fn context_of(global: GlobalValue<'_>) -> LLVMContextRef {
    // SAFETY: by contract.
    unsafe { LLVMGetTypeContext(LLVMTypeOf(global.as_value_ref())) }
}

fn kind_id(global: GlobalValue<'_>, kind: &str) -> u32 {
    let length = u32::try_from(kind.len()).unwrap_or(u32::MAX);
    // SAFETY: the context is the global's; the text is as long as said.
    unsafe { LLVMGetMDKindIDInContext(context_of(global), kind.as_ptr().cast(), length) }
}

fn raw_operand(context: LLVMContextRef, operand: &Operand<'_>) -> LLVMMetadataRef {
    // SAFETY: the context is valid, and so is each value that a typed operand holds.
    unsafe {
        match operand {
            Operand::Null | Operand::Other => ptr::null_mut(),
            Operand::Text(text) => {
                LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len())
            }
            Operand::Integer { value, bits } => {
                let ty = LLVMIntTypeInContext(context, *bits);
                LLVMValueAsMetadata(LLVMConstInt(ty, *value, 0))
            }
            Operand::Global(global) => LLVMValueAsMetadata(global.as_value_ref()),
            Operand::Node(node) => node.node,
        }
    }
}

/// # Safety
/// `value` is null or an operand as `LLVMGetMDNodeOperands` hands it out.
unsafe fn typed_operand<'ctx>(value: LLVMValueRef) -> Operand<'ctx> {
    if value.is_null() {
        return Operand::Null;
    }
    // SAFETY: each query answers null or 0 for a value of another kind.
    unsafe {
        if !LLVMIsAMDString(value).is_null() {
            let mut length = 0;
            let text = LLVMGetMDString(value, &mut length);
            let bytes = slice::from_raw_parts(text.cast(), length as usize);
            return Operand::Text(String::from_utf8_lossy(bytes).into_owned());
        }
        if !LLVMIsAMDNode(value).is_null() {
            return Operand::Node(Node::from_value(value));
        }
        if !LLVMIsAConstantInt(value).is_null() {
            let bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
            if bits <= 64 {
                let value = LLVMConstIntGetZExtValue(value);
                return Operand::Integer { value, bits };
            }
        }
        if !LLVMIsAGlobalValue(value).is_null() {
            return Operand::Global(GlobalValue::new(value));
        }
        Operand::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    #[test]
    fn attached_and_named_metadata_read_back_as_written() {
        let context = context();
        let text = "define void @f() !a !0 {\n  ret void\n}\n\
                    !list = !{!1}\n!0 = !{i32 8, i32 9}\n!1 = !{!\"T\", i32 3, null, ptr @f}\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let f = module.get_function("f").unwrap().as_global_value();
        assert_eq!(of_global(f, "a").unwrap().u32s(), Some(vec![8, 9]));
        assert_eq!(of_global(f, "b"), None);
        let [entry] = named(&module, "list")[..] else {
            panic!("one entry expected");
        };
        assert_eq!(
            entry.operands(),
            [
                Operand::text("T"),
                Operand::u32(3),
                Operand::Null,
                Operand::Global(f)
            ]
        );
        assert_eq!(entry.u32s(), None);

        set_on_global(f, "b", Node::new(&context, &[Operand::text("x")]));
        erase_from_global(f, "a");
        add_named(&module, "list", Node::new(&context, &[Operand::u32(1)]));
        assert_eq!(
            of_global(f, "b").unwrap().texts(),
            Some(vec!["x".to_owned()])
        );
        assert_eq!(of_global(f, "a"), None);
        assert_eq!(named(&module, "list").len(), 2);
        erase_named(&module, "list");
        assert!(named(&module, "list").is_empty());
        write::verify(&module).unwrap();
    }
}
