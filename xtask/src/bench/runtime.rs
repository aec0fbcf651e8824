//! `bench runtime`: commands through the runtime on the CPU device, against plain OpenCL calls over the
//! same driver.

use std::path::Path;

use super::{Contest, Finding, Measured, own_measure};
use crate::failure::Failure;

/// The program in the fixtures.
const PROGRAM: &str = "launches";

/// Compiles the program, which measures both sides itself.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    own_measure::compile(folder, PROGRAM, &[])?;
    Ok(Vec::new())
}

/// The ratios that it finds.
pub fn findings(folder: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let job = own_measure::start(&folder.join(PROGRAM), "opencl:cpu");
    own_measure::findings(&job, |row| row.starts_with("in order").then_some(1.15))
}
