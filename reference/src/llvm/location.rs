//! Source locations from debug information.

use std::fmt;
use std::slice;

use inkwell::llvm_sys::core::{
    LLVMGetDebugLocColumn, LLVMGetDebugLocFilename, LLVMGetDebugLocLine, LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef as _, FunctionValue, InstructionValue};

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file's name, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 when unknown.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}

/// Where an instruction comes from; none without debug information.
#[must_use]
pub fn of_instruction(instruction: InstructionValue<'_>) -> Option<Location> {
    // SAFETY: the instruction is valid.
    unsafe { of_value(instruction.as_value_ref()) }
}

/// Where a function is defined; none without debug information.
#[must_use]
pub fn of_function(function: FunctionValue<'_>) -> Option<Location> {
    // SAFETY: the function is valid.
    unsafe { of_value(function.as_value_ref()) }
}

/// # Safety
/// `value` is an instruction or a function.
unsafe fn of_value(value: LLVMValueRef) -> Option<Location> {
    let mut length = 0;
    // SAFETY: by contract; the name is LLVM's, of the length that it says, and copied at once.
    unsafe {
        let file = LLVMGetDebugLocFilename(value, &mut length);
        let line = LLVMGetDebugLocLine(value);
        if file.is_null() || line == 0 {
            return None;
        }
        let file = slice::from_raw_parts(file.cast(), length as usize);
        // Only an instruction has a column.
        let column = match LLVMIsAInstruction(value).is_null() {
            true => 0,
            false => LLVMGetDebugLocColumn(value),
        };
        Some(Location {
            file: String::from_utf8_lossy(file).into_owned(),
            line,
            column,
        })
    }
}
