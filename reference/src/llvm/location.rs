//! Source locations from debug information.

use std::ffi::c_char;
use std::fmt;
use std::path::Path;
use std::slice;

use inkwell::llvm_sys::debuginfo::{
    LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine,
    LLVMDILocationGetScope, LLVMDISubprogramGetLine, LLVMGetSubprogram, LLVMInstructionGetDebugLoc,
};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use inkwell::values::{AsValueRef as _, FunctionValue, InstructionValue};

use super::shim;

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file's name: from the folder that the compiler was started in, or absolute.
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
    // SAFETY: the instruction is valid, and so is its location unless it is null.
    unsafe {
        let location = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        match location.is_null() {
            true => None,
            false => of_debug_location(location),
        }
    }
}

/// A place in the source, and the functions between it and the function that holds its instruction
/// now: inlining has removed them, but debug information still names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InlinedPlace {
    /// The symbol of each inlined function, the outermost first, with the place of the call of it.
    pub through: Vec<(String, Option<Location>)>,
    /// The place in the innermost function.
    pub at: Option<Location>,
}

/// Where an instruction comes from, inlining undone; nothing is known without debug information.
#[must_use]
pub fn with_inlining(instruction: InstructionValue<'_>) -> InlinedPlace {
    let mut place = InlinedPlace::default();
    // SAFETY: the instruction is valid; its location and those it was inlined at are LLVM's own,
    // valid until null.
    unsafe {
        let mut location = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        if location.is_null() {
            return place;
        }
        place.at = of_debug_location(location);
        loop {
            let outer = LLVMDILocationGetInlinedAt(location);
            if outer.is_null() {
                break;
            }
            let mut length = 0;
            let name = shim::plumbline_location_function(location, &mut length);
            if !name.is_null() {
                let name = slice::from_raw_parts(name.cast(), length);
                let name = String::from_utf8_lossy(name).into_owned();
                place.through.push((name, of_debug_location(outer)));
            }
            location = outer;
        }
    }
    place.through.reverse();
    place
}

/// # Safety
/// `location` is a debug location.
unsafe fn of_debug_location(location: LLVMMetadataRef) -> Option<Location> {
    // SAFETY: by contract.
    unsafe {
        Some(Location {
            file: file_of(LLVMDILocationGetScope(location))?,
            line: Some(LLVMDILocationGetLine(location)).filter(|&line| line != 0)?,
            column: LLVMDILocationGetColumn(location),
        })
    }
}

/// # Safety
/// `scope` is a debug scope.
unsafe fn file_of(scope: LLVMMetadataRef) -> Option<String> {
    let text = |ask: unsafe extern "C" fn(_, *mut usize) -> *const c_char| {
        let mut length = 0;
        // SAFETY: by contract; the text is as long as the shim says, and copied at once.
        unsafe {
            let text = ask(scope, &mut length);
            if text.is_null() {
                return None;
            }
            let text = slice::from_raw_parts(text.cast(), length);
            Some(String::from_utf8_lossy(text).into_owned())
        }
    };
    let name = text(shim::plumbline_scope_file)?;
    // Debug information names files outside of the compilation's folder from the next one that
    // both lie in.
    let folder = text(shim::plumbline_scope_folder).unwrap_or_default();
    Some(Path::new(&folder).join(name).to_string_lossy().into_owned())
}

/// Where a function is defined; none without debug information.
#[must_use]
pub fn of_function(function: FunctionValue<'_>) -> Option<Location> {
    // SAFETY: the function is valid, and so is its description unless it is null.
    unsafe {
        let described = LLVMGetSubprogram(function.as_value_ref());
        if described.is_null() {
            return None;
        }
        Some(Location {
            file: file_of(described)?,
            line: Some(LLVMDISubprogramGetLine(described)).filter(|&line| line != 0)?,
            column: 0,
        })
    }
}
