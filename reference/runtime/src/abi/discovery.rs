//! Platforms and devices, and the kernels that integration headers describe.

use std::ffi::c_void;

use offload_formats::aspects;

use super::foreign::give_devices;
use super::{answer, borrow, codes, give, invalid, items, text};
use crate::binary::Binary;
use crate::device::{self, Device, Platform};
use crate::device_globals;
use crate::ending;
use crate::error::{Error, Kind, Result};
use crate::plugin::partition::Partition;
use crate::plugin::sources::OpenClC;
use crate::plugin::unanswered;
use crate::registry::{self, HostKernel, KernelInfo, Parameter, ParameterKind};
use crate::select;

/// `plsycl_parameter`.
#[repr(C)]
pub struct RawParameter {
    kind: u32,
    size: u32,
    offset: u32,
}

/// `plsycl_kernel_info`.
#[repr(C)]
pub struct RawKernelInfo {
    name: *const std::ffi::c_char,
    functor_size: u64,
    parameters: *const RawParameter,
    parameter_count: u64,
    functor: *const std::ffi::c_char,
}

/// `plsycl_host_kernel`
#[repr(C)]
pub struct RawHostKernel {
    name: *const std::ffi::c_char,
    unit: *const std::ffi::c_char,
    functor_size: u64,
}

/// Takes what an integration header says. A kernel that cannot be read is left out; launching it
/// then says that nothing is known of it.
///
/// # Safety
/// `kernels` must span `count` records whose pointers are good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_announce_kernels(kernels: *const RawKernelInfo, count: usize) {
    let binary = Binary::of(kernels.cast());
    // SAFETY: the caller gives a good span.
    for kernel in unsafe { items(kernels, count) } {
        // SAFETY: the record's pointers are good.
        let (name, functor, parameters) = unsafe {
            let count = kernel.parameter_count as usize;
            (
                text(kernel.name),
                text(kernel.functor),
                items(kernel.parameters, count),
            )
        };
        let parameters: Option<Vec<Parameter>> = parameters.iter().map(read_parameter).collect();
        if let (Ok(name), Ok(functor), Some(parameters)) = (name, functor, parameters) {
            let functor_size = kernel.functor_size as usize;
            let info = KernelInfo {
                functor: functor.to_owned(),
                functor_size,
                parameters,
            };
            registry::add_kernel(name.to_owned(), info, binary);
        }
    }
}

/// Takes what images call device globals. A name that cannot be read is left out.
///
/// # Safety
/// `objects` and `names` must span `count` pointers each, and the names be good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_announce_device_globals(
    objects: *const *const c_void,
    names: *const *const std::ffi::c_char,
    count: usize,
) {
    // SAFETY: the caller gives good spans.
    let (objects, names) = unsafe { (items(objects, count), items(names, count)) };
    for (&object, &name) in objects.iter().zip(names) {
        // SAFETY: the names are good.
        if let (false, Ok(name)) = (object.is_null(), unsafe { text(name) }) {
            device_globals::announce(object as usize, name.to_owned());
        }
    }
}

/// Takes a kernel that the binary with `origin` starts under a name of its host compiler's. What
/// cannot be read is left out, and so is refused when it is started.
///
/// # Safety
/// `kernel` must be a record whose pointers are good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_enroll_kernel(kernel: *const RawHostKernel, origin: *const c_void) {
    // SAFETY: as the caller says.
    if let Ok(kernel) = unsafe { read_host_kernel(kernel, origin) } {
        registry::enroll(kernel);
    }
}

/// The entry point that such a kernel means.
///
/// # Safety
/// `kernel` must be a record whose pointers are good; `bytes` must have room for `capacity` bytes;
/// `size` must be a place for the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_meant(
    kernel: *const RawHostKernel,
    origin: *const c_void,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let name = registry::meant(&unsafe { read_host_kernel(kernel, origin)? })?;
        // SAFETY: as the caller says.
        unsafe { give_bytes(name.as_bytes(), bytes, capacity, size) }
    })
}

/// # Safety
/// `kernel` must be a record whose pointers are good.
unsafe fn read_host_kernel(
    kernel: *const RawHostKernel,
    origin: *const c_void,
) -> Result<HostKernel> {
    // SAFETY: as the caller says.
    let (name, unit, functor_size) = unsafe {
        let kernel = borrow(kernel)?;
        (text(kernel.name)?, text(kernel.unit)?, kernel.functor_size)
    };
    // Of a pointer, because the type itself need not be complete.
    let name = name
        .strip_prefix('P')
        .ok_or_else(|| invalid("a host compiler whose types have other names than Itanium's"))?;
    Ok(HostKernel {
        binary: Binary::of(origin),
        name: format!("_ZTS{name}"),
        unit: unit.to_owned(),
        functor_size: functor_size as usize,
    })
}

