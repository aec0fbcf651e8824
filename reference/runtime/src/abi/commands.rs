//! Commands and kernels.

use std::any::Any;
use std::ffi::{c_char, c_void};
use std::ptr::null;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{
    Lent, answer, borrow, c_string, codes, counted, give, invalid, items, lend, share, text,
};
use crate::boxes::{Box3, Rows};
use crate::command::{Command, Described, HostCommand, Region};
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::event::{Event, Watched};
use crate::foreign::{self, Given};
use crate::imports::Linked;
use crate::launch::{Asked, Call, Chosen, Launch, Start, Which};
use crate::memory::{Access, Memory, Span};
use crate::plugin::{Kernel, Space};
use crate::queue::{Kept, Queue, Requirement};
use crate::registry::{self, Image, Origin};
use crate::requirements;
use crate::select;

/// `plsycl_requirement`.
#[repr(C)]
pub struct RawRequirement {
    memory: *const Memory,
    access: u32,
    begin: usize,
    end: usize,
}

/// `plsycl_spec_constant`.
#[repr(C)]
pub struct RawSpecConstant {
    name: *const c_char,
    bytes: *const u8,
    size: usize,
}

/// # Safety
/// The records' pointers must be good.
pub(super) unsafe fn read_constants(
    raw: *const RawSpecConstant,
    count: usize,
) -> Result<Vec<(String, Vec<u8>)>> {
    // SAFETY: as the caller says.
    let constants = unsafe { items(raw, count) }.iter();
    let constants = constants.map(|constant| {
        // SAFETY: as the caller says.
        let (name, bytes) = unsafe { (text(constant.name)?, items(constant.bytes, constant.size)) };
        Ok((name.to_owned(), bytes.to_vec()))
    });
    constants.collect()
}

/// `plsycl_launch`.
#[repr(C)]
pub struct RawLaunch {
    name: *const c_char,
    origin: *const c_void,
    functor: *const u8,
    functor_size: u64,
    dimensions: u32,
    global: [u64; 3],
    local: [u64; 3],
    offset: [u64; 3],
    spec_constants: *const RawSpecConstant,
    spec_constant_count: usize,
    spec_constant_pointer: u64,
    known: *const Chosen,
    images: *const *const Image,
    image_count: usize,
}

/// `plsycl_box`.
#[repr(C)]
pub struct RawBox {
    memory: *const Memory,
    bytes: *mut u8,
    first: u64,
    plane_stride: u64,
    row_stride: u64,
}

/// `plsycl_command`.
#[repr(C)]
pub struct RawCommand {
    kind: u32,
    events: *const *const Watched,
    event_count: usize,
    requirements: *const RawRequirement,
    requirement_count: usize,
    launch: *const RawLaunch,
    destination: *mut c_void,
    source: *const c_void,
    size: usize,
    pattern_size: usize,
    callback: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    owner: *mut c_void,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
    to: RawBox,
    from: RawBox,
    rows: [u64; 2],
    row_size: u64,
    foreign: *const RawForeignLaunch,
}

/// `plsycl_argument`.
#[repr(C)]
pub struct RawArgument {
    kind: u32,
    memory: *const Memory,
    bytes: *const u8,
    size: usize,
}

/// `plsycl_foreign_launch`.
#[repr(C)]
pub struct RawForeignLaunch {
    kernel: *const foreign::Kernel,
    dimensions: u32,
    global: [u64; 3],
    local: [u64; 3],
    offset: [u64; 3],
    arguments: *const RawArgument,
    argument_count: usize,
}

/// What a command needs of the program's, until it is dropped.
struct Owner {
    owner: *mut c_void,
    release: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: the command's caller gives a function and its argument that go together, on any thread.
unsafe impl Send for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: as above; nobody else calls it.
        unsafe { (self.release)(self.owner) };
    }
}

