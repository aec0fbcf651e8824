//! The files that a linker's line names: libraries are found in their folders, and behind a linker
//! script come the inputs that it names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{HostInput, Scan};
use crate::link::line::linker_script::{self, Statement};

/// How many scripts are read in place of inputs, at most: some may name each other over and over.
const MOST_SCRIPTS: usize = 1000;

/// What options say of the inputs behind them.
#[derive(Clone, Copy, Default)]
pub(super) struct Modes {
    pub(super) whole: bool,
    pub(super) static_only: bool,
    pub(super) as_needed: bool,
    /// Objects count as members of an archive, since that word of the line.
    pub(super) lazy: Option<usize>,
    /// The group that is open, and how many have been.
    pub(super) group: Option<usize>,
    /// The group that a library of objects is.
    library: Option<usize>,
    groups: usize,
}

impl Modes {
    /// Takes in an option, when it is one of these. Whether it was. `word` is the one of the line that has it.
    pub(super) fn read(&mut self, text: &str, word: usize) -> bool {
        match text {
            "--whole-archive" | "-whole-archive" => self.whole = true,
            "--no-whole-archive" | "-no-whole-archive" => self.whole = false,
            "-Bstatic" | "-static" | "-dn" | "-non_shared" => self.static_only = true,
            "-Bdynamic" | "-dy" | "-call_shared" => self.static_only = false,
            "--as-needed" | "-as-needed" => self.as_needed = true,
            "--no-as-needed" | "-no-as-needed" => self.as_needed = false,
            "--start-group" | "-start-group" | "-(" => self.begin_group(),
            "--end-group" | "-end-group" | "-)" => self.group = None,
            "--start-lib" | "-start-lib" => {
                self.lazy = Some(word);
                // Objects of one library may want one another in any order.
                if self.group.is_none() {
                    self.begin_group();
                    self.library = self.group;
                }
            }
            "--end-lib" | "-end-lib" => {
                self.lazy = None;
                if self.library.take().is_some() {
                    self.group = None;
                }
            }
            _ => return false,
        }
        true
    }

    fn begin_group(&mut self) {
        self.groups += 1;
        self.group = Some(self.groups);
    }
}

/// An input as the line names it.
pub(super) enum Named {
    File(PathBuf),
    Library(String),
    /// A library as linkers for COFF look for it.
    Coff(PathBuf),
}

/// How an input that the line names is linked, with all that a script in its place names.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub(super) word: usize,
    pub(super) piece: Option<usize>,
    pub(super) modes: Modes,
}

/// All inputs in their order, libraries found: in folders that may stand behind them. What is not
/// there is left to the linker, which says so, or finds it in folders of its own. What scripts say
/// of folders and of symbols goes to the rest.
pub(super) fn found(scan: &mut Scan) -> Vec<HostInput> {
    let inputs = std::mem::take(&mut scan.inputs);
    let mut search = Search {
        scan,
        found: Vec::with_capacity(inputs.len()),
        open: Vec::new(),
        scripts: 0,
    };
    for (named, manner) in inputs {
        let path = match named {
            Named::File(path) if path.is_file() => Some(path),
            // Linkers for COFF look for libraries that they are named in folders too.
            Named::File(path) => Some(path)
                .filter(|path| has_extension(path, "lib"))
                .and_then(|path| search.scan.folders.coff(&path)),
            Named::Coff(path) => search.scan.folders.coff(&path),
            Named::Library(name) => {
                let folders = &search.scan.folders;
                folders.library(&name, manner.modes.static_only)
            }
        };
        path.into_iter().for_each(|path| search.add(path, manner));
    }
    let all_whole = search.scan.all_whole;
    let mut found = search.found;
    unite_coff(&mut found, all_whole);
    found
}

/// Links a library of COFF's that the line names several times once, and whole if that is said
/// anywhere: with these linkers no order tells one mention from another.
fn unite_coff(found: &mut Vec<HostInput>, all_whole: bool) {
    let is_coff = |input: &HostInput| has_extension(&input.path, "lib");
    let whole: HashSet<PathBuf> = found
        .iter()
        .filter(|input| is_coff(input) && (input.whole || all_whole))
        .map(|input| input.path.clone())
        .collect();
    let mut seen = HashSet::new();
    found.retain_mut(|input| {
        input.whole |= whole.contains(&input.path);
        !whole.contains(&input.path) || seen.insert(input.path.clone())
    });
}

fn has_extension(path: &Path, extension: &str) -> bool {
    let own = path.extension();
    own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

struct Search<'a> {
    scan: &'a mut Scan,
    found: Vec<HostInput>,
    /// The scripts that are being read.
    open: Vec<PathBuf>,
    /// How many have been.
    scripts: usize,
}

