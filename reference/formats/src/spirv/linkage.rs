//! The symbols by which SPIR-V modules are linked with one another: what a module defines for
//! others, and what it refers to (SPIR-V, "Linkage Attributes").

use crate::Malformed;

use super::{OP_ENTRY_POINT, OP_EXECUTION_MODE, literal, malformed, preamble, words};

const OP_DECORATE: u32 = 71;
/// What says that a function is a kernel, and how it runs: entry points and execution modes.
const OF_KERNELS: [u32; 3] = [OP_ENTRY_POINT, OP_EXECUTION_MODE, 331];
const LINKAGE_ATTRIBUTES: u32 = 41;
const OP_MEMORY_MODEL: u32 = 14;
const PHYSICAL_32: u32 = 1;
const PHYSICAL_64: u32 = 2;
const EXPORT: u32 = 0;
const IMPORT: u32 = 1;
const LINK_ONCE: u32 = 2;
/// Which word of the header is the version.
const VERSION_WORD: usize = 1;

/// What a symbol is to its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// The module defines it for others.
    Export,
    /// Another module has to define it.
    Import,
    /// The module defines it for others, and so may they, alike.
    LinkOnce,
}

/// A symbol of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is to the module.
    pub linkage: Linkage,
}

/// The symbols of a module, in its order.
///
/// # Errors
/// When the words before the first function are no SPIR-V.
pub fn symbols(module: &[u8]) -> Result<Vec<Symbol>, Malformed> {
    let found = decorations(&words(module)?)?;
    Ok(found.into_iter().map(|found| found.symbol).collect())
}

/// The version of a module, as its header has it.
///
/// # Errors
/// When it is no SPIR-V.
pub fn version(module: &[u8]) -> Result<u32, Malformed> {
    Ok(words(module)?[VERSION_WORD])
}

/// How many bits pointers of a module have; `None` where its memory has no addresses.
///
/// # Errors
/// When the words before the first function are no SPIR-V.
pub fn pointer_bits(module: &[u8]) -> Result<Option<u32>, Malformed> {
    let words = words(module)?;
    for instruction in preamble(&words) {
        let instruction = instruction?;
        if let (OP_MEMORY_MODEL, [addressing, ..]) = (instruction.opcode, instruction.operands) {
            return Ok(match *addressing {
                PHYSICAL_32 => Some(32),
                PHYSICAL_64 => Some(64),
                _ => None,
            });
        }
    }
    Ok(None)
}