/// Submits a command.
///
/// # Safety
/// The handles and pointers of the command must be good, those that a command uses while it runs
/// until it is done; `event` must be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_submit(
    queue: *const Queue,
    command: *const RawCommand,
    event: *mut *const Watched,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let raw = unsafe { borrow(command) }?;
        let owner = raw.owner;
        let kept = raw.release.map(|release| Owner { owner, release });
        let kept: Kept = kept.map(|kept| Box::new(kept) as Box<dyn Any + Send>);
        // SAFETY: as the caller says.
        let queue = unsafe { lend(queue) }?;
        let mut events = Events::new();
        // SAFETY: as the caller says.
        unsafe { read_events(&mut events, raw.events, raw.event_count) }?;
        // SAFETY: as the caller says.
        let requirements = unsafe { items(raw.requirements, raw.requirement_count) };
        let mut memories: SmallVec<[Lent<Memory>; 4]> = SmallVec::new();
        for each in requirements {
            // SAFETY: as the caller says.
            memories.push(unsafe { lend(each.memory) }?);
        }
        let mut uses: SmallVec<[Requirement<'_>; 4]> = SmallVec::new();
        for (memory, each) in memories.iter().zip(requirements) {
            let (begin, end) = (each.begin, each.end);
            uses.push((memory, Access(each.access), Span { begin, end }));
        }
        let submitted = match raw.kind {
            // SAFETY: as the caller says.
            1 => unsafe { submit_kernel(borrow(raw.launch)?, &queue, kept, &events, &uses) }?,
            // SAFETY: as the caller says.
            _ => unsafe {
                let command = Described::Whole(read_command(raw)?);
                Arc::new(queue.submit(command, kept, &events, &uses)?)
            },
        };
        // SAFETY: as the caller says.
        unsafe { give(event, Arc::into_raw(submitted)) }
    })
}

/// Submits the start of a kernel that uses no buffers.
///
/// # Safety
/// The handles and pointers must be good, those that the kernel uses until it is done; `event` must be
/// a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_start(
    queue: *const Queue,
    launch: *const RawLaunch,
    events: *const *const Watched,
    event_count: usize,
    event: *mut *const Watched,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let submitted = unsafe {
            let mut after = Events::new();
            read_events(&mut after, events, event_count)?;
            submit_kernel(borrow(launch)?, &*lend(queue)?, None, &after, &[])?
        };
        // SAFETY: as the caller says.
        unsafe { give(event, Arc::into_raw(submitted)) }
    })
}

/// Submits the start of a kernel; by what the queue knows of it, where no more is said.
///
/// # Safety
/// As for [`plsycl_submit`].
unsafe fn submit_kernel(
    raw: &RawLaunch,
    queue: &Arc<Queue>,
    kept: Kept,
    events: &[&Event],
    uses: &[Requirement<'_>],
) -> Result<Arc<Watched>> {
    let asked = asked(raw.name, raw.origin);
    let lent = match raw.known.is_null() {
        true => None,
        // SAFETY: as the caller says.
        false => Some(unsafe { lend(raw.known) }?),
    };
    let lent = lent.as_deref().filter(|known| known.holds());
    let says_more =
        raw.spec_constant_count > 0 || raw.image_count > 0 || raw.spec_constant_pointer != u64::MAX;
    check_dimensions(raw.dimensions)?;
    let space = space(raw.dimensions, &raw.global, &raw.local, &raw.offset);
    // SAFETY: as the caller says.
    let (name, functor) = unsafe {
        let size = raw.functor_size as usize;
        (c_string(raw.name)?, items(raw.functor, size))
    };
    if !says_more && kept.is_none() && events.is_empty() && uses.is_empty() {
        let which = lent.map_or(Which::Named(asked, name), Which::Known);
        if let Some(event) = queue.start_alone(which, functor, &space)? {
            return Ok(event);
        }
    }
    let found = match lent {
        Some(_) => None,
        None => queue.kernels.find(asked, name),
    };
    let known = lent.or(found.as_ref());
    let command = match known.filter(|_| !says_more) {
        Some(chosen) => Described::Start(Start {
            chosen,
            asked,
            call: Call {
                name: &chosen.name,
                functor,
                space: &space,
            },
        }),
        // SAFETY: as the caller says.
        None => Described::Whole(Command::Kernel(unsafe { read_launch(raw, known, space) }?)),
    };
    // SAFETY: as the caller says.
    unsafe { queue.submit(command, kept, events, uses) }.map(Arc::new)
}

/// What a command comes after.
type Events<'a> = SmallVec<[&'a Event; 8]>;

/// Adds what a command comes after to a list that stays where it is: moving one takes longer than filling it.
///
/// # Safety
/// `first` must be null or span `count` handles, all alive for `'a`.
unsafe fn read_events<'a>(
    events: &mut Events<'a>,
    first: *const *const Watched,
    count: usize,
) -> Result<()> {
    // SAFETY: as the caller says.
    for event in unsafe { items(first, count) } {
        // SAFETY: as the caller says.
        events.push(&**unsafe { borrow(*event) }?);
    }
    Ok(())
}

/// A function of the program with its argument.
struct Task {
    callback: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
}

// SAFETY: the command's caller gives a function and its argument that go together, on any thread.
unsafe impl Send for Task {}

impl Task {
    fn run(self) {
        // SAFETY: as above; the owner that came with the command keeps the argument.
        unsafe { (self.callback)(self.argument) };
    }
}

