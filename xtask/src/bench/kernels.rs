//! `bench kernels`: what kernels take on an NVIDIA GPU, against the same text compiled as CUDA by NVRTC.
//!
//! `PLUMBLINE_NVRTC` names NVRTC's library (PyPI's `nvidia-cuda-nvrtc-cu12` has one); no toolkit is
//! needed. Where no GPU is, the results are checked on the CPU, and the bench's folder has all that a
//! machine with one needs: the driver's library there is enough.

use std::path::{Path, PathBuf};

use components::Component;

use super::{Contest, Finding, Measured, own_measure};
use crate::failure::Failure;
use crate::{places, setup};

/// The program in the fixtures.
const PROGRAM: &str = "kernels";
/// CUDA's side, compiled.
const PEER: &str = "peer.ptx";
/// The variable that names NVRTC's library.
const NVRTC: &str = "PLUMBLINE_NVRTC";
/// The architecture that both sides are compiled for, as either spells it.
const ARCHITECTURE: (&str, &str) = ("nvidia_gpu_sm_90", "compute_90");

/// Compiles both sides.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let targets = format!("-fsycl-targets=spir64,{}", ARCHITECTURE.0);
    let program = own_measure::compile(folder, PROGRAM, &[&targets])?;
    let Some(nvrtc) = std::env::var_os(NVRTC).map(PathBuf::from) else {
        println!("  no CUDA side: {NVRTC} names no library");
        return Ok(Vec::new());
    };
    let beside = nvrtc.parent().unwrap_or(Path::new("."));
    let library_path = std::env::join_paths([folder, beside]).map_err(Failure::new)?;
    let compile = own_measure::start(&program, "opencl:cpu")
        .env("LD_LIBRARY_PATH", library_path)
        .arg("--nvrtc")
        .arg(&nvrtc)
        .arg(places::root().join("fixtures/bench/kernels.cu"))
        .arg(folder.join(PEER))
        .arg(ARCHITECTURE.1);
    compile.run().map_err(Failure::new)?;
    Ok(Vec::new())
}

/// The ratios on a GPU; without one, that all results are right on the CPU.
pub fn findings(folder: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let program = folder.join(PROGRAM);
    let peer = folder.join(PEER);
    if setup::require(Component::NvidiaDriver).is_err() || !peer.is_file() {
        println!(
            "  no GPU or no CUDA side here; to measure, on a machine with both: \
             cd {}; LD_LIBRARY_PATH=. PLUMBLINE_DEVICE=cuda:0 ./{PROGRAM} {PEER}",
            folder.display()
        );
        let small = own_measure::start(&program, "opencl:cpu").arg("--small");
        own_measure::findings(&small, |_| None)?;
        return Ok(Vec::new());
    }
    let job = own_measure::start(&program, "cuda:0").arg(&peer);
    own_measure::findings(&job, |_| Some(1.1))
}
