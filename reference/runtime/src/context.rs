//! Contexts, and the programs built in them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::assertions;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::plugin::{self, BuildInput, SpecValue};
use crate::registry::Image;
use crate::select;
use crate::trace::trace;

/// Devices of one platform that share memory and programs.
pub struct Context {
    /// The driver's own.
    pub driver: Arc<dyn plugin::Context>,
    /// Its devices, at least one.
    pub devices: Vec<&'static Device>,
    programs: Mutex<HashMap<ProgramKey, Arc<Program>>>,
}

/// What tells built programs apart.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ProgramKey {
    image: u64,
    device: usize,
    options: String,
    spec_values: Vec<SpecValue>,
}

/// A built image and the kernels taken from it.
struct Program {
    driver: Arc<dyn plugin::Program>,
    kernels: Mutex<HashMap<String, Arc<dyn plugin::Kernel>>>,
}

impl Context {
    /// A context over devices of one platform.
    ///
    /// # Errors
    /// When there is no device, they are of several platforms, or the driver refuses.
    pub fn create(devices: Vec<&'static Device>) -> Result<Context> {
        let invalid = |reason| Error::new(Kind::Invalid, reason);
        let first = devices
            .first()
            .ok_or_else(|| invalid("a context needs a device"))?;
        let platform = first.platform();
        if devices
            .iter()
            .any(|device| !std::ptr::eq(device.platform(), platform))
        {
            return Err(invalid("the devices of a context must be of one platform"));
        }
        let places: Vec<usize> = devices.iter().map(|device| device.place).collect();
        Ok(Context {
            driver: platform.driver.create_context(&places)?,
            devices,
            programs: Mutex::default(),
        })
    }

    /// A context of no device, for tests.
    #[cfg(test)]
    pub fn of_driver(driver: Arc<dyn plugin::Context>) -> Context {
        Context {
            driver,
            devices: Vec::new(),
            programs: Mutex::default(),
        }
    }

    /// The kernel `name` of `image`, built for `device`. Programs are built once for each set of
    /// options and constants.
    ///
    /// # Errors
    /// When the image does not build or lacks the kernel.
    pub fn kernel(
        &self,
        device: &Device,
        image: &Image,
        name: &str,
        spec_values: &[SpecValue],
    ) -> Result<Arc<dyn plugin::Kernel>> {
        let program = self.program(device, image, spec_values)?;
        let mut kernels = program.kernels.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = kernels.get(name) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = program.driver.kernel(name)?;
        kernels.insert(name.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Builds `image` for `device`, for kernels that are taken later.
    ///
    /// # Errors
    /// When the image does not build.
    pub fn build(&self, device: &Device, image: &Image, spec_values: &[SpecValue]) -> Result<()> {
        self.program(device, image, spec_values).map(drop)
    }

    fn program(
        &self,
        device: &Device,
        image: &Image,
        spec_values: &[SpecValue],
    ) -> Result<Arc<Program>> {
        let key = ProgramKey {
            image: image.id,
            device: device.place,
            options: select::build_options(image, device)?,
            spec_values: spec_values.to_vec(),
        };
        let mut programs = self.programs.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(program) = programs.get(&key) {
            return Ok(Arc::clone(program));
        }
        trace(|| format!("build image {} with options '{}'", image.id, key.options));
        let libraries = assertions::fallback_libraries(&image.content, device);
        let input = BuildInput {
            format: image.format(),
            bytes: image.code()?,
            options: &key.options,
            spec_values,
            libraries: &libraries,
        };
        let program = Arc::new(Program {
            driver: self.driver.build(device.place, &input)?,
            kernels: Mutex::default(),
        });
        trace(|| {
            let log = program.driver.build_log();
            let lines = log.lines().filter(|line| !line.starts_with("remark"));
            let lines: Vec<&str> = lines.collect();
            format!(
                "the driver says of image {}: {}",
                image.id,
                lines.join("; ")
            )
        });
        programs.insert(key, Arc::clone(&program));
        Ok(program)
    }
}
