//! What device code must not do (SYCL 2020, "Language restrictions for device functions"): errors
//! with the place, and the chain of calls from a kernel to it. Only device code is left in the
//! module by then, so host code is never blamed.
//!
//! Functions of system headers may be recursive: the C++ library's algorithms are, to a depth that
//! they bound (`std::sort`), and the user could not change them. As with clang's own diagnostics, a
//! cycle of calls is an error in the functions of the user's files that are part of it.

use std::collections::{HashMap, HashSet, VecDeque};

use inkwell::llvm_sys::core::{
    LLVMGetAllocatedType, LLVMGetCalledValue, LLVMGetNumOperands, LLVMGetOperand, LLVMIsACallInst,
    LLVMIsAConstantExpr, LLVMIsAConstantInt, LLVMIsAGlobalVariable, LLVMIsAInlineAsm,
    LLVMIsGlobalConstant, LLVMIsThreadLocal,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AsValueRef as _, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue,
};

use super::annotations::{self, Annotation};
use super::aspects::Propagated;
use super::aspects::scan::{Function, FunctionId};
use super::builtins;
use super::diagnostics::{Diagnostic, Warning};
use crate::llvm::location::{self, Location};
use crate::llvm::{attributes, calls, demangle, values};

/// The address space of local memory, which has variables of its own.
const LOCAL: u32 = 3;

/// The beginning of the symbols of what `typeid` names.
const TYPE_INFORMATION: &str = "_ZTI";

/// What sees to it that a variable of a function is initialized once: the variable itself is at fault.
const GUARDS: &str = "__cxa_guard_";
const GUARD_VARIABLE: &str = "_ZGV";

const RUN_TIME_TYPES: &str = "device code cannot use run-time type information";

/// What only the source says of functions and variables, by their symbols.
#[derive(Debug, Default)]
pub struct Marks {
    /// Functions that system headers define.
    system: HashSet<String>,
    /// Constants whose initializers the host runs.
    host_initialized: HashSet<String>,
    /// What another unit may define otherwise, and whose definition here device code takes all the same.
    weak: HashSet<String>,
}

impl Marks {
    /// The marks among a module's annotations, and its weak definitions that other units do not see.
    #[must_use]
    pub fn read<'ctx>(
        module: &Module<'ctx>,
        annotations: &[Annotation<'ctx>],
        externals: &[FunctionValue<'ctx>],
    ) -> Self {
        let is_external = |global| {
            values::as_function(global).is_some_and(|function| externals.contains(&function))
                || attributes::of_variable(global, "sycl-unique-id").is_some()
        };
        let weak = values::globals(module).into_iter().filter(|&global| {
            global.get_linkage() == Linkage::WeakAny
                && !values::is_declaration(global)
                && !is_external(global)
        });
        let marked = |name: &str| {
            let marks = annotations.iter().filter(|a| a.name == name);
            marks.map(|a| values::name(a.entity)).collect()
        };
        Marks {
            system: marked(annotations::SYSTEM_CODE),
            host_initialized: marked(annotations::HOST_INITIALIZED),
            weak: weak.map(values::name).collect(),
        }
    }
}

/// Every rule that the device code of a module breaks, in module order. PTX takes its own assembly, and has functions of
/// its own.
#[must_use]
pub fn check<'ctx>(
    propagated: &Propagated<'ctx>,
    externals: &[FunctionValue<'ctx>],
    marks: &Marks,
    for_ptx: bool,
) -> Vec<Diagnostic> {
    let rules = Rules {
        externals,
        marks,
        for_ptx,
    };
    let functions = propagated.functions();
    let chains = Paths::new(functions);
    let mut found = Vec::new();
    for (id, function) in (0..).zip(functions) {
        if function.value.count_basic_blocks() == 0 {
            continue;
        }
        let mut seen = HashSet::new();
        let throwing = values::instructions(function.value)
            .filter_map(calls::callee)
            .any(|callee| builtins::throws(&values::function_name(callee)));
        let of_system = marks
            .system
            .contains(&values::function_name(function.value));
        if let Some(call) = propagated.recursion(id).filter(|_| !of_system) {
            let message = format!(
                "device code cannot be recursive: '{}' calls itself",
                name(function)
            );
            found.push(chains.error(id, Some(call), message));
        }
        for instruction in values::instructions(function.value) {
            let place = Some(instruction.as_value_ref());
            for message in rules.broken_by(instruction, throwing) {
                if seen.insert(message.clone()) {
                    found.push(chains.error(id, place, message));
                }
            }
            for message in rules.doubtful_in(instruction) {
                if seen.insert(message.clone()) {
                    found.push(chains.warning(id, place, message));
                }
            }
        }
    }
    found
}

/// What the rules need to know besides the code.
struct Rules<'a, 'ctx> {
    externals: &'a [FunctionValue<'ctx>],
    marks: &'a Marks,
    for_ptx: bool,
}

