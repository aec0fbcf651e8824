//! Which kernel of a module comes to a symbol that another module has to define, by the calls of its
//! functions.

use std::collections::{HashMap, HashSet};

use crate::Malformed;

use super::linkage::{Linkage, decorations};
use super::{
    EXECUTION_MODEL_KERNEL, OP_ENTRY_POINT, OP_FUNCTION, instructions, literal, malformed, words,
};

/// The first kernel of a module that reaches the imported `symbol`; `None` when none does.
///
/// # Errors
/// When it is no SPIR-V.
pub fn kernel_that_needs(module: &[u8], symbol: &str) -> Result<Option<String>, Malformed> {
    let words = words(module)?;
    let wanted = decorations(&words)?
        .into_iter()
        .find(|found| found.symbol.linkage == Linkage::Import && found.symbol.name == symbol);
    let Some(wanted) = wanted.and_then(|found| words.get(found.at + 1).copied()) else {
        return Ok(None);
    };
    let mut kernels = Vec::new();
    // What each function's instructions name: more than calls, but ids among it all.
    let mut named: HashMap<u32, HashSet<u32>> = HashMap::new();
    let mut current = None;
    for instruction in instructions(&words) {
        let instruction = instruction?;
        match (instruction.opcode, instruction.operands) {
            (OP_ENTRY_POINT, [EXECUTION_MODEL_KERNEL, id, name @ ..]) => {
                let name = literal(name).map_err(|reason| malformed(instruction.at, reason))?;
                kernels.push((*id, name));
            }
            (OP_FUNCTION, [_, id, ..]) => current = Some(*id),
            (_, operands) => {
                let names = current.map(|function| named.entry(function).or_default());
                names.into_iter().for_each(|names| names.extend(operands));
            }
        }
    }
    let reaches = |kernel: u32| {
        let mut seen = HashSet::from([kernel]);
        let mut waiting = vec![kernel];
        while let Some(function) = waiting.pop() {
            let Some(names) = named.get(&function) else {
                continue;
            };
            if names.contains(&wanted) {
                return true;
            }
            let functions = names.iter().filter(|id| named.contains_key(id));
            waiting.extend(functions.filter(|id| seen.insert(**id)));
        }
        false
    };
    let mut kernels = kernels.into_iter();
    Ok(kernels.find_map(|(id, name)| reaches(id).then_some(name)))
}

#[cfg(test)]
mod tests {
    use super::super::MAGIC;
    use super::*;

    const OP_FUNCTION_END: u32 = 56;
    const OP_FUNCTION_CALL: u32 = 57;

    fn name(text: &[u8; 3]) -> u32 {
        u32::from_le_bytes([text[0], text[1], text[2], 0])
    }

    /// Kernels `one`, which calls nothing, and `two`, which comes to `far` by way of a function.
    fn module() -> Vec<u8> {
        let instructions: &[&[u32]] = &[
            &[OP_ENTRY_POINT, EXECUTION_MODEL_KERNEL, 3, name(b"one")],
            &[OP_ENTRY_POINT, EXECUTION_MODEL_KERNEL, 4, name(b"two")],
            &[71, 5, 41, name(b"far"), 1],
            &[71, 7, 41, name(b"own"), 0],
            &[OP_FUNCTION, 21, 5, 0, 22],
            &[OP_FUNCTION_END],
            &[OP_FUNCTION, 21, 3, 0, 22],
            &[OP_FUNCTION_END],
            &[OP_FUNCTION, 21, 4, 0, 22],
            &[OP_FUNCTION_CALL, 21, 8, 7],
            &[OP_FUNCTION_END],
            &[OP_FUNCTION, 21, 7, 0, 22],
            &[OP_FUNCTION_CALL, 21, 9, 5],
            &[OP_FUNCTION_CALL, 21, 10, 7],
            &[OP_FUNCTION_END],
        ];
        let mut words = vec![MAGIC, 0x0001_0200, 0, 30, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend_from_slice(&instruction[1..]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_kernel_needs_what_its_functions_call() {
        let needs = |symbol| kernel_that_needs(&module(), symbol).unwrap();
        assert_eq!(needs("far").as_deref(), Some("two"));
        assert_eq!(needs("own"), None);
        assert_eq!(needs("other"), None);
    }

    #[test]
    fn broken_modules_are_errors() {
        let module = module();
        assert!(kernel_that_needs(b"text", "far").is_err());
        assert!(kernel_that_needs(&module[..module.len() - 8], "far").is_err());
    }
}
