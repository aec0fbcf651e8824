//! Which global of a module mentions which: the graph that splitting, outlining and only-needed
//! linking walk.

use std::collections::{BTreeSet, HashMap, HashSet};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue};

use super::{LlvmError, read, values};

/// A global's place in [`values::globals`]: the same in every reading of the same bytes, in
/// whatever context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u32);

/// The globals of a module and, as far as they have been asked for, what each mentions: through
/// instructions, constants, initialisers, aliases and personality functions; not through metadata.
#[derive(Debug)]
pub struct Graph<'m, 'ctx> {
    module: &'m Module<'ctx>,
    globals: Vec<GlobalValue<'ctx>>,
    ids: HashMap<LLVMValueRef, GlobalId>,
    mentions: Vec<Option<Vec<GlobalId>>>,
}

impl<'m, 'ctx> Graph<'m, 'ctx> {
    /// The graph of a module, nothing of it walked yet.
    #[must_use]
    pub fn new(module: &'m Module<'ctx>) -> Self {
        let globals = values::globals(module);
        let ids = (0..)
            .map(GlobalId)
            .zip(&globals)
            .map(|(id, global)| (global.as_value_ref(), id))
            .collect();
        Graph {
            module,
            mentions: vec![None; globals.len()],
            globals,
            ids,
        }
    }

    /// Every global with its id, in order.
    pub fn globals(&self) -> impl Iterator<Item = (GlobalId, GlobalValue<'ctx>)> + '_ {
        (0..).map(GlobalId).zip(self.globals.iter().copied())
    }

    /// How many globals the module has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.globals.len()
    }

    /// Whether the module has no globals.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.globals.is_empty()
    }

    /// The global of an id that this graph handed out.
    #[must_use]
    pub fn global(&self, id: GlobalId) -> Option<GlobalValue<'ctx>> {
        self.globals.get(id.0 as usize).copied()
    }

    /// The id of a global of this module.
    #[must_use]
    pub fn id(&self, global: GlobalValue<'ctx>) -> Option<GlobalId> {
        self.ids.get(&global.as_value_ref()).copied()
    }

    /// What a global mentions directly, in order and each once. The body of a lazily read function
    /// is read for it.
    ///
    /// # Errors
    /// When that body can't be read.
    pub fn mentions(&mut self, id: GlobalId) -> Result<&[GlobalId], LlvmError> {
        let (Some(&global), Some(slot)) = (
            self.globals.get(id.0 as usize),
            self.mentions.get_mut(id.0 as usize),
        ) else {
            return Ok(&[]);
        };
        if slot.is_none() {
            read::materialize(self.module, global)?;
            *slot = Some(scan(global, &self.ids));
        }
        Ok(slot.as_deref().unwrap_or_default())
    }

    /// Everything that can be reached from `roots`, the roots included, in order.
    ///
    /// # Errors
    /// When a body can't be read.
    pub fn reach(
        &mut self,
        roots: impl IntoIterator<Item = GlobalId>,
    ) -> Result<BTreeSet<GlobalId>, LlvmError> {
        let mut reached: HashSet<GlobalId> = roots.into_iter().collect();
        let mut open: Vec<GlobalId> = reached.iter().copied().collect();
        while let Some(id) = open.pop() {
            for &next in self.mentions(id)? {
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        Ok(reached.into_iter().collect())
    }
}

fn scan(global: GlobalValue<'_>, ids: &HashMap<LLVMValueRef, GlobalId>) -> Vec<GlobalId> {
    let mut scan = Scan {
        ids,
        found: BTreeSet::new(),
        seen: HashSet::new(),
    };
    let value = global.as_value_ref();
    // SAFETY: the global is valid. The operands of a function are its personality, prefix and
    // prologue data; of a variable, its initialiser; of an alias, its aliasee.
    unsafe { scan.operands(value) };
    if let Some(function) = values::as_function(global) {
        scan.body(function);
    }
    scan.found.into_iter().collect()
}

struct Scan<'a> {
    ids: &'a HashMap<LLVMValueRef, GlobalId>,
    found: BTreeSet<GlobalId>,
    seen: HashSet<LLVMValueRef>,
}

impl Scan<'_> {
    fn body(&mut self, function: FunctionValue<'_>) {
        // SAFETY: blocks and instructions are LLVM's own lists, valid until null.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(function.as_value_ref());
            while !block.is_null() {
                let mut instruction = LLVMGetFirstInstruction(block);
                while !instruction.is_null() {
                    self.operands(instruction);
                    instruction = LLVMGetNextInstruction(instruction);
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
    }

    /// # Safety
    /// `user` is a valid function, variable, alias, instruction or constant.
    unsafe fn operands(&mut self, user: LLVMValueRef) {
        let mut open = vec![user];
        while let Some(user) = open.pop() {
            // SAFETY: by contract, and constants are made of constants.
            unsafe {
                let count = u32::try_from(LLVMGetNumOperands(user)).unwrap_or(0);
                for i in 0..count {
                    let operand = LLVMGetOperand(user, i);
                    if operand.is_null() {
                        continue;
                    }
                    if let Some(&id) = self.ids.get(&operand) {
                        self.found.insert(id);
                    } else if !LLVMIsAConstant(operand).is_null() && self.seen.insert(operand) {
                        open.push(operand);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, write};

    const TEXT: &str = r"
        @table = constant [1 x ptr] [ptr @through_table]
        @self = global ptr @self
        @other_name = alias void (), ptr @aliased
        define void @root() {
          %p = load ptr, ptr getelementptr ([1 x ptr], ptr @table, i64 0, i64 0)
          call void @other_name()
          call void @declared()
          ret void
        }
        define void @through_table() personality ptr @handler {
          store ptr @self, ptr null
          ret void
        }
        define void @aliased() { ret void }
        define void @handler() { ret void }
        define void @unused() { call void @aliased() ret void }
        declare void @declared()
    ";

    #[test]
    fn reach_goes_through_every_kind_of_mention() {
        let context = context();
        let whole = read::module(&context, TEXT.as_bytes(), "a.ll").unwrap();
        let bitcode = write::bitcode(&whole);
        let lazy = read::module_lazily(&context, &bitcode, "a.bc").unwrap();
        for module in [&whole, &lazy] {
            let mut graph = Graph::new(module);
            let root = module.get_function("root").unwrap().as_global_value();
            let root = graph.id(root).unwrap();
            let reached = graph.reach([root]).unwrap();
            let names: Vec<_> = reached
                .into_iter()
                .map(|id| values::name(graph.global(id).unwrap()))
                .collect();
            assert_eq!(
                names,
                [
                    "root",
                    "through_table",
                    "aliased",
                    "handler",
                    "declared",
                    "table",
                    "self",
                    "other_name"
                ]
            );
        }
    }
}
