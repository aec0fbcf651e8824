//! Programs and kernels of the driver that a program made itself, and how such kernels are started.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bundle::State;
use crate::context::Context;
use crate::device::{self, Device};
use crate::error::{Error, Kind, Result};
use crate::memory::{Brought, Memory, Required};
use crate::plugin::foreign::{ForeignKernel, ForeignProgram};
use crate::plugin::sources::Source;
use crate::plugin::{self, Allocation, Argument, Backend, Space, work_groups};
use crate::queue::Queue;

/// A program of the driver's, in one state for some devices of a context.
pub struct Program {
    /// The context.
    pub context: Arc<Context>,
    driver: Arc<dyn ForeignProgram>,
}

impl Program {
    /// What a program of the driver's comes to in a state.
    ///
    /// # Errors
    /// `Invalid` when it is past the state or of another context, `Build` when the driver refuses it.
    ///
    /// # Safety
    /// `native` must be a live program of the driver.
    pub unsafe fn adopt(context: Arc<Context>, native: *mut c_void, to: State) -> Result<Program> {
        // SAFETY: as the caller says.
        let adopted = unsafe { context.driver.adopt_program(native) }?;
        let devices = adopted.devices().to_vec();
        let driver = adopted.advanced(&devices, to)?;
        Ok(Program { context, driver })
    }

    /// What comes of it for some of its devices in a later state.
    ///
    /// # Errors
    /// As [`Program::adopt`].
    pub fn advanced(&self, devices: &[&'static Device], to: State) -> Result<Program> {
        let places: Vec<usize> = devices.iter().map(|device| device.place).collect();
        Ok(Program {
            context: Arc::clone(&self.context),
            driver: self.driver.advanced(&places, to)?,
        })
    }

    /// A program that the driver builds from a source for some of the context's devices.
    ///
    /// # Errors
    /// `Build` when it does not build, `FeatureNotSupported` when the driver builds none.
    pub fn from_source(
        context: Arc<Context>,
        devices: &[&'static Device],
        source: &Source<'_>,
    ) -> Result<Program> {
        let places: Vec<usize> = devices.iter().map(|device| device.place).collect();
        let driver = context.driver.program_from_source(&places, source)?;
        Ok(Program { context, driver })
    }

    /// One of its kernels; `None` where it has none of the name.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn kernel(&self, name: &str) -> Result<Option<Kernel>> {
        let driver = self.driver.kernel(name)?;
        Ok(driver.map(|driver| Kernel {
            context: Arc::clone(&self.context),
            driver,
            parts: Mutex::default(),
        }))
    }

    /// What the driver's compiler said of it.
    pub fn log(&self) -> String {
        self.driver.log()
    }

    /// Its devices, without those that the program does not see.
    pub fn devices(&self) -> impl Iterator<Item = &'static Device> {
        let all = self.context.with_parts().into_iter();
        all.filter(|device| self.driver.devices().contains(&device.place))
    }

    /// The driver's own handle of it, with a reference of the caller's own.
    pub fn native_owned(&self) -> *mut c_void {
        self.driver.native_owned()
    }
}

/// A kernel of the driver's.
pub struct Kernel {
    /// The context.
    pub context: Arc<Context>,
    /// The driver's own.
    pub driver: Arc<dyn ForeignKernel>,
    /// The parts of buffers that its parameters were given last, by their numbers: the driver's kernel keeps what
    /// it is not given again.
    parts: Mutex<BTreeMap<usize, Arc<dyn Allocation>>>,
}

impl Kernel {
    /// A kernel of the driver's.
    ///
    /// # Errors
    /// `Invalid` when it is of another context.
    ///
    /// # Safety
    /// `native` must be a live kernel of the driver.
    pub unsafe fn adopt(context: Arc<Context>, native: *mut c_void) -> Result<Kernel> {
        // SAFETY: as the caller says.
        let driver = unsafe { context.driver.adopt_kernel(native) }?;
        Ok(Kernel {
            context,
            driver,
            parts: Mutex::default(),
        })
    }

    /// Keeps the parts of buffers that parameters are given.
    fn keep(&self, launch: &Launch, memory: &[Option<Arc<dyn Allocation>>]) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, (given, memory)) in launch.arguments.iter().zip(memory).enumerate() {
            match (given, memory) {
                (Given::Kept, _) => {}
                (Given::Buffer(_, 1..), Some(memory)) => {
                    parts.insert(number, Arc::clone(memory));
                }
                _ => {
                    parts.remove(&number);
                }
            }
        }
    }

    /// The program that it is of.
    ///
    /// # Errors
    /// When the driver does not say.
    pub fn program(&self) -> Result<Program> {
        Ok(Program {
            context: Arc::clone(&self.context),
            driver: self.driver.program()?,
        })
    }
}