impl Rules<'_, '_> {
    /// What one instruction does against the rules.
    fn broken_by(&self, instruction: InstructionValue<'_>, throwing: bool) -> Vec<String> {
        let mut broken = Vec::new();
        if let Some(callee) = calls::callee(instruction) {
            broken.extend(self.wrong_call(callee, throwing));
        } else if let Some(called) = called_value(instruction) {
            broken.extend(self.wrong_value(called));
        }
        if instruction.get_opcode() == InstructionOpcode::Alloca && has_variable_size(instruction) {
            broken.push("device code cannot have a variable length array".to_owned());
        }
        if instruction.get_opcode() == InstructionOpcode::IndirectBr {
            broken.push("device code cannot jump to a label's address".to_owned());
        }
        for variable in variables(instruction) {
            broken.extend(self.wrong_variable(variable, throwing));
        }
        broken
    }

    /// What of an instruction may mean something else on the host.
    fn doubtful_in(&self, instruction: InstructionValue<'_>) -> Vec<String> {
        let callee = calls::callee(instruction).map(values::function_name);
        let variables = variables(instruction).into_iter().map(values::name);
        let weak = callee
            .into_iter()
            .chain(variables)
            .filter(|symbol| self.marks.weak.contains(symbol));
        let said = weak.map(|symbol| {
            format!(
                "device code takes this unit's definition of '{}', which is weak: the program may have another one",
                demangle::demangled(&symbol)
            )
        });
        said.collect()
    }

    /// Where an exception is thrown, what makes it is not worth a word of its own.
    fn wrong_call(&self, callee: FunctionValue<'_>, throwing: bool) -> Option<String> {
        let symbol = values::function_name(callee);
        if builtins::throws(&symbol) {
            return Some("device code cannot throw or catch exceptions".to_owned());
        }
        let is_declared = values::is_declaration(callee.as_global_value());
        let shown = || demangle::demangled(&symbol);
        if !is_declared && callee.get_type().is_var_arg() {
            return Some(format!(
                "device code cannot call the variadic function '{}'",
                shown()
            ));
        }
        if !is_declared
            || throwing
            || symbol.starts_with(GUARDS)
            || self.externals.contains(&callee)
            || builtins::is_known(&symbol)
            || self.for_ptx && builtins::is_of_cuda(&symbol)
        {
            return None;
        }
        if builtins::allocates(&symbol) {
            return Some("device code cannot allocate or free storage".to_owned());
        }
        if builtins::asks_for_types(&symbol) {
            return Some(RUN_TIME_TYPES.to_owned());
        }
        Some(format!(
            "device code cannot call the undefined function '{}', which is not SYCL_EXTERNAL",
            shown()
        ))
    }

    /// A call of something that is no function by name.
    fn wrong_value(&self, called: LLVMValueRef) -> Option<String> {
        // SAFETY: the value is what a call of the module calls.
        let assembly = unsafe { !LLVMIsAInlineAsm(called).is_null() };
        match assembly {
            true if self.for_ptx => None,
            true => Some("device code cannot have inline assembly for this target".to_owned()),
            false => Some(
                "device code cannot call a virtual function or through a function pointer"
                    .to_owned(),
            ),
        }
    }

    fn wrong_variable(&self, variable: GlobalValue<'_>, throwing: bool) -> Option<String> {
        let value = variable.as_value_ref();
        let symbol = values::name(variable);
        let shown = || demangle::demangled(&symbol);
        // SAFETY: the variable is valid.
        let (thread_local, constant) = unsafe {
            (
                LLVMIsThreadLocal(value) != 0,
                LLVMIsGlobalConstant(value) != 0,
            )
        };
        if thread_local {
            return Some(format!(
                "device code cannot use the thread-local variable '{}'",
                shown()
            ));
        }
        if symbol.starts_with(GUARD_VARIABLE) {
            return None;
        }
        if symbol.starts_with(TYPE_INFORMATION) {
            return (!throwing).then(|| RUN_TIME_TYPES.to_owned());
        }
        if self.marks.host_initialized.contains(&symbol) {
            return Some(format!(
                "device code cannot use the variable '{}', which is initialized when the program \
                 starts: only constant initializers have a value on devices",
                shown()
            ));
        }
        let local = variable.as_pointer_value().get_type().get_address_space()
            == inkwell::AddressSpace::try_from(LOCAL).unwrap_or_default();
        let device_global = attributes::of_variable(variable, "sycl-unique-id").is_some();
        if constant || local || device_global {
            return None;
        }
        Some(format!(
            "device code cannot use the variable '{}', which has static storage and is not constant",
            shown()
        ))
    }
}

