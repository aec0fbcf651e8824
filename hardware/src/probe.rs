//! Asks one back end, in this process, which devices it has. No back end is linked: what is not
//! there has no devices, and says why.

use std::ffi::{c_char, c_void};

use cuda_driver_sys::{
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
};
use level_zero_sys::{
    LevelZero, ZE_DEVICE_MODULE_FLAG_FP16, ZE_DEVICE_MODULE_FLAG_FP64, ZE_DEVICE_TYPE_GPU,
    ZE_RESULT_SUCCESS, ze_device_compute_properties_t, ze_device_handle_t,
    ze_device_module_properties_t, ze_device_properties_t, ze_driver_handle_t,
    ze_driver_properties_t, ze_result_t,
};
use opencl3::device::{
    CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device as ClDevice,
};
use opencl3::platform::{Platform, get_platforms};

use crate::cuda::Driver;
use crate::device::{Backend, Device, Kind, Mode};

/// The devices of `backend`; `mode` is what the environment makes of them.
///
/// # Errors
/// Why the back end has none.
pub fn probe(backend: Backend, mode: Mode) -> Result<Vec<Device>, String> {
    match backend {
        Backend::Opencl => opencl(mode),
        Backend::LevelZero => level_zero(mode),
        Backend::Cuda => cuda(),
    }
}

fn opencl(mode: Mode) -> Result<Vec<Device>, String> {
    let platforms = get_platforms().map_err(|e| format!("no OpenCL platform: {e}"))?;
    let mut devices = Vec::new();
    for platform in &platforms {
        // A platform without devices reports that as an error; the others may have some.
        let ids = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default();
        for id in ids {
            let device = opencl_device(platform, &ClDevice::new(id), mode);
            devices.push(device.map_err(|e| e.to_string())?);
        }
    }
    Ok(devices)
}

fn opencl_device(
    platform: &Platform,
    device: &ClDevice,
    mode: Mode,
) -> Result<Device, opencl3::error_codes::ClError> {
    /// `CL_DEVICE_SUB_GROUP_SIZES_INTEL` of the extension `cl_intel_required_subgroup_size`.
    const SUB_GROUP_SIZES: u32 = 0x4108;
    let extensions = device.extensions()?;
    let sizes = device.get_data(SUB_GROUP_SIZES).unwrap_or_default();
    let kind = match device.dev_type()? {
        CL_DEVICE_TYPE_CPU => Kind::Cpu,
        CL_DEVICE_TYPE_GPU => Kind::Gpu,
        _ => Kind::Accelerator,
    };
    Ok(Device {
        backend: Backend::Opencl,
        kind,
        mode,
        name: device.name()?.trim().to_owned(),
        driver: format!("{}, {}", platform.name()?.trim(), device.driver_version()?),
        fp16: extensions.contains("cl_khr_fp16"),
        fp64: extensions.contains("cl_khr_fp64"),
        sub_group_sizes: sizes
            .chunks_exact(size_of::<usize>())
            .filter_map(|bytes| Some(usize::from_ne_bytes(bytes.try_into().ok()?) as u32))
            .collect(),
        max_work_group_size: device.max_work_group_size()? as u64,
    })
}

fn level_zero(mode: Mode) -> Result<Vec<Device>, String> {
    let ze = LevelZero::load().map_err(|e| e.to_string())?;
    // SAFETY: the first call, with no flags.
    ze_check("zeInit", unsafe { (ze.init)(0) })?;
    let drivers = ze_list("zeDriverGet", |count, items: *mut ze_driver_handle_t| {
        // SAFETY: the count and, where not null, as many places for handles are ours.
        unsafe { (ze.driver_get)(count, items) }
    })?;
    let mut devices = Vec::new();
    for driver in drivers {
        let found = ze_list("zeDeviceGet", |count, items: *mut ze_device_handle_t| {
            // SAFETY: as above, with a handle that the driver just gave.
            unsafe { (ze.device_get)(driver, count, items) }
        })?;
        for device in found {
            devices.push(ze_device(&ze, driver, device, mode)?);
        }
    }
    Ok(devices)
}

