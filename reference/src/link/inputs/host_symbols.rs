//! Which members of archives the host link takes, found out the way linkers do it: inputs are looked
//! at in their order, and a member comes in when it defines a symbol that is wanted and that nothing
//! has defined yet. Linkers part in what they look at again ([`Archives`]).

use std::collections::HashMap;
use std::path::Path;

use offload_formats::Bytes;
use offload_formats::container::{Format, identify, members};
use offload_formats::device_input::Origin;

use crate::link::inputs::archives::Archives;
use crate::link::inputs::host_object::{Symbols, symbols};
use crate::link::line::symbol_options::SymbolOptions;

/// An input of the host link, as far as its symbols count.
pub struct HostFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its bytes.
    pub bytes: &'a Bytes,
    /// All members are taken, when it is an archive.
    pub whole: bool,
    /// It is taken only where something needs it, when it is a shared library.
    pub as_needed: bool,
    /// It is taken only where something wants it, when it is an object (`--start-lib`).
    pub lazy: bool,
    /// The group of archives that it stands in (`--start-group`), by its number.
    pub group: Option<usize>,
}

/// Where an object is: the number of the input, and in an archive the member's.
pub type Place = (usize, Option<usize>);

/// What the host link takes of `files`, in the order in which it does. Members that are no objects of the
/// host count as taken, and all do when an object does not tell what it refers to.
#[must_use]
pub fn taken(files: &[HostFile<'_>], options: &SymbolOptions, archives: Archives) -> Vec<Place> {
    let contents: Vec<Vec<Bytes>> = files.iter().map(contents).collect();
    match archives {
        Archives::InGroups => taken_in_groups(files, &contents, options),
        Archives::Remembered => taken_from_all(files, &contents, options),
    }
}

fn taken_in_groups(
    files: &[HostFile<'_>],
    contents: &[Vec<Bytes>],
    options: &SymbolOptions,
) -> Vec<Place> {
    let mut link = HostLink::new(options);
    link.want_all(options);
    let mut all_waiting: Vec<Vec<Waiting<'_>>> = Vec::new();
    for (number, (file, contents)) in files.iter().zip(contents).enumerate() {
        let mut waiting = Vec::new();
        for (place, symbols) in file.objects(number, contents) {
            match symbols {
                Some(symbols) if file.waits(place, &symbols) => waiting.push((place, symbols)),
                found => link.take(place, &found.unwrap_or_default()),
            }
        }
        link.pull(&mut waiting);
        all_waiting.push(waiting);
        let next = files.get(number + 1).and_then(|next| next.group);
        if file.group.is_some() && next != file.group {
            let first = files.iter().position(|first| first.group == file.group);
            link.pull_group(
                all_waiting
                    .get_mut(first.unwrap_or(number)..)
                    .unwrap_or_default(),
            );
        }
    }
    // What stands further on may want what stood before.
    link.pull_group(&mut all_waiting);
    if link.is_blind {
        let all = all_waiting.into_iter().flatten();
        link.taken.extend(all.map(|(place, _)| place));
    }
    link.taken
}

fn taken_from_all(
    files: &[HostFile<'_>],
    contents: &[Vec<Bytes>],
    options: &SymbolOptions,
) -> Vec<Place> {
    let mut link = HostLink::new(options);
    let mut remembered = Remembered::default();
    for (number, (file, contents)) in files.iter().zip(contents).enumerate() {
        for (place, symbols) in file.objects(number, contents) {
            // A shared library defines what it does, needed or not.
            let is_code = |symbols: &Symbols<'_>| place.1.is_some() || !symbols.is_shared;
            let waits = |symbols: &Symbols<'_>| is_code(symbols) && file.waits(place, symbols);
            match symbols {
                Some(symbols) if waits(&symbols) => remembered.add(&mut link, place, symbols),
                found => remembered.take(&mut link, place, &found.unwrap_or_default()),
            }
        }
    }
    // What the line wants by itself is looked for when all is known.
    link.want_all(options);
    let wanted: Vec<Vec<u8>> = link.wanted.clone();
    remembered.find(&mut link, &wanted);
    if link.is_blind {
        link.taken.extend(remembered.left());
    }
    link.taken
}

/// The objects in an input, in their order. What is broken is the linker's to refuse.
fn contents(file: &HostFile<'_>) -> Vec<Bytes> {
    if identify(file.bytes) != Format::Archive {
        return vec![file.bytes.clone()];
    }
    let members = members(file.bytes, &Origin::file(file.path)).unwrap_or_default();
    members.into_iter().map(|member| member.bytes).collect()
}

impl HostFile<'_> {
    /// The objects in the file, which is that number's, with their symbols; none of what is no object.
    fn objects<'a>(
        &self,
        number: usize,
        contents: &'a [Bytes],
    ) -> impl Iterator<Item = (Place, Option<Symbols<'a>>)> + use<'a> {
        let is_archive = identify(self.bytes) == Format::Archive;
        contents.iter().enumerate().map(move |(member, bytes)| {
            let place = (number, is_archive.then_some(member));
            (place, symbols(bytes))
        })
    }

    /// Whether an object in the file is linked only when it is wanted.
    fn waits(&self, (_, member): Place, symbols: &Symbols<'_>) -> bool {
        match member {
            Some(_) => !self.whole && !symbols.is_opaque,
            None if symbols.is_shared => self.as_needed,
            None => self.lazy && !symbols.is_opaque,
        }
    }
}

/// An object that is linked when it is wanted: a member of an archive, or a shared library that
/// stands behind `--as-needed`.
type Waiting<'a> = (Place, Symbols<'a>);

/// What is known of a symbol to which anything refers, or which anything defines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Undefined,
    /// It has room, and takes a value where one comes.
    Common,
    Defined,
}

