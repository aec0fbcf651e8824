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

/// How PoCL's platform calls itself.
const POCL: &str = "Portable Computing Language";

impl Device {
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
mod tests {
    use super::*;

    #[test]
    fn two_devices_on_the_processor_are_told_apart_by_their_drivers() {
        let of = |driver: &str| {
            let device = Device {
                backend: Backend::Opencl,
                kind: Kind::Cpu,
                mode: Mode::Real,
                name: "cpu".to_owned(),
                driver: driver.to_owned(),
                fp16: false,
                fp64: true,
                sub_group_sizes: Vec::new(),
                max_work_group_size: 4096,
            };
            device.setting()
        };
        assert_eq!(of("Portable Computing Language, 7.1"), "opencl-pocl");
        assert_eq!(of("Intel(R) OpenCL, 2026.22"), "opencl-cpu");
    }
}
