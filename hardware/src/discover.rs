//! Finds the devices of this machine: each way to one is tried in a process of its own, with the
//! environment that it needs.

use std::path::Path;
use std::time::Duration;

use components::Components;
use components::process::{Job, JobError};

use crate::device::{Backend, Device, Kind, Mode};

/// Variables of the caller that a driver may need.
const PASSED_ON: [&str; 3] = ["PATH", "HOME", "CUDA_VISIBLE_DEVICES"];

/// The devices found, and why a way to others led nowhere.
#[derive(Debug, Clone, Default)]
pub struct Discovered {
    /// The devices, in a fixed order of ways.
    pub devices: Vec<Device>,
    /// For each way that led nowhere: its name and the reason.
    pub without: Vec<(String, String)>,
}

/// One way to devices.
struct Way {
    name: &'static str,
    backend: Backend,
    mode: Mode,
    /// The variables it needs, or why it is closed.
    env: Result<Vec<(String, String)>, String>,
}

/// The graphics processor that capture mode pretends to be.
const CAPTURED: &str = "tgllp";

/// Tries every way; `probe` is the `probe-devices` program.
///
/// # Errors
/// When there is no folder for the files that drivers leave while they are asked.
pub fn discover(components: &Components, probe: &Path) -> std::io::Result<Discovered> {
    let work = tempfile::tempdir()?;
    let work = work.path();
    let mut discovered = Discovered::default();
    for way in ways(components) {
        match way
            .env
            .and_then(|env| ask(probe, work, way.backend, way.mode, &env))
        {
            Ok(devices) => discovered.add(way.name, devices),
            Err(reason) => discovered.without.push((way.name.to_owned(), reason)),
        }
    }
    Ok(discovered)
}

impl Discovered {
    fn add(&mut self, way: &str, devices: Vec<Device>) {
        let count = self.devices.len();
        for device in devices {
            // The system's vendors and set-up's can name the same device twice.
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
        if self.devices.len() == count {
            let reason = "no further devices".to_owned();
            self.without.push((way.to_owned(), reason));
        }
    }

    /// Whether some device computes results.
    #[must_use]
    pub fn any_real(&self) -> bool {
        self.devices.iter().any(|device| device.mode == Mode::Real)
    }
}

fn ways(components: &Components) -> Vec<Way> {
    let vendors = |runtime: Result<components::OpenClRuntime, components::Missing>| {
        let runtime = runtime.map_err(|missing| missing.to_string())?;
        let folder = runtime.vendors.to_string_lossy().into_owned();
        Ok(vec![("OCL_ICD_VENDORS".to_owned(), folder)])
    };
    let capture = || {
        let variables = components.intel_gpu_capture(CAPTURED);
        variables.map_err(|missing| missing.to_string())
    };
    let none = || Ok(Vec::new());
    let (cpu, fpga) = (components.opencl_cpu(), components.opencl_fpga_emulator());
    use Backend::{Cuda, LevelZero, Opencl};
    let ways = [
        ("OpenCL CPU of set-up", Opencl, Mode::Real, vendors(cpu)),
        ("FPGA emulator of set-up", Opencl, Mode::Real, vendors(fpga)),
        ("OpenCL of the system", Opencl, Mode::Real, none()),
        ("OpenCL, capture", Opencl, Mode::Capture, capture()),
        ("Level Zero", LevelZero, Mode::Real, none()),
        ("Level Zero, capture", LevelZero, Mode::Capture, capture()),
        ("CUDA", Cuda, Mode::Real, none()),
    ];
    let way = |(name, backend, mode, env)| Way {
        name,
        backend,
        mode,
        env,
    };
    ways.map(way).into()
}

fn ask(
    probe: &Path,
    work: &Path,
    backend: Backend,
    mode: Mode,
    env: &[(String, String)],
) -> Result<Vec<Device>, String> {
    let mut job = Job::new(probe)
        .arg(backend.word())
        .arg(mode.word())
        .dir(work)
        .clean_env()
        .limit(Duration::from_secs(60));
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            job = job.env(name, value);
        }
    }
    for (name, value) in env {
        job = job.env(name, value);
    }
    let output = job.capture(b"").map_err(reason)?;
    let mut devices: Vec<Device> = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("the probe wrote no devices: {e}"))?;
    // The variables of capture mode concern one driver; other drivers' devices stay what they are.
    devices.retain(|device| mode == Mode::Real || device.kind == Kind::Gpu);
    Ok(devices)
}

/// What the probe itself said, where it said something.
fn reason(error: JobError) -> String {
    match &error {
        JobError::Failed {
            output: Some(output),
            ..
        } if !output.stderr.is_empty() => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        _ => error.to_string(),
    }
}
