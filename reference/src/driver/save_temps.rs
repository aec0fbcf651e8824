//! `-save-temps`: where what steps make stays.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use components::process::Job;

use super::clang_plan::{HostCompile, replace_value};
use super::options::{Options, OptionsError};
use super::plan::{Action, Node};
use super::unit::Unit;

/// Where `-save-temps` puts what steps make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveTemps {
    /// In the current folder.
    Here,
    /// Beside the output.
    BesideOutput,
}

impl SaveTemps {
    /// `-save-temps`, with a value or without.
    pub(super) fn keep(
        options: &mut Options,
        _: Option<&str>,
        value: &str,
    ) -> Result<(), OptionsError> {
        options.save_temps = Some(SaveTemps::of(value));
        Ok(())
    }

    /// What the value after `-save-temps=` means; as with clang, all but `obj` is the current folder.
    fn of(value: &str) -> SaveTemps {
        match value {
            "obj" => SaveTemps::BesideOutput,
            _ => SaveTemps::Here,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            SaveTemps::Here => "-save-temps=cwd",
            SaveTemps::BesideOutput => "-save-temps=obj",
        }
    }

    /// The folder for what steps make; the current one has no name.
    pub(super) fn folder(self, output: Option<&Path>) -> PathBuf {
        match (self, output.and_then(Path::parent)) {
            (SaveTemps::BesideOutput, Some(folder)) => folder.to_owned(),
            _ => PathBuf::new(),
        }
    }
}

impl Unit<'_> {
    /// What `-save-temps` keeps of the host compilation.
    pub(super) fn kept_steps(&self, host: &HostCompile) -> impl Iterator<Item = Node> {
        let jobs = match self.shared.options.save_temps {
            Some(_) => host_jobs(host, |suffix| self.file(suffix)),
            None => Vec::new(),
        };
        let steps = jobs.into_iter();
        steps.map(|job| self.step(Action::Run(job), "keep of the host compile"))
    }
}

/// The compilation once more for each form on its way that clang keeps: preprocessed text, bitcode
/// before optimization, assembly. `file` names a file by its end.
fn host_jobs(host: &HostCompile, file: impl Fn(&str) -> PathBuf) -> Vec<Job> {
    let [job] = host.jobs.as_slice() else {
        return Vec::new();
    };
    let preprocessed = match host.language() {
        Some("c++") => ".ii",
        Some("c") => ".i",
        _ => return Vec::new(),
    };
    let Some(at) = job.args.iter().position(|word| word == "-emit-obj") else {
        return Vec::new();
    };
    let forms: [(&[&str], &str); 3] = [
        (&["-E"], preprocessed),
        (&["-emit-llvm-bc", "-disable-llvm-passes"], ".bc"),
        (&["-S"], ".s"),
    ];
    let jobs = forms.map(|(action, suffix)| {
        let mut args = job.args.clone();
        args.splice(at..=at, action.iter().map(OsString::from));
        replace_value(&mut args, "-o", file(suffix).as_os_str());
        // The compilation itself writes the list of dependencies.
        if let Some(at) = args.iter().position(|word| word == "-dependency-file") {
            args.drain(at..(at + 2).min(args.len()));
        }
        Job::new(&job.program).args(args)
    });
    jobs.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_says_where() {
        let kept = |line: &str| {
            let words: Vec<_> = line.split(' ').map(Into::into).collect();
            Options::parse(&words).unwrap().save_temps
        };
        assert_eq!(kept("-save-temps a.cpp"), Some(SaveTemps::Here));
        assert_eq!(kept("-save-temps=obj a.cpp"), Some(SaveTemps::BesideOutput));
        let twice = "--save-temps=obj --save-temps=cwd a.cpp";
        assert_eq!(kept(twice), Some(SaveTemps::Here));
        assert_eq!(kept("a.cpp"), None);
    }

    #[test]
    fn beside_an_output_is_its_folder() {
        let output = Some(Path::new("out/x"));
        assert_eq!(SaveTemps::BesideOutput.folder(output), Path::new("out"));
        assert_eq!(SaveTemps::BesideOutput.folder(None), Path::new(""));
        assert_eq!(SaveTemps::Here.folder(output), Path::new(""));
    }
}
