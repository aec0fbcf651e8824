//! What a link says and keeps: the commands and stages on standard error, the results of stages
//! beside the output.

use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::device_input::DeviceInput;

use crate::link::inputs::group::LinkGroup;
use crate::link::line::linker_line::LinkerLine;
use crate::link::{LinkError, WrapperOptions};
use crate::tool::{self, Failure, check_output, say, write_whole};

/// What to print and keep.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Print commands as they start.
    pub verbose: bool,
    /// Where results of stages are kept: the beginning of their names.
    pub temps: Option<PathBuf>,
    /// The folder that SPIR-V modules are written into besides.
    pub dump: Option<PathBuf>,
}

impl Trace {
    /// What `options` ask to print, and to keep beside the output of `line`.
    #[must_use]
    pub fn of(options: &WrapperOptions, line: &LinkerLine) -> Self {
        Trace {
            verbose: options.verbose,
            temps: options.stages.save_temps.then(|| line.output.clone()),
            dump: options.sycl_dump_device_code.clone(),
        }
    }

    /// Whether results of stages are to be seen in files.
    #[must_use]
    pub fn keeps_files(&self) -> bool {
        self.temps.is_some() || self.dump.is_some()
    }

    /// Prints a command or a stage that runs in this process, as the tool that does the same.
    pub fn job(&self, job: &Job) {
        if self.verbose {
            say(&format!("{job}\n"));
        }
    }

    /// Says what a stage that runs in this process does.
    pub fn stage(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            say(&format!("{}\n", text()));
        }
    }

    /// Says which device code was found, and for which targets.
    pub fn found(&self, groups: &[LinkGroup]) {
        for group in groups {
            let lists = [
                (&group.bitcode, "bitcode"),
                (&group.spirv, "SPIR-V"),
                (&group.native, "a finished image"),
                (&group.lazy, "bitcode, as far as it is needed"),
                (&group.lazy_spirv, "SPIR-V, as far as it is needed"),
            ];
            for (inputs, what) in lists {
                for input in inputs {
                    self.stage(|| format!("{}: {what} for {}", input.origin, group.target));
                }
            }
        }
    }

    /// Says which device code of archives has no part in the link.
    pub fn left_out(&self, inputs: &[DeviceInput]) {
        for input in inputs {
            let (origin, kind) = (&input.origin, input.kind.name());
            let target = [kind, &input.triple, &input.arch];
            let target: Vec<_> = target.into_iter().filter(|part| !part.is_empty()).collect();
            let target = target.join(" ");
            self.stage(|| {
                format!("{origin}: left out, as nothing is linked for its target: {target}")
            });
        }
    }

    /// Keeps a result under the output's name and `suffix`, when results are kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, suffix: &str, bytes: &[u8]) -> Result<(), LinkError> {
        match &self.temps {
            Some(prefix) => write(&with_suffix(prefix, suffix), bytes),
            None => Ok(()),
        }
    }
}

impl Trace {
    /// Writes a SPIR-V module into the folder for them, when there is one.
    ///
    /// # Errors
    /// When the folder cannot be made or the module cannot be written.
    pub fn dump(&self, name: &str, spirv: &[u8]) -> Result<(), LinkError> {
        let Some(folder) = &self.dump else {
            return Ok(());
        };
        std::fs::create_dir_all(folder).map_err(|error| {
            LinkError::Write(format!(
                "cannot make the folder '{}': {error}",
                folder.display()
            ))
        })?;
        write(&folder.join(format!("{name}.spv")), spirv)
    }
}

/// A path with `suffix` added to its last part.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// Writes a whole file.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), LinkError> {
    write_whole(path, bytes).map_err(|failure| unwritten(path, failure))
}

/// Gives a file the contents of a complete one.
///
/// # Errors
/// When it cannot be written.
pub fn write_over(path: &Path, whole: &mut std::fs::File) -> Result<(), LinkError> {
    tool::write_over(path, whole).map_err(|failure| unwritten(path, failure))
}

/// Prints a job that is not run.
///
/// # Errors
/// When standard output takes no more.
pub fn print(job: &Job) -> Result<(), LinkError> {
    write(Path::new("-"), format!("{job}\n").as_bytes())
}

/// Says whether an output can be written, before the work.
///
/// # Errors
/// When it cannot be.
pub fn check(path: &Path) -> Result<(), LinkError> {
    check_output(path).map_err(|failure| unwritten(path, failure))
}

fn unwritten(path: &Path, failure: Failure) -> LinkError {
    match failure {
        Failure::Job(reason) | Failure::Usage(reason) => LinkError::Write(reason),
        Failure::Reported => LinkError::Write(format!("cannot write '{}'", path.display())),
    }
}