/// What an instruction calls, where it is a call.
fn called_value(instruction: InstructionValue<'_>) -> Option<LLVMValueRef> {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is valid; only a call is asked for what it calls.
    unsafe { (!LLVMIsACallInst(value).is_null()).then(|| LLVMGetCalledValue(value)) }
}

fn has_variable_size(instruction: InstructionValue<'_>) -> bool {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is an allocation, whose one operand is the number of elements.
    unsafe {
        !LLVMGetAllocatedType(value).is_null()
            && LLVMIsAConstantInt(LLVMGetOperand(value, 0)).is_null()
    }
}

/// The variables among an instruction's operands, through constant expressions too.
fn variables<'ctx>(instruction: InstructionValue<'ctx>) -> Vec<GlobalValue<'ctx>> {
    let mut found = Vec::new();
    // SAFETY: the instruction is valid.
    unsafe { collect_variables(instruction.as_value_ref(), &mut found) };
    found
}

/// # Safety
/// `user` is a valid instruction or constant expression.
unsafe fn collect_variables(user: LLVMValueRef, found: &mut Vec<GlobalValue<'_>>) {
    // SAFETY: by contract; LLVM has as many operands as it says.
    unsafe {
        let operands = u32::try_from(LLVMGetNumOperands(user)).unwrap_or(0);
        for index in 0..operands {
            let operand = LLVMGetOperand(user, index);
            if !LLVMIsAGlobalVariable(operand).is_null() {
                found.push(GlobalValue::new(operand));
            } else if !LLVMIsAConstantExpr(operand).is_null() {
                collect_variables(operand, found);
            }
        }
    }
}

/// How the functions are reached, each by the shortest way from a function that nothing calls.
struct Paths<'a, 'ctx> {
    functions: &'a [Function<'ctx>],
    from: HashMap<FunctionId, (FunctionId, LLVMValueRef)>,
}

impl<'a, 'ctx> Paths<'a, 'ctx> {
    fn new(functions: &'a [Function<'ctx>]) -> Self {
        let called: HashSet<FunctionId> = functions
            .iter()
            .flat_map(|f| f.calls.iter().map(|&(callee, _)| callee))
            .collect();
        let mut open: VecDeque<FunctionId> = (0..)
            .zip(functions)
            .filter(|(id, f)| values::is_kernel(f.value) || !called.contains(id))
            .map(|(id, _)| id)
            .collect();
        let mut reached: HashSet<FunctionId> = open.iter().copied().collect();
        let mut from = HashMap::new();
        while let Some(caller) = open.pop_front() {
            let calls = functions.get(caller as usize).map(|f| &f.calls);
            for &(callee, call) in calls.into_iter().flatten() {
                if reached.insert(callee) {
                    from.insert(callee, (caller, call));
                    open.push_back(callee);
                }
            }
        }
        Paths { functions, from }
    }

    fn error(&self, id: FunctionId, place: Option<LLVMValueRef>, message: String) -> Diagnostic {
        self.with_chain(id, Diagnostic::error(self.location(id, place), message))
    }

    fn warning(&self, id: FunctionId, place: Option<LLVMValueRef>, message: String) -> Diagnostic {
        let location = self.location(id, place);
        self.with_chain(id, Diagnostic::warning(Warning::Weak, location, message))
    }

    fn location(&self, id: FunctionId, place: Option<LLVMValueRef>) -> Option<Location> {
        let of_function = || location::of_function(self.functions.get(id as usize)?.value);
        place.and_then(location_of).or_else(of_function)
    }

    fn with_chain(&self, id: FunctionId, mut told: Diagnostic) -> Diagnostic {
        told.notes
            .push("it is reached through this call chain:".to_owned());
        told.chain = self.chain(id);
        told
    }

    fn chain(&self, id: FunctionId) -> Vec<(String, Option<Location>)> {
        let mut chain = Vec::new();
        let mut at = id;
        loop {
            let step = self.from.get(&at);
            let name = self
                .functions
                .get(at as usize)
                .map(name)
                .unwrap_or_default();
            chain.push((name, step.and_then(|&(_, call)| location_of(call))));
            match step {
                Some(&(caller, _)) => at = caller,
                None => break,
            }
        }
        chain.reverse();
        chain
    }
}

fn name(function: &Function<'_>) -> String {
    demangle::function_name(&values::function_name(function.value))
}

fn location_of(instruction: LLVMValueRef) -> Option<Location> {
    // SAFETY: every such value is an instruction of the module, which has not changed since.
    location::of_instruction(unsafe { InstructionValue::new(instruction) })
}
