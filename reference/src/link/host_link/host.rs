//! The host link: the line that came in, with the wrapper's object in it. The output gets its
//! name, or its new contents, when it is complete.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use components::process::{Job, JobError};

use crate::link::LinkError;
use crate::link::host_link::dependency_list;
use crate::link::line::linker_line::LinkerLine;
use crate::link::trace::{self, Trace};
use crate::temporary::Temporary;
use crate::tool::{can_be_renamed, can_only_be_written_over, is_link_to_file};

/// The host linker and its line.
pub struct HostLink<'a> {
    /// The linker, or a compiler driver that links.
    pub program: &'a Path,
    /// Its line.
    pub line: &'a LinkerLine,
    /// Which word the object goes in before; at the end when `None`.
    pub before: Option<usize>,
    /// Which pieces of the line are not for it: inputs that are nothing but device code.
    pub left_out: Vec<usize>,
}

impl HostLink<'_> {
    /// The start of the linker with `object` in its line, writing `output`.
    #[must_use]
    pub fn job(&self, object: Option<&Path>, output: &Path) -> Job {
        let at = self.before.unwrap_or(self.line.words.len());
        let object_at = object.map(|object| (object, at));
        let mut words = self.line.with(object_at, output, &self.left_out);
        if let Some(object) = object.filter(|_| at >= self.line.words.len()) {
            words.push(OsString::from(object));
        }
        Job::new(self.program).args(words)
    }

    /// Links. Nothing appears under the output's name unless the linker succeeds.
    ///
    /// # Errors
    /// When the linker cannot be started or fails, or the output cannot be put in place.
    pub fn run(&self, object: Option<&Path>, trace: &Trace) -> Result<(), LinkError> {
        let output = &self.line.output;
        if !can_be_renamed(output) && !is_link_to_file(output) {
            return self.start(object, output, trace);
        }
        if can_only_be_written_over(output) {
            return self.run_elsewhere(object, trace);
        }
        let beside = beside(output);
        self.start(object, beside.path(), trace)?;
        std::fs::rename(beside.path(), output)
            .map_err(|e| LinkError::Write(format!("cannot write '{}': {e}", output.display())))
    }

    /// Links in a folder of its own, for an output that nothing can be renamed to.
    fn run_elsewhere(&self, object: Option<&Path>, trace: &Trace) -> Result<(), LinkError> {
        let output = &self.line.output;
        let fail = |e| LinkError::Write(format!("cannot write '{}': {e}", output.display()));
        let folder = Temporary::folder("plumbline-link-").map_err(fail)?;
        let made = folder.path().join(output.file_name().unwrap_or_default());
        self.start(object, &made, trace)?;
        let mut whole = std::fs::File::open(&made).map_err(fail)?;
        let permissions = whole.metadata().map_err(fail)?.permissions();
        trace::write_over(output, &mut whole)?;
        // As linkers do, for a file that was no program before; another's keeps what it has.
        let _ = std::fs::set_permissions(output, permissions);
        Ok(())
    }

    fn start(&self, object: Option<&Path>, output: &Path, trace: &Trace) -> Result<(), LinkError> {
        let job = self.job(object, output);
        trace.job(&job);
        match job.run() {
            Ok(()) => self.mend_dependencies(object, output),
            // The linker has said why on the same standard error, unless it was ended.
            Err(JobError::Failed { status, .. }) if status.code().is_some() => {
                Err(LinkError::HostLink)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes out of the linker's list of dependencies what nobody else knows of.
    fn mend_dependencies(&self, object: Option<&Path>, grown: &Path) -> Result<(), LinkError> {
        let Some(path) = self.line.dependency_list.as_deref().filter(|p| p.is_file()) else {
            return Ok(());
        };
        let list = std::fs::read(path).map_err(|reason| LinkError::Read {
            path: path.to_owned(),
            reason,
        })?;
        // Names that are no text stay as they are.
        let Ok(list) = String::from_utf8(list) else {
            return Ok(());
        };
        let mended = dependency_list::mended(&list, grown, &self.line.output, object);
        trace::write(path, mended.as_bytes())
    }
}

/// The longest name of a file.
const LONGEST_NAME: usize = 255;

/// A place beside the output; what is left there when it goes away is removed.
fn beside(output: &Path) -> Temporary {
    let mut name = OsString::from(".plumbline-link-");
    name.push(std::process::id().to_string());
    name.push("-");
    // The linker's messages tell the user by this name too, as far as there is room for it.
    let own = output.file_name().unwrap_or_default().as_bytes();
    let room = LONGEST_NAME.saturating_sub(name.len());
    name.push(OsStr::from_bytes(&own[..own.len().min(room)]));
    Temporary::at(output.with_file_name(name))
}
