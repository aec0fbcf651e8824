//! Which members of archives the host link takes, found out the way linkers do it: inputs are looked
//! at in their order, and a member comes in when it defines a symbol that is wanted and that nothing
//! has defined yet.
//!
//! At the end of the line it begins again, as if all stood in one group, until nothing more comes:
//! some linkers do so, and nothing that any of them takes is missed.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use offload_formats::Bytes;
use offload_formats::container::{Format, identify, members};
use offload_formats::device_input::Origin;

use super::host_object::{Symbols, symbols};
use super::symbol_options::SymbolOptions;

/// An input of the host link, as far as its symbols count.
pub struct HostFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its bytes.
    pub bytes: &'a Bytes,
    /// All members are taken, when it is an archive.
    pub whole: bool,
}

/// A member of an archive: the number of the input, and the member's name.
pub type Member = (usize, String);

/// The members of archives among `files` that the host link takes. Members that are no objects of the
/// host count as taken, and all do when an object does not tell what it refers to.
#[must_use]
pub fn taken_members(files: &[HostFile<'_>], options: &SymbolOptions) -> HashSet<Member> {
    let contents: Vec<Vec<(String, Bytes)>> = files.iter().map(contents).collect();
    let mut link = HostLink::new(options);
    let mut archives = Vec::new();
    for (number, (file, contents)) in files.iter().zip(&contents).enumerate() {
        let is_archive = identify(file.bytes) == Format::Archive;
        let mut archive = Archive::default();
        for (name, bytes) in contents {
            let member = is_archive.then(|| (number, name.clone()));
            match symbols(bytes) {
                Some(symbols) if is_archive && !file.whole && !symbols.is_opaque => {
                    archive.add(member, symbols);
                }
                found => {
                    link.taken.extend(member);
                    link.take(&found.unwrap_or_default());
                }
            }
        }
        link.pull(&mut archive);
        archives.push(archive);
    }
    // What stands further on may want what stood before.
    let mut more = true;
    while more {
        more = false;
        for archive in &mut archives {
            more |= link.pull(archive);
        }
    }
    if link.is_blind {
        let all = archives.into_iter().flat_map(|archive| archive.members);
        link.taken.extend(all.filter_map(|(member, _)| member));
    }
    link.taken
}

/// The objects in an input, with their names. What is broken is the linker's to refuse.
fn contents(file: &HostFile<'_>) -> Vec<(String, Bytes)> {
    if identify(file.bytes) != Format::Archive {
        return vec![(String::new(), file.bytes.clone())];
    }
    let members = members(file.bytes, &Origin::file(file.path)).unwrap_or_default();
    members.into_iter().map(|m| (m.name, m.bytes)).collect()
}

/// Members of an archive of which some may be wanted.
#[derive(Default)]
struct Archive<'a> {
    members: Vec<(Option<Member>, Symbols<'a>)>,
    /// Which member defines a symbol first.
    definers: HashMap<Vec<u8>, usize>,
}

impl<'a> Archive<'a> {
    fn add(&mut self, member: Option<Member>, symbols: Symbols<'a>) {
        for name in &symbols.defined {
            let definer = self.definers.entry(name.to_vec());
            definer.or_insert(self.members.len());
        }
        self.members.push((member, symbols));
    }
}

/// The state of a host link.
#[derive(Default)]
struct HostLink {
    taken: HashSet<Member>,
    defined: HashSet<Vec<u8>>,
    /// Symbols that are referred to and that nothing has defined, in the order in which they came.
    undefined: Vec<Vec<u8>>,
    /// Symbols that have been in that list.
    known: HashSet<Vec<u8>>,
    /// What references to a symbol mean, where they mean another.
    meant: HashMap<Vec<u8>, Vec<u8>>,
    /// Something was taken that does not tell what it refers to.
    is_blind: bool,
}

impl HostLink {
    fn new(options: &SymbolOptions) -> Self {
        let mut link = HostLink::default();
        for name in &options.wrapped {
            let (wrap, real) = (format!("__wrap_{name}"), format!("__real_{name}"));
            link.meant.insert(name.clone().into(), wrap.into());
            link.meant.insert(real.into(), name.clone().into());
        }
        // A start-up file of the host refers to it, and may stand on no line that is seen here.
        let start = (!options.shared).then_some("main");
        for name in options.wanted.iter().map(String::as_str).chain(start) {
            link.want(name.as_bytes());
        }
        link
    }

    fn want(&mut self, name: &[u8]) {
        if !self.defined.contains(name) && self.known.insert(name.to_vec()) {
            self.undefined.push(name.to_vec());
        }
    }

    fn take(&mut self, symbols: &Symbols<'_>) {
        self.is_blind |= symbols.is_opaque;
        let defined = symbols.defined.iter().map(|name| name.to_vec());
        self.defined.extend(defined);
        for name in &symbols.undefined {
            match self.meant.get(&**name).cloned() {
                Some(meant) => self.want(&meant),
                None => self.want(name),
            }
        }
    }

    /// Takes the members that are wanted, and those that they want. Whether there were any.
    fn pull(&mut self, archive: &mut Archive<'_>) -> bool {
        if archive.members.is_empty() {
            return false;
        }
        let before = self.taken.len();
        let mut next = 0;
        // The list grows while members come in.
        while let Some(name) = self.undefined.get(next) {
            next += 1;
            if self.defined.contains(name) {
                continue;
            }
            let definer = archive.definers.get(name);
            let Some((member, symbols)) = definer.and_then(|at| archive.members.get(*at)) else {
                continue;
            };
            self.taken.extend(member.clone());
            self.take(symbols);
        }
        self.undefined.retain(|name| !self.defined.contains(name));
        self.taken.len() > before
    }
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
        taken_with(&SymbolOptions::default(), files)
    }

    fn taken_with(options: &SymbolOptions, files: &[(&[u8], bool)]) -> Vec<String> {
        let bytes = files.iter().map(|(bytes, _)| Bytes::copy_from_slice(bytes));
        let bytes: Vec<Bytes> = bytes.collect();
        let files = files
            .iter()
            .zip(&bytes)
            .map(|((_, whole), bytes)| HostFile {
                path: Path::new("input"),
                bytes,
                whole: *whole,
            });
        let files: Vec<HostFile> = files.collect();
        let members = taken_members(&files, options).into_iter();
        let mut names: Vec<String> = members.map(|(n, name)| format!("{n}:{name}")).collect();
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
            ["1:c.o", "2:a.o"]
        );
        assert_eq!(
            taken(&[(&main, false), (&other, true), (&library, false)]),
            ["1:c.o", "1:d.o", "2:a.o"]
        );
    }

    #[test]
    fn main_may_come_from_an_archive() {
        let library = archive(&[
            ("m.o", object(&["main"], &[])),
            ("n.o", object(&["n"], &[])),
        ]);
        assert_eq!(taken(&[(&library, false)]), ["0:m.o"]);
    }

    #[test]
    fn what_is_no_object_counts_as_taken() {
        let library = archive(&[("bc.o", b"BC\xC0\xDE".to_vec())]);
        assert_eq!(taken(&[(&library, false)]), ["0:bc.o"]);
    }

    #[test]
    fn what_is_defined_already_takes_no_member() {
        let main = object(&["main"], &["f"]);
        let library = archive(&[("f.o", object(&["f"], &[]))]);
        let own = object(&["f"], &[]);
        let twice: &[(&[u8], bool)] = &[(&main, false), (&library, false), (&library, false)];
        assert_eq!(taken(twice), ["1:f.o"]);
        assert!(taken(&[(&main, false), (&own, false), (&library, false)]).is_empty());
        // One archive's member that is taken defines what another's would.
        let both = archive(&[("g.o", object(&["f", "g"], &[]))]);
        let main = object(&["main"], &["g", "f"]);
        assert_eq!(
            taken(&[(&main, false), (&both, false), (&library, false)]),
            ["1:g.o"]
        );
        // But what a linker that goes along the line would take first stays the one.
        let late = object(&["x"], &["late"]);
        let a = archive(&[("a.o", object(&["late"], &[]))]);
        let b = archive(&[("b.o", object(&["late"], &[]))]);
        assert_eq!(
            taken(&[(&a, false), (&late, false), (&b, false)]),
            ["2:b.o"]
        );
    }

    #[test]
    fn options_want_symbols_and_turn_them() {
        let main = object(&["main"], &["f"]);
        let library = archive(&[
            ("f.o", object(&["f"], &[])),
            ("u.o", object(&["u"], &[])),
            ("w.o", object(&["__wrap_f"], &["__real_f"])),
        ]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false)];
        let wanted = SymbolOptions {
            wanted: vec!["u".into()],
            ..SymbolOptions::default()
        };
        assert_eq!(taken_with(&wanted, files), ["1:f.o", "1:u.o"]);
        let wrapped = SymbolOptions {
            wrapped: vec!["f".into()],
            ..SymbolOptions::default()
        };
        assert_eq!(taken_with(&wrapped, files), ["1:f.o", "1:w.o"]);
        let only = archive(&[("main.o", main)]);
        let shared = SymbolOptions {
            shared: true,
            ..SymbolOptions::default()
        };
        assert!(taken_with(&shared, &[(&only, false)]).is_empty());
    }

    #[test]
    fn an_object_that_does_not_tell_what_it_needs_takes_all() {
        let slim = object(&["__gnu_lto_slim"], &[]);
        let library = archive(&[("f.o", object(&["f"], &[]))]);
        assert_eq!(taken(&[(&slim, false), (&library, false)]), ["1:f.o"]);
    }
}
