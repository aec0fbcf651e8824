//! `bench cuda`: commands through the runtime on an NVIDIA GPU, against the driver's own calls.

use std::path::Path;

use components::Component;

use super::{Contest, Finding, Measured, own_measure};
use crate::failure::Failure;
use crate::setup;

/// The program in the fixtures.
const PROGRAM: &str = "cuda-launches";

/// Compiles the program, which measures both sides itself.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    own_measure::compile(folder, PROGRAM, &["-fsycl-targets=nvidia_gpu_sm_90"])?;
    Ok(Vec::new())
}

/// The ratios on a GPU; without one nothing is measured.
pub fn findings(folder: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    if setup::require(Component::NvidiaDriver).is_err() {
        println!(
            "  no GPU here; to measure, on a machine with one: \
             cd {}; LD_LIBRARY_PATH=. PLUMBLINE_DEVICE=cuda:0 ./{PROGRAM}",
            folder.display()
        );
        return Ok(Vec::new());
    }
    let job = own_measure::start(&folder.join(PROGRAM), "cuda:0");
    own_measure::findings(&job, "the driver", |_| Some(1.1))
}