fn ze_device(
    ze: &LevelZero,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    mode: Mode,
) -> Result<Device, String> {
    let mut version = ze_driver_properties_t::default();
    let mut general = ze_device_properties_t::default();
    let mut compute = ze_device_compute_properties_t::default();
    let mut module = ze_device_module_properties_t::default();
    // SAFETY: the handles come from this loader, and each structure is marked and ours.
    let results = unsafe {
        [
            (ze.driver_get_properties)(driver, &mut version),
            (ze.device_get_properties)(device, &mut general),
            (ze.device_get_compute_properties)(device, &mut compute),
            (ze.device_get_module_properties)(device, &mut module),
        ]
    };
    for result in results {
        ze_check("device properties", result)?;
    }
    let sizes = compute.sub_group_sizes.iter().copied();
    Ok(Device {
        backend: Backend::LevelZero,
        kind: match general.kind {
            ZE_DEVICE_TYPE_GPU => Kind::Gpu,
            _ => Kind::Accelerator,
        },
        mode,
        name: text(&general.name),
        driver: format!("Level Zero driver {:#x}", version.driver_version),
        fp16: module.flags & ZE_DEVICE_MODULE_FLAG_FP16 != 0,
        fp64: module.flags & ZE_DEVICE_MODULE_FLAG_FP64 != 0,
        sub_group_sizes: sizes.take(compute.num_sub_group_sizes as usize).collect(),
        max_work_group_size: compute.max_total_group_size.into(),
    })
}

fn ze_check(call: &str, result: ze_result_t) -> Result<(), String> {
    match result {
        ZE_RESULT_SUCCESS => Ok(()),
        _ => Err(format!("{call} returned {result:#x}")),
    }
}

/// Lists handles in the interface's way: count first, then fill.
fn ze_list(
    call: &str,
    get: impl Fn(*mut u32, *mut *mut c_void) -> ze_result_t,
) -> Result<Vec<*mut c_void>, String> {
    let mut count = 0;
    ze_check(call, get(&mut count, std::ptr::null_mut()))?;
    let mut items = vec![std::ptr::null_mut(); count as usize];
    ze_check(call, get(&mut count, items.as_mut_ptr()))?;
    items.truncate(count as usize);
    Ok(items)
}

/// A name that a driver wrote into a fixed place, up to its end mark.
fn text(name: &[c_char]) -> String {
    let bytes: Vec<u8> = name.iter().map(|c| *c as u8).collect();
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default())
        .trim()
        .to_owned()
}

fn cuda() -> Result<Vec<Device>, String> {
    let driver = Driver::open()?;
    let version = driver.version()?;
    let devices = (0..driver.count).map(|ordinal| cuda_device(&driver, ordinal, &version));
    devices.collect()
}

fn cuda_device(driver: &Driver, ordinal: i32, version: &str) -> Result<Device, String> {
    let device = driver.device(ordinal)?;
    let number = |which| driver.attribute(device, which);
    let capability = (
        number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    Ok(Device {
        backend: Backend::Cuda,
        kind: Kind::Gpu,
        mode: Mode::Real,
        name: driver.name(device)?,
        driver: format!("CUDA {version}"),
        // Half precision arithmetic came with compute capability 5.3; every one has double.
        fp16: capability >= (5, 3),
        fp64: true,
        sub_group_sizes: vec![number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?],
        max_work_group_size: number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_their_mark() {
        let name: Vec<c_char> = b"Iris \0junk".iter().map(|b| *b as c_char).collect();
        assert_eq!(text(&name), "Iris");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn what_a_back_end_lacks_is_a_reason() {
        assert!(
            ze_check("zeInit", 0x7800_0001)
                .unwrap_err()
                .contains("0x78000001")
        );
    }
}
