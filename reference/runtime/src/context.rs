//! Contexts, and the programs built in them.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::assertions;
use crate::cache;
use crate::device::Device;
use crate::device_globals::{self, Globals};
use crate::ending;
use crate::error::{Error, Kind, Result};
use crate::imports::Linked;
use crate::plugin::{self, Allocation, Backend, BuildInput, Part, Pending, SpecValue};
use crate::registry;
use crate::select;
use crate::trace::trace;

/// What tells contexts apart, of which no two have the same ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextId(u64);

impl ContextId {
    fn new() -> ContextId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ContextId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Devices of one platform that share memory and programs.
pub struct Context {
    /// Its own.
    pub id: ContextId,
    /// The driver's own.
    pub driver: Arc<dyn plugin::Context>,
    /// Its devices, at least one.
    pub devices: Vec<&'static Device>,
    /// What its device globals have for memory.
    pub globals: Globals,
    programs: Mutex<HashMap<ProgramKey, Slot>>,
    /// Memory of buffers that are gone, whose commands may not have ended: not before the driver's queues have
    /// ended, which the context outlives.
    left: Mutex<Pending<Arc<dyn Allocation>>>,
}

/// Before so much memory is asked for, what can be is given back: drivers may wait for all commands then.
const MUCH: usize = 1 << 20;

/// What tells built programs apart.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ProgramKey {
    device: usize,
    parts: Vec<PartKey>,
}

/// An image of a program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PartKey {
    image: u64,
    options: String,
    spec_values: Vec<SpecValue>,
}

/// Where a program is once a thread has built it; others that want it wait for that, and for no other.
type Slot = Arc<Mutex<Option<Arc<Program>>>>;

/// A built image and the kernels taken from it.
struct Program {
    driver: Arc<dyn plugin::Program>,
    kernels: Mutex<HashMap<String, Arc<dyn plugin::Kernel>>>,
}

impl fmt::Display for ProgramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.parts.iter().enumerate() {
            let verb = match number {
                0 => "build",
                _ => ", linked with",
            };
            write!(
                f,
                "{verb} image {} with options '{}'",
                part.image, part.options
            )?;
        }
        Ok(())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        for memory in self.globals.take() {
            // There is nobody to tell of memory that the driver will not take back.
            let _ = self.driver.usm_free(memory);
        }
    }
}

impl Context {
    /// A context over devices of one platform.
    ///
    /// # Errors
    /// When there is no device, they are of several platforms, or the driver refuses.
    pub fn create(devices: Vec<&'static Device>) -> Result<Context> {
        let invalid = |reason| Error::new(Kind::Invalid, reason);
        let first = devices
            .first()
            .ok_or_else(|| invalid("a context needs a device"))?;
        let platform = first.platform();
        if devices
            .iter()
            .any(|device| !std::ptr::eq(device.platform(), platform))
        {
            return Err(invalid("the devices of a context must be of one platform"));
        }
        let places: Vec<usize> = devices.iter().map(|device| device.place).collect();
        ending::refuse()?;
        let driver = platform.driver.create_context(&places)?;
        ending::after_driver();
        Ok(Context {
            id: ContextId::new(),
            driver,
            devices,
            globals: Globals::default(),
            programs: Mutex::default(),
            left: Mutex::default(),
        })
    }

    /// The context of these devices that a program has without making one, which lives as long as the program.
    /// Its libraries may each have their own copies of what headers define: that there is one is known here.
    ///
    /// # Errors
    /// As [`Context::create`].
    pub fn default_of(devices: Vec<&'static Device>) -> Result<Arc<Context>> {
        static DEFAULTS: Mutex<Vec<Arc<Context>>> = Mutex::new(Vec::new());
        let mut defaults = DEFAULTS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |context: &&Arc<Context>| {
            let (known, asked) = (&context.devices, &devices);
            known.len() == asked.len()
                && (known.iter().zip(asked)).all(|(one, other)| std::ptr::eq(*one, *other))
        };
        if let Some(known) = defaults.iter().find(is_of) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(Context::create(devices)?);
        defaults.push(Arc::clone(&made));
        Ok(made)
    }

    /// A context that the driver has already, over devices of one platform.
    pub fn of_driver(driver: Arc<dyn plugin::Context>, devices: Vec<&'static Device>) -> Context {
        ending::after_driver();
        Context {
            id: ContextId::new(),
            driver,
            devices,
            globals: Globals::default(),
            programs: Mutex::default(),
            left: Mutex::default(),
        }
    }

