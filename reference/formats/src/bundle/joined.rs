//! What `ld -r` makes of sections of the old format: it joins those of one name, so that a section
//! holds the device code of several objects back to back, with no word of where each ends. Bitcode
//! says that itself.

use bytes::Bytes;

const MAGIC: &[u8] = b"BC\xC0\xDE";

/// The head of a block: its first word and its length.
const HEAD: usize = 8;

/// No module is shorter: LLVM names its kinds of metadata in each. What claims to be a row of shorter
/// ones would only cost memory.
const SHORTEST: usize = 512;

/// The modules in a section, each with its offset there. What is no bitcode, or does not end where a
/// module begins, is one part.
#[must_use]
pub fn parts(section: &Bytes) -> Vec<(u64, Bytes)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let module_at = |start: usize| {
        let length = module_length(section.get(start..).unwrap_or_default());
        length.filter(|length| *length >= SHORTEST)
    };
    while let Some(length) = module_at(start) {
        parts.push((start as u64, section.slice(start..start + length)));
        start += length;
    }
    match parts.is_empty() || start < section.len() {
        true => vec![(0, section.clone())],
        false => parts,
    }
}

/// The length of the bitcode that `bytes` open with, up to the next one or the end; `None` when they
/// are no bitcode, or not to be followed. Between the blocks of bitcode stand at most zeros, with
/// which a linker aligns.
fn module_length(bytes: &[u8]) -> Option<usize> {
    let mut at = bytes.starts_with(MAGIC).then_some(MAGIC.len())?;
    loop {
        let rest = bytes.get(at..)?;
        let zeros = rest.iter().take_while(|byte| **byte == 0).count();
        match zeros {
            _ if rest.starts_with(MAGIC) => return Some(at),
            all if all == rest.len() => return Some(bytes.len()),
            0..4 => at += block_length(rest)?,
            zeros => at += zeros / 4 * 4,
        }
    }
}

/// The length of a block of the outermost level with its head.
fn block_length(bytes: &[u8]) -> Option<usize> {
    let word = |at: usize| -> Option<u32> {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    // At this level an abbreviation takes two bits, and 1 opens a block.
    if word(0)? & 0b11 != 1 {
        return None;
    }
    let words = usize::try_from(word(4)?).ok()?;
    words.checked_mul(4)?.checked_add(HEAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bitcode of one block that begins with these words, and is so many bytes long in all.
    fn module(words: &[u32], length: usize) -> Vec<u8> {
        let count = (length - MAGIC.len() - HEAD) / 4;
        let head = [1 | 8 << 2 | 3 << 10, u32::try_from(count).unwrap()];
        let fill = std::iter::repeat_n(&7, count - words.len());
        let words = head.iter().chain(words).chain(fill);
        let bytes = words.flat_map(|word| word.to_le_bytes());
        MAGIC.iter().copied().chain(bytes).collect()
    }

    fn offsets(section: Vec<u8>) -> Vec<(u64, usize)> {
        let parts = parts(&Bytes::from(section));
        parts.iter().map(|(at, part)| (*at, part.len())).collect()
    }

    #[test]
    fn modules_back_to_back_come_apart() {
        // A block that holds what begins a module is no end.
        let magic = u32::from_le_bytes(*b"BC\xC0\xDE");
        let (one, two) = (module(&[magic, 5], 600), module(&[], 512));
        assert_eq!(
            offsets([one.clone(), two.clone()].concat()),
            [(0, 600), (600, 512)]
        );
        let aligned = [one.clone(), vec![0; 12], two.clone(), vec![0; 3]].concat();
        assert_eq!(offsets(aligned), [(0, 612), (612, 515)]);
        assert_eq!(offsets(one), [(0, 600)]);
    }

    #[test]
    fn what_cannot_be_followed_stays_whole() {
        let one = module(&[], 600);
        for odd in [
            Vec::new(),
            vec![0],
            MAGIC[..3].to_vec(),
            [one.clone(), vec![2, 0, 0, 0]].concat(),
            [one.clone(), one[..9].to_vec()].concat(),
            [MAGIC.to_vec(), vec![1, 0, 0, 0, 255, 255, 255, 255]].concat(),
            // No modules at all, however many.
            MAGIC.repeat(1000),
            module(&[], 12).repeat(1000),
            [one, module(&[], 508)].concat(),
        ] {
            let length = odd.len();
            assert_eq!(offsets(odd), [(0, length)]);
        }
    }
}
