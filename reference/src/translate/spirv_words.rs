//! SPIR-V as words: the check that bytes are SPIR-V at all, and the mending of what a writer is
//! known to get wrong.

use std::collections::HashMap;

const MAGIC: u32 = 0x0723_0203;
const WORD: usize = 4;
const HEADER_WORDS: usize = 5;
const OP_EXECUTION_MODE: u16 = 16;
const SUBGROUP_SIZE: u32 = 35;
const OP_DECORATE: u16 = 71;
const ALIGNMENT: u32 = 44;
const OP_TYPE_INT: u16 = 21;
const OP_CONSTANT: u16 = 43;
const OP_CONSTANT_NULL: u16 = 46;
const OP_FUNCTION: u16 = 54;
const PURE: u32 = 1 << 2;
const CONST: u32 = 1 << 3;

/// Gives the bytes back when they are SPIR-V of this machine's byte order.
pub(super) fn check(bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if bytes.get(..4) != Some(&MAGIC.to_le_bytes()) {
        return Err("it does not begin with the SPIR-V magic number");
    }
    if bytes.len() % WORD != 0 || bytes.len() < HEADER_WORDS * WORD {
        return Err("its length is not that of a SPIR-V module");
    }
    Ok(bytes)
}

/// Mends what the LLVM 22 back end is known to write wrongly.
pub(super) fn mend_back_end(spirv: Vec<u8>) -> Vec<u8> {
    mend_alignments(mend_effects(spell_out_integer_nulls(spirv)))
}

/// Rewrites every integer `OpConstantNull` as an `OpConstant` of value 0.
///
/// The LLVM 22 back end writes a zero structure index as `OpConstantNull`, which happens at `-O0`
/// where nothing folds such an index away; the SPIR-V rules want an `OpConstant` there
/// (`OpInBoundsPtrAccessChain` into a structure). Both mean the same everywhere else. A stream
/// that cannot be walked comes back as it was.
fn spell_out_integer_nulls(spirv: Vec<u8>) -> Vec<u8> {
    let mut integer_widths = HashMap::new();
    edit(spirv, |instruction| {
        let [ty, id] = [1, 2].map(|at| instruction.word(at));
        match instruction.opcode() {
            OP_TYPE_INT => {
                integer_widths.insert(ty?, id?);
                None
            }
            OP_CONSTANT_NULL => {
                let value_words = integer_widths.get(&ty?)?.div_ceil(32);
                let mut words = vec![(3 + value_words) << 16 | u32::from(OP_CONSTANT), ty?, id?];
                words.extend((0..value_words).map(|_| 0));
                Some(words)
            }
            _ => None,
        }
    })
}

/// Has functions that read memory be `Pure`.
///
/// The LLVM 22 back end has the two words for functions without effects the wrong way round: `Const`, which
/// promises that a function reads no memory, also none that it is handed the address of, is what it says of those
/// that read. A driver may leave out what is written for them. `Pure` promises less, and holds of both. A stream
/// that cannot be walked comes back as it was.
fn mend_effects(spirv: Vec<u8>) -> Vec<u8> {
    edit(spirv, |instruction| {
        let control = instruction.word(3)?;
        let is_wrong = instruction.opcode() == OP_FUNCTION && control & CONST != 0;
        is_wrong.then(|| {
            let mut words = instruction.words();
            words[3] = control & !CONST | PURE;
            words
        })
    })
}

/// Mends what the LLVM 22 back end writes for variables of functions that are aligned to 128 bytes: the
/// eight bits of that number, as those of a negative one. A stream that cannot be walked comes back as
/// it was.
fn mend_alignments(spirv: Vec<u8>) -> Vec<u8> {
    const WRITTEN: u32 = -128_i32 as u32;
    edit(spirv, |instruction| {
        let [decoration, value] = [2, 3].map(|at| instruction.word(at));
        let is_wrong = instruction.opcode() == OP_DECORATE
            && (decoration, value) == (Some(ALIGNMENT), Some(WRITTEN));
        is_wrong.then(|| {
            let mut words = instruction.words();
            words[3] = 128;
            words
        })
    })
}

/// Takes out required sub-group sizes that are no sizes: both writers write the number of a named
/// size (0 `automatic`, -1 `primary`) as if it were one, and device compilers refuse that. Without
/// it the device compiler chooses, which is what the names ask for. A stream that cannot be walked
/// comes back as it was.
pub(super) fn drop_named_sub_group_sizes(spirv: Vec<u8>) -> Vec<u8> {
    edit(spirv, |instruction| {
        let named = instruction.opcode() == OP_EXECUTION_MODE
            && instruction.word(2) == Some(SUBGROUP_SIZE)
            && matches!(instruction.word(3), Some(0 | u32::MAX));
        named.then(Vec::new)
    })
}

