//! Kernels behind a wrapper, as the translator writes them: the entry point is a function of its own,
//! without name and linkage, that hands its parameters to the kernel.
//!
//! A kernel that nothing else calls needs none. Intel's FPGA emulator of 2023 ends its process over
//! such a module where it is to compile without optimization, and a device compiler that does not
//! inline calls the kernel from there.

use std::collections::{HashMap, HashSet};

use super::spirv_words::{Instruction, edit, instructions};

const OP_LINE: u16 = 8;
const OP_NAME: u16 = 5;
const OP_EXT_INST: u16 = 12;
const OP_ENTRY_POINT: u16 = 15;
const OP_EXECUTION_MODE: u16 = 16;
const OP_FUNCTION: u16 = 54;
const OP_FUNCTION_PARAMETER: u16 = 55;
const OP_FUNCTION_END: u16 = 56;
const OP_FUNCTION_CALL: u16 = 57;
const OP_DECORATE: u16 = 71;
const OP_LABEL: u16 = 248;
const OP_RETURN: u16 = 253;
const OP_NO_LINE: u16 = 317;
const LINKAGE_ATTRIBUTES: u32 = 41;

/// Makes each kernel that is called by its wrapper alone the entry point itself, and takes the wrapper
/// out. Other entry points, and a stream that cannot be walked, come back as they were.
pub(super) fn unwrap(spirv: Vec<u8>) -> Vec<u8> {
    let Some(wrappers) = Wrappers::of(&spirv).filter(|found| !found.kernels.is_empty()) else {
        return spirv;
    };
    let mut leaving = false;
    edit(spirv, |instruction| {
        wrappers.replacement(instruction, &mut leaving)
    })
}

/// The wrappers of a module.
#[derive(Default)]
struct Wrappers {
    /// The kernel that each calls, by the wrapper's id.
    kernels: HashMap<u32, u32>,
    /// What is defined inside them: their parameters, labels and calls.
    inside: HashSet<u32>,
}

impl Wrappers {
    /// `None` when the stream cannot be walked.
    fn of(spirv: &[u8]) -> Option<Self> {
        let mut entry_points = HashSet::new();
        let mut callers: HashMap<u32, usize> = HashMap::new();
        // What debug information speaks of.
        let mut mentioned = HashSet::new();
        let (mut function, mut wrappers) = (Vec::new(), Vec::new());
        for instruction in instructions(spirv) {
            let instruction = instruction?;
            match instruction.opcode() {
                OP_ENTRY_POINT => {
                    entry_points.insert(instruction.word(2)?);
                }
                OP_FUNCTION_CALL => *callers.entry(instruction.word(3)?).or_default() += 1,
                OP_FUNCTION => function.clear(),
                OP_EXT_INST => mentioned.extend(instruction.words()),
                _ => {}
            }
            function.push(instruction);
            if instruction.opcode() == OP_FUNCTION_END {
                wrappers.extend(Wrapper::of(&function));
            }
        }
        let mut found = Wrappers::default();
        wrappers.retain(|wrapper| {
            let is_called_here_alone = callers.get(&wrapper.kernel) == Some(&1);
            entry_points.contains(&wrapper.id)
                && is_called_here_alone
                && !mentioned.contains(&wrapper.id)
        });
        for wrapper in wrappers {
            found.kernels.insert(wrapper.id, wrapper.kernel);
            found.inside.extend(wrapper.inside);
        }
        Some(found)
    }

    /// What is written in the place of an instruction; `leaving` says that it stands in a wrapper.
    fn replacement(&self, instruction: Instruction<'_>, leaving: &mut bool) -> Option<Vec<u32>> {
        let kernel_at = |at| self.kernels.get(&instruction.word(at)?).copied();
        let with_kernel_at = |at: usize| {
            let mut words = instruction.words();
            words[at] = kernel_at(at)?;
            Some(words)
        };
        let is_gone = |id: u32| self.kernels.contains_key(&id) || self.inside.contains(&id);
        match instruction.opcode() {
            OP_ENTRY_POINT => with_kernel_at(2),
            OP_EXECUTION_MODE => with_kernel_at(1),
            OP_NAME | OP_DECORATE if instruction.word(1).is_some_and(is_gone) => Some(Vec::new()),
            // An entry point has no linkage.
            OP_DECORATE if instruction.word(2) == Some(LINKAGE_ATTRIBUTES) => {
                let mut kernels = self.kernels.values();
                let is_unwrapped = kernels.any(|kernel| Some(*kernel) == instruction.word(1));
                is_unwrapped.then(Vec::new)
            }
            opcode => {
                *leaving |= opcode == OP_FUNCTION && kernel_at(2).is_some();
                let gone = leaving.then(Vec::new);
                *leaving &= opcode != OP_FUNCTION_END;
                gone
            }
        }
    }
}