/// # Safety
/// The command's pointers must be good.
unsafe fn read_command(raw: &RawCommand) -> Result<Command> {
    // SAFETY: as the caller says.
    let pattern = || unsafe { items(raw.source.cast::<u8>(), raw.pattern_size) }.to_vec();
    let rows = Rows {
        planes: raw.rows[0] as usize,
        rows: raw.rows[1] as usize,
        row_size: raw.row_size as usize,
    };
    Ok(match raw.kind {
        0 => Command::None,
        2 => Command::Copy {
            to: raw.destination,
            from: raw.source,
            size: raw.size,
        },
        3 => Command::Fill {
            to: raw.destination,
            pattern: pattern(),
            size: raw.size,
        },
        4 | 9 => {
            let callback = raw.callback;
            let callback = callback.ok_or_else(|| invalid("a host task without a function"))?;
            let argument = raw.argument;
            let task = Task { callback, argument };
            let function = Box::new(move || task.run());
            Command::Host(match raw.kind {
                4 => HostCommand::Task(function),
                _ => HostCommand::Interop(function),
            })
        }
        // SAFETY: as the caller says.
        5 => unsafe { Command::copy(read_box(&raw.to)?, read_box(&raw.from)?, rows) },
        6 => Command::FillBox {
            // SAFETY: as the caller says.
            to: unsafe { read_box(&raw.to)? },
            pattern: pattern(),
            rows,
        },
        7 => Command::Barrier,
        8 => Command::BarrierAfter,
        // SAFETY: as the caller says.
        10 => Command::Foreign(unsafe { read_foreign(borrow(raw.foreign)?)? }),
        _ => return Err(invalid("no such kind of command")),
    })
}

/// # Safety
/// The handle must be null or alive.
unsafe fn read_box(raw: &RawBox) -> Result<Region> {
    let memory = match raw.memory.is_null() {
        true => None,
        // SAFETY: as the caller says.
        false => Some(unsafe { share(raw.memory) }?),
    };
    Ok(Region {
        memory,
        pointer: raw.bytes,
        bounds: Box3 {
            first: raw.first as usize,
            plane_stride: raw.plane_stride as usize,
            row_stride: raw.row_stride as usize,
        },
    })
}

/// Fails where a kernel cannot run over so many dimensions.
fn check_dimensions(dimensions: u32) -> Result<()> {
    match dimensions {
        1..=3 => Ok(()),
        _ => Err(invalid("a kernel runs over one to three dimensions")),
    }
}

/// A space whose dimensions were [checked](check_dimensions), as both kinds of kernels are started over.
#[inline]
fn space(dimensions: u32, global: &[u64; 3], local: &[u64; 3], offset: &[u64; 3]) -> Space {
    let numbers = |values: &[u64; 3]| values.map(|value| value as usize);
    Space {
        dimensions: dimensions as usize,
        global: numbers(global),
        local: (*local != [0; 3]).then(|| numbers(local)),
        offset: numbers(offset),
    }
}

/// # Safety
/// The record's pointers must be good.
unsafe fn read_foreign(raw: &RawForeignLaunch) -> Result<foreign::Launch> {
    // SAFETY: as the caller says.
    let arguments = unsafe { items(raw.arguments, raw.argument_count) }.iter();
    check_dimensions(raw.dimensions)?;
    let arguments = arguments.map(|argument| {
        // SAFETY: as the caller says.
        let bytes = || unsafe { items(argument.bytes, argument.size) };
        Ok(match argument.kind {
            0 => Given::Kept,
            // SAFETY: as the caller says.
            1 => Given::Buffer(unsafe { share(argument.memory) }?, argument.size),
            2 => Given::Local(argument.size),
            3 => Given::Pointer(argument.bytes.cast()),
            4 => Given::Value(bytes().to_vec()),
            _ => return Err(invalid("no such kind of argument")),
        })
    });
    Ok(foreign::Launch {
        arguments: arguments.collect::<Result<_>>()?,
        // SAFETY: as the caller says.
        kernel: unsafe { share(raw.kernel) }?,
        space: space(raw.dimensions, &raw.global, &raw.local, &raw.offset),
    })
}

