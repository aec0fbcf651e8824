//! Devices through OpenCL.

mod context;
mod device;
mod emulator;
mod extension;
mod foreign;
mod icd;
mod program;
mod queue;
mod shelf;
mod transfer;

use std::ffi::c_void;
use std::sync::Arc;

use opencl3::error_codes::ClError;
use opencl3::platform::Platform as ClPlatform;

use self::context::OpenClContext;
use self::device::OpenClDevice;
use self::extension::Extensions;
use super::foreign::ForeignContext;
use super::{Answer, Backend, Context, Device, Platform};
use crate::error::{Error, Kind, Result};

/// One OpenCL platform.
struct OpenClPlatform {
    object: ClPlatform,
    devices: Vec<Box<dyn Device>>,
    ids: Vec<device::Id>,
    extensions: Extensions,
}

/// Every OpenCL platform: those of the system's loader and those of set-up's runtimes.
pub(super) fn platforms() -> Answer {
    let found = icd::platform_ids()?.into_iter();
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
    let ids: Vec<device::Id> = ids.ok()?.into_iter().map(device::Id).collect();
    if ids.is_empty() {
        return None;
    }
    let devices = ids.iter().map(|id| OpenClDevice::new(*id));
    Some(OpenClPlatform {
        extensions: Extensions::of(&object),
        devices: devices.map(|d| Box::new(d) as Box<dyn Device>).collect(),
        ids,
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

    fn devices(&self) -> &[Box<dyn Device>] {
        &self.devices
    }

    fn native(&self) -> *mut c_void {
        self.object.id()
    }

    fn create_context(&self, devices: &[usize]) -> Result<Arc<dyn Context>> {
        let context = OpenClContext::create(&self.ids, devices, self.extensions)?;
        Ok(Arc::new(context))
    }

    unsafe fn adopt_context(&self, native: *mut c_void) -> Result<Option<ForeignContext>> {
        // SAFETY: as the caller says.
        let adopted = unsafe { foreign::context(native, &self.ids) }?;
        Ok(adopted.map(|(object, devices)| ForeignContext {
            context: Arc::new(OpenClContext::of_object(object, &self.ids, self.extensions)),
            devices,
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
        Error::new(kind, format!("OpenCL cannot {what}: {error}"))
    }
}