    /// Its devices, and what they are divided into by now.
    pub fn with_parts(&self) -> Vec<&'static Device> {
        let Some(first) = self.devices.first() else {
            return Vec::new();
        };
        let mut all = first.platform().with_parts();
        all.retain(|device| self.devices.iter().any(|own| device.comes_of(own)));
        all
    }

    /// Whether its driver moves memory between the devices, which it does with all bytes of a buffer: commands
    /// that use different parts of one must then not run at once.
    #[must_use]
    pub fn moves_whole_buffers(&self) -> bool {
        let mut devices = self.devices.iter().skip(1);
        devices.any(|device| device.platform().driver.backend() == Backend::OpenCl)
    }

    /// That commands and memory of a device can be had of it.
    ///
    /// # Errors
    /// `Invalid` when the device is none of the context's and no part of one; `FeatureNotSupported`
    /// when it is a part that the driver's context does not have.
    pub fn require(&self, device: &Device) -> Result<()> {
        if !self.devices.iter().any(|own| device.comes_of(own)) {
            let reason = "the device is neither one of the context's nor a part of one";
            return Err(Error::new(Kind::Invalid, reason));
        }
        if !self.driver.reaches(device.place) {
            let reason = "the driver's context has no parts of devices that were divided after it \
                          was made: make the context of the parts";
            return Err(Error::new(Kind::FeatureNotSupported, reason));
        }
        Ok(())
    }

    /// Memory for a buffer of `size` bytes, at least one.
    ///
    /// # Errors
    /// When there is no room.
    pub fn allocate(&self, size: usize) -> Result<Arc<dyn Allocation>> {
        if size >= MUCH {
            self.give_back();
        }
        self.with_room(|| self.driver.allocate(size))
    }

    /// Allocates of the driver, and once more when there is no room and what buffers left behind has been
    /// waited for.
    ///
    /// # Errors
    /// When there is still no room.
    pub fn with_room<T>(&self, allocate: impl Fn() -> Result<T>) -> Result<T> {
        allocate().or_else(|error| {
            if error.kind != Kind::MemoryAllocation || self.left().is_empty() {
                return Err(error);
            }
            plugin::wait_for_all(&self.left, drop);
            allocate()
        })
    }

    /// Gives back the memory that buffers left behind and whose commands have ended.
    pub fn give_back(&self) {
        self.left().look(drop);
    }

    /// Gives up memory of a buffer: it is kept until someone finds that the commands have ended that it was
    /// for, where the driver does not do so itself. A queue that has been waited for looks, and who
    /// allocates.
    pub fn leave(&self, allocation: &Arc<dyn Allocation>, uses: &[Arc<dyn plugin::Event>]) {
        if allocation.outlives_its_owner() {
            return;
        }
        let mut left = self.left();
        for event in uses {
            left.add(Arc::clone(event), Arc::clone(allocation), drop);
        }
    }

    fn left(&self) -> MutexGuard<'_, Pending<Arc<dyn Allocation>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether both are one context to the driver.
    pub fn is_same(&self, other: &Context) -> bool {
        let (own, others) = (self.driver.native(), other.driver.native());
        std::ptr::eq(self, other) || (!own.is_null() && own == others)
    }

    /// The kernel `name` of an image, built for `device` and linked with what the image needs.
    /// Programs are built once for each set of options and constants; `spec_values` has those of each
    /// image, where there are some, and `more` options of the driver's besides the images'.
    ///
    /// # Errors
    /// When the image does not build or lacks the kernel.
    pub fn kernel(
        &self,
        device: &Device,
        linked: &Linked,
        name: &str,
        spec_values: &[Vec<SpecValue>],
        more: &str,
    ) -> Result<Arc<dyn plugin::Kernel>> {
        let program = self.program(device, linked, spec_values, more)?;
        let mut kernels = program.kernels.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(kernel) = kernels.get(name) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = program.driver.kernel(name)?;
        kernels.insert(name.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// The driver's program of an image with what it is linked with, built for `device`.
    ///
    /// # Errors
    /// When the image does not build.
    pub fn build(
        &self,
        device: &Device,
        linked: &Linked,
        spec_values: &[Vec<SpecValue>],
    ) -> Result<Arc<dyn plugin::Program>> {
        let program = self.program(device, linked, spec_values, "")?;
        Ok(Arc::clone(&program.driver))
    }

    fn program(
        &self,
        device: &Device,
        linked: &Linked,
        spec_values: &[Vec<SpecValue>],
        more: &str,
    ) -> Result<Arc<Program>> {
        let mut parts = Vec::with_capacity(linked.parts().len());
        for (number, image) in linked.parts().iter().enumerate() {
            let mut options = select::build_options(image, device)?;
            if !more.is_empty() {
                options = format!("{options} {more}");
            }
            parts.push(PartKey {
                image: image.id,
                options,
                spec_values: spec_values.get(number).cloned().unwrap_or_default(),
            });
        }
        let key = ProgramKey {
            device: device.place,
            parts,
        };
        let slot = self.slot(&key);
        let mut built = slot.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(program) = &*built {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(self.make_program(device, linked, &key)?);
        *built = Some(Arc::clone(&program));
        Ok(program)
    }

    fn slot(&self, key: &ProgramKey) -> Slot {
        let mut programs = self.programs.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(slot) = programs.get(key) {
            return Arc::clone(slot);
        }
        // What was made of images whose binaries are gone is of no use any more.
        let is_there = |part: &PartKey| registry::is_registered(part.image);
        programs.retain(|key, _| key.parts.iter().all(is_there));
        Arc::clone(programs.entry(key.clone()).or_default())
    }

    fn make_program(&self, device: &Device, linked: &Linked, key: &ProgramKey) -> Result<Program> {
        trace(|| key.to_string());
        let codes = linked.codes()?;
        let mut parts: Vec<Part<'_>> = Vec::with_capacity(codes.len());
        for (code, key) in codes.iter().zip(&key.parts) {
            parts.push(Part {
                bytes: code,
                options: &key.options,
                spec_values: &key.spec_values,
            });
        }
        for library in assertions::fallback_libraries(linked.parts(), device) {
            parts.push(Part {
                bytes: library,
                options: &key.parts[0].options,
                spec_values: &[],
            });
        }
        let input = BuildInput {
            format: linked.image().format(),
            parts: &parts,
        };
        let program = Program {
            driver: cache::build(self.driver.as_ref(), device, &input)?,
            kernels: Mutex::default(),
        };
        let (driver, built) = (self.driver.as_ref(), program.driver.as_ref());
        device_globals::place(&self.globals, driver, device, linked.parts(), built)?;
        trace(|| {
            let log = program.driver.build_log();
            let lines = log.lines().filter(|line| !line.starts_with("remark"));
            let lines: Vec<&str> = lines.collect();
            format!(
                "the driver says of image {}: {}",
                linked.image().id,
                lines.join("; ")
            )
        });
        Ok(program)
    }
}
