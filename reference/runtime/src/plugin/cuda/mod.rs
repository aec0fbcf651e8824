//! Devices through the CUDA driver interface.

mod context;
mod device;
mod driver;
mod event;
mod foreign;
mod jit_options;
mod parameters;
mod program;
mod queue;
mod space;
mod transfer;

use std::ffi::c_void;
use std::sync::Arc;

use self::context::CudaContext;
use self::device::{CudaDevice, Limits};
use self::driver::{Api, filled};
use super::devices::Devices;
use super::discovery::all_that_open;
use super::foreign::ForeignContext;
use super::{Answer, Backend, Context, Device, Platform};
use crate::abi::codes;
use crate::error::Result;

/// One device, which is a platform of its own: memory of one is no memory of another.
struct CudaPlatform {
    api: Api,
    number: i32,
    limits: Limits,
    version: String,
    devices: Devices<CudaDevice>,
}

/// Every device of the driver.
pub(super) fn platforms() -> Answer {
    let api = driver::api()?;
    let all = open_all(api).map_err(|e| e.reason)?;
    match all.is_empty() {
        true => Err("the driver has no device".to_owned()),
        false => Ok(all),
    }
}

fn open_all(api: Api) -> Result<Vec<Box<dyn Platform>>> {
    let count = filled(api, "count devices", 0, |count| {
        // SAFETY: a place for the number.
        unsafe { (api.device_get_count)(count) }
    })?;
    let version = filled(api, "tell its version", 0, |version| {
        // SAFETY: a place for the number.
        unsafe { (api.driver_get_version)(version) }
    })?;
    let version = format!("{}.{}", version / 1000, version % 1000 / 10);
    all_that_open("CUDA device", 0..count, |ordinal| {
        let number = filled(api, "open a device", 0, |number| {
            // SAFETY: the number is below the count, and there is a place for the device.
            unsafe { (api.device_get)(number, ordinal) }
        })?;
        let device = CudaDevice::new(api, number, &version)?;
        Ok(Box::new(CudaPlatform {
            api,
            number,
            limits: device.limits,
            version: format!("CUDA {version}"),
            devices: Devices::new([device]),
        }) as Box<dyn Platform>)
    })
}

impl Platform for CudaPlatform {
    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn text(&self, what: u32) -> Option<String> {
        let text = match what {
            codes::PLATFORM_NAME => "NVIDIA CUDA",
            codes::PLATFORM_VENDOR => device::VENDOR,
            codes::PLATFORM_VERSION => &self.version,
            codes::PLATFORM_EXTENSIONS => "",
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn devices(&self) -> Vec<&'static dyn Device> {
        self.devices.listed()
    }

    fn device(&self, place: usize) -> Result<&'static dyn Device> {
        Ok(self.devices.at(place)?)
    }

    fn create_context(&self, _devices: &[usize]) -> Result<Arc<dyn Context>> {
        let context = CudaContext::create(self.api, self.number, self.limits)?;
        Ok(Arc::new(context))
    }

    unsafe fn adopt_context(&self, native: *mut c_void) -> Result<Option<ForeignContext>> {
        // SAFETY: as the caller says.
        if unsafe { foreign::device_of(self.api, native) }? != self.number {
            return Ok(None);
        }
        let context = CudaContext::create(self.api, self.number, self.limits)?;
        context.require(native)?;
        Ok(Some(ForeignContext {
            context: Arc::new(context),
            devices: vec![0],
        }))
    }
}