fn read_parameter(raw: &RawParameter) -> Option<Parameter> {
    let kind = match raw.kind {
        0 => ParameterKind::Accessor,
        1 => ParameterKind::LocalAccessor,
        2 => ParameterKind::Pointer,
        3 => ParameterKind::Value,
        4 => ParameterKind::Memory,
        5 => ParameterKind::LocalMemory,
        6 => ParameterKind::Scratch,
        _ => return None,
    };
    Some(Parameter {
        kind,
        size: raw.size as usize,
        offset: raw.offset as usize,
    })
}

/// Fails when there is no device that the program may see: the reason says what was looked for and
/// what each driver interface said.
#[unsafe(no_mangle)]
pub extern "C" fn plsycl_require_device() -> i32 {
    answer(device::require_one)
}

/// How many platforms there are.
///
/// # Safety
/// `count` must be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_platform_count(count: *mut usize) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(count, device::platforms()?.len()) })
}

/// One of the platforms.
///
/// # Safety
/// `platform` must be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_platform_get(index: usize, platform: *mut *const Platform) -> i32 {
    answer(|| {
        let all = device::platforms()?;
        let found = all.get(index).ok_or_else(|| invalid("no such platform"))?;
        // SAFETY: as the caller says.
        unsafe { give(platform, std::ptr::from_ref(found)) }
    })
}

/// What a platform says of itself.
///
/// # Safety
/// `platform` must be a platform; `bytes` must have room for `capacity` bytes; `size` must be a
/// place for the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_platform_query(
    platform: *const Platform,
    what: u32,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let platform = unsafe { super::borrow(platform) }?;
        let value = if what == codes::PLATFORM_BACKEND {
            (platform.driver.backend() as u64).to_ne_bytes().to_vec()
        } else {
            let text = platform.driver.text(what);
            text.ok_or_else(unknown_question)?.into_bytes()
        };
        // SAFETY: as the caller says.
        unsafe { give_bytes(&value, bytes, capacity, size) }
    })
}

/// How many devices a platform has.
///
/// # Safety
/// `platform` must be a platform and `count` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_count(platform: *const Platform, count: *mut usize) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(count, super::borrow(platform)?.devices.len()) })
}

/// One of a platform's devices.
///
/// # Safety
/// `platform` must be a platform and `device` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_get(
    platform: *const Platform,
    index: usize,
    device: *mut *const Device,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let platform = unsafe { super::borrow(platform) }?;
        let found = platform
            .devices
            .get(index)
            .ok_or_else(|| invalid("no such device"))?;
        // SAFETY: as the caller says.
        unsafe { give(device, std::ptr::from_ref(found)) }
    })
}

/// The platform of a device.
///
/// # Safety
/// `device` must be a device and `platform` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_platform(
    device: *const Device,
    platform: *mut *const Platform,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe {
        give(
            platform,
            std::ptr::from_ref(super::borrow(device)?.platform()),
        )
    })
}

/// What a device is a part of, and how that was divided: null and 0 for one that is whole.
///
/// # Safety
/// `device` must be a device; `whole` and `how` must be places for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_parent(
    device: *const Device,
    whole: *mut *const Device,
    how: *mut u32,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (parent, partition) = match &unsafe { borrow(device) }?.whole {
            Some((parent, partition)) => (std::ptr::from_ref(*parent), partition.number() as u32),
            None => (std::ptr::null(), 0),
        };
        // SAFETY: as the caller says.
        unsafe {
            give(whole, parent)?;
            give(how, partition)
        }
    })
}

/// Divides a device.
///
/// # Safety
/// `device` must be a device that lives as long as the process, `values` must span `count` numbers;
/// `parts` must have room for `capacity` devices, and `part_count` must be a place for their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_divide(
    device: *const Device,
    how: u32,
    values: *const u64,
    count: usize,
    parts: *mut *const Device,
    capacity: usize,
    part_count: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (device, values): (&'static Device, _) =
            unsafe { (borrow(device)?, items(values, count)) };
        let found = device.divided(&Partition::read(how.into(), values)?)?;
        // SAFETY: as the caller says.
        unsafe { give_devices(&found, parts, capacity, part_count) }
    })
}

/// What a device says of itself.
///
/// # Safety
/// `device` must be a device; the rest as for [`plsycl_platform_query`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_query(
    device: *const Device,
    what: u32,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let value = device_value(unsafe { super::borrow(device) }?, what)?;
        // SAFETY: as the caller says.
        unsafe { give_bytes(&value, bytes, capacity, size) }
    })
}

