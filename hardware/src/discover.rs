//! Finds the devices of this machine: each way to one is tried in a process of its own, with the
//! environment that it needs.

use std::path::{Path, PathBuf};
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
    /// What processes on it need, or why it is closed.
    needs: Result<Needs, String>,
}

/// What a process needs to come to the devices of a way.
#[derive(Debug, Default)]
struct Needs {
    /// Variables.
    env: Vec<(String, String)>,
    /// The program that starts it.
    starter: Option<PathBuf>,
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
            .needs
            .and_then(|needs| ask(probe, work, way.backend, way.mode, &needs))
        {
            Ok(devices) => discovered.add(way.name, devices),
            Err(reason) => discovered.without.push((way.name.to_owned(), reason)),
        }
    }
    Ok(discovered)
}

/// The devices that cases and toolchain descriptions call `setting`.
///
/// # Errors
/// Why each way to one led nowhere.
pub fn find(components: &Components, probe: &Path, setting: &str) -> Result<Vec<Device>, String> {
    let work = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut reasons = Vec::new();
    for way in ways(components).into_iter().filter(|w| w.may_have(setting)) {
        let found = way
            .needs
            .and_then(|needs| ask(probe, work.path(), way.backend, way.mode, &needs));
        match found {
            Ok(mut devices) => {
                devices.retain(|device| device.setting() == setting);
                if !devices.is_empty() {
                    return Ok(devices);
                }
                reasons.push(format!("{}: no such device", way.name));
            }
            Err(reason) => reasons.push(format!("{}: {reason}", way.name)),
        }
    }
    match reasons.is_empty() {
        true => Err(format!("no way leads to '{setting}'")),
        false => Err(reasons.join("; ")),
    }
}

impl Way {
    /// Whether a device that cases call `setting` can be found on it.
    fn may_have(&self, setting: &str) -> bool {
        let is_capture = setting.ends_with(Mode::Capture.word());
        setting.starts_with(self.backend.word()) && is_capture == (self.mode == Mode::Capture)
    }
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

    /// The hardware among the devices; what runs on the processor, such as the drivers that set-up brings, is
    /// none.
    ///
    /// # Errors
    /// When there is none: with the devices that there are, and why ways to others led nowhere.
    pub fn hardware(&self) -> Result<Vec<&Device>, String> {
        let found: Vec<&Device> = self.devices.iter().filter(|d| d.is_hardware()).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let there = self
            .devices
            .iter()
            .map(|device| format!("\n  there is {device}"));
        let without = self.without.iter();
        let without = without.map(|(way, reason)| format!("\n  nothing by {way}: {reason}"));
        let told: String = there.chain(without).collect();
        Err(format!(
            "no GPU and no accelerator of this machine answers:{told}"
        ))
    }
}

fn ways(components: &Components) -> Vec<Way> {
    let vendors = |runtime: Result<components::OpenClRuntime, components::Missing>| {
        let runtime = runtime.map_err(|missing| missing.to_string())?;
        let folder = runtime.vendors.to_string_lossy().into_owned();
        Ok(Needs {
            env: vec![("OCL_ICD_VENDORS".to_owned(), folder)],
            starter: runtime.starter,
        })
    };
    let capture = || {
        let variables = components.intel_gpu_capture(CAPTURED);
        let env = variables.map_err(|missing| missing.to_string())?;
        Ok(Needs { env, starter: None })
    };
    let none = || Ok(Needs::default());
    let (cpu, fpga) = (components.opencl_cpu(), components.opencl_fpga_emulator());
    let pocl = components.opencl_pocl();
    use Backend::{Cuda, LevelZero, Opencl};
    let ways = [
        ("OpenCL CPU of set-up", Opencl, Mode::Real, vendors(cpu)),
        ("FPGA emulator of set-up", Opencl, Mode::Real, vendors(fpga)),
        ("PoCL of set-up", Opencl, Mode::Real, vendors(pocl)),
        ("OpenCL of the system", Opencl, Mode::Real, none()),
        ("OpenCL, capture", Opencl, Mode::Capture, capture()),
        ("Level Zero", LevelZero, Mode::Real, none()),
        ("Level Zero, capture", LevelZero, Mode::Capture, capture()),
        ("CUDA", Cuda, Mode::Real, none()),
    ];
    let way = |(name, backend, mode, needs)| Way {
        name,
        backend,
        mode,
        needs,
    };
    ways.map(way).into()
}

fn ask(
    probe: &Path,
    work: &Path,
    backend: Backend,
    mode: Mode,
    needs: &Needs,
) -> Result<Vec<Device>, String> {
    let mut job = Job::started(needs.starter.as_deref(), probe)
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
    for (name, value) in &needs.env {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::samples::device;

    #[test]
    fn a_setting_is_looked_for_on_its_own_ways_only() {
        let components = Components::here().unwrap();
        let names = |setting: &str| {
            let ways = ways(&components).into_iter();
            let ways = ways.filter(|way| way.may_have(setting));
            ways.map(|way| way.name).collect::<Vec<_>>()
        };
        assert_eq!(names("level-zero-capture"), ["Level Zero, capture"]);
        assert_eq!(names("opencl-capture"), ["OpenCL, capture"]);
        assert_eq!(names("cuda-gpu"), ["CUDA"]);
        assert_eq!(names("opencl-gpu").len(), 4);
    }

    /// A runner whose GPU is gone has the processor's drivers still.
    #[test]
    fn drivers_for_the_processor_are_no_hardware() {
        let mut discovered = Discovered {
            devices: vec![
                device(Kind::Cpu, Mode::Real, "a processor"),
                device(Kind::Gpu, Mode::Capture, "a GPU"),
            ],
            without: vec![("CUDA".to_owned(), "no driver".to_owned())],
        };
        let reason = discovered.hardware().unwrap_err();
        for told in [
            "there is a processor",
            "capture",
            "nothing by CUDA: no driver",
        ] {
            assert!(reason.contains(told), "{reason}");
        }
        let gpu = device(Kind::Gpu, Mode::Real, "a GPU");
        discovered.devices.push(gpu.clone());
        assert_eq!(discovered.hardware().unwrap(), [&gpu]);
    }

    #[test]
    fn a_probe_that_crashes_is_told_with_its_way() {
        let components = Components::here().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let probe = folder.path().join("probe");
        std::fs::write(&probe, "#!/bin/sh\nkill -SEGV $$\n").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&probe, executable).unwrap();
        let reason = find(&components, &probe, "cuda-gpu").unwrap_err();
        assert!(
            reason.starts_with("CUDA: ") && reason.contains("signal"),
            "{reason}"
        );
        let reason = find(&components, &probe, "teapot").unwrap_err();
        assert_eq!(reason, "no way leads to 'teapot'");
    }
}
