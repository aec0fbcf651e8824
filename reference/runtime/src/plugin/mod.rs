//! What a driver interface must offer, and the interfaces there are.
//!
//! The rest of the runtime knows devices through these traits alone. Objects of one interface
//! recognise each other by [`Any`]; mixing interfaces is an error, never a guess.

mod architectures;
mod cuda;
pub mod details;
mod devices;
mod discovery;
mod facts;
pub mod foreign;
mod in_flight;
mod level_zero;
pub mod opencl;
mod options;
pub mod partition;
mod pending;
pub mod sources;
#[cfg(test)]
pub mod stand_in;
pub mod unanswered;
mod usm;
pub mod work_groups;

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use offload_formats::registration::ImageFormat;

pub use self::discovery::{Answer, Asked, ask};
pub use self::facts::{ATOMIC_SCOPES, DeviceFacts, MEM_BASE_ADDR_ALIGN, Peer};
use self::foreign::{Adopt, ForeignContext};
use self::partition::Partition;
pub use self::pending::{Pending, wait_for, wait_for_all};
use self::sources::Compiler;
use crate::boxes::{Box3, Rows};
use crate::error::{Error, Kind, Result};

/// A driver interface, with the numbers of `plsycl_backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Backend {
    /// OpenCL.
    OpenCl = 1,
    /// Level Zero.
    LevelZero = 2,
    /// The CUDA driver interface.
    Cuda = 3,
}

impl Backend {
    /// All of them, those first whose devices come first: an interface of one vendor knows that
    /// vendor's devices best.
    pub const ALL: [Backend; 3] = [Backend::LevelZero, Backend::Cuda, Backend::OpenCl];

    /// The name that `PLUMBLINE_DEVICE` uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Backend::OpenCl => "opencl",
            Backend::LevelZero => "level_zero",
            Backend::Cuda => "cuda",
        }
    }

    /// The name that messages use.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Backend::OpenCl => "OpenCL",
            Backend::LevelZero => "Level Zero",
            Backend::Cuda => "CUDA",
        }
    }
}

/// What a device is, with the numbers of `PLSYCL_DEVICE_TYPE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum DeviceType {
    /// A CPU.
    Cpu = 1,
    /// A GPU.
    Gpu = 2,
    /// An accelerator, such as an FPGA.
    Accelerator = 3,
    /// Anything else.
    Custom = 4,
}

impl DeviceType {
    /// The name that `PLUMBLINE_DEVICE` uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DeviceType::Cpu => "cpu",
            DeviceType::Gpu => "gpu",
            DeviceType::Accelerator => "accelerator",
            DeviceType::Custom => "custom",
        }
    }
}

/// The devices of one driver.
pub trait Platform: Send + Sync {
    /// The interface.
    fn backend(&self) -> Backend;
    /// Text by its code in the C interface (`PLSYCL_PLATFORM_*`); `None` for an unknown code.
    fn text(&self, what: u32) -> Option<String>;
    /// Its devices, always in the same order. What they are divided into has places behind them.
    fn devices(&self) -> Vec<&'static dyn Device>;
    /// The device at a place.
    ///
    /// # Errors
    /// `Invalid` where there is none.
    fn device(&self, place: usize) -> Result<&'static dyn Device>;
    /// Divides a device, and says where the parts are.
    ///
    /// # Errors
    /// When the driver refuses.
    fn divide(&self, _place: usize, _how: &Partition) -> Result<Vec<usize>> {
        let reason = "devices of this interface are not divided";
        Err(Error::new(Kind::FeatureNotSupported, reason))
    }
    /// A context over devices given by their places.
    ///
    /// # Errors
    /// When the driver refuses.
    fn create_context(&self, devices: &[usize]) -> Result<Arc<dyn Context>>;
    /// A context that the program made; `None` where it is of another platform.
    ///
    /// # Errors
    /// When the driver refuses.
    ///
    /// # Safety
    /// `native` must be a live context of the driver.
    unsafe fn adopt_context(&self, _native: *mut c_void) -> Result<Option<ForeignContext>> {
        Ok(None)
    }
    /// The driver's own handle of it; null where the interface gives none to programs.
    fn native(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
}

/// What devices have to know of an image to take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form<'a> {
    /// What the bytes are.
    pub format: ImageFormat,
    /// The target string.
    pub target: &'a str,
    /// The architecture that it was compiled for, where it says that.
    pub architecture: Option<&'a str>,
    /// Whether it is machine code of an NVIDIA GPU.
    pub is_machine_code: bool,
}

