//! Level Zero contexts: queues, modules and memory of some devices of one driver.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, Weak};

use level_zero_sys as sys;
use offload_formats::registration::ImageFormat;

use super::device::LevelZeroDevice;
use super::driver::{self, Api, CommandList, Id, filled, listed, refusal};
use super::event::{Clock, Events};
use super::program::LevelZeroProgram;
use super::queue::LevelZeroQueue;
use crate::error::{Error, Kind, Result};
use crate::plugin::devices::Devices;
use crate::plugin::foreign::Adopt;
use crate::plugin::usm::{Usm, UsmTable};
use crate::plugin::{Allocation, BuildInput, Context, Program, Queue, UsmKind};

/// A Level Zero context.
pub(super) struct LevelZeroContext {
    object: Arc<driver::Context>,
    /// All devices of the driver, of which the context holds some.
    devices: Arc<Devices<LevelZeroDevice>>,
    /// The only device of the context, when there is just one.
    only: Option<Id>,
    events: Arc<Events>,
    usm: UsmTable,
    /// Queues that may have commands which use the context's memory.
    queues: Mutex<Vec<Weak<LevelZeroQueue>>>,
}

impl LevelZeroContext {
    pub fn create(
        api: Api,
        driver: Id,
        all: &Arc<Devices<LevelZeroDevice>>,
        chosen: &[usize],
    ) -> Result<LevelZeroContext> {
        let description = sys::ze_context_desc_t::default();
        let object = filled("make a context", null_mut(), |object| {
            // SAFETY: a driver of the loader, a description with its mark.
            unsafe { (api.context_create)(driver.0, &raw const description, object) }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        let object = Arc::new(unsafe { driver::Context::of(api, object, driver) });
        Ok(LevelZeroContext {
            events: Arc::new(Events::of(&object)),
            object,
            devices: Arc::clone(all),
            only: match chosen {
                [one] => Some(all.at(*one)?.id()),
                _ => None,
            },
            usm: UsmTable::default(),
            queues: Mutex::default(),
        })
    }

    fn id(&self, device: usize) -> Result<Id> {
        Ok(self.devices.at(device)?.id())
    }

    /// Memory of a kind; host memory has no device.
    fn memory(
        &self,
        device: Option<Id>,
        kind: UsmKind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        let (api, context) = (self.object.api(), self.object.handle());
        let host = sys::ze_host_mem_alloc_desc_t::default();
        let local = sys::ze_device_mem_alloc_desc_t::default();
        let (host, local) = (&raw const host, &raw const local);
        let device = device.map_or(null_mut(), |id| id.0);
        filled("allocate memory", null_mut(), |place| {
            // SAFETY: context and device are alive and belong together; descriptions have marks.
            unsafe {
                match kind {
                    UsmKind::Host => (api.mem_alloc_host)(context, host, size, alignment, place),
                    UsmKind::Device => {
                        (api.mem_alloc_device)(context, local, size, alignment, device, place)
                    }
                    UsmKind::Shared => {
                        (api.mem_alloc_shared)(context, local, host, size, alignment, device, place)
                    }
                }
            }
        })
    }

    /// Waits until no command can use the context's memory any more.
    fn finish(&self) {
        let mut queues = self.queues.lock().unwrap_or_else(|e| e.into_inner());
        queues.retain(|queue| queue.strong_count() > 0);
        let alive: Vec<_> = queues.iter().filter_map(Weak::upgrade).collect();
        drop(queues);
        for queue in alive {
            // A failure belongs to its command's event.
            let _ = queue.finish();
        }
    }
}

impl Adopt for LevelZeroContext {}

impl Context for LevelZeroContext {
    fn create_queue(
        &self,
        device: usize,
        _in_order: bool,
        profiling: bool,
    ) -> Result<Arc<dyn Queue>> {
        let device = self.id(device)?;
        let (api, context) = (self.object.api(), self.object.handle());
        let groups = listed("list queue groups", Default::default(), |count, items| {
            // SAFETY: the device is one of the driver; places as `listed` gives them.
            unsafe { (api.device_get_command_queue_group_properties)(device.0, count, items) }
        })?;
        let computes = |group: &sys::ze_command_queue_group_properties_t| {
            group.flags & sys::ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0
        };
        let ordinal = groups.iter().position(computes).unwrap_or(0);
        let longest_pattern = groups
            .get(ordinal)
            .map_or(1, |g| g.max_memory_fill_pattern_size);
        let description = sys::ze_command_queue_desc_t {
            ordinal: ordinal as u32,
            mode: sys::ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        };
        let list = filled("make a queue", null_mut(), |list| {
            // SAFETY: context and device are alive and belong together.
            unsafe {
                let description = &raw const description;
                (api.command_list_create_immediate)(context, device.0, description, list)
            }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        let list = unsafe { CommandList::of(api, list, Arc::clone(&self.object)) };
        let clock = match profiling {
            true => Some(clock(api, device)?),
            false => None,
        };
        let events = Arc::clone(&self.events);
        let queue = Arc::new(LevelZeroQueue::new(
            list,
            device,
            events,
            clock,
            longest_pattern,
        ));
        let mut queues = self.queues.lock().unwrap_or_else(|e| e.into_inner());
        queues.push(Arc::downgrade(&queue));
        Ok(queue)
    }

    fn build(&self, device: usize, input: &BuildInput<'_>) -> Result<Arc<dyn Program>> {
        let program = LevelZeroProgram::build(&self.object, self.id(device)?, input)?;
        Ok(Arc::new(program))
    }

    fn is_worth_keeping(&self, input: &BuildInput<'_>) -> bool {
        input.format == ImageFormat::SpirV
    }

    fn allocate(&self, size: usize) -> Result<Arc<dyn Allocation>> {
        // Several devices reach a buffer on the host only.
        let kind = match self.only {
            Some(_) => UsmKind::Device,
            None => UsmKind::Host,
        };
        Ok(Arc::new(LevelZeroAllocation {
            pointer: self.memory(self.only, kind, size, 0)?,
            context: Some(Arc::clone(&self.object)),
        }))
    }

    fn usm_allocate(
        &self,
        device: usize,
        kind: UsmKind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        let id = self.id(device)?;
        let pointer = match self.memory(Some(id), kind, size, alignment) {
            Ok(pointer) => pointer,
            // A full or too small memory is a null pointer (SYCL 2020), anything else an error.
            Err(error) if error.kind == Kind::MemoryAllocation => return Ok(null_mut()),
            Err(error) => return Err(error),
        };
        let device = (kind != UsmKind::Host).then_some(device);
        self.usm.add(pointer, Usm { size, kind, device });
        Ok(pointer)
    }

    fn usm_free(&self, pointer: *mut c_void) -> Result<()> {
        self.finish();
        if self.usm.remove(pointer).is_none() {
            return Err(Error::new(
                Kind::Invalid,
                "the pointer is no allocation of the context",
            ));
        }
        // SAFETY: an allocation of the context that no command uses any more.
        let result = unsafe { (self.object.api().mem_free)(self.object.handle(), pointer) };
        match result {
            sys::ZE_RESULT_SUCCESS => Ok(()),
            _ => Err(refusal("free unified shared memory", result)),
        }
    }

    fn usm_query(&self, pointer: *const c_void) -> Option<(UsmKind, Option<usize>)> {
        let usm = self.usm.find(pointer)?;
        Some((usm.kind, usm.device))
    }

    fn native(&self) -> *mut c_void {
        self.object.handle()
    }
}

/// How the device counts time.
fn clock(api: Api, device: Id) -> Result<Clock> {
    let properties = filled(
        "tell a device's properties",
        sys::ze_device_properties_t::default(),
        // SAFETY: a device of the loader, and a structure with its mark.
        |place| unsafe { (api.device_get_properties)(device.0, place) },
    )?;
    Ok(Clock {
        tick: properties.timer_resolution,
        bits: properties.kernel_timestamp_valid_bits,
    })
}

/// A buffer in Level Zero's memory.
pub(super) struct LevelZeroAllocation {
    pub pointer: *mut c_void,
    /// Its owner; none of a part.
    context: Option<Arc<driver::Context>>,
}

// SAFETY: device memory, which only commands touch.
unsafe impl Send for LevelZeroAllocation {}
// SAFETY: as above.
unsafe impl Sync for LevelZeroAllocation {}

impl Drop for LevelZeroAllocation {
    fn drop(&mut self) {
        let Some(context) = &self.context else { return };
        // SAFETY: an allocation of the context; whoever gave up a buffer left it there until the commands
        // have ended that use it. There is nobody to tell of a refusal.
        let _ = unsafe { (context.api().mem_free)(context.handle(), self.pointer) };
    }
}

impl Allocation for LevelZeroAllocation {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn native(&self) -> *mut c_void {
        self.pointer
    }

    fn part(&self, origin: usize, _size: usize) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(LevelZeroAllocation {
            pointer: self.pointer.wrapping_byte_add(origin),
            context: None,
        }))
    }
}
