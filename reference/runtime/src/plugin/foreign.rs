//! Objects of a driver that a program made itself and gives the runtime (`make_*` of SYCL 2020).
//!
//! The runtime takes a reference of its own to each, and gives that back in the end.

use std::ffi::c_void;
use std::sync::Arc;

use super::sources::Source;
use super::{Allocation, Context, Event, Kernel, Queue};
use crate::bundle::State;
use crate::error::{Error, Kind, Result};

/// A context that the program made.
pub struct ForeignContext {
    /// The context.
    pub context: Arc<dyn Context>,
    /// The places of its devices in the platform's list.
    pub devices: Vec<usize>,
}

/// A queue that the program made.
pub struct ForeignQueue {
    /// The queue.
    pub queue: Arc<dyn Queue>,
    /// The place of its device in the platform's list.
    pub device: usize,
    /// Whether its commands run one after the other.
    pub in_order: bool,
    /// Whether it takes the times of its commands.
    pub profiling: bool,
}

/// What an image holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// One to three.
    pub dimensions: usize,
    /// Pixels along each dimension, of which there are always three, the fastest first.
    pub size: [usize; 3],
    /// A value of `sycl::image_format`.
    pub format: u32,
    /// Bytes of a pixel.
    pub pixel: usize,
}

impl ImageShape {
    /// Bytes of all pixels, without gaps.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.size
            .iter()
            .fold(self.pixel, |all, each| all.saturating_mul(*each))
    }
}

/// An image that the program made.
pub trait ForeignImage: Send + Sync {
    /// What it holds.
    fn shape(&self) -> ImageShape;
    /// Copies its pixels, without gaps between them; returns when done.
    ///
    /// # Errors
    /// When the driver refuses.
    fn read(&self, to: &mut [u8]) -> Result<()>;
    /// Puts pixels into it, as [`ForeignImage::read`] gives them; returns when done.
    ///
    /// # Errors
    /// When the driver refuses.
    fn write(&self, from: &[u8]) -> Result<()>;
}

/// A program that the program made.
pub trait ForeignProgram: Send + Sync {
    /// The places of its devices in the platform's list.
    fn devices(&self) -> &[usize];
    /// It, or what comes of it, in a state: compiled or linked where it is not yet.
    ///
    /// # Errors
    /// `Invalid` when it is past the state, `Build` when the driver's compiler refuses it.
    fn advanced(&self, devices: &[usize], to: State) -> Result<Arc<dyn ForeignProgram>>;
    /// One of its kernels; `None` where it has none of the name.
    ///
    /// # Errors
    /// When the driver refuses.
    fn kernel(&self, name: &str) -> Result<Option<Arc<dyn ForeignKernel>>>;
    /// What the driver's compiler said of it for its devices.
    fn log(&self) -> String;
    /// The driver's own handle of it, with a reference of the caller's own.
    fn native_owned(&self) -> *mut c_void;
}

/// A kernel that the program made.
pub trait ForeignKernel: Send + Sync {
    /// The kernel on the device at a place of the platform's list.
    ///
    /// # Errors
    /// `Invalid` where there is none.
    fn on(&self, device: usize) -> Result<Arc<dyn Kernel>>;
    /// The program that it is of.
    ///
    /// # Errors
    /// When the driver does not say.
    fn program(&self) -> Result<Arc<dyn ForeignProgram>>;
    /// Its name.
    fn name(&self) -> String;
    /// The attributes of its source.
    fn attributes(&self) -> String;
    /// How many parameters it has.
    fn argument_count(&self) -> u32;
}

fn unknown<T>() -> Result<T> {
    let reason = "objects of the driver cannot be given to the runtime through this interface";
    Err(Error::new(Kind::FeatureNotSupported, reason))
}

/// What a context makes of them. All must be of that context; `Invalid` where they are not.
pub trait Adopt {
    /// A queue.
    ///
    /// # Errors
    /// When it is of another context or the driver refuses.
    ///
    /// # Safety
    /// `native` must be a live queue of the driver.
    unsafe fn adopt_queue(&self, _native: *mut c_void) -> Result<ForeignQueue> {
        unknown()
    }
    /// Memory, and its size in bytes.
    ///
    /// # Errors
    /// As [`Adopt::adopt_queue`].
    ///
    /// # Safety
    /// `native` must be a live buffer of the driver.
    unsafe fn adopt_memory(&self, _native: *mut c_void) -> Result<(Arc<dyn Allocation>, usize)> {
        unknown()
    }
    /// An image, whose pixels go through the device at a place of the platform's list.
    ///
    /// # Errors
    /// As [`Adopt::adopt_queue`]; `Invalid` where SYCL has no such image.
    ///
    /// # Safety
    /// `native` must be a live image of the driver.
    unsafe fn adopt_image(
        &self,
        _native: *mut c_void,
        _device: usize,
    ) -> Result<Arc<dyn ForeignImage>> {
        unknown()
    }
    /// Commands, at least one, as one.
    ///
    /// # Errors
    /// As [`Adopt::adopt_queue`].
    ///
    /// # Safety
    /// `natives` must be live events of the driver.
    unsafe fn adopt_events(&self, _natives: &[*mut c_void]) -> Result<Arc<dyn Event>> {
        unknown()
    }
    /// A program.
    ///
    /// # Errors
    /// As [`Adopt::adopt_queue`].
    ///
    /// # Safety
    /// `native` must be a live program of the driver.
    unsafe fn adopt_program(&self, _native: *mut c_void) -> Result<Arc<dyn ForeignProgram>> {
        unknown()
    }
    /// A program that the driver makes of a source and builds for the devices at places of the
    /// platform's list.
    ///
    /// # Errors
    /// `Build` when it does not build.
    fn program_from_source(
        &self,
        _devices: &[usize],
        _source: &Source<'_>,
    ) -> Result<Arc<dyn ForeignProgram>> {
        let reason = "the driver builds no kernels from a source";
        Err(Error::new(Kind::FeatureNotSupported, reason))
    }
    /// A kernel.
    ///
    /// # Errors
    /// As [`Adopt::adopt_queue`].
    ///
    /// # Safety
    /// `native` must be a live kernel of the driver.
    unsafe fn adopt_kernel(&self, _native: *mut c_void) -> Result<Arc<dyn ForeignKernel>> {
        unknown()
    }
}