/// One device.
pub trait Device: Send + Sync {
    /// What it is.
    fn kind(&self) -> DeviceType;
    /// What it says of itself.
    fn facts(&self) -> &DeviceFacts;
    /// Bytes of its memory that are free now; `None` where its driver is not asked, and it has no aspect
    /// of it.
    fn free_memory(&self) -> Option<u64> {
        None
    }
    /// Whether it might take images of the form, and how gladly: a greater number is better, `None`
    /// never.
    fn accepts(&self, form: &Form<'_>) -> Option<u32>;
    /// What it builds kernels from, where its driver has a compiler for programs.
    fn compiler(&self) -> Option<&dyn Compiler> {
        None
    }
    /// The driver's own handle of it; null where the interface gives none to programs.
    fn native(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
    /// Build options with which kernels have room for groups of so many work-items, where there are such.
    fn options_for_group(&self, _items: u64) -> Option<String> {
        None
    }
    /// For devices of the same interface.
    fn as_any(&self) -> &dyn Any;
    /// What kernels of it can do in another one's memory, once they may.
    ///
    /// # Errors
    /// When the driver refuses.
    fn peer(&self, _other: &dyn Device) -> Result<Peer> {
        Ok(Peer::default())
    }
    /// Lets kernels and copies of it reach the other one's memory, or no longer.
    ///
    /// # Errors
    /// `FeatureNotSupported` when they cannot; `Invalid` when it is so already.
    fn reach_peer(&self, _other: &dyn Device, may: bool) -> Result<()> {
        Err(match may {
            true => Error::no_way_to_peer(),
            false => Error::peer_is(may),
        })
    }
}

/// A value for a specialization constant of SPIR-V.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpecValue {
    /// The number that the image gives the constant.
    pub id: u32,
    /// The value.
    pub bytes: Vec<u8>,
}

/// An image to build.
pub struct BuildInput<'a> {
    /// What the bytes are.
    pub format: ImageFormat,
    /// The image, and what it is linked with; at least one.
    pub parts: &'a [Part<'a>],
}

/// A module of a program.
pub struct Part<'a> {
    /// The code.
    pub bytes: &'a [u8],
    /// Options in the backend's own spelling.
    pub options: &'a str,
    /// Values for specialization constants.
    pub spec_values: &'a [SpecValue],
}

/// Kinds of unified shared memory, with the numbers of `plsycl_usm_kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum UsmKind {
    /// On the host, reached by devices.
    Host = 0,
    /// On a device.
    Device = 1,
    /// Moves between host and device.
    Shared = 2,
}

