//! What `-E` tells of the device's half behind the host's text, which is all that a compiler can read back:
//! programs that keep results of compilations (ccache, sccache) take that text for everything that a
//! compilation depends on, and would give back objects whose device code is no longer the source's.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::targets::Target;
use sha2::{Digest as _, Sha256};

use super::clang_plan::{ClangPlan, HostCompile, replace_value};
use super::options::Options;
use super::plan::{Action, Node};
use super::stages::read;
use super::unit::{Shared, Unit, stems};
use crate::tool::{Failure, write_whole};

/// The texts that the device compilations of a command line read, and where what is told of them goes.
#[derive(Debug, Clone)]
pub struct DeviceTexts {
    /// The texts, a file for each source and target.
    pub texts: Vec<PathBuf>,
    /// Whether the files that they come from are named, in the form of the preprocessor's own marks of lines.
    pub names_files: bool,
    /// What gets it at its end; `-` is standard output.
    pub output: PathBuf,
}

/// Picks the files out of a text's marks of lines: `# 12 "file" 1`.
const MARKS: &str = r#"sed -n 's|^# [0-9]* "\([^<].*\)".*|# 1 "\1"|p' "$@" | LC_ALL=C sort -u"#;

impl DeviceTexts {
    /// Commands that do the same.
    pub(super) fn job(&self) -> Job {
        let mut script = format!(r#"cat "$@" | sha256sum | sed 's|\([0-9a-f]*\).*|{HASH}\1|'"#);
        if self.names_files {
            script.push_str("; ");
            script.push_str(MARKS);
        }
        let mut values = Vec::new();
        if self.output.as_os_str() != "-" {
            script = format!(r#"to=$1; shift; {{ {script}; }} >> "$to""#);
            values.push(self.output.clone().into_os_string());
        }
        Job::new("sh")
            .args(["-c", &script, "sh"])
            .args(values)
            .args(&self.texts)
    }

    /// Writes it.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut hash = Sha256::new();
        let mut files = BTreeSet::new();
        for path in &self.texts {
            let text = read(path)?;
            hash.update(&*text);
            let lines = text.split(|byte| *byte == b'\n');
            files.extend(lines.filter_map(|line| file_of_mark(line).map(<[u8]>::to_vec)));
        }
        let hash = hash.finalize();
        let mut told = HASH.as_bytes().to_vec();
        hash.iter()
            .for_each(|byte| told.extend(format!("{byte:02x}").bytes()));
        told.push(b'\n');
        for file in files.iter().filter(|_| self.names_files) {
            told.extend(b"# 1 \"");
            told.extend(file);
            told.extend(b"\"\n");
        }
        if self.output.as_os_str() == "-" {
            return write_whole(&self.output, &told);
        }
        // clang has just written it whole; the end of it is this command's too.
        let opened = OpenOptions::new().append(true).open(&self.output);
        let written = opened.and_then(|mut file| file.write_all(&told));
        let wrong =
            |error| Failure::Job(format!("cannot write '{}': {error}", self.output.display()));
        written.map_err(wrong)
    }
}

/// What the line with the texts' hash begins with.
const HASH: &str = "// device text: SHA-256 ";

/// The file in a mark of a line, in its quotes' form; none in other lines, and for what is no file.
fn file_of_mark(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"# ")?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let quoted = rest.get(digits..)?.strip_prefix(b" \"")?;
    let end = quoted.iter().rposition(|byte| *byte == b'"')?;
    quoted.get(..end).filter(|name| !name.starts_with(b"<"))
}

/// The steps that tell of the device texts of a command line; none where the host's text is asked for
/// alone, and where what is asked for is no text of the sources.
pub(super) fn steps(shared: &Shared<'_>, host: ClangPlan) -> Option<Node> {
    let options = shared.options;
    let sources: Vec<PathBuf> = host.compiles.iter().map(HostCompile::source).collect();
    let stems = stems(sources.iter().map(PathBuf::as_path));
    let mut texts = Vec::new();
    let mut steps = Vec::new();
    let sources = host.compiles.into_iter().zip(stems).enumerate();
    for (index, (compile, stem)) in sources {
        if compile.language() != Some("c++") || compile.source() == Path::new("-") {
            continue;
        }
        let unit = Unit::new(shared, index, format!("{}{stem}", shared.prefix), compile);
        for target in &shared.targets.compiled {
            let (job, text) = unit.device_text(target);
            steps.push(unit.step(Action::Run(job), "device preprocess"));
            texts.push(text);
        }
    }
    let told = DeviceTexts {
        names_files: !has(options, "-P"),
        output: options
            .output
            .as_ref()
            .map_or("-".into(), |output| options.placed(output)),
        texts,
    };
    let is_asked_for = !told.texts.is_empty() && !has(options, "-dM");
    is_asked_for.then(|| {
        Node::Sequence(vec![
            Node::Together(steps),
            Node::step(Action::DeviceTexts(told), "device texts", usize::MAX),
        ])
    })
}

fn has(options: &Options, word: &str) -> bool {
    options.clang.iter().any(|given| given == word)
}

impl Unit<'_> {
    /// The preprocessing of a target's device text, and where it writes it.
    fn device_text(&self, target: &Target) -> (Job, PathBuf) {
        let text = self.file(&format!("-sycl-{}.ii", target.name));
        let mut job = self.device_job_instead(target, "-E");
        replace_value(&mut job.args, "-o", text.as_os_str());
        // The host's preprocessing has warned of the same text.
        job.args.insert(1, "-w".into());
        (job, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_marks_of_lines() {
        let of = |line: &str| {
            file_of_mark(line.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned())
        };
        assert_eq!(
            of("# 12 \"a \\\"b\\\".h\" 1 3"),
            Some("a \\\"b\\\".h".to_owned())
        );
        assert_eq!(of("# 1 \"<built-in>\" 1"), None);
        for other in [
            "",
            "# ",
            "# 12",
            "# 1 \"",
            "# 1 \"a",
            "#pragma once \"a\"",
            "int a; // # 1 \"b\"",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