fn device_value(device: &Device, what: u32) -> Result<Vec<u8>> {
    let facts = device.facts();
    let text: &str = match what {
        codes::DEVICE_NAME => &facts.name,
        codes::DEVICE_VENDOR => &facts.vendor,
        codes::DEVICE_VERSION => &facts.version,
        codes::DEVICE_DRIVER_VERSION => &facts.driver_version,
        codes::DEVICE_EXTENSIONS => &facts.extensions,
        // SYCL devices are of the full profile; what a backend calls its version, devices do too.
        codes::DEVICE_PROFILE => "FULL_PROFILE",
        codes::DEVICE_BACKEND_VERSION => &facts.version,
        codes::DEVICE_PCI_ADDRESS => &facts.pci_address,
        codes::DEVICE_OPENCL_C_VERSION => &facts.opencl_c_version,
        codes::DEVICE_OPENCL_C_VERSIONS => return opencl_c(device, OpenClC::Versions),
        codes::DEVICE_OPENCL_C_FEATURES => return opencl_c(device, OpenClC::Features),
        codes::DEVICE_OPENCL_EXTENSIONS => return opencl_c(device, OpenClC::Extensions),
        codes::DEVICE_FREE_MEMORY => {
            ending::refuse()?;
            let free = device.free_memory().ok_or_else(unknown_question)?;
            return Ok(free.to_ne_bytes().to_vec());
        }
        _ => {
            let known = facts.numbers.iter().find(|(code, _)| *code == what);
            let known = known.map(|(_, numbers)| numbers.clone());
            let numbers = known.or_else(|| unanswered::numbers(what));
            let mut numbers = numbers.ok_or_else(unknown_question)?;
            if let codes::DEVICE_PREFERRED_VECTOR_WIDTHS | codes::DEVICE_NATIVE_VECTOR_WIDTHS = what
            {
                without_missing_types(device, &mut numbers);
            }
            return Ok(numbers
                .iter()
                .flat_map(|number| number.to_ne_bytes())
                .collect());
        }
    };
    Ok(text.as_bytes().to_vec())
}

fn opencl_c(device: &Device, what: OpenClC) -> Result<Vec<u8>> {
    ending::refuse()?;
    let compiler = device.driver().compiler();
    let told = compiler.map(|compiler| compiler.opencl_c(what));
    let told = told.unwrap_or_default().into_iter();
    let lines: Vec<String> = told
        .map(|(name, version)| format!("{version} {name}\n"))
        .collect();
    Ok(lines.concat().into_bytes())
}

/// Sets the widths of vectors to 0 of what the device does not compute with.
fn without_missing_types(device: &Device, widths: &mut [u64]) {
    for (place, aspect) in [(5, "fp64"), (6, "fp16")] {
        let has = aspects::number(aspect).is_some_and(|number| device.has(number));
        if let (false, Some(width)) = (has, widths.get_mut(place)) {
            *width = 0;
        }
    }
}

/// Whether a device has an aspect.
///
/// # Safety
/// `device` must be a device and `has` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_has(
    device: *const Device,
    aspect: u32,
    has: *mut i32,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(has, super::borrow(device)?.has(aspect).into()) })
}

/// What the device can do in another one's memory: 1 is reading and writing it, 2 atomic operations.
///
/// # Safety
/// Both must be devices and `can` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_peer(
    device: *const Device,
    other: *const Device,
    can: *mut u32,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let peer = unsafe { borrow(device)?.peer(borrow(other)?) }?;
        let found = u32::from(peer.access) | u32::from(peer.atomics) << 1;
        // SAFETY: as the caller says.
        unsafe { give(can, found) }
    })
}

/// Lets the device reach another one's memory, or no longer.
///
/// # Safety
/// Both must be devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_reach_peer(
    device: *const Device,
    other: *const Device,
    may: i32,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { borrow(device)?.reach_peer(borrow(other)?, may != 0) })
}

/// Whether an image of the program is for the device; also when the program has no images.
///
/// # Safety
/// `device` must be a device and `has` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_has_image(device: *const Device, has: *mut i32) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(has, select::has_image_for(super::borrow(device)?).into()) })
}

fn unknown_question() -> Error {
    Error::new(Kind::Invalid, "the runtime does not know this question")
}

/// # Safety
/// `bytes` must have room for `capacity` bytes; `size` must be a place for the size.
pub(super) unsafe fn give_bytes(
    value: &[u8],
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> Result<()> {
    let count = value.len().min(capacity);
    if !bytes.is_null() {
        // SAFETY: the caller gives room for `capacity` bytes.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), bytes, count) };
    }
    // SAFETY: the caller gives a place for the size.
    unsafe { give(size, value.len()) }
}
