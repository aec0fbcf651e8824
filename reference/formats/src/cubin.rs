//! Kernels of machine code for NVIDIA's GPUs, from the sections of its ELF file.
//!
//! Each kernel has a section of constants in which its parameters lie, and one of notes.

use std::collections::{HashMap, HashSet};

use crate::Malformed;
use crate::container::{Section, sections};
use crate::kernel::Kernel;
use crate::le::View;

/// The machine that the files say they are for.
const EM_CUDA: u16 = 190;

/// Beginnings of the names of sections, behind which the kernel's name stands.
const PARAMETERS: &str = ".nv.constant0.";
const NOTES: &str = ".nv.info.";

/// The note that says which work-group size a kernel requires, in three numbers, fastest dimension
/// first.
const REQUIRED_GROUP: u8 = 0x10;
/// How a note's value is kept: behind its size. Those of other forms have it in the place of the size.
const SIZED: u8 = 4;

/// Whether a file is machine code for NVIDIA's GPUs; its first bytes are enough to say.
#[must_use]
pub fn is_cubin(bytes: &[u8]) -> bool {
    let machine = bytes.get(18..20).map(|word| [word[0], word[1]]);
    bytes.starts_with(b"\x7fELF\x02\x01") && machine.map(u16::from_le_bytes) == Some(EM_CUDA)
}

/// The kernels of machine code, in the order of its sections.
///
/// # Errors
/// When it is no such file, or a section or a note is malformed.
pub fn kernels(bytes: &[u8]) -> Result<Vec<Kernel>, Malformed> {
    if !is_cubin(bytes) {
        return Err(Malformed::new(0, "no machine code for NVIDIA's GPUs"));
    }
    let sections = sections(bytes)?;
    let notes_of: HashMap<&str, &Section> = sections
        .iter()
        .filter_map(|section| Some((section.name.strip_prefix(NOTES)?, section)))
        .collect();
    let mut kernels = Vec::new();
    let mut seen = HashSet::new();
    for section in &sections {
        let Some(name) = section.name.strip_prefix(PARAMETERS) else {
            continue;
        };
        if !seen.insert(name) {
            let what = format!("section {} is there twice", section.name);
            return Err(Malformed::new(section.range.start as u64, what));
        }
        let mut kernel = Kernel::named(name);
        if let Some(notes) = notes_of.get(name) {
            let text = bytes.get(notes.range.clone()).unwrap_or_default();
            let required = required_group(text).map_err(|error| {
                Malformed::new(
                    notes.range.start as u64,
                    format!("section {}: {error}", notes.name),
                )
            })?;
            kernel.work_group_size = required;
        }
        kernels.push(kernel);
    }
    Ok(kernels)
}

/// The work-group size that a kernel's notes say it requires; empty when they say none.
fn required_group(notes: &[u8]) -> Result<Vec<u32>, Malformed> {
    let (view, mut at) = (View(notes), 0_u64);
    let mut required = Vec::new();
    while at < notes.len() as u64 {
        let head = view.slice(at, 4, "a note")?;
        let size = match head[0] {
            SIZED => u64::from(view.u16(at + 2, "a note's size")?),
            _ => 0,
        };
        if (head[0], head[1]) == (SIZED, REQUIRED_GROUP) {
            let words = view.slice(at + 4, size, "a work-group size")?;
            let words = words.chunks_exact(4);
            required = words
                .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
                .collect();
        }
        at += 4 + size;
    }
    Ok(required)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An ELF file of such sections as assemblers write, and no more.
    pub(crate) fn sample(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut names = vec![0_u8];
        let mut contents = Vec::new();
        let mut headers = vec![0_u8; 64];
        let start = 64;
        let mut header = |name: usize, kind: u32, at: usize, size: usize| {
            let mut bytes = [0_u8; 64];
            bytes[..4].copy_from_slice(&(name as u32).to_le_bytes());
            bytes[4..8].copy_from_slice(&kind.to_le_bytes());
            bytes[24..32].copy_from_slice(&(at as u64).to_le_bytes());
            bytes[32..40].copy_from_slice(&(size as u64).to_le_bytes());
            headers.extend_from_slice(&bytes);
        };
        for (name, bytes) in sections {
            header(
                names.len(),
                0x7000_0000,
                start + contents.len(),
                bytes.len(),
            );
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            contents.extend_from_slice(bytes);
        }
        let own = names.len();
        names.extend_from_slice(b".shstrtab\0");
        header(own, 3, start + contents.len(), names.len());
        contents.extend_from_slice(&names);
        let mut file = b"\x7fELF\x02\x01\x01\x33\x07".to_vec();
        file.resize(start, 0);
        file[16..18].copy_from_slice(&2_u16.to_le_bytes());
        file[18..20].copy_from_slice(&EM_CUDA.to_le_bytes());
        file[20..24].copy_from_slice(&1_u32.to_le_bytes());
        file[40..48].copy_from_slice(&((start + contents.len()) as u64).to_le_bytes());
        file[52..54].copy_from_slice(&64_u16.to_le_bytes());
        file[58..60].copy_from_slice(&64_u16.to_le_bytes());
        let count = sections.len() as u16 + 2;
        file[60..62].copy_from_slice(&count.to_le_bytes());
        file[62..64].copy_from_slice(&(count - 1).to_le_bytes());
        file.extend_from_slice(&contents);
        file.extend_from_slice(&headers);
        file
    }

    #[test]
    fn kernels_have_names_and_sizes() {
        let notes = b"\x03\x50\0\0\x04\x37\x04\0\x81\0\0\0\x04\x10\x0c\0\x08\0\0\0\x04\0\0\0\x01\0\0\0\x03\x19\x08\0";
        let file = sample(&[
            (".nv.info", b"\x04\x11\x04\0\0\0\0\0"),
            (".nv.info._ZTS3Add", notes),
            (".nv.info.second", b"\x04\x37\x04\0\x81\0\0\0"),
            (".nv.info.a_function", notes),
            (".nv.constant0.second", b"\0\0\0\0"),
            (".nv.constant0._ZTS3Add", b"\0\0\0\0"),
        ]);
        let kernels = kernels(&file).unwrap();
        let names: Vec<_> = kernels.iter().map(|kernel| &kernel.name[..]).collect();
        assert_eq!(names, ["second", "_ZTS3Add"]);
        assert!(kernels[0].work_group_size.is_empty());
        assert_eq!(kernels[1].work_group_size, [8, 4, 1]);
    }

    #[test]
    fn what_is_broken_is_an_error() {
        assert!(kernels(b".version 7.0").is_err());
        let file = sample(&[
            (".nv.info.k", b"\x04\x10\x0c\0\x08\0\0\0"),
            (".nv.constant0.k", b"\0"),
        ]);
        let error = kernels(&file).unwrap_err().to_string();
        assert!(error.contains(".nv.info.k"), "{error}");
        assert!(kernels(&file[..file.len() - 1]).is_err());
    }
}