/// The state of a host link.
#[derive(Default)]
struct HostLink {
    taken: Vec<Place>,
    symbols: HashMap<Vec<u8>, State>,
    /// What references to a symbol mean, where they mean another.
    meant: HashMap<Vec<u8>, Vec<u8>>,
    /// What was wanted last that nothing defines yet, in its order.
    wanted: Vec<Vec<u8>>,
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
        link
    }

    /// Wants what the line names, and what the start-up file of the host refers to, which may stand on no line
    /// that is seen here.
    fn want_all(&mut self, options: &SymbolOptions) {
        let start = (!options.shared).then_some("main");
        self.wanted.clear();
        for name in options.wanted.iter().map(String::as_str).chain(start) {
            self.want(name.as_bytes());
        }
    }

    fn want(&mut self, name: &[u8]) {
        if !self.symbols.contains_key(name) {
            self.symbols.insert(name.to_vec(), State::Undefined);
        }
        if self.state(name) == Some(State::Undefined) {
            self.wanted.push(name.to_vec());
        }
    }

    fn take(&mut self, place: Place, symbols: &Symbols<'_>) {
        self.taken.push(place);
        self.is_blind |= symbols.is_opaque;
        self.wanted.clear();
        for name in &symbols.defined {
            self.symbols.insert(name.to_vec(), State::Defined);
        }
        for name in &symbols.common {
            if self.state(name) != Some(State::Defined) {
                self.symbols.insert(name.to_vec(), State::Common);
            }
        }
        for name in &symbols.undefined {
            match self.meant.get(&**name).cloned() {
                Some(meant) => self.want(&meant),
                None => self.want(name),
            }
        }
    }

    fn state(&self, name: &[u8]) -> Option<State> {
        self.symbols.get(name).copied()
    }

    /// Whether an object gives what is missing, or a value to what has none.
    fn wants(&self, symbols: &Symbols<'_>) -> bool {
        let missing = |name| self.state(name) == Some(State::Undefined);
        let valueless = |name| self.state(name) == Some(State::Common);
        let mut defined = symbols.defined.iter();
        defined.any(|name| missing(name) || valueless(name))
            || symbols.common.iter().any(|name| missing(name))
    }

    /// Takes what is wanted of an input's objects, in their order, and again from the first until no
    /// more is. Whether there was any.
    fn pull(&mut self, waiting: &mut Vec<Waiting<'_>>) -> bool {
        let before = waiting.len();
        let mut last = usize::MAX;
        while waiting.len() < last {
            last = waiting.len();
            waiting.retain(|(place, symbols)| {
                let is_wanted = self.wants(symbols);
                if is_wanted {
                    self.take(*place, symbols);
                }
                !is_wanted
            });
        }
        waiting.len() < before
    }

    /// The same over several inputs, until no more comes.
    fn pull_group(&mut self, group: &mut [Vec<Waiting<'_>>]) {
        let mut more = true;
        while more {
            more = false;
            for waiting in &mut *group {
                more |= self.pull(waiting);
            }
        }
    }
}