/// # Safety
/// The record's pointers must be good.
unsafe fn read_launch(
    raw: &RawLaunch,
    known: Option<&Arc<Chosen>>,
    space: Space,
) -> Result<Box<Launch>> {
    // SAFETY: as the caller says.
    let constants = unsafe { read_constants(raw.spec_constants, raw.spec_constant_count) }?;
    // SAFETY: as the caller says.
    let images = unsafe { items(raw.images, raw.image_count) }.iter();
    // SAFETY: as the caller says.
    let images = images.map(|image| Ok(unsafe { borrow(*image) }?.id));
    let images = images.collect::<Result<Vec<u64>>>()?;
    let pointer = raw.spec_constant_pointer;
    // SAFETY: as the caller says.
    let functor = unsafe { items(raw.functor, raw.functor_size as usize) };
    let (name, asked_name) = match known {
        Some(known) => (Arc::clone(&known.name), None),
        None => {
            // SAFETY: as the caller says.
            let name = unsafe { text(raw.name) }?;
            (registry::kernel_name(name).into(), Some(name.to_owned()))
        }
    };
    Ok(Box::new(Launch {
        name,
        asked: asked(raw.name, raw.origin),
        asked_name,
        known: known.cloned(),
        functor: functor.into(),
        space,
        spec_constants: constants,
        spec_constant_pointer: (pointer != u64::MAX).then_some(pointer as usize),
        bundle: (!images.is_empty()).then_some(images),
    }))
}

fn asked(name: *const c_char, origin: *const c_void) -> Asked {
    Asked {
        origin: Origin(origin),
        place: name as usize,
    }
}

counted!(
    Chosen,
    plsycl_known_kernel_retain,
    plsycl_known_kernel_release
);

/// What [`plsycl_submit`] would say about the kernel before it starts anything, and what the queue knows of
/// it: null where it has not started it.
///
/// # Safety
/// The handle must be alive, `name` a C string, and `known` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_find(
    queue: *const Queue,
    name: *const c_char,
    origin: *const c_void,
    known: *mut *const Chosen,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (queue, asked_name) = unsafe { (borrow(queue)?, c_string(name)?) };
        let found = queue.kernels.find(asked(name, origin), asked_name);
        if found.is_none() {
            // SAFETY: as the caller says.
            let name = registry::kernel_name(unsafe { text(name) }?);
            select::images_for(name, Origin::UNKNOWN, queue.device)?;
        }
        // SAFETY: as the caller says.
        unsafe { give(known, found.map_or(null(), Arc::into_raw)) }
    })
}

/// Whether some image of the program holds the kernel and fits the device.
///
/// # Safety
/// `device` must be a device, `name` a C string, `compatible` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_compatible(
    name: *const c_char,
    device: *const Device,
    compatible: *mut i32,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (name, device) = unsafe { (text(name)?, borrow::<'static>(device)?) };
        let fits = select::images_for(registry::kernel_name(name), Origin::UNKNOWN, device).is_ok();
        // SAFETY: as the caller says.
        unsafe { give(compatible, fits.into()) }
    })
}

/// What the device says about the kernel, built for it.
///
/// # Safety
/// The handles must be alive, `name` a C string, `value` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_query(
    context: *const Context,
    device: *const Device,
    name: *const c_char,
    origin: *const c_void,
    what: u32,
    value: *mut u64,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (context, device, name) =
            unsafe { (borrow(context)?, borrow::<'static>(device)?, text(name)?) };
        let name = registry::kernel_name(name);
        let linked = image_of(device, name, Origin(origin))?;
        let kernel = context.kernel(device, &linked, name, &[], "")?;
        let answer = match what {
            codes::KERNEL_COMPILE_SUB_GROUP_SIZE => match kernel.query(what)? {
                // Not all drivers tell. An image has kernels alone that require the same.
                0 => {
                    let properties = &linked.image().content.properties;
                    requirements::required_sub_group_size(properties).map_or(0, u64::from)
                }
                size => size,
            },
            codes::KERNEL_COMPILE_GROUP_0..=codes::KERNEL_COMPILE_GROUP_2 => {
                let place = (what - codes::KERNEL_COMPILE_GROUP_0) as usize;
                kernel
                    .required_group()
                    .map_or(0, |sizes| sizes[place] as u64)
            }
            _ => kernel.query(what)?,
        };
        // SAFETY: as the caller says.
        unsafe { give(value, answer) }
    })
}

/// The kernel of the name that code at `origin` means, built for the device.
pub(super) fn built_kernel(
    context: &Context,
    device: &'static Device,
    name: &str,
    origin: Origin,
) -> Result<Arc<dyn Kernel>> {
    context.kernel(device, &image_of(device, name, origin)?, name, &[], "")
}

/// The image that serves the kernel on the device.
fn image_of(device: &'static Device, name: &str, origin: Origin) -> Result<Linked> {
    let mut images = select::images_for(name, origin, device)?.into_iter();
    images
        .next()
        .ok_or_else(|| invalid("no image holds the kernel"))
}
