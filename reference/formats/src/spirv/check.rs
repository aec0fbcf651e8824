//! Whether a module from outside is whole: device compilers take such files at their word, and end
//! the process that they run in, or compile what is left, when it does not hold (SPIR-V, "Physical
//! Layout of a SPIR-V Module and Instruction" and "Logical Layout of a Module").

use std::collections::{HashMap, HashSet};

use crate::Malformed;

use super::{Instruction, OP_ENTRY_POINT, OP_FUNCTION, instructions, malformed, words};

/// Which word of the header is larger than every id.
const BOUND_WORD: usize = 3;

const OP_FUNCTION_PARAMETER: u32 = 55;
const OP_FUNCTION_END: u32 = 56;
const OP_FUNCTION_CALL: u32 = 57;
const OP_LABEL: u32 = 248;

/// Fails when the module is cut short or its parts do not fit together: instructions up to the last
/// byte, functions that end, ids below the bound and defined once, functions that are called.
/// What instructions mean is left to compilers.
///
/// # Errors
/// With the word at which the module stops being one.
pub fn check(module: &[u8]) -> Result<(), Malformed> {
    let words = words(module)?;
    let rest = module.len() % 4;
    if rest != 0 {
        let reason = format!("the module ends in the middle of a word, {rest} bytes into it");
        return Err(at_word(words.len(), reason));
    }
    let mut layout = Layout::new(words[BOUND_WORD]);
    for instruction in instructions(&words) {
        let instruction = instruction.map_err(|error| {
            let at = (error.offset / 4) as usize;
            at_word(at, error.reason)
        })?;
        let at = instruction.at;
        layout
            .take(&instruction)
            .map_err(|reason| at_word(at, reason))?;
    }
    layout.end(words.len())
}

fn at_word(at: usize, reason: String) -> Malformed {
    malformed(at, format!("word {at}: {reason}"))
}

/// What of a module has been read so far.
struct Layout {
    bound: u32,
    defined: HashSet<u32>,
    functions: HashSet<u32>,
    /// Functions that something refers to, each with the first word that does.
    wanted: HashMap<u32, usize>,
    /// Where the function begins whose end has not come yet.
    open: Option<usize>,
}

impl Layout {
    fn new(bound: u32) -> Self {
        Layout {
            bound,
            defined: HashSet::new(),
            functions: HashSet::new(),
            wanted: HashMap::new(),
            open: None,
        }
    }

    fn take(&mut self, instruction: &Instruction<'_>) -> Result<(), String> {
        let Instruction {
            at,
            opcode,
            operands,
        } = *instruction;
        match (opcode, self.open) {
            (OP_FUNCTION, Some(begin)) => {
                return Err(format!(
                    "a function begins within the one that begins at word {begin}"
                ));
            }
            (OP_FUNCTION, None) => self.open = Some(at),
            (OP_FUNCTION_END, Some(_)) => self.open = None,
            (OP_FUNCTION_END | OP_FUNCTION_PARAMETER | OP_LABEL, None) => {
                return Err(format!("instruction {opcode} stands outside of a function"));
            }
            _ => {}
        }
        if let Some(place) = result(opcode) {
            let id = *operands
                .get(place)
                .ok_or_else(|| format!("instruction {opcode} is too short for its result"))?;
            self.define(id)?;
            if opcode == OP_FUNCTION {
                self.functions.insert(id);
            }
        }
        let wanted = match (opcode, operands) {
            (OP_ENTRY_POINT, [_, function, ..]) => Some(*function),
            (OP_FUNCTION_CALL, [_, _, function, ..]) => Some(*function),
            _ => None,
        };
        if let Some(function) = wanted {
            self.wanted.entry(function).or_insert(at);
        }
        Ok(())
    }

    fn define(&mut self, id: u32) -> Result<(), String> {
        let bound = self.bound;
        if id == 0 || id >= bound {
            return Err(format!("id {id} is not below the bound of ids, {bound}"));
        }
        match self.defined.insert(id) {
            true => Ok(()),
            false => Err(format!("id {id} is defined a second time")),
        }
    }

