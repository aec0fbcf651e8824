//! `install`: the toolchain's own files in a prefix of the user's choice, usable from anywhere.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::{build, cargo, setup};

/// Builds the toolchain and puts it into `prefix`. The outside components stay where set-up put
/// them; the installed toolchain knows where that is.
pub fn run(prefix: &Path) -> Outcome {
    setup::ensure()?;
    cargo::build(&[])?;
    let prefix = absolute(prefix)?;
    build::lay_out(&prefix)?;
    eprintln!("installed: {}", prefix.display());
    Ok(())
}

fn absolute(prefix: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(prefix).map_err(|e| Failure::at(prefix, e))
}