/// The stream with other words in place of the instructions for which `replacement` has some. One
/// that cannot be walked comes back as it was.
pub(super) fn edit(
    spirv: Vec<u8>,
    mut replacement: impl FnMut(Instruction<'_>) -> Option<Vec<u32>>,
) -> Vec<u8> {
    // What is written of the first `done` bytes; nothing as long as all stays as it is.
    let (mut out, mut done) = (Vec::new(), 0);
    let mut at = HEADER_WORDS * WORD;
    let Some(all) = instructions(&spirv).collect::<Option<Vec<_>>>() else {
        return spirv;
    };
    for instruction in all {
        let next = at + instruction.0.len();
        if let Some(words) = replacement(instruction) {
            out.extend_from_slice(&spirv[done..at]);
            out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            done = next;
        }
        at = next;
    }
    if done == 0 {
        return spirv;
    }
    out.extend_from_slice(&spirv[done..]);
    out
}

/// The instructions of a stream in their order; `None`, and an end, where it cannot be walked on.
pub(super) fn instructions(spirv: &[u8]) -> impl Iterator<Item = Option<Instruction<'_>>> {
    let mut rest = spirv.get(HEADER_WORDS * WORD..).unwrap_or_default();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let first = Instruction::first(rest);
        rest = first.map_or(&[], |instruction| &rest[instruction.0.len()..]);
        Some(first)
    })
}

/// An instruction as it stands in the stream, with its first word.
#[derive(Clone, Copy)]
pub(super) struct Instruction<'a>(&'a [u8]);

impl<'a> Instruction<'a> {
    /// The first one of the rest of a stream; `None` when the rest does not hold it.
    fn first(rest: &'a [u8]) -> Option<Self> {
        let length = (word(rest, 0)? >> 16) as usize * WORD;
        let bytes = rest.get(..length).filter(|bytes| !bytes.is_empty());
        bytes.map(Instruction)
    }

    pub(super) fn opcode(self) -> u16 {
        self.word(0).unwrap_or_default() as u16
    }

    /// One of its words; the first, with length and opcode, is number 0.
    pub(super) fn word(self, at: usize) -> Option<u32> {
        word(self.0, at)
    }

    pub(super) fn words(self) -> Vec<u32> {
        (0..).map_while(|at| self.word(at)).collect()
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at * WORD..(at + 1) * WORD)?;
    word.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A stream of instructions, each given by its opcode and its other words.
    pub(in crate::translate) fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 100, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend(&instruction[1..]);
        }
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn integer_nulls_become_zeros_of_their_width() {
        let int32: &[u32] = &[OP_TYPE_INT.into(), 1, 32, 0];
        let int64: &[u32] = &[OP_TYPE_INT.into(), 2, 64, 0];
        let float: &[u32] = &[22, 3, 32];
        let null = |ty, id| [u32::from(OP_CONSTANT_NULL), ty, id];
        let before = module(&[int32, int64, float, &null(1, 4), &null(2, 5), &null(3, 6)]);
        let after = module(&[
            int32,
            int64,
            float,
            &[OP_CONSTANT.into(), 1, 4, 0],
            &[OP_CONSTANT.into(), 2, 5, 0, 0],
            &null(3, 6),
        ]);
        assert_eq!(spell_out_integer_nulls(before), after);
    }

    #[test]
    fn an_alignment_is_no_negative_number() {
        let aligned = |to| [u32::from(OP_DECORATE), 7, ALIGNMENT, to];
        let other = [u32::from(OP_DECORATE), 7, 1, 0xffff_ff80];
        let before = module(&[&aligned(64), &aligned(0xffff_ff80), &other]);
        let after = module(&[&aligned(64), &aligned(128), &other]);
        assert_eq!(mend_alignments(before), after);
    }

    #[test]
    fn functions_that_may_read_promise_no_more_than_to_have_no_effect() {
        let function = |control| [u32::from(OP_FUNCTION), 1, 2, control, 3];
        let (not_inlined, pure) = (1 << 1, function(PURE));
        let before = module(&[&function(not_inlined | CONST), &pure, &function(0)]);
        let after = module(&[&function(not_inlined | PURE), &pure, &function(0)]);
        assert_eq!(mend_effects(before), after);
    }

    #[test]
    fn only_named_sub_group_sizes_go() {
        let mode = |mode, size| [u32::from(OP_EXECUTION_MODE), 1, mode, size];
        let (size, hint) = (mode(SUBGROUP_SIZE, 8), mode(30, 0));
        let named = [mode(SUBGROUP_SIZE, 0), mode(SUBGROUP_SIZE, u32::MAX)];
        let before = module(&[&named[0], &size, &named[1], &hint]);
        assert_eq!(drop_named_sub_group_sizes(before), module(&[&size, &hint]));
    }

    #[test]
    fn a_broken_stream_stays_as_it_is() {
        for bad in [vec![0, 0, 0, 0], vec![9 << 16, 1]] {
            let mut bytes = module(&[]);
            bytes.extend(bad.iter().flat_map(|w: &u32| w.to_le_bytes()));
            assert_eq!(spell_out_integer_nulls(bytes.clone()), bytes);
            assert_eq!(drop_named_sub_group_sizes(bytes.clone()), bytes);
            assert_eq!(mend_alignments(bytes.clone()), bytes);
            assert_eq!(mend_effects(bytes.clone()), bytes);
        }
    }
}
