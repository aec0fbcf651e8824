//! Objects of the driver that a program made itself and gives the runtime.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::discovery::give_bytes;
use super::interop::known;
use super::{answer, borrow, codes, counted, give, invalid, items, share, watched};
use crate::bundle::State;
use crate::context::Context;
use crate::device::Device;
use crate::ending;
use crate::error::Result;
use crate::event::{Event, Watched};
use crate::foreign::{self, Kernel, Program};
use crate::memory::Memory;
use crate::plugin::{Backend, opencl};
use crate::queue::Queue;

counted!(Program, plsycl_program_retain, plsycl_program_release);
counted!(
    Kernel,
    plsycl_foreign_kernel_retain,
    plsycl_foreign_kernel_release
);

/// A context of the driver's.
///
/// # Safety
/// `native` must be a live context of the driver; `context` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_adopt(
    backend: u32,
    native: *mut c_void,
    context: *mut *const Context,
) -> i32 {
    answer(|| {
        let mut backends = Backend::ALL.into_iter();
        let backend = backends.find(|each| *each as u64 == u64::from(backend));
        let backend = backend.ok_or_else(|| invalid("no such backend"))?;
        // SAFETY: as the caller says.
        let adopted = unsafe { foreign::context(backend, present(native)?) }?;
        // SAFETY: as the caller says.
        unsafe { give(context, Arc::into_raw(Arc::new(adopted))) }
    })
}

/// The devices of a context.
///
/// # Safety
/// The handle must be alive; `devices` must have room for `capacity` results; `count` must be a place
/// for their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_devices(
    context: *const Context,
    devices: *mut *const Device,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_devices(&borrow(context)?.devices, devices, capacity, count) })
}

/// # Safety
/// `places` must have room for `capacity` results; `count` must be a place for their number.
pub(super) unsafe fn give_devices(
    devices: &[&'static Device],
    places: *mut *const Device,
    capacity: usize,
    count: *mut usize,
) -> Result<()> {
    for (i, device) in devices.iter().take(capacity).enumerate() {
        // SAFETY: the caller gives room for `capacity` results.
        unsafe { places.add(i).write(std::ptr::from_ref(*device)) };
    }
    // SAFETY: as the caller says.
    unsafe { give(count, devices.len()) }
}

/// A queue of the driver's, with its device and properties.
///
/// # Safety
/// The handle must be alive and `native` a live queue of the driver; the rest places for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_adopt(
    context: *const Context,
    native: *mut c_void,
    queue: *mut *const Queue,
    device: *mut *const Device,
    properties: *mut u32,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let adopted = Arc::new(unsafe { Queue::adopt(share(context)?, present(native)?) }?);
        ending::of_queue(&adopted);
        let bits = u32::from(adopted.is_in_order()) | (u32::from(adopted.profiles()) << 1);
        // SAFETY: as the caller says.
        unsafe {
            give(device, std::ptr::from_ref(adopted.device))?;
            give(properties, bits)?;
            give(queue, Arc::into_raw(adopted))
        }
    })
}

/// Commands of the driver's as one.
///
/// # Safety
/// The handle must be alive and `natives` span `count` live events; `event` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_adopt(
    context: *const Context,
    natives: *const *mut c_void,
    count: usize,
    event: *mut *const Watched,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (context, natives) = unsafe { (share(context)?, items(natives, count)) };
        for native in natives {
            present(*native)?;
        }
        // SAFETY: as the caller says.
        let adopted = unsafe { context.driver.adopt_events(natives) }?;
        let adopted = Event::of_device(&context, adopted);
        // SAFETY: as the caller says.
        unsafe { give(event, watched(adopted)) }
    })
}

/// Memory of the driver's, whose contents are there when `after` (null for nothing) has ended.
///
/// # Safety
/// The handles must be alive and `native` a live buffer; the rest places for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_adopt(
    context: *const Context,
    native: *mut c_void,
    after: *const Watched,
    memory: *mut *const Memory,
    size: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let after = unsafe { after.as_ref() }.map_or_else(Event::done, |after| Event::clone(after));
        // SAFETY: as the caller says.
        let adopted = Arc::new(unsafe { Memory::adopt(share(context)?, present(native)?, after) }?);
        ending::of_buffer(&adopted);
        // SAFETY: as the caller says.
        unsafe {
            give(size, adopted.size())?;
            give(memory, Arc::into_raw(adopted))
        }
    })
}

/// Pixels of an image of the driver's: `dimensions`, a `sycl::image_format`, and three sizes.
///
/// # Safety
/// As [`plsycl_memory_adopt`], of a live image; `size` must have room for three.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_adopt_image(
    context: *const Context,
    native: *mut c_void,
    after: *const Watched,
    memory: *mut *const Memory,
    dimensions: *mut u32,
    format: *mut u32,
    size: *mut [usize; 3],
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let after = unsafe { after.as_ref() }.map_or_else(Event::done, |after| Event::clone(after));
        // SAFETY: as the caller says.
        let (adopted, shape) =
            unsafe { Memory::adopt_image(borrow(context)?, present(native)?, after) }?;
        let adopted = Arc::new(adopted);
        ending::of_buffer(&adopted);
        // SAFETY: as the caller says.
        unsafe {
            give(dimensions, shape.dimensions as u32)?;
            give(format, shape.format)?;
            give(size, shape.size)?;
            give(memory, Arc::into_raw(adopted))
        }
    })
}

