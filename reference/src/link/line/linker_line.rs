//! The host linker's command line, as far as the device link must understand it: which words are
//! inputs, where libraries are searched, where the output goes.
//!
//! It may be the line of a linker or of a compiler driver that links (`g++`): words wrapped in
//! `-Wl,` and `-Xlinker` count too. `rewrite` says what of it is changed.

mod found;
mod rewrite;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::link::line::library_folders::LibraryFolders;
use crate::link::line::pieces::{self, Piece};
use crate::link::line::symbol_options::SymbolOptions;
use found::{Manner, Modes, Named};

/// Options of linkers and driver whose value is the next word and names no input.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-MF",
    "-MT",
    "-Map",
    "-R",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Y",
    "-a",
    "-arch",
    "-b",
    "-c",
    "-dynamic-linker",
    "--dynamic-linker",
    "-f",
    "-h",
    "-include",
    "-isystem",
    "-m",
    "-plugin",
    "-plugin-opt",
    "-rpath",
    "--rpath",
    "-rpath-link",
    "--rpath-link",
    "-soname",
    "--soname",
    "-target",
    "--version-script",
    "--dynamic-list",
    "-y",
    "-z",
    "--hash-style",
    "--build-id-link-dir",
];

/// One input of the host link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostInput {
    /// The file.
    pub path: PathBuf,
    /// Every member of it is linked, wanted or not, when it is an archive (`--whole-archive`).
    pub whole: bool,
    /// It counts only where something needs it, when it is a shared library (`--as-needed`).
    pub as_needed: bool,
    /// It counts as a member of an archive does, when it is an object (`--start-lib`).
    pub lazy: bool,
    /// The group of archives that it stands in (`--start-group`), by its number.
    pub group: Option<usize>,
    /// Before which word of the line stands what is to come before it: the one that names it, or that begins the
    /// library of objects that it is in.
    pub word: usize,
    /// Which piece of the line names it and nothing else.
    pub piece: Option<usize>,
}

/// The host linker's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkerLine {
    /// The words, as they came.
    pub words: Vec<OsString>,
    /// The inputs that exist as files, in order; libraries of `-l` are found in the folders of
    /// `-L` only, as shared objects before archives unless `-Bstatic` leaves no choice. Behind a
    /// linker script come the inputs that it names.
    pub inputs: Vec<HostInput>,
    /// The output; `a.out` when the line names none.
    pub output: PathBuf,
    /// The output is relocatable (`-r`): device code stays where it is, for a later link.
    pub relocatable: bool,
    /// The line ends where the output's name should stand.
    pub nameless: bool,
    /// Where the linker lists what it read, as a rule for make.
    pub dependency_list: Option<PathBuf>,
    /// What is said of symbols.
    pub symbols: SymbolOptions,
    /// The words with what stands in response files and in `-Wl,`.
    pieces: Vec<Piece>,
    /// Which piece names the output, and what stands before the name in it.
    output_piece: Option<(usize, &'static str)>,
}

impl LinkerLine {
    /// Reads a line.
    #[must_use]
    pub fn parse(words: Vec<OsString>) -> Self {
        let mut scan = Scan::default();
        let pieces = pieces::unwrap(&words);
        let mut rest = pieces.iter().enumerate();
        while let Some((place, piece)) = rest.next() {
            scan.piece(place, piece, &mut rest);
        }
        let inputs = found::found(&mut scan);
        let (output, output_piece) = match scan.output {
            Some((path, place, prefix)) => (path, Some((place, prefix))),
            None => ("a.out".into(), None),
        };
        LinkerLine {
            words,
            inputs,
            output,
            relocatable: scan.relocatable,
            nameless: scan.nameless,
            dependency_list: scan.dependency_list,
            symbols: scan.symbols,
            pieces,
            output_piece,
        }
    }

    /// The value of the last word for the linker that begins with `option`.
    #[must_use]
    pub fn value(&self, option: &str) -> Option<&str> {
        let texts = self
            .pieces
            .iter()
            .rev()
            .filter_map(|piece| piece.text.to_str());
        texts.into_iter().find_map(|text| text.strip_prefix(option))
    }
}

/// An option of linkers for COFF, without what marks it as one.
fn coff_option(text: &str) -> Option<&str> {
    text.strip_prefix('/').or_else(|| text.strip_prefix('-'))
}

/// The value of such an option (`/libpath:FOLDER`), whose name may be written in capitals.
fn coff_value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (written, value) = coff_option(text)?.split_once(':')?;
    written.eq_ignore_ascii_case(name).then_some(value)
}

/// The output that an option of linkers for COFF names (`/OUT:a.exe`), and what stands before it.
fn coff_output(text: &str) -> Option<(&'static str, &str)> {
    let (start, path) = text.split_at_checked("/out:".len())?;
    let known = ["/out:", "-out:"];
    let prefix = known
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(start))?;
    Some((prefix, path))
}

