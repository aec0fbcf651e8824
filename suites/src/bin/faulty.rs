//! Stands in the place of one tool of a faulty tree (`suites::fault::tree`): applies the tree's fault
//! to command line, inputs, outputs and streams, and has the sound tool do the rest. With the fault
//! switched off it does nothing of its own.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use components::process::{Job, Output};
use suites::fault::files::FileEdit;
use suites::fault::tree::Plan;
use suites::fault::{Edits, Substitution, substituted};

fn main() -> ExitCode {
    let program = std::env::current_exe().unwrap_or_default();
    let root = program.parent().and_then(Path::parent).unwrap_or(&program);
    run(root).unwrap_or_else(|reason| {
        eprintln!("faulty: error: {reason}");
        // The run of the faults reads the note; nobody else has to.
        let _ = Plan::note_break(root, &reason);
        ExitCode::FAILURE
    })
}

fn run(root: &Path) -> Result<ExitCode, String> {
    let (plan, on) = Plan::read(root)?;
    let words = std::env::args_os().skip(1).map(|word| {
        let word = word.into_string();
        word.map_err(|word| format!("'{}' is no text", word.to_string_lossy()))
    });
    let words = words.collect::<Result<Vec<_>, _>>()?;
    let edits = &plan.fault.edits;
    let concerns = match &edits.when {
        Some(pattern) => pattern.anywhere()?.is_match(&words.join(" ")),
        None => true,
    };
    if !on || !concerns {
        let output = started(&plan, &words, &[])?;
        return ended(&output, output.stdout.clone(), output.stderr.clone());
    }
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut seat = Seat {
        root,
        plan: &plan,
        folder: scratch.path(),
        count: 0,
    };
    let edited = edits.words.apply(words.clone())?;
    seat.bites(edited != words, "words")?;
    let edited = seat.inputs(edited)?;
    let before = seat.outputs_of(&words);
    let hidden = edits.hides_variables.iter();
    let is_hidden = hidden
        .filter(|name| std::env::var_os(name).is_some())
        .count()
        > 0;
    seat.bites(is_hidden, "variables")?;
    let output = started(&plan, &edited, &edits.hides_variables)?;
    if output.status.success() {
        seat.edit_outputs(&words, &before)?;
    } else if edits.leaves_output {
        for file in named(&words) {
            std::fs::write(&file, "left behind").map_err(|e| e.to_string())?;
            seat.bites(true, "output left")?;
        }
    }
    let stdout = seat.stream(&output.stdout, &edits.stdout)?;
    let stderr = seat.stream(&output.stderr, &edits.stderr)?;
    if edits.hides_failures && output.status.code().is_some_and(|code| code != 0) {
        seat.bites(true, "failure hidden")?;
        return shown(&stdout, &stderr).map(|()| ExitCode::SUCCESS);
    }
    ended(&output, stdout, stderr)
}

/// Runs the sound tool with all of this process's variables but the hidden ones.
fn started(plan: &Plan, words: &[String], hidden: &[String]) -> Result<Output, String> {
    let mut stdin = Vec::new();
    if !std::io::stdin().is_terminal() {
        let read = std::io::stdin().read_to_end(&mut stdin);
        read.map_err(|e| format!("standard input: {e}"))?;
    }
    let mut job = Job::new(&plan.sound).args(words).clean_env();
    for (name, value) in std::env::vars_os() {
        if !hidden.iter().any(|hidden| name == **hidden) {
            job = job.env(name, value);
        }
    }
    job.output(&stdin).map_err(|e| e.to_string())
}

/// Shows what the tool wrote, and ends as it did.
fn ended(output: &Output, stdout: Vec<u8>, stderr: Vec<u8>) -> Result<ExitCode, String> {
    shown(&stdout, &stderr)?;
    let signal = output.status.signal().map(|signal| 128 + signal);
    let code = output.status.code().or(signal).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn shown(stdout: &[u8], stderr: &[u8]) -> Result<(), String> {
    let written = std::io::stdout().write_all(stdout);
    let written = written.and_then(|()| std::io::stderr().write_all(stderr));
    written.map_err(|e| e.to_string())
}

/// The files that `-o` names.
fn named(words: &[String]) -> Vec<PathBuf> {
    let pairs = words
        .windows(2)
        .filter(|pair| pair[0] == "-o" && pair[1] != "-");
    pairs.map(|pair| PathBuf::from(&pair[1])).collect()
}

/// What tells one state of a file from another.
type State = (u64, u64, i64, i64);

/// One start of a faulty tool.
struct Seat<'a> {
    root: &'a Path,
    plan: &'a Plan,
    folder: &'a Path,
    /// How many inputs were edited.
    count: usize,
}