/// A function that does nothing but hand its parameters on to another.
struct Wrapper {
    id: u32,
    kernel: u32,
    inside: Vec<u32>,
}

impl Wrapper {
    fn of(function: &[Instruction<'_>]) -> Option<Self> {
        let (mut inside, mut parameters, mut kernel) = (Vec::new(), Vec::new(), None);
        for instruction in function.get(1..)? {
            match instruction.opcode() {
                OP_FUNCTION_PARAMETER => parameters.push(instruction.word(2)?),
                OP_LABEL => inside.push(instruction.word(1)?),
                OP_FUNCTION_CALL if kernel.is_none() => {
                    let handed_on = instruction.words().get(4..)? == parameters.as_slice();
                    kernel = Some(instruction.word(3).filter(|_| handed_on)?);
                    inside.push(instruction.word(2)?);
                }
                OP_LINE | OP_NO_LINE | OP_RETURN | OP_FUNCTION_END => {}
                _ => return None,
            }
        }
        inside.extend(parameters);
        let id = function.first()?.word(2)?;
        Some(Wrapper {
            id,
            kernel: kernel?,
            inside,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::spirv_words::tests::module;

    fn instruction(opcode: u16, words: &[u32]) -> Vec<u32> {
        [&[opcode.into()], words].concat()
    }

    /// Kernel 10 behind the wrapper 20, with one parameter each.
    fn wrapped(more: &[Vec<u32>]) -> Vec<u8> {
        let mut all = vec![
            instruction(OP_ENTRY_POINT, &[6, 20, 0x6b]),
            instruction(OP_EXECUTION_MODE, &[20, 17, 8, 1, 1]),
            instruction(OP_NAME, &[10, 0x6b]),
            instruction(OP_NAME, &[21, 0x61]),
            instruction(OP_DECORATE, &[10, LINKAGE_ATTRIBUTES, 0x6b, 0]),
            instruction(OP_DECORATE, &[11, 38, 5]),
            instruction(OP_DECORATE, &[21, 38, 5]),
            instruction(OP_FUNCTION, &[1, 10, 0, 2]),
            instruction(OP_FUNCTION_PARAMETER, &[3, 11]),
            instruction(OP_LABEL, &[12]),
            instruction(OP_RETURN, &[]),
            instruction(OP_FUNCTION_END, &[]),
            instruction(OP_FUNCTION, &[1, 20, 0, 2]),
            instruction(OP_FUNCTION_PARAMETER, &[3, 21]),
            instruction(OP_LABEL, &[22]),
            instruction(OP_FUNCTION_CALL, &[1, 23, 10, 21]),
            instruction(OP_RETURN, &[]),
            instruction(OP_FUNCTION_END, &[]),
        ];
        all.extend_from_slice(more);
        module(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn a_kernel_behind_a_wrapper_becomes_the_entry_point() {
        let expected = [
            instruction(OP_ENTRY_POINT, &[6, 10, 0x6b]),
            instruction(OP_EXECUTION_MODE, &[10, 17, 8, 1, 1]),
            instruction(OP_NAME, &[10, 0x6b]),
            instruction(OP_DECORATE, &[11, 38, 5]),
            instruction(OP_FUNCTION, &[1, 10, 0, 2]),
            instruction(OP_FUNCTION_PARAMETER, &[3, 11]),
            instruction(OP_LABEL, &[12]),
            instruction(OP_RETURN, &[]),
            instruction(OP_FUNCTION_END, &[]),
        ];
        let expected = module(&expected.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(unwrap(wrapped(&[])), expected);
        assert_eq!(unwrap(expected.clone()), expected);
    }

    #[test]
    fn a_kernel_that_something_else_calls_keeps_its_wrapper() {
        let caller = [
            instruction(OP_FUNCTION, &[1, 30, 0, 2]),
            instruction(OP_LABEL, &[31]),
            instruction(OP_FUNCTION_CALL, &[1, 32, 10, 33]),
            instruction(OP_RETURN, &[]),
            instruction(OP_FUNCTION_END, &[]),
        ];
        let module = wrapped(&caller);
        assert_eq!(unwrap(module.clone()), module);
    }

    #[test]
    fn debug_information_of_a_wrapper_keeps_it() {
        let module = wrapped(&[instruction(OP_EXT_INST, &[1, 40, 41, 20, 20])]);
        assert_eq!(unwrap(module.clone()), module);
    }

    #[test]
    fn a_broken_stream_stays_as_it_is() {
        let mut bytes = wrapped(&[]);
        bytes.extend([0, 0, 0, 0]);
        assert_eq!(unwrap(bytes.clone()), bytes);
    }
}