impl Search<'_> {
    /// Adds a file and, where it is a linker script, what that names.
    fn add(&mut self, path: PathBuf, manner: Manner) {
        self.found.push(HostInput {
            path: path.clone(),
            whole: manner.modes.whole,
            as_needed: manner.modes.as_needed,
            lazy: manner.modes.lazy.is_some(),
            group: manner.modes.group,
            word: manner.modes.lazy.unwrap_or(manner.word),
            piece: manner.piece,
        });
        let piece = None;
        self.script(path, Manner { piece, ..manner });
    }

    /// Adds what a script names. One that names itself ends there.
    fn script(&mut self, path: PathBuf, manner: Manner) {
        if self.scripts >= MOST_SCRIPTS || self.open.contains(&path) {
            return;
        }
        let statements = linker_script::statements(&path);
        if statements.is_empty() {
            return;
        }
        self.scripts += 1;
        self.open.push(path.clone());
        for statement in statements {
            match statement {
                Statement::Input { name, as_needed } => {
                    let mut manner = manner;
                    manner.modes.as_needed |= as_needed;
                    let folders = &self.scan.folders;
                    let named = folders.named(&name, manner.modes.static_only, &path);
                    named.into_iter().for_each(|path| self.add(path, manner));
                }
                Statement::Folder(folder) => self.scan.folders.add(folder),
                Statement::Script(name) => {
                    let included = self.scan.folders.included(&name);
                    included
                        .into_iter()
                        .for_each(|path| self.script(path, manner));
                }
                Statement::Symbol(name) => self.scan.symbols.wanted.push(name),
            }
        }
        self.open.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::line;

    #[test]
    fn behind_a_linker_script_come_the_inputs_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (
                "libscript.so",
                "GROUP ( libx.a AS_NEEDED ( -ly ) -lscript not-there.a )",
            ),
            ("liby.a", "INPUT ( libscript.so )"),
            ("libx.a", "!<arch>\n"),
            ("object.o", "INPUT ( libx.a libscript.so )"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let search = format!("-L{}", folder.path().display());
        let object = folder.path().join("object.o");
        let line = line(&["-lscript", &search, object.to_str().unwrap()]);
        let names = line.inputs.iter().map(|input| {
            let name = input.path.file_name().unwrap().to_str().unwrap();
            (name, input.word)
        });
        let expected = [
            ("libscript.so", 0),
            ("libx.a", 0),
            ("liby.a", 0),
            ("libscript.so", 0),
            ("libscript.so", 0),
            // Neither the name of an object nor a second mention makes it less of a script.
            ("object.o", 2),
            ("libx.a", 2),
            ("libscript.so", 2),
            ("libx.a", 2),
            ("liby.a", 2),
            ("libscript.so", 2),
            ("libscript.so", 2),
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn objects_of_a_library_are_a_group_of_their_own_or_of_the_one_around() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a.o", "b.o", "c.o", "d.o", "e.o"].map(|name| folder.path().join(name));
        for name in &names {
            std::fs::write(name, "").unwrap();
        }
        let [a, b, c, d, e] = names.each_ref().map(|name| name.to_str().unwrap());
        let line = line(&[
            a,
            "--start-lib",
            b,
            "--end-lib",
            "-(",
            c,
            "--start-lib",
            d,
            "--end-lib",
            e,
            "-)",
        ]);
        let inputs = line.inputs.iter();
        let inputs = inputs.map(|input| (input.lazy, input.group, input.word));
        let expected = [
            (false, None, 0),
            (true, Some(1), 1),
            (false, Some(2), 5),
            (true, Some(2), 6),
            (false, Some(2), 9),
        ];
        assert_eq!(inputs.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn scripts_name_files_beside_them_in_their_folders_and_below_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir_all(at("root/opt")).unwrap();
        std::fs::create_dir(at("more")).unwrap();
        for (name, text) in [
            ("beside.so", "INPUT(x.a)".to_owned()),
            ("x.a", "!<arch>\n".to_owned()),
            ("root/opt/y.a", "!<arch>\n".to_owned()),
            ("root/opt/in.so", "INPUT(/opt/y.a)".to_owned()),
            ("out.so", "INPUT(/opt/y.a)".to_owned()),
            ("rooted.so", "INPUT(=/opt/y.a)".to_owned()),
            (
                "folder.so",
                format!("SEARCH_DIR({}) INPUT(-lz)", at("more")),
            ),
            ("more/libz.a", "!<arch>\n".to_owned()),
            ("include.so", "INCLUDE inner.ld EXTERN(wanted)".to_owned()),
            ("more/inner.ld", "INPUT(AS_NEEDED(-lz))".to_owned()),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        let root = format!("--sysroot={}", at("root"));
        let more = format!("-L{}", at("more"));
        for (words, behind) in [
            (&[&*at("beside.so")][..], &["x.a"][..]),
            (&[&root, &at("root/opt/in.so")], &["root/opt/y.a"]),
            (&[&at("root/opt/in.so")], &[]),
            (&[&root, &at("out.so")], &[]),
            (
                &["--sysroot", &at("root"), &at("rooted.so")],
                &["root/opt/y.a"],
            ),
            (&[&root, "-L=/opt", "-l:in.so"], &["root/opt/y.a"]),
            (&[&root, "-L$SYSROOT/opt", "-l:in.so"], &["root/opt/y.a"]),
            (&[&at("folder.so")], &["more/libz.a"]),
            (&[&at("include.so")], &[]),
            (&[&at("include.so"), &more], &["more/libz.a"]),
        ] {
            let line = line(words);
            let found = line.inputs.iter().skip(1);
            let found: Vec<_> = found.map(|input| input.path.to_str().unwrap()).collect();
            let behind: Vec<_> = behind.iter().map(|name| at(name)).collect();
            assert_eq!(found, behind, "{words:?}");
        }
        let line = line(&[&at("include.so"), &more]);
        assert_eq!(line.symbols.wanted, ["wanted"]);
        assert!(line.inputs[1].as_needed && !line.inputs[0].as_needed);
    }
}
