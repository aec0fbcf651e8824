//! What clang itself would do with the host half of the command line: its `-###` answer, read back
//! into jobs. The driver takes include folders, target features and the whole host link from it, so
//! that nothing of clang's knowledge of the machine is written down a second time.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use components::process::{Job, JobError};

/// clang's plan, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClangPlan {
    /// The compilations, each a chain of jobs from a source to its last output.
    pub compiles: Vec<HostCompile>,
    /// The host link, or whatever else combines the outputs at the end.
    pub link: Option<Job>,
    /// The triple that clang compiles and links for.
    pub target: String,
    /// Warnings that clang gave about the command line.
    pub notes: String,
}

/// The jobs that take one input to one output: usually a single `-cc1`; more with
/// `-save-temps` or an outside assembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCompile {
    /// The jobs, each reading what the former one wrote.
    pub jobs: Vec<Job>,
    /// The source is the driver's copy of standard input.
    pub spooled: bool,
    /// The first job's words as device compilations follow them, where they differ.
    pub device: Option<Vec<OsString>>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum ClangPlanError {
    /// clang refused the command line; the text is what it said.
    #[error("{0}")]
    Refused(String),
    /// clang could not be started.
    #[error(transparent)]
    Start(JobError),
}

impl ClangPlan {
    /// Asks `clang` what it would do with `words`.
    ///
    /// # Errors
    /// When clang does not start, or refuses the words.
    pub fn ask(clang: &Path, words: &[OsString]) -> Result<ClangPlan, ClangPlanError> {
        let job = Job::new(clang).arg("-###").args(words.iter().cloned());
        let output = job.output(b"").map_err(ClangPlanError::Start)?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let said = text.lines().filter(|line| is_diagnostic(line));
            let said: Vec<&str> = said.collect();
            return Err(ClangPlanError::Refused(said.join("\n")));
        }
        Ok(ClangPlan::read(&text))
    }

    /// Reads what `clang -###` wrote.
    #[must_use]
    pub fn read(text: &str) -> ClangPlan {
        let mut plan = ClangPlan::default();
        let mut rest = text;
        while let Some(end) = rest.find('\n') {
            let (mut line, mut after) = rest.split_at(end);
            if line.starts_with(" \"") {
                // Names may have line ends in them.
                (line, after) = rest.split_at(end_of_words(rest));
            }
            rest = after.strip_prefix('\n').unwrap_or(after);
            if line.starts_with(" \"") {
                plan.add(job_of(line));
            } else if let Some(triple) = line.strip_prefix("Target: ") {
                plan.target = triple.trim().to_owned();
            } else if is_diagnostic(line) {
                plan.notes.push_str(line);
                plan.notes.push('\n');
            }
        }
        plan
    }

    fn add(&mut self, job: Job) {
        if !is_one_to_one(&job) {
            self.link = Some(job);
            return;
        }
        let input = job.args.last().cloned();
        let continued = self.compiles.iter_mut().find(|compile| {
            let made = compile.output();
            made.is_some() && made == input.as_deref()
        });
        match continued {
            Some(compile) => compile.jobs.push(job),
            None => self.compiles.push(HostCompile {
                jobs: vec![job],
                spooled: false,
                device: None,
            }),
        }
    }
}

impl HostCompile {
    /// The first job's words.
    #[must_use]
    pub fn first_words(&self) -> &[OsString] {
        self.jobs.first().map_or(&[], |job| &job.args)
    }

    /// The first job's words as device compilations follow them.
    #[must_use]
    pub fn device_words(&self) -> Vec<OsString> {
        let own = self.first_words();
        let mut words = self.device.as_deref().unwrap_or(own).to_vec();
        // The source may have been put elsewhere since.
        if let (Some(word), Some(source)) = (words.last_mut(), own.last()) {
            word.clone_from(source);
        }
        words
    }

    /// The file that the chain starts from.
    #[must_use]
    pub fn source(&self) -> PathBuf {
        self.first_words()
            .last()
            .map(PathBuf::from)
            .unwrap_or_default()
    }

    /// The language of the source, as `-x` names it.
    #[must_use]
    pub fn language(&self) -> Option<&str> {
        value_of(self.first_words(), "-x").and_then(OsStr::to_str)
    }

    /// What the last job writes.
    #[must_use]
    pub fn output(&self) -> Option<&OsStr> {
        value_of(&self.jobs.last()?.args, "-o")
    }

    /// Makes the last job write to `path`.
    pub fn set_output(&mut self, path: &Path) {
        if let Some(job) = self.jobs.last_mut() {
            replace_value(&mut job.args, "-o", path.as_os_str());
        }
    }

