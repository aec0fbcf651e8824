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
mod words;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use components::process::Job;
use rustix::fs::{FlockOperation, flock};

use self::inputs::Inputs;
use self::words::Compile;
use crate::llvm::cache::{PREFIX, Policy, prune};

/// How much a folder may hold, in LLVM's words: some hundred precompiled headers, a week long.
const POLICY: &str = "prune_interval=10m:prune_after=168h:cache_size_bytes=4g";

/// The variable that names the folder where no option does.
pub const VARIABLE: &str = "PLUMBLINE_AUTO_PCH";

/// A folder of precompiled headers.
#[derive(Debug)]
pub(super) struct AutoPch {
    folder: PathBuf,
    /// The header itself, and the folder that it is included from.
    header: PathBuf,
    include: PathBuf,
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
    pub(super) fn of(option: Option<&Path>, include: &Path) -> Option<Self> {
        let named = || std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        let folder = option
            .map(PathBuf::from)
            .or_else(|| named().map(PathBuf::from))?;
        Some(AutoPch {
            folder,
            header: include.join("sycl/sycl.hpp"),
            include: include.to_owned(),
        })
    }

    /// What to run in place of `job`; none when that is no compilation of a SYCL source.
    pub(super) fn stand_in(&self, job: &Job) -> Option<StandIn> {
        let compile = match Compile::of(job, &self.include)? {
            Ok(compile) => compile,
            Err(reason) => return Some(StandIn::Text(reason)),
        };
        Some(match self.precompiled(&compile) {
            Ok(pch) => StandIn::Precompiled(Box::new(compile.with(&pch)), pch),
            Err(reason) => StandIn::Text(reason),
        })
    }

    /// The precompiled header for a compilation, made where it is not there.
    fn precompiled(&self, compile: &Compile<'_>) -> Result<PathBuf, String> {
        let source = fs::read(&compile.source)
            .map_err(|error| format!("'{}': {error}", compile.source.display()))?;
        let included = preamble::before_sycl(&source)?;
        let name = format!("{PREFIX}{}", compile.key());
        let pch = self.folder.join(format!("{name}.pch"));
        let list = self.folder.join(format!("{name}.inputs"));
        if let Some(inputs) = Inputs::read(&list).filter(|inputs| inputs.hold(&pch)) {
            inputs.check_shadows(compile, &included)?;
            return Ok(pch);
        }
        let wrong = |error: std::io::Error| {
            format!("cannot write into '{}': {error}", self.folder.display())
        };
        fs::create_dir_all(&self.folder).map_err(wrong)?;
        let lock = File::create(self.folder.join(format!("{name}.lock"))).map_err(wrong)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| wrong(error.into()))?;
        // Another process may have made it meanwhile.
        let inputs = match Inputs::read(&list).filter(|inputs| inputs.hold(&pch)) {
            Some(inputs) => inputs,
            None => self.make(compile, &pch, &list)?,
        };
        inputs.check_shadows(compile, &included)?;
        Ok(pch)
    }

    /// Has clang precompile the header, and notes what it read.
    fn make(&self, compile: &Compile<'_>, pch: &Path, list: &Path) -> Result<Inputs, String> {
        let scratch = tempfile::tempdir_in(&self.folder).map_err(|error| error.to_string())?;
        let (output, read) = (scratch.path().join("new.pch"), scratch.path().join("new.d"));
        let job = compile.precompile(&self.header, &output, &read);
        job.capture(b"")
            .map_err(|error| format!("it cannot be precompiled: {error}"))?;
        let inputs = Inputs::of(&output, &read)
            .ok_or("clang did not say which files it read, or one of them is just being written")?;
        let placed = fs::rename(&output, pch);
        let written = placed.and_then(|()| inputs.write(list, scratch.path()));
        written.map_err(|error| format!("cannot write '{}': {error}", pch.display()))?;
        if let Ok(policy) = POLICY.parse::<Policy>() {
            let _ = prune(&self.folder, &policy);
        }
        Ok(inputs)
    }
}

/// The words that have clang read a precompiled header.
fn reads(pch: &Path) -> [OsString; 2] {
    ["-include-pch".into(), pch.as_os_str().to_owned()]
}