type Rest<'a> = std::iter::Enumerate<std::slice::Iter<'a, Piece>>;

/// Whether a word comes next that is no file. Drivers have a language behind `-x`; for linkers that
/// option stands alone, and the next word is an input.
fn next_is_no_file(rest: &Rest<'_>) -> bool {
    let next = rest.clone().next();
    next.is_some_and(|(_, piece)| !Path::new(&piece.text).is_file())
}

/// What has been read of the line so far.
#[derive(Default)]
struct Scan {
    inputs: Vec<(Named, Manner)>,
    folders: LibraryFolders,
    output: Option<(PathBuf, usize, &'static str)>,
    relocatable: bool,
    nameless: bool,
    dependency_list: Option<PathBuf>,
    symbols: SymbolOptions,
    modes: Modes,
    /// Every library is linked whole, wherever it stands (`/wholearchive`).
    all_whole: bool,
    /// What `--push-state` has put away.
    pushed: Vec<Modes>,
}

impl Scan {
    fn piece(&mut self, place: usize, piece: &Piece, rest: &mut Rest<'_>) {
        let index = piece.word;
        let Some(text) = piece.text.to_str() else {
            return self.file(place, index, &piece.text);
        };
        let names_language = text == "-x" && !piece.wrapped && next_is_no_file(rest);
        let mut next = || {
            rest.next()
                .map(|(place, piece)| (place, piece.text.clone()))
        };
        match text {
            "-o" | "--output" => match next() {
                Some((place, path)) => self.output = Some((path.into(), place, "")),
                None => self.nameless = true,
            },
            "-L" | "--library-path" => next()
                .into_iter()
                .for_each(|(_, path)| self.folders.add(path)),
            "--sysroot" | "-sysroot" => self.folders.sysroot = next().map(|(_, path)| path.into()),
            "-l" | "--library" => {
                if let Some((_, name)) = next() {
                    let name = name.to_string_lossy().into_owned();
                    self.input(index, Named::Library(name));
                }
            }
            "--dependency-file" | "-dependency-file" => {
                self.dependency_list = next().map(|(_, path)| path.into());
            }
            "-r" | "--relocatable" | "-i" | "-Ur" => self.relocatable = true,
            "--push-state" | "-push-state" => self.pushed.push(self.modes),
            "--pop-state" | "-pop-state" => self.modes = self.pushed.pop().unwrap_or(self.modes),
            _ if self.modes.read(text, index) => {}
            _ if WITH_VALUE.contains(&text) || names_language => drop(next()),
            _ if self.joined(place, index, text) => {}
            _ => {
                let value = || next().map(|(_, value)| value.to_string_lossy().into_owned());
                self.symbols.read(text, value);
            }
        }
    }

    /// Takes in a word that holds an option and its value, or is an input. Whether it was one.
    fn joined(&mut self, place: usize, index: usize, text: &str) -> bool {
        // What is an option of linkers for COFF may look like one of others.
        if self.coff(index, text) {
            return true;
        }
        if let Some(path) = text.strip_prefix("--output=") {
            self.output = Some((path.into(), place, "--output="));
        } else if let Some(path) = text.strip_prefix("--library-path=") {
            self.folders.add(path);
        } else if let Some((_, path)) = text.split_once("-sysroot=") {
            self.folders.sysroot = Some(path.into());
        } else if let Some((_, path)) = text.split_once("-dependency-file=") {
            self.dependency_list = Some(path.into());
        } else if let Some(name) = text.strip_prefix("--library=") {
            self.input(index, Named::Library(name.to_owned()));
        } else if let Some(path) = text.strip_prefix("-L") {
            self.folders.add(path);
        } else if let Some(name) = text.strip_prefix("-l") {
            self.input(index, Named::Library(name.to_owned()));
        } else if let Some((prefix, path)) = coff_output(text) {
            self.output = Some((path.into(), place, prefix));
        } else if let Some(path) = text.strip_prefix("-o") {
            self.output = Some((path.into(), place, "-o"));
        } else if !text.starts_with('-') {
            self.file(place, index, text.as_ref());
        } else {
            return false;
        }
        true
    }

    /// Takes in an option of linkers for COFF that names a library or where libraries are. Whether it
    /// was one.
    fn coff(&mut self, index: usize, text: &str) -> bool {
        if let Some(folder) = coff_value(text, "libpath") {
            self.folders.add(folder);
        } else if let Some(name) = coff_value(text, "wholearchive") {
            self.input(index, Named::Coff(name.into()));
            if let Some((_, manner)) = self.inputs.last_mut() {
                manner.modes.whole = true;
            }
        } else if let Some(name) = coff_value(text, "defaultlib") {
            self.input(index, Named::Coff(name.into()));
        } else if coff_option(text).is_some_and(|name| name.eq_ignore_ascii_case("wholearchive")) {
            self.all_whole = true;
        } else {
            return false;
        }
        true
    }

