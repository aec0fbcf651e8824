//! Precompiled forms of `sycl/sycl.hpp` that the driver makes and keeps by itself
//! (`--persistent-auto-pch=DIR`, as DPC++'s run-time compiler calls it): most of what clang does for a
//! small program is to read that header.
//!
//! A plan does not speak of them. When clang is about to run, the text of its source and its words say
//! whether the header comes first, and what its precompiled form depends on; one that fits stands in for
//! the text. Where clang fails all the same, it runs again on the text, and what it says then is what the
//! user sees.

mod inputs;
mod preamble;
pub(super) mod words;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use components::process::Job;
use rustix::fs::{FlockOperation, flock};

use self::inputs::Inputs;
use self::words::Compile;
use super::dependency_list::DependencyList;
use crate::layout::Layout;
use crate::llvm::cache::{PREFIX, Policy, prune};

/// How much a folder may hold, in LLVM's words: some eighty precompiled headers, a week long.
const POLICY: &str = "prune_interval=1m:prune_after=168h:cache_size_bytes=2g";

/// The variable that names the folder where no option does.
pub const VARIABLE: &str = "PLUMBLINE_AUTO_PCH";

/// A folder of precompiled headers.
#[derive(Debug)]
pub(super) struct AutoPch {
    folder: PathBuf,
    /// The header itself.
    header: PathBuf,
    /// The folders of this toolchain's headers.
    own: [PathBuf; 2],
}

/// What becomes of one start of clang.
#[derive(Debug)]
pub(super) enum StandIn {
    /// The start that reads the precompiled form, and where that is.
    Precompiled(Box<Job>, PathBuf),
    /// The text has to be read, for this reason.
    Text(String),
}

impl AutoPch {
    /// The folder that the option names, or else the variable; none where both are silent.
    pub(super) fn of(option: Option<&Path>, layout: &Layout) -> Option<Self> {
        let named = || std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        let folder = option
            .map(PathBuf::from)
            .or_else(|| named().map(PathBuf::from))?;
        Some(AutoPch {
            folder,
            header: layout.include().join("sycl/sycl.hpp"),
            own: [layout.include(), layout.device_include()],
        })
    }

    /// What to run in place of `job`; none when that is no compilation of a SYCL source.
    pub(super) fn stand_in(&self, job: &Job) -> Option<StandIn> {
        let compile = match Compile::of(job, &self.own)? {
            Ok(compile) => compile,
            Err(reason) => return Some(StandIn::Text(reason)),
        };
        Some(match self.precompiled(&compile) {
            Ok(pch) => StandIn::Precompiled(Box::new(compile.with(&pch)), pch),
            Err(reason) => StandIn::Text(reason),
        })
    }

    /// Takes the header out of the list of what a compilation read, where the list has no system headers:
    /// clang takes what is precompiled for a file of the user's.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub(super) fn mend_list(&self, job: &Job) -> io::Result<()> {
        let Some(file) = words::list_of_user_files(job) else {
            return Ok(());
        };
        let text = fs::read(file)?;
        let mut list = DependencyList::read(&text);
        list.drop_files(std::slice::from_ref(&self.header));
        fs::write(file, list.text())
    }

    /// The precompiled header for a compilation, made where it is not there.
    fn precompiled(&self, compile: &Compile<'_>) -> Result<PathBuf, String> {
        let unread = |why: &dyn Display| format!("'{}': {why}", compile.source.display());
        let data = fs::metadata(&compile.source).map_err(|error| unread(&error))?;
        if !data.is_file() {
            // What is read of a pipe here is lost to clang.
            return Err(unread(&"not a regular file"));
        }
        let source = fs::read(&compile.source).map_err(|error| unread(&error))?;
        let included = preamble::before_sycl(&source)?;
        let name = format!("{PREFIX}{}", compile.key());
        let place = |end: &str| self.folder.join(format!("{name}.{end}"));
        let (pch, list) = (place("pch"), place("inputs"));
        let kept = || Inputs::read(&list).filter(|inputs| inputs.hold(&pch));
        let inputs = match kept() {
            Some(inputs) => inputs,
            None => {
                let wrong = |error: io::Error| {
                    format!("cannot write into '{}': {error}", self.folder.display())
                };
                fs::create_dir_all(&self.folder).map_err(wrong)?;
                let _alone = lock(&place("lock")).map_err(wrong)?;
                // Another process may have made it meanwhile.
                match kept() {
                    Some(inputs) => inputs,
                    None => self.make(compile, place)?,
                }
            }
        };
        if inputs.is_none() {
            return Err("it could not be precompiled".to_owned());
        }
        inputs.check_shadows(compile, &included)?;
        Ok(pch)
    }

    /// Has clang precompile the header, and notes what it read, or that it could not. What is new has names
    /// of the entry, so that what an interrupted making leaves is taken away in time.
    fn make(
        &self,
        compile: &Compile<'_>,
        place: impl Fn(&str) -> PathBuf,
    ) -> Result<Inputs, String> {
        let (new, read) = (place("new.pch"), place("new.d"));
        let start = SystemTime::now();
        let made = compile.precompile(&self.header, &new, &read).output(b"");
        let made = made.map_err(|error| error.to_string())?;
        // What clang has to say of the headers, it has to say at each compilation.
        let inputs = match made.status.success() && made.stderr.is_empty() {
            true => Inputs::of(&new, &read, &compile.folders(), start)
                .ok_or("a file that clang read has just been written")?,
            false => Inputs::of_none(&self.header).ok_or("the header is not there")?,
        };
        let _ = fs::remove_file(&read);
        let placed = match inputs.is_none() {
            true => Ok(()),
            false => fs::rename(&new, place("pch")),
        };
        placed
            .and_then(|()| inputs.write(&place("inputs"), &place("new.inputs")))
            .map_err(|error| format!("cannot write into '{}': {error}", self.folder.display()))?;
        if let Ok(policy) = POLICY.parse::<Policy>() {
            let _ = prune(&self.folder, &policy);
        }
        Ok(inputs)
    }
}

/// Keeps others from making the same header, as long as the file is open.
fn lock(path: &Path) -> io::Result<File> {
    // One that somebody else made may be no file of ours to write.
    let file = File::open(path).or_else(|_| File::create(path))?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

/// The words that have clang read a precompiled header.
fn reads(pch: &Path) -> [OsString; 2] {
    ["-include-pch".into(), pch.as_os_str().to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_one_that_llvm_reads() {
        assert!(POLICY.parse::<Policy>().is_ok());
    }
}
