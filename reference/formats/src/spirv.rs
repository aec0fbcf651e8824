//! Kernels of a SPIR-V module, from its entry points and their execution modes; in [`linkage`], the
//! symbols by which it is linked with others; in [`reach`], who needs one; in [`mod@check`], whether
//! it is whole.

pub mod check;
pub mod linkage;
pub mod reach;

use crate::Malformed;
use crate::kernel::Kernel;

const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER_WORDS: usize = 5;

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
/// The first instruction of a function: entry points and modes stand before it.
const OP_FUNCTION: u32 = 54;
const OP_CONSTANT: u32 = 43;
const OP_DECORATE: u32 = 71;
const DECORATION_BUILT_IN: u32 = 11;
/// SubgroupSize, and SubgroupLocalInvocationId with all between.
const FIRST_SUB_GROUP_BUILT_IN: u32 = 36;
const LAST_SUB_GROUP_BUILT_IN: u32 = 41;
const SCOPE_SUB_GROUP: u32 = 3;
const EXECUTION_MODEL_KERNEL: u32 = 6;
const MODE_LOCAL_SIZE: u32 = 17;
const MODE_SUBGROUP_SIZE: u32 = 35;

/// The kernels of a module, in its order.
///
/// # Errors
/// When the words before the first function are no SPIR-V.
pub fn kernels(module: &[u8]) -> Result<Vec<Kernel>, Malformed> {
    let words = words(module)?;
    let mut kernels: Vec<(u32, Kernel)> = Vec::new();
    for instruction in preamble(&words) {
        let Instruction {
            at,
            opcode,
            operands,
        } = instruction?;
        match (opcode, operands) {
            (OP_ENTRY_POINT, [EXECUTION_MODEL_KERNEL, id, name @ ..]) => {
                let name = literal(name).map_err(|reason| malformed(at, reason))?;
                kernels.push((*id, Kernel::named(name)));
            }
            (OP_EXECUTION_MODE, [id, mode @ ..]) => {
                let kernel = kernels.iter_mut().find(|(known, _)| known == id);
                if let Some((_, kernel)) = kernel {
                    apply(kernel, mode);
                }
            }
            _ => {}
        }
    }
    Ok(kernels.into_iter().map(|(_, kernel)| kernel).collect())
}

/// Whether the module asks for a place in a sub-group, or has one do something together.
///
/// # Errors
/// When it is no SPIR-V.
pub fn uses_sub_groups(module: &[u8]) -> Result<bool, Malformed> {
    let words = words(module)?;
    let mut scopes = Vec::new();
    for instruction in instructions(&words) {
        let Instruction {
            opcode, operands, ..
        } = instruction?;
        match (opcode, operands) {
            (
                OP_DECORATE,
                [
                    _,
                    DECORATION_BUILT_IN,
                    FIRST_SUB_GROUP_BUILT_IN..=LAST_SUB_GROUP_BUILT_IN,
                ],
            ) => return Ok(true),
            (OP_CONSTANT, [_, id, SCOPE_SUB_GROUP]) => scopes.push(*id),
            // OpGroupAll to OpGroupSMax, and those of OpGroupNonUniform.
            (261..=271 | 333..=366, [_, _, scope, ..]) if scopes.contains(scope) => {
                return Ok(true);
            }
            _ => {}
        }
    }
    Ok(false)
}

/// An instruction of a module.
struct Instruction<'a> {
    /// Where its first word stands, in words.
    at: usize,
    opcode: u32,
    operands: &'a [u32],
}

/// The instructions in front of the first function, up to one that does not fit the module.
fn preamble(words: &[u32]) -> impl Iterator<Item = Result<Instruction<'_>, Malformed>> {
    let is_function = |found: &Result<Instruction<'_>, _>| matches!(found, Ok(found) if found.opcode == OP_FUNCTION);
    instructions(words).take_while(move |found| !is_function(found))
}

/// All instructions, up to one that does not fit the module.
fn instructions(words: &[u32]) -> impl Iterator<Item = Result<Instruction<'_>, Malformed>> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let first = words.get(at)?;
        let (length, opcode) = ((first >> 16) as usize, first & 0xFFFF);
        let (start, end) = (at, at + length);
        let Some(operands) = words.get(start + 1..end) else {
            at = words.len();
            let reason = format!("an instruction of {length} words does not fit the module");
            return Some(Err(malformed(start, reason)));
        };
        at = end;
        Some(Ok(Instruction {
            at: start,
            opcode,
            operands,
        }))
    })
}

