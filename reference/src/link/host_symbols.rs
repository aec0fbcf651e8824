//! Which members of archives the host link takes, found out the way linkers do it: a member comes
//! in when it defines a symbol that something already taken refers to.
//!
//! The order of archives on the line does not count here, as if all stood in one group, so that
//! nothing that the linker takes is missed.

use std::collections::{HashMap, HashSet};

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};

/// An input of the host link, as far as its symbols count.
pub struct HostFile<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// All members are taken, when it is an archive.
    pub whole: bool,
}

/// A member of an archive: the number of the input, and the member's name.
pub type Member = (usize, String);

/// The members of archives among `files` that the host link takes. Members that are no objects
/// that can be read here (host bitcode) count as taken.
#[must_use]
pub fn taken_members(files: &[HostFile<'_>]) -> HashSet<Member> {
    let mut link = HostLink::default();
    for (number, file) in files.iter().enumerate() {
        link.add(number, file);
    }
    link.resolve()
}

#[derive(Default)]
struct HostLink<'a> {
    wanted: Vec<&'a [u8]>,
    /// Members not taken yet that define a symbol.
    definers: HashMap<&'a [u8], Vec<usize>>,
    waiting: Vec<Waiting<'a>>,
    taken: HashSet<Member>,
}

struct Waiting<'a> {
    member: Member,
    undefined: Vec<&'a [u8]>,
}

/// The symbols of one object, by what they do in a link.
struct Symbols<'a> {
    defined: Vec<&'a [u8]>,
    undefined: Vec<&'a [u8]>,
}

impl<'a> HostLink<'a> {
    fn add(&mut self, number: usize, file: &HostFile<'a>) {
        let Ok(archive) = ArchiveFile::parse(file.bytes) else {
            self.wanted
                .extend(symbols(file.bytes).into_iter().flat_map(|s| s.undefined));
            return;
        };
        // A start-up file of the host refers to it, and may stand on no line that is seen here.
        self.wanted.push(b"main");
        for member in archive.members().flatten() {
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let Ok(bytes) = member.data(file.bytes) else {
                continue;
            };
            match symbols(bytes) {
                Some(symbols) if !file.whole => self.wait((number, name), symbols),
                Some(symbols) => {
                    self.wanted.extend(symbols.undefined);
                    self.taken.insert((number, name));
                }
                None => drop(self.taken.insert((number, name))),
            }
        }
    }

    fn wait(&mut self, member: Member, symbols: Symbols<'a>) {
        for symbol in symbols.defined {
            self.definers
                .entry(symbol)
                .or_default()
                .push(self.waiting.len());
        }
        self.waiting.push(Waiting {
            member,
            undefined: symbols.undefined,
        });
    }

    fn resolve(mut self) -> HashSet<Member> {
        while let Some(symbol) = self.wanted.pop() {
            for index in self.definers.remove(symbol).unwrap_or_default() {
                let Some(waiting) = self.waiting.get_mut(index) else {
                    continue;
                };
                self.wanted.append(&mut waiting.undefined);
                self.taken.insert(waiting.member.clone());
            }
        }
        self.taken
    }
}

fn symbols(bytes: &[u8]) -> Option<Symbols<'_>> {
    let object = object::File::parse(bytes).ok()?;
    let mut symbols = Symbols {
        defined: Vec::new(),
        undefined: Vec::new(),
    };
    for symbol in object
        .symbols()
        .filter(|s| s.is_global() || s.is_undefined())
    {
        let Ok(name) = symbol.name_bytes() else {
            continue;
        };
        if symbol.is_undefined() && !symbol.is_weak() {
            symbols.undefined.push(name);
        } else if symbol.is_definition() || symbol.is_common() {
            symbols.defined.push(name);
        }
    }
    Some(symbols)
}

#[cfg(test)]
mod tests {
    use object::write::{Object, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

    use super::*;

    fn object(defined: &[&str], undefined: &[&str]) -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = object.add_section(vec![], b".text".to_vec(), object::SectionKind::Text);
        let mut add = |name: &str, section| {
            object.add_symbol(Symbol {
                name: name.into(),
                value: 0,
                size: 0,
                kind: SymbolKind::Text,
                scope: SymbolScope::Dynamic,
                weak: false,
                section,
                flags: SymbolFlags::None,
            });
        };
        defined
            .iter()
            .for_each(|name| add(name, SymbolSection::Section(text)));
        undefined
            .iter()
            .for_each(|name| add(name, SymbolSection::Undefined));
        object.write().unwrap()
    }

    fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = b"!<arch>\n".to_vec();
        for (name, data) in members {
            let header = format!(
                "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                format!("{name}/"),
                0,
                0,
                0,
                644,
                data.len()
            );
            bytes.extend(header.bytes());
            bytes.extend(data);
            bytes.resize(bytes.len().next_multiple_of(2), b'\n');
        }
        bytes
    }

    fn taken(files: &[(&[u8], bool)]) -> Vec<String> {
        let files: Vec<HostFile> = files
            .iter()
            .map(|(bytes, whole)| HostFile {
                bytes,
                whole: *whole,
            })
            .collect();
        let mut names: Vec<String> = taken_members(&files).into_iter().map(|(_, n)| n).collect();
        names.sort();
        names
    }

    #[test]
    fn members_come_in_when_something_taken_needs_them() {
        let main = object(&["main"], &["a"]);
        let library = archive(&[
            ("a.o", object(&["a"], &["c"])),
            ("b.o", object(&["b"], &[])),
        ]);
        // The library that `a.o` needs stands before it on the line.
        let other = archive(&[("c.o", object(&["c"], &[])), ("d.o", object(&["d"], &[]))]);
        assert_eq!(
            taken(&[(&main, false), (&other, false), (&library, false)]),
            ["a.o", "c.o"]
        );
        assert_eq!(
            taken(&[(&main, false), (&other, true), (&library, false)]),
            ["a.o", "c.o", "d.o"]
        );
    }

    #[test]
    fn main_may_come_from_an_archive() {
        let library = archive(&[
            ("m.o", object(&["main"], &[])),
            ("n.o", object(&["n"], &[])),
        ]);
        assert_eq!(taken(&[(&library, false)]), ["m.o"]);
    }

    #[test]
    fn what_is_no_object_counts_as_taken() {
        let library = archive(&[("bc.o", b"BC\xC0\xDE".to_vec())]);
        assert_eq!(taken(&[(&library, false)]), ["bc.o"]);
    }
}