impl Seat<'_> {
    fn edits(&self) -> &Edits {
        &self.plan.fault.edits
    }

    fn bites(&self, does: bool, what: &str) -> Result<(), String> {
        match does {
            true => Plan::note_bite(self.root, what),
            false => Ok(()),
        }
    }

    fn edited(&self, file: &Path, edit: &FileEdit) -> Result<Option<Vec<u8>>, String> {
        let fail = |e: String| format!("{}: {e}", file.display());
        let bytes = std::fs::read(file).map_err(|e| fail(e.to_string()))?;
        let edited = edit
            .apply(&bytes, &self.plan.tools, self.folder)
            .map_err(fail)?;
        Ok((edited != bytes).then_some(edited))
    }

    /// The words with edited copies in the place of the files that they name.
    fn inputs(&mut self, mut words: Vec<String>) -> Result<Vec<String>, String> {
        for edit in &self.plan.fault.edits.inputs {
            let pattern = edit.file.whole()?;
            for word in &mut words {
                let Some(found) = pattern.captures(word) else {
                    continue;
                };
                let Some(file) = found.get(1).or(found.get(0)) else {
                    continue;
                };
                if !Path::new(file.as_str()).is_file() {
                    continue;
                }
                if let Some(edited) = self.edited(Path::new(file.as_str()), edit)? {
                    let name = Path::new(file.as_str()).file_name().unwrap_or_default();
                    let folder = self.folder.join(self.count.to_string());
                    self.count += 1;
                    let copy = folder.join(name);
                    let written =
                        std::fs::create_dir(&folder).and_then(|()| std::fs::write(&copy, edited));
                    written.map_err(|e| format!("{}: {e}", copy.display()))?;
                    self.bites(true, file.as_str())?;
                    word.replace_range(file.range(), &copy.to_string_lossy());
                }
            }
        }
        Ok(words)
    }

    /// The files that the tool may write, and the state that each is in.
    fn outputs_of(&self, words: &[String]) -> BTreeMap<PathBuf, State> {
        if self.edits().outputs.is_empty() {
            return BTreeMap::new();
        }
        let beside = named(words).into_iter().filter_map(|file| {
            let folder = file.parent()?;
            Some(if folder.as_os_str().is_empty() {
                ".".into()
            } else {
                folder.to_owned()
            })
        });
        let folders = beside.chain([PathBuf::from(".")]);
        let folders = folders.filter_map(|folder| folder.canonicalize().ok());
        let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
        let files = entries.flatten().flatten().filter_map(|entry| {
            let state = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            let state = (state.ino(), state.size(), state.mtime(), state.mtime_nsec());
            Some((entry.path(), state))
        });
        files.collect()
    }

    fn edit_outputs(
        &self,
        words: &[String],
        before: &BTreeMap<PathBuf, State>,
    ) -> Result<(), String> {
        for (file, state) in self.outputs_of(words) {
            if before.get(&file) == Some(&state) {
                continue;
            }
            for edit in &self.edits().outputs {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                if !edit.file.whole()?.is_match(&name) {
                    continue;
                }
                if let Some(edited) = self.edited(&file, edit)? {
                    std::fs::write(&file, edited).map_err(|e| e.to_string())?;
                    self.bites(true, &name)?;
                }
            }
        }
        Ok(())
    }

    fn stream(&self, bytes: &[u8], changes: &[Substitution]) -> Result<Vec<u8>, String> {
        if changes.is_empty() {
            return Ok(bytes.to_owned());
        }
        let text = String::from_utf8_lossy(bytes);
        let edited = substituted(&text, changes)?;
        self.bites(edited != text, "stream")?;
        Ok(edited.into_bytes())
    }
}