/// The members of archives that nothing has wanted yet, as linkers keep them that look back at once.
#[derive(Default)]
struct Remembered<'a> {
    members: Vec<Option<Waiting<'a>>>,
    /// The first member that defines a symbol.
    first: HashMap<Vec<u8>, usize>,
}

impl<'a> Remembered<'a> {
    /// A member that comes by: taken at once where it is wanted.
    fn add(&mut self, link: &mut HostLink, place: Place, symbols: Symbols<'a>) {
        if link.wants(&symbols) {
            return self.take(link, place, &symbols);
        }
        let number = self.members.len();
        for name in symbols.defined.iter().chain(&symbols.common) {
            self.first.entry(name.to_vec()).or_insert(number);
        }
        self.members.push(Some((place, symbols)));
    }

    /// Takes an object, and what that wants, and what those want, before anything that comes later.
    fn take(&mut self, link: &mut HostLink, place: Place, symbols: &Symbols<'_>) {
        link.take(place, symbols);
        let wanted = std::mem::take(&mut link.wanted);
        self.find(link, &wanted);
    }

    /// Takes what defines these, in their order. What a member wants comes before what is wanted after it: the
    /// names that are left stand on a stack, for chains of members are long.
    fn find(&mut self, link: &mut HostLink, wanted: &[Vec<u8>]) {
        let mut open: Vec<Vec<u8>> = wanted.iter().rev().cloned().collect();
        while let Some(name) = open.pop() {
            if link.state(&name) != Some(State::Undefined) {
                continue;
            }
            let member = self.first.get(&name);
            let member = member.and_then(|&number| self.members.get_mut(number)?.take());
            if let Some((place, symbols)) = member {
                link.take(place, &symbols);
                open.extend(std::mem::take(&mut link.wanted).into_iter().rev());
            }
        }
    }

    /// What nothing has wanted.
    fn left(self) -> impl Iterator<Item = Place> + use<'a> {
        self.members.into_iter().flatten().map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use object::write::{Object, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};
    use offload_formats::container;

    use super::*;

    fn object(defined: &[&str], undefined: &[&str]) -> Vec<u8> {
        object_with_common(defined, &[], undefined)
    }

