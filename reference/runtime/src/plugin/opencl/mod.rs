//! Devices through OpenCL.

mod context;
mod device;
mod emulator;
mod extension;
mod foreign;
mod icd;
mod image;
mod language;
mod partition;
mod program;
mod queue;
mod references;
mod shelf;
mod times;
mod transfer;
mod waiting;

use std::ffi::c_void;
use std::sync::Arc;

use opencl3::error_codes::ClError;
use opencl3::platform::Platform as ClPlatform;

use self::context::OpenClContext;
use self::device::OpenClDevice;
use self::extension::Extensions;
pub use self::references::references;
use super::devices::Devices;
use super::foreign::ForeignContext;
use super::partition::Partition;
use super::{Answer, Backend, Context, Device, DeviceType, Platform};
use crate::error::{Error, Kind, Result};

/// One OpenCL platform.
struct OpenClPlatform {
    object: ClPlatform,
    devices: Arc<Devices<OpenClDevice>>,
    extensions: Extensions,
}

/// Every OpenCL platform: those of the system's loader, and those of set-up's runtimes that may have a
/// device which is `wanted`.
pub(super) fn platforms(wanted: impl Fn(DeviceType) -> bool) -> Answer {
    let found = icd::platform_ids(wanted)?.into_iter();
    let opened = found.filter_map(|id| open(ClPlatform::new(id)));
    let platforms: Vec<_> = opened
        .map(|platform| Box::new(platform) as Box<dyn Platform>)
        .collect();
    match platforms.is_empty() {
        true => Err("no OpenCL platform has a device".to_owned()),
        false => Ok(platforms),
    }
}

/// A platform and its devices; `None` when it has none.
fn open(object: ClPlatform) -> Option<OpenClPlatform> {
    let ids = object.get_devices(opencl3::device::CL_DEVICE_TYPE_ALL);
    let ids = ids.ok().filter(|ids| !ids.is_empty())?.into_iter();
    let devices = ids.map(|id| OpenClDevice::new(device::Id(id), None));
    Some(OpenClPlatform {
        extensions: Extensions::of(&object),
        devices: Arc::new(Devices::new(devices)),
        object,
    })
}

impl Platform for OpenClPlatform {
    fn backend(&self) -> Backend {
        Backend::OpenCl
    }

    fn text(&self, what: u32) -> Option<String> {
        let text = match what {
            1 => self.object.name(),
            2 => self.object.vendor(),
            3 => self.object.version(),
            4 => self.object.extensions(),
            _ => return None,
        };
        Some(device::clean(text.unwrap_or_default()))
    }

    fn devices(&self) -> Vec<&'static dyn Device> {
        self.devices.listed()
    }

    fn device(&self, place: usize) -> Result<&'static dyn Device> {
        Ok(self.devices.at(place)?)
    }

    fn divide(&self, place: usize, how: &Partition) -> Result<Vec<usize>> {
        partition::divide(&self.devices, place, how)
    }

    fn native(&self) -> *mut c_void {
        self.object.id()
    }

    fn create_context(&self, devices: &[usize]) -> Result<Arc<dyn Context>> {
        let context = OpenClContext::create(&self.devices, devices, self.extensions)?;
        Ok(Arc::new(context))
    }

    unsafe fn adopt_context(&self, native: *mut c_void) -> Result<Option<ForeignContext>> {
        // SAFETY: as the caller says.
        let adopted = unsafe { foreign::context(native, &self.devices) }?;
        Ok(adopted.map(|(object, devices)| {
            let context = OpenClContext::of_object(object, &self.devices, self.extensions);
            ForeignContext {
                context: Arc::new(context),
                devices,
            }
        }))
    }
}

/// A driver's refusal of `what`.
fn refused(what: &str) -> impl Fn(ClError) -> Error + '_ {
    move |error| {
        let kind = match error.0 {
            opencl3::error_codes::CL_MEM_OBJECT_ALLOCATION_FAILURE
            | opencl3::error_codes::CL_OUT_OF_HOST_MEMORY
            | opencl3::error_codes::CL_OUT_OF_RESOURCES
            | opencl3::error_codes::CL_INVALID_BUFFER_SIZE => Kind::MemoryAllocation,
            opencl3::error_codes::CL_INVALID_WORK_GROUP_SIZE
            | opencl3::error_codes::CL_INVALID_WORK_ITEM_SIZE
            | opencl3::error_codes::CL_INVALID_GLOBAL_WORK_SIZE => Kind::NdRange,
            opencl3::error_codes::CL_INVALID_KERNEL_ARGS
            | opencl3::error_codes::CL_INVALID_ARG_INDEX
            | opencl3::error_codes::CL_INVALID_ARG_SIZE
            | opencl3::error_codes::CL_INVALID_ARG_VALUE => Kind::KernelArgument,
            _ => Kind::Runtime,
        };
        Error::new(kind, format!("OpenCL cannot {what}: {error}")).by_opencl(error.0)
    }
}
