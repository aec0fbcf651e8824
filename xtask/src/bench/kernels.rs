//! `bench kernels`: what kernels take, the same text compiled by others: on the CPU by DPC++ through its
//! run-time compiler, on an NVIDIA GPU as CUDA by NVRTC.
//!
//! Whatever of it there is here is measured, and the rest is skipped with the reason. `PLUMBLINE_NVRTC`
//! names NVRTC's library (PyPI's `nvidia-cuda-nvrtc-cu12` has one); no toolkit is needed. Where it is named
//! and no GPU is, the bench's folder has all that a machine with one needs: the driver's library there is
//! enough.

use std::path::{Path, PathBuf};
use std::time::Duration;

use components::Component;

use super::dpcpp::DpcPp;
use super::turns::{self, Settings, Side};
use super::{Contest, Finding, Measured, own_measure};
use crate::failure::Failure;
use crate::{places, setup};

/// The program in the fixtures.
const PROGRAM: &str = "kernels";
/// CUDA's side, compiled.
const PTX: &str = "peer.ptx";
/// The variable that names NVRTC's library.
const NVRTC: &str = "PLUMBLINE_NVRTC";
/// The architecture that both sides are compiled for, as either spells it.
const ARCHITECTURE: (&str, &str) = ("nvidia_gpu_sm_90", "compute_90");
/// What DPC++ promises its compiler of every program, and CUDA's language has.
const IDS_FIT_IN_INT: &str = "-fsycl-id-queries-fit-in-int";
/// The most that a kernel should take of what its peer does.
const AT_MOST: f64 = 1.1;

/// Compiles what there is of both sides.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let nvrtc = std::env::var_os(NVRTC).map(PathBuf::from);
    let targets = match nvrtc {
        Some(_) => format!("-fsycl-targets=spir64,{}", ARCHITECTURE.0),
        None => "-fsycl-targets=spir64".to_owned(),
    };
    let program = own_measure::compile(folder, PROGRAM, &[&targets, IDS_FIT_IN_INT])?;
    if let Ok(dpcpp) = DpcPp::here() {
        dpcpp.compile(&of_dpcpp(folder), PROGRAM)?;
    }
    let Some(nvrtc) = nvrtc else {
        return Ok(Vec::new());
    };
    let beside = nvrtc.parent().unwrap_or(Path::new("."));
    let library_path = std::env::join_paths([folder, beside]).map_err(Failure::new)?;
    let compile = own_measure::start(&program, "opencl:cpu")
        .env("LD_LIBRARY_PATH", library_path)
        .arg("--nvrtc")
        .arg(&nvrtc)
        .arg(places::root().join("fixtures/bench/kernels.cu"))
        .arg(folder.join(PTX))
        .arg(ARCHITECTURE.1);
    compile.run().map_err(Failure::new)?;
    Ok(Vec::new())
}

fn of_dpcpp(folder: &Path) -> PathBuf {
    folder.join("dpcpp")
}

/// The ratios on whatever devices there are.
pub fn findings(folder: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let mut findings = on_cpu(folder)?;
    findings.extend(on_gpu(folder)?);
    Ok(findings)
}

/// The ratios to DPC++'s device code, on the same OpenCL device.
fn on_cpu(folder: &Path) -> Result<Vec<Finding>, Failure> {
    let dpcpp = match DpcPp::here() {
        Ok(dpcpp) => dpcpp,
        Err(reason) => {
            println!("  the CPU is skipped: {reason}");
            return Ok(Vec::new());
        }
    };
    println!(
        "  on the CPU, against DPC++ {}, microseconds a launch:",
        dpcpp.version()
    );
    let ours = Side {
        name: "ours",
        job: own_measure::start(&folder.join(PROGRAM), "opencl:cpu").arg("--serve"),
    };
    let peer = Side {
        name: "DPC++ on the CPU",
        job: dpcpp.start(&of_dpcpp(folder).join(PROGRAM)).arg("--serve"),
    };
    let settings = Settings {
        rounds: 15,
        turn: Duration::from_millis(40),
        under_load: false,
    };
    let rows = turns::measure(&ours, &[peer], settings)?;
    let findings = rows
        .iter()
        .flat_map(|row| row.findings(|_, _| Some(AT_MOST)));
    let mut findings: Vec<Finding> = findings.collect();
    let mean = geometric_mean(findings.iter().map(|finding| finding.value));
    findings.push(Finding::plain(
        "geometric mean on the CPU, ours / DPC++",
        mean,
        Some(1.0),
    ));
    Ok(findings)
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    f64::exp(sum / count)
}

/// The ratios to CUDA's; without a GPU, that all results are right on the CPU.
fn on_gpu(folder: &Path) -> Result<Vec<Finding>, Failure> {
    let (program, ptx) = (folder.join(PROGRAM), folder.join(PTX));
    if !ptx.is_file() {
        println!("  NVIDIA's GPUs are skipped: {NVRTC} names no library of NVRTC");
        return Ok(Vec::new());
    }
    if setup::require(Component::NvidiaDriver).is_err() {
        println!(
            "  NVIDIA's GPUs are skipped: none is here; to measure, on a machine with one: \
             cd {}; LD_LIBRARY_PATH=. PLUMBLINE_DEVICE=cuda:0 ./{PROGRAM} {PTX}",
            folder.display()
        );
        return Ok(Vec::new());
    }
    let job = own_measure::start(&program, "cuda:0").arg(&ptx);
    own_measure::findings(&job, "CUDA", |_| Some(AT_MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_half_and_twice_is_1() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-12);
    }
}