/// Devices that share memory and programs.
pub trait Context: Adopt + Send + Sync {
    /// Whether the driver's object is for the device at a place, which is one of the context's or a
    /// part of one.
    fn reaches(&self, _device: usize) -> bool {
        true
    }
    /// A queue on the device at a place of the platform's list.
    ///
    /// # Errors
    /// When the driver refuses.
    fn create_queue(
        &self,
        device: usize,
        in_order: bool,
        profiling: bool,
    ) -> Result<Arc<dyn Queue>>;
    /// Builds an image for one device; the error holds the build log.
    ///
    /// # Errors
    /// When the image does not build.
    fn build(&self, device: usize, input: &BuildInput<'_>) -> Result<Arc<dyn Program>>;
    /// Whether it takes time to build the image that [`Program::binary`] spares, given as an image of
    /// the native format: images that are binaries already take none, and some drivers keep what they
    /// build.
    fn is_worth_keeping(&self, _input: &BuildInput<'_>) -> bool {
        false
    }
    /// Device memory of `size` bytes, at least one.
    ///
    /// # Errors
    /// When there is no room.
    fn allocate(&self, size: usize) -> Result<Arc<dyn Allocation>>;
    /// Unified shared memory; null when there is no room. `alignment` 0 is the driver's choice.
    ///
    /// # Errors
    /// When the device has no such memory.
    fn usm_allocate(
        &self,
        device: usize,
        kind: UsmKind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void>;
    /// Frees what [`Context::usm_allocate`] gave, when commands that use it are done.
    ///
    /// # Errors
    /// When the pointer is no allocation of the context.
    fn usm_free(&self, pointer: *mut c_void) -> Result<()>;
    /// What the pointer is, and the place of its device; `None` for memory of others.
    fn usm_query(&self, pointer: *const c_void) -> Option<(UsmKind, Option<usize>)>;
    /// The driver's own handle of it; null where the interface gives none to programs.
    fn native(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
    /// Gives that handle one more owner, where the driver counts them.
    fn retain_native(&self) {}
}

/// A built image.
pub trait Program: Send + Sync {
    /// One of its entry points.
    ///
    /// # Errors
    /// When the program has none of that name.
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>;
    /// Where a variable of it is on the device; `None` where the driver's compiler has left none of that name.
    ///
    /// # Errors
    /// When the driver cannot tell.
    fn global(&self, name: &str) -> Result<Option<*mut c_void>> {
        let reason = format!("the driver cannot tell where the variable {name} is");
        Err(Error::new(Kind::FeatureNotSupported, reason))
    }
    /// It in the driver's own form, where the driver gives that.
    fn binary(&self) -> Option<Vec<u8>> {
        None
    }
    /// What the driver's compiler said while it built, where the driver keeps that.
    fn build_log(&self) -> String {
        String::new()
    }
    /// The driver's own handle of it, with a reference of the caller's own where the driver counts;
    /// null where the interface gives none to programs.
    fn native_owned(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
}

/// An entry point of a built image.
pub trait Kernel: Send + Sync {
    /// For [`Queue::launch`] of the same interface.
    fn as_any(&self) -> &dyn Any;
    /// The work-group size that it requires, in the device's order of dimensions: the one that varies
    /// fastest first.
    fn required_group(&self) -> Option<[usize; 3]>;
    /// An answer to a `PLSYCL_KERNEL_*` question.
    ///
    /// # Errors
    /// When the question is unknown or the driver refuses.
    fn query(&self, what: u32) -> Result<u64>;
    /// The driver's own handle of it, with a reference of the caller's own where the driver counts;
    /// null where the interface gives none to programs.
    fn native_owned(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
}

/// Memory of a context.
pub trait Allocation: Send + Sync {
    /// For queues of the same interface.
    fn as_any(&self) -> &dyn Any;
    /// The driver's own handle of it; null where the interface gives none to programs.
    fn native(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
    /// Gives that handle one more owner, where the driver counts them.
    fn retain_native(&self) {}
    /// The part from byte `origin` on of the buffer, which has `size`, as memory of its own that programs may
    /// have; it must not outlive the buffer's.
    ///
    /// # Errors
    /// `FeatureNotSupported` where the interface gives programs no memory, or as the driver refuses.
    fn part(&self, _origin: usize, _size: usize) -> Result<Arc<dyn Allocation>> {
        let reason = "the driver's interface has no memory for a part of a buffer";
        Err(Error::new(Kind::FeatureNotSupported, reason))
    }
    /// Whether the driver itself keeps it until the commands have ended that use it.
    fn outlives_its_owner(&self) -> bool {
        false
    }
}

/// A value for a parameter of an entry point, by what the caller has.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// What the driver's kernel was given before.
    Kept,
    /// Device memory, which stays as long as the command needs it.
    Memory(&'a Arc<dyn Allocation>),
    /// That many bytes of work-group memory.
    Local(usize),
    /// A USM pointer.
    Pointer(*const c_void),
    /// Bytes as they are.
    Value(&'a [u8]),
}

/// An iteration space, outermost dimension first; unused dimensions are 1 in sizes, 0 in offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// One to three.
    pub dimensions: usize,
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items of a work-group; `None` leaves it to the device.
    pub local: Option<[usize; 3]>,
    /// The first work-item.
    pub offset: [usize; 3],
}

/// A command that was given to a device.
pub trait Event: Send + Sync {
    /// For queues of the same interface.
    fn as_any(&self) -> &dyn Any;
    /// Waits for its end.
    ///
    /// # Errors
    /// When the command failed.
    fn wait(&self) -> Result<()>;
    /// How far it is.
    ///
    /// # Errors
    /// When the command failed.
    fn state(&self) -> Result<EventState>;
    /// Whether [`Event::state`] takes much less time than giving the device a command.
    fn is_quick_to_ask(&self) -> bool {
        false
    }
    /// Nanoseconds at a `PLSYCL_PROFILING_*` point.
    ///
    /// # Errors
    /// When the queue does not profile.
    fn profiling(&self, what: u32) -> Result<u64>;
    /// A number that it shares with commands that end one after the other, in the order in which they were
    /// given to the device; 0 where nothing is known of it.
    fn line(&self) -> usize {
        0
    }
    /// The command's number among those of its line, which grows, where its end tells of every command
    /// before it there that it has ended, and of a failure among them.
    fn place_in_line(&self) -> Option<u64> {
        None
    }
    /// No program has the event any more: its end may be heard of together with that of later commands.
    fn unwatched(&self) {}
    /// Has it tell its end from that of commands to come, whoever watches it.
    ///
    /// # Errors
    /// When the driver refuses.
    fn tell_apart(&self) -> Result<()> {
        Ok(())
    }
    /// What the events of one command have in common, and no other has while there is one of them.
    fn identity(&self) -> *const c_void {
        std::ptr::from_ref(self).cast()
    }
    /// The driver's own handles of it; none where the interface gives none to programs.
    fn natives(&self) -> Vec<*mut c_void> {
        Vec::new()
    }
    /// Gives those handles one more owner, where the driver counts them.
    fn retain_natives(&self) {}
}

/// How far a command is, with the numbers of `plsycl_event_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum EventState {
    /// Not begun.
    Submitted = 0,
    /// Begun.
    Running = 1,
    /// Done.
    Complete = 2,
}

/// Where the bytes of a copy are.
#[derive(Clone)]
pub enum Place {
    /// In memory of the context; it stays as long as the command needs it.
    Memory(Arc<dyn Allocation>),
    /// In USM, or on the host.
    Pointer(*mut c_void),
}

/// One side of a copy, or what is filled: a box of bytes.
#[derive(Clone)]
pub struct Side {
    /// What the box lies in.
    pub place: Place,
    /// The box.
    pub bounds: Box3,
}

/// Rows of a repeated pattern, for devices that cannot repeat it themselves: a copy's source.
pub struct Repeated {
    bytes: Vec<u8>,
    rows: Rows,
}

impl Repeated {
    /// The pattern, as often as the rows hold it.
    #[must_use]
    pub fn new(pattern: &[u8], rows: Rows) -> Repeated {
        let bytes = pattern.iter().copied().cycle().take(rows.size()).collect();
        Repeated { bytes, rows }
    }

    /// Where a copy takes them from. It needs the bytes until it has ended.
    #[must_use]
    pub fn side(&self) -> Side {
        Side {
            place: Place::Pointer(self.bytes.as_ptr().cast_mut().cast()),
            bounds: self.rows.packed(),
        }
    }

    /// The bytes, which stay where they are.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// What a command waits for: events of the same context.
pub type After<'a> = &'a [Arc<dyn Event>];

/// Copies and fills of the memory behind buffers.
pub trait Transfer: Send + Sync {
    /// Copies rows of bytes. The sides do not overlap; pointers are the host's or USM.
    ///
    /// # Errors
    /// When the driver refuses.
    ///
    /// # Safety
    /// Both sides must hold the rows; what is a pointer, until the command is done.
    unsafe fn copy_box(
        &self,
        to: &Side,
        from: &Side,
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>>;
    /// Fills rows with a repeated pattern, of which each row is a multiple; a pointer is to USM.
    ///
    /// # Errors
    /// When the driver refuses.
    ///
    /// # Safety
    /// The side must hold the rows; a pointer, until the command is done.
    unsafe fn fill_box(
        &self,
        to: &Side,
        pattern: &[u8],
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>>;
}

impl dyn Queue + '_ {
    /// Starts a kernel; over an empty space it is a mere place in the queue, which no driver has to see.
    ///
    /// # Errors
    /// When an argument or the space does not fit the kernel.
    pub fn start(
        &self,
        kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        space: &Space,
        after: After<'_>,
    ) -> Result<Started> {
        match space.global.contains(&0) {
            true => self.barrier(after).map(Started::Event),
            false => self.launch(kernel, arguments, space, after),
        }
    }
}

/// What a command that the driver has is known by.
#[derive(Clone)]
pub enum Started {
    /// Its event.
    Event(Arc<dyn Event>),
    /// Its place in the line of a queue that [tells](Queue::tells): few are ever asked for their event.
    Told(u64),
}

/// Where commands go. Each method returns at once, except the blocking ones.
pub trait Queue: Transfer {
    /// The [`Event::line`] of its commands where the interface begins them in their order by itself, one
    /// when the one before has ended; else 0.
    fn line(&self) -> usize {
        0
    }
    /// Whether the interface [tells](Queue::told) the commands of a line: nobody need keep their events.
    fn tells(&self) -> bool {
        false
    }
    /// The event of the command at the place of the line, or of the last one; `None` where it does not tell, or was
    /// given none. Its end tells of all commands before it, as [`Event::place_in_line`] has it.
    fn told(&self, _place: Option<u64>) -> Option<Arc<dyn Event>> {
        None
    }
    /// As [`Event::unwatched`] for the command at the place of the line.
    fn unwatched(&self, _place: u64) {}
    /// Starts a kernel over a space that is not empty.
    ///
    /// # Errors
    /// When an argument or the space does not fit the kernel.
    fn launch(
        &self,
        kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        space: &Space,
        after: After<'_>,
    ) -> Result<Started>;
    /// Copies host bytes to an allocation, from its byte `offset` on; returns when done.
    ///
    /// # Errors
    /// When the driver refuses.
    fn write(&self, to: &dyn Allocation, offset: usize, from: &[u8]) -> Result<()>;
    /// Copies an allocation, from its byte `offset` on, to host bytes; returns when done.
    ///
    /// # Errors
    /// When the driver refuses or a command before failed.
    fn read(&self, from: &dyn Allocation, offset: usize, to: &mut [u8]) -> Result<()>;
    /// Copies between USM or host pointers; something, and never no bytes.
    ///
    /// # Errors
    /// When the driver refuses.
    ///
    /// # Safety
    /// Both pointers must span `size` bytes until the command is done.
    unsafe fn usm_copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>>;
    /// Fills USM with a repeated pattern; neither is empty.
    ///
    /// # Errors
    /// When the driver refuses.
    ///
    /// # Safety
    /// The pointer must span `size` bytes until the command is done.
    unsafe fn usm_fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>>;
    /// An event after the events given or, when there are none, after all commands so far. It holds
    /// back no later command by itself.
    ///
    /// # Errors
    /// When the driver refuses.
    fn barrier(&self, after: After<'_>) -> Result<Arc<dyn Event>>;
    /// Waits for all commands.
    ///
    /// # Errors
    /// When the driver refuses; failed commands tell through their events.
    fn finish(&self) -> Result<()>;
    /// The driver's own handle of it; null where the interface gives none to programs.
    fn native(&self) -> *mut c_void {
        std::ptr::null_mut()
    }
    /// Gives that handle one more owner, where the driver counts them.
    fn retain_native(&self) {}
}

/// The object behind a trait, when it is of the interface that asks.
///
/// # Errors
/// When it is of another one.
pub fn downcast<T: 'static>(object: &dyn Any) -> Result<&T> {
    object.downcast_ref().ok_or_else(|| {
        Error::new(
            Kind::BackendMismatch,
            "an object of one backend was given to another",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::DeviceFacts;

    #[test]
    fn devices_are_the_same_by_their_number_else_by_their_name() {
        let facts = |name: &str, uuid: Option<u8>| DeviceFacts {
            name: name.to_owned(),
            uuid: uuid.map(|byte| [byte; 16]),
            ..DeviceFacts::default()
        };
        assert!(facts("Iris", Some(1)).is_same_device(&facts("Iris Xe", Some(1))));
        assert!(!facts("Iris", Some(1)).is_same_device(&facts("Iris", Some(2))));
        assert!(facts("Iris", None).is_same_device(&facts("Iris", Some(1))));
        assert!(!facts("Iris", None).is_same_device(&facts("Arc", None)));
    }
}
