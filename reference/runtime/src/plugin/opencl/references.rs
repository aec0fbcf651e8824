//! How often a program and the driver hold an object of OpenCL's (SYCL 2020, C.4, "Reference counting").

use std::ffi::c_void;

use cl3::command_queue::{CL_QUEUE_REFERENCE_COUNT, get_command_queue_info};
use cl3::context::{CL_CONTEXT_REFERENCE_COUNT, get_context_info};
use cl3::device::{CL_DEVICE_REFERENCE_COUNT, get_device_info};
use cl3::event::{CL_EVENT_REFERENCE_COUNT, get_event_info};
use cl3::kernel::{CL_KERNEL_REFERENCE_COUNT, get_kernel_info};
use cl3::memory::{CL_MEM_REFERENCE_COUNT, get_mem_object_info};
use cl3::program::{CL_PROGRAM_REFERENCE_COUNT, get_program_info};
use cl3::sampler::{CL_SAMPLER_REFERENCE_COUNT, get_sampler_info};

use super::refused;
use crate::abi::codes;
use crate::error::{Error, Kind, Result};

/// The count of an object, which is of the kind that `enum plsycl_opencl_object` numbers so.
///
/// # Errors
/// The driver's, for what is no object; `invalid` for a kind that there is not.
///
/// # Safety
/// `object` has to be a live one of its kind.
pub unsafe fn references(kind: u32, object: *mut c_void) -> Result<u32> {
    let count = match kind {
        codes::OPENCL_CONTEXT => get_context_info(object, CL_CONTEXT_REFERENCE_COUNT),
        codes::OPENCL_QUEUE => get_command_queue_info(object, CL_QUEUE_REFERENCE_COUNT),
        codes::OPENCL_MEMORY => get_mem_object_info(object, CL_MEM_REFERENCE_COUNT),
        codes::OPENCL_EVENT => get_event_info(object, CL_EVENT_REFERENCE_COUNT),
        codes::OPENCL_PROGRAM => get_program_info(object, CL_PROGRAM_REFERENCE_COUNT),
        codes::OPENCL_KERNEL => get_kernel_info(object, CL_KERNEL_REFERENCE_COUNT),
        codes::OPENCL_SAMPLER => get_sampler_info(object, CL_SAMPLER_REFERENCE_COUNT),
        codes::OPENCL_DEVICE => get_device_info(object, CL_DEVICE_REFERENCE_COUNT),
        _ => return Err(Error::new(Kind::Invalid, "no such kind of OpenCL objects")),
    };
    let count = count.map_err(|number| refused("count an object's references")(number.into()))?;
    Ok(count.to_uint())
}
