//! The host linker's command line, as far as the device link must understand it: which words are
//! inputs, where libraries are searched, where the output goes.
//!
//! It may be the line of a linker or of a compiler driver that links (`g++`): words wrapped in
//! `-Wl,` and `-Xlinker` count too. Nothing in it is changed but two things: the wrapper's object
//! comes in, and the output is named anew while it is being written.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
    "-e",
    "--entry",
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
    "-u",
    "--undefined",
    "--version-script",
    "--dynamic-list",
    "-x",
    "-y",
    "-z",
    "--defsym",
    "--sysroot",
    "--hash-style",
    "--build-id-link-dir",
    "--wrap",
];

/// One input of the host link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostInput {
    /// The file.
    pub path: PathBuf,
    /// Every member of it is linked, wanted or not, when it is an archive (`--whole-archive`).
    pub whole: bool,
    /// Which word of the line names it.
    pub word: usize,
}

/// The host linker's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkerLine {
    /// The words, as they came.
    pub words: Vec<OsString>,
    /// The inputs that exist as files, in order; libraries of `-l` are found in the folders of
    /// `-L` only, as archives before shared objects unless `-Bstatic` leaves no choice.
    pub inputs: Vec<HostInput>,
    /// The output; `a.out` when the line names none.
    pub output: PathBuf,
    /// The output is relocatable (`-r`): device code stays where it is, for a later link.
    pub relocatable: bool,
    /// The line ends where the output's name should stand.
    pub nameless: bool,
    /// Which word names the output, and what stands before the name in that word.
    output_word: Option<(usize, &'static str)>,
}

impl LinkerLine {
    /// Reads a line.
    #[must_use]
    pub fn parse(words: Vec<OsString>) -> Self {
        let mut scan = Scan::default();
        let unwrapped = unwrap(&words);
        let mut rest = unwrapped.iter();
        while let Some((index, word)) = rest.next() {
            scan.word(*index, word, &mut rest);
        }
        let inputs = scan.found();
        let (output, output_word) = match scan.output {
            Some((path, index, prefix)) => (path, Some((index, prefix))),
            None => ("a.out".into(), None),
        };
        LinkerLine {
            words,
            inputs,
            output,
            relocatable: scan.relocatable,
            nameless: scan.nameless,
            output_word,
        }
    }

    /// The line with `object` put in before the first input named in `before` and its output
    /// written to `output`.
    #[must_use]
    pub fn with(&self, object: Option<(&Path, usize)>, output: &Path) -> Vec<OsString> {
        let mut words = Vec::with_capacity(self.words.len() + 3);
        for (index, word) in self.words.iter().enumerate() {
            if let Some((object, _)) = object.filter(|(_, at)| *at == index) {
                words.push(object.into());
            }
            match self.output_word {
                Some((at, prefix)) if at == index => {
                    let mut word = OsString::from(prefix);
                    word.push(output);
                    words.push(word);
                }
                _ => words.push(word.clone()),
            }
        }
        if self.output_word.is_none() {
            words.extend(["-o".into(), output.into()]);
        }
        words
    }
}

/// Takes `-Wl,a,b` and `-Xlinker a` apart; each word keeps the place it came from.
fn unwrap(words: &[OsString]) -> Vec<(usize, OsString)> {
    let mut out = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        match word.to_str() {
            Some("-Xlinker") => {}
            Some(text) if text.starts_with("-Wl,") => {
                out.extend(text.split(',').skip(1).map(|w| (index, OsString::from(w))));
            }
            Some(text) if text.starts_with('@') => {
                out.extend(
                    response_file(&text[1..], word)
                        .into_iter()
                        .map(|w| (index, w)),
                );
            }
            _ => out.push((index, word.clone())),
        }
    }
    out
}