    fn end(&self, words: usize) -> Result<(), Malformed> {
        if let Some(begin) = self.open {
            let reason = format!("the function that begins at word {begin} does not end");
            return Err(at_word(words, reason));
        }
        let missing = self.wanted.iter();
        let missing = missing.filter(|(function, _)| !self.functions.contains(function));
        match missing.min_by_key(|(_, at)| **at) {
            Some((function, at)) => Err(at_word(
                *at,
                format!("the function {function}, which is referred to, is not in the module"),
            )),
            None => Ok(()),
        }
    }
}

/// Which operand of an instruction is its result, of those that kernels consist of.
fn result(opcode: u32) -> Option<usize> {
    match opcode {
        // Imports of instruction sets, types, labels.
        11 | 19..=38 | OP_LABEL => Some(0),
        // Constants, functions, calls, variables, loads, access chains, vectors, conversions,
        // arithmetic, comparison, bits, phi: behind the type.
        1
        | 12
        | 41..=46
        | 48..=52
        | OP_FUNCTION
        | OP_FUNCTION_PARAMETER
        | OP_FUNCTION_CALL
        | 59..=61
        | 65..=70
        | 77..=84
        | 109..=124
        | 126..=152
        | 154..=191
        | 194..=205
        | 245 => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EXECUTION_MODEL_KERNEL, HEADER_WORDS, MAGIC};
    use super::*;

    /// A kernel that calls a function.
    fn sound() -> Vec<u32> {
        let name = u32::from_le_bytes(*b"add\0");
        let instructions: &[&[u32]] = &[
            &[OP_ENTRY_POINT, EXECUTION_MODEL_KERNEL, 3, name],
            &[19, 1],
            &[33, 2, 1],
            &[OP_FUNCTION, 1, 3, 0, 2],
            &[OP_LABEL, 4],
            &[OP_FUNCTION_CALL, 1, 5, 6],
            &[253],
            &[OP_FUNCTION_END],
            &[OP_FUNCTION, 1, 6, 0, 2],
            &[OP_LABEL, 7],
            &[253],
            &[OP_FUNCTION_END],
        ];
        let mut module = vec![MAGIC, 0x0001_0200, 0, 8, 0];
        for instruction in instructions {
            let length = instruction.len() as u32;
            module.push(length << 16 | instruction[0]);
            module.extend_from_slice(&instruction[1..]);
        }
        module
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn refused(words: &[u32]) -> String {
        check(&bytes(words)).unwrap_err().to_string()
    }

    #[test]
    fn a_whole_module_passes_in_either_byte_order() {
        let module = sound();
        assert_eq!(check(&bytes(&module)), Ok(()));
        let big: Vec<u8> = module.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(check(&big), Ok(()));
    }

    #[test]
    fn no_piece_of_a_module_is_a_module() {
        let module = bytes(&sound());
        // Behind the header alone there is nothing that could be missing.
        for end in (0..module.len()).filter(|end| *end != HEADER_WORDS * 4) {
            assert!(check(&module[..end]).is_err(), "{end}");
        }
        assert!(
            check(&module[..module.len() - 2])
                .unwrap_err()
                .reason
                .contains("middle of a word")
        );
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_word() {
        let module = sound();
        let changed = |at: usize, word: u32| {
            let mut module = module.clone();
            module[at] = word;
            refused(&module)
        };
        assert!(changed(0, 7).contains("no SPIR-V"));
        assert!(changed(3, 7).contains("word 32: id 7 is not below the bound of ids, 7"));
        assert!(changed(5, OP_ENTRY_POINT).contains("word 5: an instruction of 0 words"));
        assert!(changed(7, 5).contains("word 5: the function 5"));
        assert!(changed(23, 4).contains("word 21: id 4 is defined a second time"));
        let mut open = module.clone();
        open.pop();
        assert!(refused(&open).contains("the function that begins at word 27 does not end"));
        let mut twice = module.clone();
        twice.push(1 << 16 | OP_FUNCTION_END);
        assert!(refused(&twice).contains("outside of a function"));
        let mut short = module;
        short.push(1 << 16 | 19);
        assert!(refused(&short).contains("too short for its result"));
    }
}