/// The module as a linker takes it that wants one version in all its inputs and knows definitions
/// of one module only: what several modules may define alike is exported from those for which
/// `exports` says so of its name, and the module's own otherwise.
///
/// # Errors
/// When the words before the first function are no SPIR-V.
pub fn for_link(
    module: &[u8],
    version: u32,
    mut exports: impl FnMut(&str) -> bool,
) -> Result<Vec<u8>, Malformed> {
    let mut words = words(module)?;
    let mut dropped = Vec::new();
    for Decoration { at, end, symbol } in decorations(&words)? {
        if symbol.linkage != Linkage::LinkOnce {
            continue;
        }
        match exports(&symbol.name) {
            true => words[end - 1] = EXPORT,
            false => dropped.push(at..end),
        }
    }
    words[VERSION_WORD] = version;
    for range in dropped.into_iter().rev() {
        words.drain(range);
    }
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The module as it is linked with one that has the kernels that are wanted: without kernels of its own,
/// and with nothing defined for others but those symbols for which `exports` says so.
///
/// # Errors
/// When the words before the first function are no SPIR-V.
pub fn for_program(
    module: &[u8],
    mut exports: impl FnMut(&str) -> bool,
) -> Result<Vec<u8>, Malformed> {
    let mut words = words(module)?;
    let mut dropped = Vec::new();
    for instruction in preamble(&words) {
        let instruction = instruction?;
        if OF_KERNELS.contains(&instruction.opcode) {
            dropped.push(instruction.at..instruction.at + 1 + instruction.operands.len());
        }
    }
    for Decoration { at, end, symbol } in decorations(&words)? {
        match symbol.linkage {
            Linkage::Import => {}
            _ if exports(&symbol.name) => words[end - 1] = EXPORT,
            _ => dropped.push(at..end),
        }
    }
    dropped.sort_by_key(|range| range.start);
    let mut dropped = dropped.into_iter().peekable();
    let mut kept = Vec::with_capacity(words.len());
    for (at, word) in words.into_iter().enumerate() {
        while dropped.next_if(|range| range.end <= at).is_some() {}
        if dropped.peek().is_none_or(|range| at < range.start) {
            kept.push(word);
        }
    }
    Ok(kept.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The instruction that gives a module a symbol.
pub(super) struct Decoration {
    /// Its first word.
    pub(super) at: usize,
    /// The word behind it.
    end: usize,
    pub(super) symbol: Symbol,
}

pub(super) fn decorations(words: &[u32]) -> Result<Vec<Decoration>, Malformed> {
    let mut found = Vec::new();
    for instruction in preamble(words) {
        let instruction = instruction?;
        let at = instruction.at;
        let (OP_DECORATE, [_, LINKAGE_ATTRIBUTES, name @ .., kind]) =
            (instruction.opcode, instruction.operands)
        else {
            continue;
        };
        let linkage = match *kind {
            EXPORT => Linkage::Export,
            IMPORT => Linkage::Import,
            LINK_ONCE => Linkage::LinkOnce,
            other => return Err(malformed(at, format!("there is no linkage type {other}"))),
        };
        let name = literal(name).map_err(|reason| malformed(at, reason))?;
        found.push(Decoration {
            at,
            end: at + 1 + instruction.operands.len(),
            symbol: Symbol { name, linkage },
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::MAGIC;
    use super::*;

    /// A module of version 1.2 whose symbols have names of three letters.
    fn module(symbols: &[(&[u8; 3], u32)]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 10, 0];
        for (id, ([a, b, c], linkage)) in symbols.iter().enumerate() {
            let name = u32::from_le_bytes([*a, *b, *c, 0]);
            let id = id as u32 + 1;
            words.extend([
                5 << 16 | OP_DECORATE,
                id,
                LINKAGE_ATTRIBUTES,
                name,
                *linkage,
            ]);
        }
        // Another decoration, and a type behind all of them.
        words.extend([3 << 16 | OP_DECORATE, 1, 5, 2 << 16 | 19, 9]);
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn named(name: &str, linkage: Linkage) -> Symbol {
        Symbol {
            name: name.to_owned(),
            linkage,
        }
    }

    #[test]
    fn symbols_have_names_and_linkage() {
        let module = module(&[(b"abc", EXPORT), (b"def", IMPORT), (b"ghi", LINK_ONCE)]);
        let expected = [
            named("abc", Linkage::Export),
            named("def", Linkage::Import),
            named("ghi", Linkage::LinkOnce),
        ];
        assert_eq!(symbols(&module).unwrap(), expected);
        assert_eq!(version(&module).unwrap(), 0x0001_0200);
    }

    #[test]
    fn of_what_several_modules_define_one_exports_it() {
        let module = module(&[(b"abc", LINK_ONCE), (b"def", IMPORT), (b"ghi", LINK_ONCE)]);
        let linked = for_link(&module, 0x0001_0400, |name| name == "ghi").unwrap();
        let expected = [named("def", Linkage::Import), named("ghi", Linkage::Export)];
        assert_eq!(symbols(&linked).unwrap(), expected);
        assert_eq!(version(&linked).unwrap(), 0x0001_0400);
        assert_eq!(linked.len(), module.len() - 5 * 4);
    }

    #[test]
    fn a_module_that_helps_another_has_no_kernels_and_gives_what_is_wanted() {
        let mut plain = module(&[(b"abc", EXPORT), (b"def", IMPORT), (b"ghi", LINK_ONCE)]);
        let helper = for_program(&plain, |name| name == "ghi").unwrap();
        let expected = [named("def", Linkage::Import), named("ghi", Linkage::Export)];
        assert_eq!(symbols(&helper).unwrap(), expected);
        let none = for_program(&plain, |_| false).unwrap();
        assert_eq!(none.len(), plain.len() - 2 * 5 * 4);
        // An entry point of four words and its mode of three before all of that.
        let kernel = [
            4 << 16 | OP_ENTRY_POINT,
            6,
            7,
            0,
            3 << 16 | OP_EXECUTION_MODE,
            7,
            31,
        ];
        let kernel = kernel.into_iter().flat_map(u32::to_le_bytes);
        let header = 5 * 4;
        plain.splice(header..header, kernel);
        assert_eq!(for_program(&plain, |name| name == "ghi").unwrap(), helper);
        assert!(for_program(&plain[..header + 8], |_| true).is_err());
    }

    #[test]
    fn broken_modules_are_errors() {
        assert!(symbols(b"text").is_err());
        assert!(symbols(&module(&[(b"abc", 7)])).is_err());
        let module = module(&[(b"abc", IMPORT)]);
        assert!(symbols(&module[..24]).is_err());
        for end in 0..20 {
            assert!(for_link(&module[..end], 0, |_| true).is_err(), "{end}");
        }
        assert!(version(&module[..4]).is_err());
    }
}