/// The words of a response file; the word itself when there is no such file, as linkers do.
fn response_file(path: &str, word: &OsStr) -> Vec<OsString> {
    let words = std::fs::read_to_string(path)
        .ok()
        .and_then(|text| shlex::split(&text));
    match words {
        Some(words) => words.into_iter().map(OsString::from).collect(),
        None => vec![word.to_owned()],
    }
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

type Rest<'a> = std::slice::Iter<'a, (usize, OsString)>;

/// What has been read of the line so far.
#[derive(Default)]
struct Scan {
    files: Vec<HostInput>,
    libraries: Vec<(usize, Library)>,
    folders: Vec<PathBuf>,
    output: Option<(PathBuf, usize, &'static str)>,
    relocatable: bool,
    nameless: bool,
    whole: bool,
    static_only: bool,
}

/// A `-l` option: the position among the files it stands at, and how it is to be searched.
struct Library {
    position: usize,
    name: String,
    whole: bool,
    static_only: bool,
}

impl Scan {
    fn word(&mut self, index: usize, word: &OsStr, rest: &mut Rest<'_>) {
        let Some(text) = word.to_str() else {
            return self.file(index, word.into());
        };
        let mut next = || rest.next().map(|(index, word)| (*index, word.clone()));
        match text {
            "-o" | "--output" => match next() {
                Some((index, path)) => self.output = Some((path.into(), index, "")),
                None => self.nameless = true,
            },
            "-L" | "--library-path" => self.folders.extend(next().map(|(_, path)| path.into())),
            "-l" | "--library" => {
                if let Some((_, name)) = next() {
                    self.library(index, &name.to_string_lossy());
                }
            }
            "-r" | "--relocatable" => self.relocatable = true,
            "--whole-archive" | "-whole-archive" => self.whole = true,
            "--no-whole-archive" | "-no-whole-archive" => self.whole = false,
            "-Bstatic" | "-static" | "-dn" | "-non_shared" => self.static_only = true,
            "-Bdynamic" | "-dy" | "-call_shared" => self.static_only = false,
            _ if WITH_VALUE.contains(&text) => drop(next()),
            _ => self.joined(index, text),
        }
    }

    fn joined(&mut self, index: usize, text: &str) {
        if let Some(path) = text.strip_prefix("--output=") {
            self.output = Some((path.into(), index, "--output="));
        } else if let Some(path) = text.strip_prefix("--library-path=") {
            self.folders.push(path.into());
        } else if let Some(name) = text.strip_prefix("--library=") {
            self.library(index, name);
        } else if let Some(path) = text.strip_prefix("-L") {
            self.folders.push(path.into());
        } else if let Some(name) = text.strip_prefix("-l") {
            self.library(index, name);
        } else if let Some((prefix, path)) = coff_output(text) {
            self.output = Some((path.into(), index, prefix));
        } else if let Some(path) = text.strip_prefix("-o") {
            self.output = Some((path.into(), index, "-o"));
        } else if !text.starts_with('-') {
            self.file(index, text.into());
        }
    }

    fn file(&mut self, word: usize, path: PathBuf) {
        self.files.push(HostInput {
            path,
            whole: self.whole,
            word,
        });
    }

    fn library(&mut self, word: usize, name: &str) {
        let library = Library {
            position: self.files.len(),
            name: name.to_owned(),
            whole: self.whole,
            static_only: self.static_only,
        };
        self.libraries.push((word, library));
    }

    /// All inputs in their order, libraries found. What is not there is left to the linker, which
    /// says so, or finds it in folders of its own.
    fn found(&self) -> Vec<HostInput> {
        let mut inputs = Vec::with_capacity(self.files.len() + self.libraries.len());
        let mut libraries = self.libraries.iter().peekable();
        for position in 0..=self.files.len() {
            while let Some((word, library)) = libraries.next_if(|(_, l)| l.position == position) {
                inputs.extend(library.find(&self.folders).map(|path| HostInput {
                    path,
                    whole: library.whole,
                    word: *word,
                }));
            }
            inputs.extend(
                self.files
                    .get(position)
                    .filter(|f| f.path.is_file())
                    .cloned(),
            );
        }
        inputs
    }
}

impl Library {
    fn find(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        let mut candidates = folders.iter().flat_map(|folder| {
            let exact = self.name.strip_prefix(':').map(|name| folder.join(name));
            let shared = (!self.static_only).then(|| folder.join(format!("lib{}.so", self.name)));
            let archive = folder.join(format!("lib{}.a", self.name));
            exact.into_iter().chain(shared).chain([archive])
        });
        candidates.find(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> LinkerLine {
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
    fn the_object_goes_in_and_the_output_is_renamed() {
        let with = |words: &[&str]| {
            let words = line(words).with(Some((Path::new("w.o"), 0)), Path::new("new"));
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        assert!(LinkerLine::parse(vec!["a.o".into(), "-o".into()]).nameless);
        assert_eq!(with(&["a.o", "-o", "out"]), "w.o a.o -o new");
        assert_eq!(with(&["a.o", "-oout", "-lm"]), "w.o a.o -onew -lm");
        assert_eq!(with(&["a.o", "--output=out"]), "w.o a.o --output=new");
        assert_eq!(with(&["a.o"]), "w.o a.o -o new");
        assert_eq!(with(&["a.o", "/OUT:a.exe"]), "w.o a.o /out:new");
        assert_eq!(with(&["-out:a.exe", "a.o"]), "w.o -out:new a.o");
    }
}