    /// Puts `words` in front of the first job's input.
    pub fn insert(&mut self, words: impl IntoIterator<Item = OsString>) {
        if let Some(job) = self.jobs.first_mut() {
            insert_before_input(&mut job.args, words);
        }
    }
}

/// The value of a separate option: the word after its last occurrence.
#[must_use]
pub fn value_of<'w>(words: &'w [OsString], name: &str) -> Option<&'w OsStr> {
    let at = words.iter().rposition(|word| word == name)?;
    words.get(at + 1).map(OsString::as_os_str)
}

/// Replaces the value of every occurrence of a separate option.
pub fn replace_value(words: &mut [OsString], name: &str, value: &OsStr) {
    let mut is_value = false;
    for word in words {
        if is_value {
            *word = value.to_owned();
        }
        is_value = word == name;
    }
}

/// Puts words in front of `-x LANGUAGE INPUT` at the end of a `-cc1` line.
fn insert_before_input(args: &mut Vec<OsString>, words: impl IntoIterator<Item = OsString>) {
    let at = args
        .iter()
        .rposition(|word| word == "-x")
        .unwrap_or(args.len().saturating_sub(1));
    args.splice(at..at, words);
}

/// Whether a job takes one file to another: clang's own modes, or an outside assembler.
fn is_one_to_one(job: &Job) -> bool {
    let mode = job.args.first();
    mode.is_some_and(|word| word == "-cc1" || word == "-cc1as")
        || job.program.file_name().is_some_and(|name| name == "as")
}

fn is_diagnostic(line: &str) -> bool {
    line.contains("error: ") || line.contains("warning: ") || line.contains("note: ")
}

/// Where the line of quoted words at the beginning of `text` ends.
fn end_of_words(text: &str) -> usize {
    let mut quoted = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                chars.next();
            }
            '\n' if !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// A job from a line in which every word is quoted, with backslashes before quotes, backslashes
/// and dollars.
fn job_of(line: &str) -> Job {
    let mut words = Vec::new();
    let mut word = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (&mut word, c) {
            (None, '"') => word = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => words.extend(word.take().map(OsString::from)),
            (Some(text), '\\') => text.extend(chars.next()),
            (Some(text), c) => text.push(c),
        }
    }
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    Job::new(PathBuf::from(program)).args(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"clang version 19
clang: warning: argument unused during compilation: '-foo' [-Wunused-command-line-argument]
 "/l/clang" "-cc1" "-E" "-o" "a.ii" "-DX=\"a b\"" "-x" "c++" "dir/a.cpp"
 "/l/clang" "-cc1" "-emit-obj" "-o" "/tmp/a.o" "-x" "c++-cpp-output" "a.ii"
 (in-process)
 "/l/clang" "-cc1" "-emit-obj" "-o" "/tmp/b.o" "-x" "c" "b.c"
 "/usr/bin/ld" "-o" "out" "/tmp/a.o" "/tmp/b.o" "-lm"
"#;

    #[test]
    fn jobs_chain_by_what_they_read() {
        let plan = ClangPlan::read(ANSWER);
        assert_eq!(plan.compiles.len(), 2);
        let [a, b] = plan.compiles.as_slice() else {
            panic!("two compilations");
        };
        assert_eq!(a.jobs.len(), 2);
        assert_eq!(a.source(), Path::new("dir/a.cpp"));
        assert_eq!(a.output(), Some(OsStr::new("/tmp/a.o")));
        assert_eq!(a.first_words()[4], "-DX=\"a b\"");
        assert_eq!((a.language(), b.language()), (Some("c++"), Some("c")));
        assert!(plan.notes.contains("argument unused"));
        let link = plan.link.unwrap();
        assert_eq!(link.program, Path::new("/usr/bin/ld"));
        assert_eq!(link.args.last().unwrap(), "-lm");
    }

    #[test]
    fn names_may_have_line_ends() {
        let plan = ClangPlan::read(
            " \"/l/clang\" \"-cc1\" \"-x\" \"c++\" \"a\nb\\\"c.cpp\"\n \"ld\" \"x.o\"\n",
        );
        assert_eq!(plan.compiles[0].source(), Path::new("a\nb\"c.cpp"));
        assert!(plan.link.is_some());
    }

    #[test]
    fn a_chain_takes_words_at_its_start_and_its_output_at_its_end() {
        let mut compile = ClangPlan::read(ANSWER).compiles.swap_remove(0);
        compile.insert(["-include".into(), "h.h".into()]);
        compile.set_output(Path::new("/t/x.o"));
        let words = compile.first_words();
        assert_eq!(
            words[words.len() - 5..],
            ["-include", "h.h", "-x", "c++", "dir/a.cpp"]
        );
        assert_eq!(value_of(words, "-o"), Some(OsStr::new("a.ii")));
        assert_eq!(compile.output(), Some(OsStr::new("/t/x.o")));
    }
}