    fn file(&mut self, place: usize, word: usize, path: &OsStr) {
        self.input(word, Named::File(path.into()));
        if let Some((_, manner)) = self.inputs.last_mut() {
            manner.piece = Some(place);
        }
    }

    fn input(&mut self, word: usize, named: Named) {
        let manner = Manner {
            word,
            piece: None,
            modes: self.modes,
        };
        self.inputs.push((named, manner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn line(words: &[&str]) -> LinkerLine {
        LinkerLine::parse(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn inputs_are_the_files_and_found_libraries_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (a, b, x) = (file("a.o"), file("b.o"), file("libx.a"));
        file("ld.so");
        let search = format!("-L{}", folder.path().display());
        let dynamic = folder.path().join("ld.so");
        let dynamic = dynamic.to_str().unwrap();
        let line = line(&[
            "-dynamic-linker",
            dynamic,
            &search,
            &a,
            "-Wl,--whole-archive",
            "-lx",
            "-Wl,--no-whole-archive",
            &b,
            "-lnot-there",
            "-o",
            "out",
        ]);
        let seen: Vec<_> = line
            .inputs
            .iter()
            .map(|i| (i.path.to_str().unwrap(), i.whole, i.word))
            .collect();
        assert_eq!(seen, [(&*a, false, 3), (&*x, true, 5), (&*b, false, 7)]);
        assert_eq!(line.output, Path::new("out"));
    }

    #[test]
    fn an_input_behind_a_linkers_option_is_no_language() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.o");
        std::fs::write(&path, "").unwrap();
        let path = path.to_str().unwrap();
        for words in [
            &["-x", path][..],
            &["-Wl,-x", path],
            &["-Xlinker", "-x", path],
            &["-x", "none", path],
        ] {
            assert_eq!(line(words).inputs.len(), 1, "{words:?}");
        }
        for word in ["-r", "-i", "-Wl,-Ur"] {
            assert!(line(&[word, path]).relocatable, "{word}");
        }
    }

    #[test]
    fn the_list_of_dependencies_is_known_in_each_spelling() {
        for words in [
            &["--dependency-file=x.d"][..],
            &["-Wl,--dependency-file,x.d"],
            &["-Xlinker", "-dependency-file=x.d"],
        ] {
            let list = line(words).dependency_list;
            assert_eq!(list.as_deref(), Some(Path::new("x.d")), "{words:?}");
        }
    }

    #[test]
    fn a_shared_library_comes_before_an_archive_unless_only_archives_may_come() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libx.a", "libx.so"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let search = folder.path().to_str().unwrap();
        let found = |words: &[&str]| {
            let line = line(&[&["-L", search], words].concat());
            line.inputs[0].path.file_name().unwrap().to_owned()
        };
        assert_eq!(found(&["-lx"]), "libx.so");
        assert_eq!(found(&["-Bstatic", "-lx"]), "libx.a");
        assert_eq!(found(&["-l:libx.a"]), "libx.a");
    }

    #[test]
    fn linkers_for_coff_have_words_of_their_own_for_libraries() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x.lib", "y.lib", "z.LIB"] {
            std::fs::write(folder.path().join(name), "!<arch>\n").unwrap();
        }
        let folder = folder.path().display();
        let seen = |words: &[&str]| -> Vec<(String, bool, usize)> {
            let line = line(words);
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            let inputs = line.inputs.iter();
            inputs.map(|i| (name(&i.path), i.whole, i.word)).collect()
        };
        let x = |name: &str, whole, word| (name.to_owned(), whole, word);
        for (path, whole, default) in [
            ("/libpath", "/wholearchive", "/defaultlib"),
            ("-LIBPATH", "-WholeArchive", "-DEFAULTLIB"),
        ] {
            let path = format!("{path}:{folder}");
            assert_eq!(
                seen(&["x.lib", "z.LIB", &path]),
                [x("x.lib", false, 0), x("z.LIB", false, 1)]
            );
            // Named twice, it is one library.
            let (named, default) = (format!("{whole}:y"), format!("{default}:x"));
            let words = [&*path, "y.lib", &*named, &*default];
            assert_eq!(seen(&words), [x("y.lib", true, 1), x("x.lib", false, 3)]);
            assert_eq!(seen(&[&path, "x.lib", whole]), [x("x.lib", true, 1)]);
        }
    }

    #[test]
    fn states_are_put_away_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.a");
        std::fs::write(&path, "!<arch>\n").unwrap();
        let x = path.to_str().unwrap();
        let line = line(&[
            "-Wl,--push-state,--whole-archive,--as-needed",
            x,
            "--push-state",
            "--no-whole-archive",
            x,
            "--pop-state",
            x,
            "-Wl,--pop-state",
            x,
            "--pop-state",
            x,
        ]);
        let seen: Vec<_> = line.inputs.iter().map(|i| (i.whole, i.as_needed)).collect();
        let none = (false, false);
        assert_eq!(
            seen,
            [(true, true), (false, true), (true, true), none, none]
        );
    }
}
