//! What is known of a device.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The interface that a device was found through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// OpenCL.
    Opencl,
    /// Level Zero.
    LevelZero,
    /// The CUDA driver interface.
    Cuda,
}

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 3] = [Backend::Opencl, Backend::LevelZero, Backend::Cuda];

    /// Its name in command lines and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Backend::Opencl => "opencl",
            Backend::LevelZero => "level-zero",
            Backend::Cuda => "cuda",
        }
    }
}

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// An accelerator, such as the FPGA emulator.
    Accelerator,
}

/// Whether a device computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It runs kernels, and results are what they compute.
    Real,
    /// The real driver without its device: it builds and submits, and no result is computed.
    Capture,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 2] = [Mode::Real, Mode::Capture];

    /// Its name in command lines and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Mode::Real => "real",
            Mode::Capture => "capture",
        }
    }
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// How it was found.
    pub backend: Backend,
    /// What it is.
    pub kind: Kind,
    /// Whether it computes.
    pub mode: Mode,
    /// Its name, as its driver has it.
    pub name: String,
    /// The platform or driver, with its version.
    pub driver: String,
    /// Whether it has 16-bit floating point.
    pub fp16: bool,
    /// Whether it has 64-bit floating point.
    pub fp64: bool,
    /// Sub-group sizes that kernels can require, where the driver says.
    pub sub_group_sizes: Vec<u32>,
    /// The most work items of one work-group.
    pub max_work_group_size: u64,
}

/// What the names of devices say that Intel's FPGA runtime plays on the processor.
const EMULATED: &str = "Emulation";

/// How PoCL's platform calls itself.
const POCL: &str = "Portable Computing Language";

impl Device {
    /// Whether it is hardware beside the processor, which no software on any machine stands in for: a GPU or an
    /// accelerator that computes.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        let exists = match self.kind {
            Kind::Cpu => false,
            Kind::Gpu => true,
            Kind::Accelerator => !self.name.contains(EMULATED),
        };
        exists && self.mode == Mode::Real
    }

    /// The name by which toolchain descriptions and cases select it (`with:`).
    #[must_use]
    pub fn setting(&self) -> &'static str {
        match (self.backend, self.kind, self.mode) {
            (Backend::Opencl, Kind::Cpu, _) if self.driver.starts_with(POCL) => "opencl-pocl",
            (Backend::Opencl, Kind::Cpu, _) => "opencl-cpu",
            (Backend::Opencl, Kind::Accelerator, _) => "opencl-fpga-emulator",
            (Backend::Opencl, Kind::Gpu, Mode::Real) => "opencl-gpu",
            (Backend::Opencl, Kind::Gpu, Mode::Capture) => "opencl-capture",
            (Backend::LevelZero, _, Mode::Real) => "level-zero-gpu",
            (Backend::LevelZero, _, Mode::Capture) => "level-zero-capture",
            (Backend::Cuda, _, _) => "cuda-gpu",
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let capture = match self.mode {
            Mode::Real => "",
            Mode::Capture => ", capture: results are not computed",
        };
        write!(f, "{} ({}{capture})", self.name, self.driver)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn device(kind: Kind, mode: Mode, name: &str) -> Device {
        Device {
            backend: Backend::Opencl,
            kind,
            mode,
            name: name.to_owned(),
            driver: "Intel(R) OpenCL, 2026.22".to_owned(),
            fp16: false,
            fp64: true,
            sub_group_sizes: Vec::new(),
            max_work_group_size: 4096,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::device;
    use super::*;

    #[test]
    fn software_that_computes_is_no_hardware() {
        let is = |kind, mode, name| device(kind, mode, name).is_hardware();
        assert!(is(Kind::Gpu, Mode::Real, "a GPU"));
        assert!(is(Kind::Accelerator, Mode::Real, "a board"));
        assert!(!is(Kind::Gpu, Mode::Capture, "a GPU"));
        assert!(!is(Kind::Cpu, Mode::Real, "a processor"));
        let emulator = "Intel(R) FPGA Emulation Device";
        assert!(!is(Kind::Accelerator, Mode::Real, emulator));
    }

    #[test]
    fn two_devices_on_the_processor_are_told_apart_by_their_drivers() {
        let of = |driver: &str| {
            let mut device = device(Kind::Cpu, Mode::Real, "cpu");
            driver.clone_into(&mut device.driver);
            device.setting()
        };
        assert_eq!(of("Portable Computing Language, 7.1"), "opencl-pocl");
        assert_eq!(of("Intel(R) OpenCL, 2026.22"), "opencl-cpu");
    }
}