/// Waits until nothing uses memory of the driver's any more, and leaves the contents there.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_settle(memory: *const Memory) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { borrow(memory) }?.settle())
}

fn state(number: u32) -> Result<State> {
    Ok(match number {
        0 => State::Input,
        1 => State::Object,
        2 => State::Executable,
        _ => return Err(invalid("no such state of a kernel bundle")),
    })
}

/// A program of the driver's in a state.
///
/// # Safety
/// The handle must be alive, `native` a live program and `program` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_adopt(
    context: *const Context,
    native: *mut c_void,
    to: u32,
    program: *mut *const Program,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let adopted = unsafe { Program::adopt(share(context)?, present(native)?, state(to)?) }?;
        // SAFETY: as the caller says.
        unsafe { give(program, Arc::into_raw(Arc::new(adopted))) }
    })
}

/// What comes of a program in a later state, for some of its devices.
///
/// # Safety
/// The handles must be alive, `devices` span `count` devices and `next` be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_advance(
    program: *const Program,
    devices: *const *const Device,
    count: usize,
    to: u32,
    next: *mut *const Program,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let devices = unsafe { super::devices(devices, count) }?;
        // SAFETY: as the caller says.
        let advanced = unsafe { borrow(program) }?.advanced(&devices, state(to)?)?;
        // SAFETY: as the caller says.
        unsafe { give(next, Arc::into_raw(Arc::new(advanced))) }
    })
}

/// The devices of a program.
///
/// # Safety
/// As [`plsycl_context_devices`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_devices(
    program: *const Program,
    devices: *mut *const Device,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let all: Vec<&'static Device> = unsafe { borrow(program) }?.devices().collect();
        // SAFETY: as the caller says.
        unsafe { give_devices(&all, devices, capacity, count) }
    })
}

/// The driver's handle of a program, with a reference of the caller's own.
///
/// # Safety
/// The handle must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_native(
    program: *const Program,
    native: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(native, known(borrow(program)?.native_owned())?) })
}

/// A kernel of the driver's.
///
/// # Safety
/// The handle must be alive, `native` a live kernel and `kernel` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_foreign_kernel_adopt(
    context: *const Context,
    native: *mut c_void,
    kernel: *mut *const Kernel,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let adopted = unsafe { Kernel::adopt(share(context)?, present(native)?) }?;
        // SAFETY: as the caller says.
        unsafe { give(kernel, Arc::into_raw(Arc::new(adopted))) }
    })
}

/// The program of such a kernel.
///
/// # Safety
/// The handle must be alive and `program` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_foreign_kernel_program(
    kernel: *const Kernel,
    program: *mut *const Program,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let found = unsafe { borrow(kernel) }?.program()?;
        // SAFETY: as the caller says.
        unsafe { give(program, Arc::into_raw(Arc::new(found))) }
    })
}

/// The driver's handle of such a kernel, with a reference of the caller's own.
///
/// # Safety
/// The handle must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_foreign_kernel_native(
    kernel: *const Kernel,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let kernel = unsafe { borrow(kernel) }?;
        let device = kernel.context.devices.first();
        let device = device.ok_or_else(|| invalid("a context of no device"))?;
        // SAFETY: as the caller says.
        unsafe {
            give(
                native,
                known(kernel.driver.on(device.place)?.native_owned())?,
            )
        }
    })
}

/// Text that the driver has of such a kernel.
///
/// # Safety
/// The handle must be alive; `bytes` must have room for `capacity` bytes and `size` be a place for the
/// size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_foreign_kernel_text(
    kernel: *const Kernel,
    what: u32,
    bytes: *mut c_char,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let kernel = unsafe { borrow(kernel) }?;
        let text = match what {
            codes::FOREIGN_KERNEL_NAME => kernel.driver.name(),
            codes::FOREIGN_KERNEL_ATTRIBUTES => kernel.driver.attributes(),
            _ => return Err(invalid("unknown question about a kernel")),
        };
        // SAFETY: as the caller says.
        unsafe { give_bytes(text.as_bytes(), bytes.cast(), capacity, size) }
    })
}

/// What a device says about such a kernel.
///
/// # Safety
/// The handles must be alive and `value` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_foreign_kernel_query(
    kernel: *const Kernel,
    device: *const Device,
    what: u32,
    value: *mut u64,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says; devices live as long as the process.
        let (kernel, device) = unsafe { (borrow(kernel)?, borrow::<'static>(device)?) };
        let on_device = kernel.driver.on(device.place)?;
        let found = match what {
            codes::KERNEL_COMPILE_GROUP_0..=codes::KERNEL_COMPILE_GROUP_2 => {
                let place = (what - codes::KERNEL_COMPILE_GROUP_0) as usize;
                let sizes = on_device.required_group();
                sizes.map_or(0, |sizes| sizes[place] as u64)
            }
            codes::KERNEL_NUM_ARGUMENTS => u64::from(kernel.driver.argument_count()),
            _ => on_device.query(what)?,
        };
        // SAFETY: as the caller says.
        unsafe { give(value, found) }
    })
}

/// How often an object of OpenCL's is held.
///
/// # Safety
/// `object` must be a live one of the kind that `enum plsycl_opencl_object` numbers so, and `count` a place
/// for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_opencl_references(
    kind: u32,
    object: *mut c_void,
    count: *mut u32,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(count, opencl::references(kind, present(object)?)?) })
}

fn present(native: *mut c_void) -> Result<*mut c_void> {
    match native.is_null() {
        true => Err(invalid("a null handle of the driver")),
        false => Ok(native),
    }
}
