//! SPIR-V as words: the check that bytes are SPIR-V at all, and the mending of what a writer is
//! known to get wrong.

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const OP_EXECUTION_MODE: u16 = 16;
const SUBGROUP_SIZE: u32 = 35;
const OP_TYPE_INT: u16 = 21;
const OP_CONSTANT: u16 = 43;
const OP_CONSTANT_NULL: u16 = 46;

/// Gives the bytes back when they are SPIR-V of this machine's byte order.
pub(super) fn check(bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if bytes.get(..4) != Some(&MAGIC.to_le_bytes()) {
        return Err("it does not begin with the SPIR-V magic number");
    }
    if bytes.len() % 4 != 0 || bytes.len() < HEADER_WORDS * 4 {
        return Err("its length is not that of a SPIR-V module");
    }
    Ok(bytes)
}

/// Rewrites every integer `OpConstantNull` as an `OpConstant` of value 0.
///
/// The LLVM 22 back end writes a zero structure index as `OpConstantNull`, which happens at `-O0`
/// where nothing folds such an index away; the SPIR-V rules want an `OpConstant` there
/// (`OpInBoundsPtrAccessChain` into a structure). Both mean the same everywhere else. A stream
/// that cannot be walked comes back as it was.
pub(super) fn spell_out_integer_nulls(spirv: Vec<u8>) -> Vec<u8> {
    rewrite(&spirv).unwrap_or(spirv)
}

/// Takes out required sub-group sizes that are no sizes: both writers write the number of a named
/// size (0 `automatic`, -1 `primary`) as if it were one, and device compilers refuse that. Without
/// it the device compiler chooses, which is what the names ask for. A stream that cannot be walked
/// comes back as it was.
pub(super) fn drop_named_sub_group_sizes(spirv: Vec<u8>) -> Vec<u8> {
    let is_named = |instruction: &[u32]| {
        matches!(instruction, [first, _, SUBGROUP_SIZE, 0 | u32::MAX]
            if *first as u16 == OP_EXECUTION_MODE)
    };
    let words = words(&spirv);
    let Some((header, rest)) = words.split_at_checked(HEADER_WORDS) else {
        return spirv;
    };
    let kept: Option<Vec<&[u32]>> = Instructions(rest)
        .filter(|instruction| !instruction.is_some_and(is_named))
        .collect();
    let Some(kept) = kept else { return spirv };
    let all = header.iter().chain(kept.into_iter().flatten());
    all.flat_map(|word| word.to_le_bytes()).collect()
}

fn rewrite(spirv: &[u8]) -> Option<Vec<u8>> {
    let words = words(spirv);
    let (header, rest) = words.split_at_checked(HEADER_WORDS)?;
    let mut out = header.to_vec();
    let mut integer_widths = std::collections::HashMap::new();
    for instruction in Instructions(rest) {
        let instruction = instruction?;
        let opcode = *instruction.first()? as u16;
        match (opcode, instruction) {
            (OP_TYPE_INT, [_, id, width, ..]) => {
                integer_widths.insert(*id, *width);
                out.extend_from_slice(instruction);
            }
            (OP_CONSTANT_NULL, [_, ty, id]) if integer_widths.contains_key(ty) => {
                let value_words = integer_widths[ty].div_ceil(32);
                out.push((3 + value_words) << 16 | u32::from(OP_CONSTANT));
                out.extend([*ty, *id]);
                out.extend((0..value_words).map(|_| 0));
            }
            _ => out.extend_from_slice(instruction),
        }
    }
    Some(out.iter().flat_map(|w| w.to_le_bytes()).collect())
}

fn words(spirv: &[u8]) -> Vec<u32> {
    let words = spirv.chunks_exact(4);
    words
        .filter_map(|word| word.try_into().ok())
        .map(u32::from_le_bytes)
        .collect()
}

/// The instructions of a module, each with its first word; `None` where the walk cannot go on.
struct Instructions<'a>(&'a [u32]);

impl<'a> Iterator for Instructions<'a> {
    type Item = Option<&'a [u32]>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = (*self.0.first()? >> 16) as usize;
        let split = self.0.split_at_checked(length).filter(|_| length > 0);
        self.0 = split.map_or(&[], |(_, rest)| rest);
        Some(split.map(|(instruction, _)| instruction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
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
        }
    }
}