    fn object_with_common(defined: &[&str], common: &[&str], undefined: &[&str]) -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = object.add_section(vec![], b".text".to_vec(), object::SectionKind::Text);
        for (names, section, kind) in [
            (defined, SymbolSection::Section(text), SymbolKind::Text),
            (common, SymbolSection::Common, SymbolKind::Data),
            (undefined, SymbolSection::Undefined, SymbolKind::Text),
        ] {
            for name in names {
                object.add_symbol(Symbol {
                    name: (*name).into(),
                    value: 0,
                    size: 4,
                    kind,
                    scope: SymbolScope::Dynamic,
                    weak: false,
                    section,
                    flags: SymbolFlags::None,
                });
            }
        }
        object.write().unwrap()
    }

    /// A shared library, as far as its symbols count: the object's table is a dynamic one.
    fn shared(defined: &[&str], undefined: &[&str]) -> Vec<u8> {
        let mut bytes = object(defined, undefined);
        bytes[0x10] = 3;
        let headers = u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap());
        let headers = bytes[headers as usize..].chunks_exact_mut(0x40);
        headers
            .filter(|header| header[4] == 2)
            .for_each(|header| header[4] = 11);
        bytes
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

    /// Members that are taken, with their inputs' numbers. Behind an input stands whether it is linked
    /// whole, or as needed.
    fn members(files: &[(&[u8], bool)]) -> Vec<String> {
        members_with(&SymbolOptions::default(), files)
    }

    fn members_with(options: &SymbolOptions, files: &[(&[u8], bool)]) -> Vec<String> {
        let mut places = places_with(options, files);
        places.sort_unstable();
        let name = |(file, member): &Place| {
            let member = (*member)?;
            let bytes = Bytes::copy_from_slice(files[*file].0);
            let all = container::members(&bytes, &Origin::file("input")).unwrap();
            Some(format!("{file}:{}", all[member].name))
        };
        places.iter().filter_map(name).collect()
    }

    fn places_with(options: &SymbolOptions, files: &[(&[u8], bool)]) -> Vec<Place> {
        let bytes = files.iter().map(|(bytes, _)| Bytes::copy_from_slice(bytes));
        let bytes: Vec<Bytes> = bytes.collect();
        let files = files
            .iter()
            .zip(&bytes)
            .map(|((_, is_set), bytes)| HostFile {
                path: Path::new("input"),
                bytes,
                whole: *is_set,
                as_needed: *is_set,
                lazy: false,
                group: None,
            });
        taken(&files.collect::<Vec<_>>(), options, Archives::InGroups)
    }

    /// What is taken of inputs, each with the group that it stands in, as `number:member` in that order.
    fn order(files: &[(&[u8], Option<usize>)], archives: Archives) -> Vec<String> {
        let bytes = files.iter().map(|(bytes, _)| Bytes::copy_from_slice(bytes));
        let bytes: Vec<Bytes> = bytes.collect();
        let files = files
            .iter()
            .zip(&bytes)
            .map(|((_, group), bytes)| HostFile {
                path: Path::new("input"),
                bytes,
                whole: false,
                as_needed: false,
                lazy: group.is_some(),
                group: *group,
            });
        let places = taken(
            &files.collect::<Vec<_>>(),
            &SymbolOptions::default(),
            archives,
        );
        let name = |(file, member): Place| {
            let member = member.and_then(|member| {
                let all = container::members(&bytes[file], &Origin::file("input")).unwrap();
                all.into_iter().nth(member)
            });
            member.map_or(file.to_string(), |member| format!("{file}:{}", member.name))
        };
        places.into_iter().map(name).collect()
    }

    #[test]
    fn a_group_is_looked_at_again_at_its_end() {
        let main = object(&["main"], &["b"]);
        let a = archive(&[("a.o", object(&["a"], &[]))]);
        let b = archive(&[("b.o", object(&["b"], &["a"]))]);
        let late = object(&["late"], &[]);
        let in_group: &[(&[u8], _)] = &[(&main, None), (&a, Some(1)), (&b, Some(1)), (&late, None)];
        assert_eq!(
            order(in_group, Archives::InGroups),
            ["0", "2:b.o", "1:a.o", "3"]
        );
        let alone: &[(&[u8], _)] = &[(&main, None), (&a, None), (&b, None), (&late, None)];
        assert_eq!(
            order(alone, Archives::InGroups),
            ["0", "2:b.o", "3", "1:a.o"]
        );
        // Of two groups side by side, each at its own.
        let two: &[(&[u8], _)] = &[(&main, None), (&a, Some(1)), (&b, Some(2)), (&late, None)];
        assert_eq!(order(two, Archives::InGroups), ["0", "2:b.o", "3", "1:a.o"]);
    }

    #[test]
    fn linkers_that_remember_archives_look_back_at_once() {
        let main = object(&["main"], &["b", "c"]);
        let a = archive(&[("a.o", object(&["a"], &[])), ("x.o", object(&["c"], &[]))]);
        let b = archive(&[
            ("b.o", object(&["b"], &["a"])),
            ("c.o", object(&["c"], &[])),
        ]);
        let late = object(&["late"], &["z"]);
        let z = archive(&[("z.o", object(&["z"], &[]))]);
        // What stands first in the line is wanted by what stands last; the first that defines it counts.
        let files: &[(&[u8], _)] = &[
            (&z, None),
            (&a, None),
            (&b, None),
            (&main, None),
            (&late, None),
        ];
        assert_eq!(
            order(files, Archives::Remembered),
            ["3", "2:b.o", "1:a.o", "1:x.o", "4", "0:z.o"]
        );
        let files: &[(&[u8], _)] = &[(&main, None), (&a, None), (&b, None)];
        assert_eq!(
            order(files, Archives::Remembered),
            ["0", "1:x.o", "2:b.o", "1:a.o"]
        );
        // And `main` itself, when all is known.
        let library = archive(&[("m.o", object(&["main"], &["z"]))]);
        let files: &[(&[u8], _)] = &[(&library, None), (&z, None), (&late, None)];
        assert_eq!(order(files, Archives::Remembered), ["2", "1:z.o", "0:m.o"]);
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
            members(&[(&main, false), (&other, false), (&library, false)]),
            ["1:c.o", "2:a.o"]
        );
        assert_eq!(
            members(&[(&main, false), (&other, true), (&library, false)]),
            ["1:c.o", "1:d.o", "2:a.o"]
        );
    }

    #[test]
    fn main_may_come_from_an_archive() {
        let library = archive(&[
            ("m.o", object(&["main"], &[])),
            ("n.o", object(&["n"], &[])),
        ]);
        assert_eq!(members(&[(&library, false)]), ["0:m.o"]);
    }

    #[test]
    fn what_is_no_object_counts_as_taken() {
        let library = archive(&[("bc.o", b"BC\xC0\xDE".to_vec())]);
        assert_eq!(members(&[(&library, false)]), ["0:bc.o"]);
    }

    #[test]
    fn what_is_defined_already_takes_no_member() {
        let main = object(&["main"], &["f"]);
        let library = archive(&[("f.o", object(&["f"], &[]))]);
        let own = object(&["f"], &[]);
        let twice: &[(&[u8], bool)] = &[(&main, false), (&library, false), (&library, false)];
        assert_eq!(members(twice), ["1:f.o"]);
        assert!(members(&[(&main, false), (&own, false), (&library, false)]).is_empty());
        // One archive's member that is taken defines what another's would.
        let both = archive(&[("g.o", object(&["f", "g"], &[]))]);
        let main = object(&["main"], &["g", "f"]);
        assert_eq!(
            members(&[(&main, false), (&both, false), (&library, false)]),
            ["1:g.o"]
        );
        // But what a linker that goes along the line would take first stays the one.
        let late = object(&["x"], &["late"]);
        let a = archive(&[("a.o", object(&["late"], &[]))]);
        let b = archive(&[("b.o", object(&["late"], &[]))]);
        assert_eq!(
            members(&[(&a, false), (&late, false), (&b, false)]),
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
        assert_eq!(members_with(&wanted, files), ["1:f.o", "1:u.o"]);
        let wrapped = SymbolOptions {
            wrapped: vec!["f".into()],
            ..SymbolOptions::default()
        };
        assert_eq!(members_with(&wrapped, files), ["1:f.o", "1:w.o"]);
        let only = archive(&[("main.o", main)]);
        let shared = SymbolOptions {
            shared: true,
            ..SymbolOptions::default()
        };
        assert!(members_with(&shared, &[(&only, false)]).is_empty());
    }

    #[test]
    fn an_object_that_does_not_tell_what_it_needs_takes_all() {
        let slim = object(&["__gnu_lto_slim"], &[]);
        let library = archive(&[("f.o", object(&["f"], &[]))]);
        assert_eq!(members(&[(&slim, false), (&library, false)]), ["1:f.o"]);
    }

    #[test]
    fn a_common_symbol_takes_the_member_that_gives_it_a_value() {
        let main = object_with_common(&["main"], &["table"], &["size"]);
        let library = archive(&[
            ("common.o", object_with_common(&[], &["table", "size"], &[])),
            ("value.o", object(&["table"], &[])),
        ]);
        // One without a value comes for what is missing, and for nothing else.
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false)];
        assert_eq!(members(files), ["1:common.o", "1:value.o"]);
        let main = object_with_common(&["main"], &["table"], &[]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false)];
        assert_eq!(members(files), ["1:value.o"]);
        let needed = shared(&["table"], &[]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&needed, true), (&library, false)];
        assert!(members(files).is_empty());
        let value = object(&["table"], &[]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&value, false), (&library, false)];
        assert!(members(files).is_empty());
    }

    #[test]
    fn objects_of_a_library_are_taken_as_members_are() {
        let (main, a) = (object(&["main"], &["a"]), object(&["a"], &["b"]));
        let (b, other) = (object(&["b"], &[]), object(&["b", "c"], &[]));
        let defined: [(&[u8], Option<usize>); 4] =
            [(&other, None), (&b, Some(1)), (&a, Some(1)), (&main, None)];
        let wanted: [(&[u8], Option<usize>); 4] = [
            (&main, None),
            (&b, Some(1)),
            (&a, Some(1)),
            (&other, Some(2)),
        ];
        for archives in [Archives::InGroups, Archives::Remembered] {
            assert_eq!(order(&defined, archives), ["0", "3", "2"], "{archives:?}");
            assert_eq!(order(&wanted, archives), ["0", "2", "1"], "{archives:?}");
        }
    }

    #[test]
    fn a_shared_library_as_needed_defines_only_what_is_missing_by_then() {
        let main = object(&["main"], &["g"]);
        let library = archive(&[
            ("f.o", object(&["f"], &[])),
            ("g.o", object(&["g"], &["f"])),
        ]);
        let f = shared(&["f"], &[]);
        let both = shared(&["f", "g"], &[]);
        let with = |shared: &[u8], as_needed| {
            members(&[(&main, false), (shared, as_needed), (&library, false)])
        };
        assert_eq!(with(&f, true), ["2:f.o", "2:g.o"]);
        assert_eq!(with(&f, false), ["2:g.o"]);
        assert!(with(&both, true).is_empty());
        assert!(with(&both, false).is_empty());
        // Nothing wants what one refers to that is not needed.
        let main = object(&["main"], &[]);
        let other = shared(&["x"], &["f"]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&other, true), (&library, false)];
        assert!(members(files).is_empty());
    }

    #[test]
    fn members_come_in_their_order_in_the_archive() {
        // What `main` wants first is the last member's, but the first gives it too.
        let main = object(&["main"], &["b", "a"]);
        let library = archive(&[
            ("a.o", object(&["a", "b"], &[])),
            ("b.o", object(&["b"], &[])),
        ]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false)];
        assert_eq!(members(files), ["1:a.o"]);
        // `c.o` comes for `b.o` at once, before what stands ahead of both is looked at again; several
        // may define what is inline.
        let library = archive(&[
            ("x.o", object(&["x", "c"], &[])),
            ("a.o", object(&["a"], &["x"])),
            ("b.o", object(&["b"], &["c"])),
            ("c.o", object(&["c"], &[])),
        ]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false)];
        assert_eq!(members(files), ["1:x.o", "1:a.o", "1:b.o", "1:c.o"]);
    }

    #[test]
    fn members_of_one_name_are_several() {
        let main = object(&["main"], &["b"]);
        let library = archive(&[("u.o", object(&["a"], &[])), ("u.o", object(&["b"], &[]))]);
        let places = places_with(
            &SymbolOptions::default(),
            &[(&main, false), (&library, false)],
        );
        assert_eq!(places, [(0, None), (1, Some(1))]);
    }

    #[test]
    fn what_is_taken_is_told_in_the_order_in_which_it_is() {
        // The library's second member is wanted first, and its first only by what stands further on.
        let main = object(&["main"], &["b"]);
        let library = archive(&[("a.o", object(&["a"], &[])), ("b.o", object(&["b"], &[]))]);
        let late = object(&["late"], &["a"]);
        let files: &[(&[u8], bool)] = &[(&main, false), (&library, false), (&late, false)];
        let places = places_with(&SymbolOptions::default(), files);
        assert_eq!(places, [(0, None), (1, Some(1)), (2, None), (1, Some(0))]);
    }
}