/// What is wrong with the instruction that begins at a word.
fn malformed(at: usize, reason: String) -> Malformed {
    Malformed::new(at as u64 * 4, reason)
}

fn apply(kernel: &mut Kernel, mode: &[u32]) {
    match mode {
        [MODE_LOCAL_SIZE, x, y, z] => kernel.work_group_size = vec![*x, *y, *z],
        [MODE_SUBGROUP_SIZE, size] => kernel.sub_group_size = Some(*size),
        _ => {}
    }
}

/// The words of a module, in the byte order that its magic number shows.
fn words(module: &[u8]) -> Result<Vec<u32>, Malformed> {
    let orders: [fn([u8; 4]) -> u32; 2] = [u32::from_le_bytes, u32::from_be_bytes];
    let magic = module.first_chunk::<4>();
    let order = orders
        .into_iter()
        .find(|order| magic.is_some_and(|magic| order(*magic) == MAGIC))
        .ok_or_else(|| Malformed::new(0, "no SPIR-V module begins here"))?;
    let words = module.chunks_exact(4);
    let words: Vec<u32> = words
        .map(|word| order(word.try_into().unwrap_or_default()))
        .collect();
    if words.len() < HEADER_WORDS {
        return Err(malformed(words.len(), "the header ends here".to_owned()));
    }
    Ok(words)
}

/// The text that words hold, up to its NUL.
fn literal(words: &[u32]) -> Result<String, String> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    if bytes.len() == words.len() * 4 {
        return Err("a name has no terminator".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "a name is not UTF-8".to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A module of one kernel `add`, without functions.
    pub(crate) fn module() -> Vec<u8> {
        let name = [u32::from_le_bytes(*b"add\0")];
        let header = [MAGIC, 0x0001_0200, 0, 10, 0];
        let entry = [4 << 16 | OP_ENTRY_POINT, EXECUTION_MODEL_KERNEL, 7, name[0]];
        let size = [6 << 16 | OP_EXECUTION_MODE, 7, MODE_LOCAL_SIZE, 8, 4, 1];
        let sub_group = [4 << 16 | OP_EXECUTION_MODE, 7, MODE_SUBGROUP_SIZE, 16];
        let words = [&header[..], &entry, &size, &sub_group].concat();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn entry_points_have_names_and_sizes() {
        let little = module();
        let big: Vec<u8> = little
            .chunks(4)
            .flat_map(|w| w.iter().rev().copied())
            .collect();
        for module in [little, big] {
            let kernels = kernels(&module).unwrap();
            assert_eq!(kernels.len(), 1);
            assert_eq!(kernels[0].name, "add");
            assert_eq!(kernels[0].work_group_size, [8, 4, 1]);
            assert_eq!(kernels[0].sub_group_size, Some(16));
        }
    }

    #[test]
    fn a_module_that_uses_sub_groups_says_so() {
        let with = |words: &[u32]| {
            let words = words.iter().flat_map(|word| word.to_le_bytes());
            uses_sub_groups(&[module(), words.collect()].concat()).unwrap()
        };
        assert!(!with(&[]));
        // SubgroupLocalInvocationId, and GlobalInvocationId.
        let built_in = |number| [4 << 16 | OP_DECORATE, 5, DECORATION_BUILT_IN, number];
        assert!(with(&built_in(41)));
        assert!(!with(&built_in(28)));
        // OpGroupIAdd of the sub-group, and of the work-group.
        let sum = |scope| {
            let scope = [4 << 16 | OP_CONSTANT, 1, 9, scope];
            [&scope[..], &[6 << 16 | 264, 1, 8, 9, 0, 7]].concat()
        };
        assert!(with(&sum(3)));
        assert!(!with(&sum(2)));
        assert!(uses_sub_groups(b"text").is_err());
    }

    #[test]
    fn broken_modules_are_errors() {
        let module = module();
        assert!(kernels(b"text").is_err());
        assert_eq!(kernels(&module[..28]).unwrap_err().offset, 20);
        let mut zero_length = module.clone();
        zero_length[22] = 0;
        assert_eq!(kernels(&zero_length).unwrap_err().offset, 20);
        let mut unterminated = module;
        unterminated[35] = b'x';
        assert!(
            kernels(&unterminated)
                .unwrap_err()
                .reason
                .contains("no terminator")
        );
    }
}