/// A context that the program made through `backend`.
///
/// # Errors
/// `Invalid` when it has no device that the program sees.
///
/// # Safety
/// `native` must be a live context of the driver.
pub unsafe fn context(backend: Backend, native: *mut c_void) -> Result<Context> {
    for platform in device::platforms()? {
        if platform.driver.backend() != backend {
            continue;
        }
        // SAFETY: as the caller says.
        let Some(adopted) = unsafe { platform.driver.adopt_context(native) }? else {
            continue;
        };
        let seen = platform.with_parts().into_iter();
        let devices: Vec<&Device> = seen
            .filter(|d| adopted.devices.contains(&d.place))
            .collect();
        if !devices.is_empty() {
            return Ok(Context::of_driver(adopted.context, devices));
        }
    }
    let reason = "no device of the driver's context is one that the program sees";
    Err(Error::new(Kind::Invalid, reason))
}

/// A kernel to start.
pub struct Launch {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Values for its parameters, in their order.
    pub arguments: Vec<Given>,
    /// How many work-items, and how grouped.
    pub space: Space,
}

/// What a program gives a parameter.
pub enum Given {
    /// A buffer that the command requires, from this byte on.
    Buffer(Arc<Memory>, usize),
    /// That many bytes of work-group memory.
    Local(usize),
    /// A USM pointer.
    Pointer(*const c_void),
    /// Bytes as they are.
    Value(Vec<u8>),
    /// What the driver's kernel was given before.
    Kept,
}

/// Fails where [`start`] would because of what is known already.
///
/// # Errors
/// As [`start`].
pub fn check(queue: &Queue, launch: &Launch, buffers: &[Required]) -> Result<()> {
    if !launch.kernel.context.is_same(&queue.context) {
        let reason = "the kernel is of another context than the queue";
        return Err(Error::new(Kind::Invalid, reason));
    }
    for given in &launch.arguments {
        if let Given::Buffer(memory, _) = given {
            let mut handles = buffers.iter().map(|(handle, _)| *handle);
            if !handles.any(|handle| handle == Arc::as_ptr(memory)) {
                return Err(not_required());
            }
        }
    }
    Ok(())
}

/// Starts the kernel on the queue's device. `buffers` are those that the command group required.
///
/// # Errors
/// When the kernel is of another context, or the driver refuses its arguments or the space.
pub fn start(
    queue: &Queue,
    launch: &Launch,
    buffers: &[Brought<'_>],
    after: plugin::After<'_>,
) -> Result<plugin::Started> {
    let required: Vec<Required> = buffers.iter().map(|(required, _)| *required).collect();
    check(queue, launch, &required)?;
    let given = launch.arguments.iter();
    let memory: Vec<Option<Arc<dyn Allocation>>> = given
        .map(|given| memory_of(given, buffers))
        .collect::<Result<_>>()?;
    let arguments = launch.arguments.iter().zip(&memory);
    let arguments: Vec<Argument<'_>> = arguments
        .map(|(given, memory)| argument(given, memory.as_ref()))
        .collect();
    launch.kernel.keep(launch, &memory);
    let kernel = launch.kernel.driver.on(queue.device.place)?;
    let space = match kernel.required_group() {
        Some(required) => work_groups::with_required(&launch.space, required)?,
        None => launch.space,
    };
    queue
        .driver
        .start(kernel.as_ref(), &arguments, &space, after)
}

/// The memory that stands for a buffer or for a part of one.
fn memory_of(given: &Given, buffers: &[Brought<'_>]) -> Result<Option<Arc<dyn Allocation>>> {
    let Given::Buffer(memory, origin) = given else {
        return Ok(None);
    };
    let mut known = buffers.iter();
    let found = known.find(|((handle, _), _)| *handle == Arc::as_ptr(memory));
    let (_, allocation) = found.ok_or_else(not_required)?;
    match origin {
        0 => Ok(Some(Arc::clone(allocation))),
        _ => allocation.part(*origin, memory.size()).map(Some),
    }
}

fn argument<'a>(given: &'a Given, memory: Option<&'a Arc<dyn Allocation>>) -> Argument<'a> {
    match given {
        // Each has its memory.
        Given::Buffer(..) => memory.map_or(Argument::Kept, Argument::Memory),
        Given::Local(size) => Argument::Local(*size),
        Given::Pointer(pointer) => Argument::Pointer(*pointer),
        Given::Value(bytes) => Argument::Value(bytes),
        Given::Kept => Argument::Kept,
    }
}

fn not_required() -> Error {
    let reason = "an argument is an accessor that the command group does not require";
    Error::new(Kind::KernelArgument, reason)
}
