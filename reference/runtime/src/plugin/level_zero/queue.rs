//! Level Zero queues: command lists whose commands begin as soon as their events let them.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard};

use level_zero_sys as sys;
use level_zero_sys::{ze_command_list_handle_t, ze_event_handle_t, ze_result_t};

use super::context::LevelZeroAllocation;
use super::driver::{self, CommandList, Id, done};
use super::event::{Clock, Events, LevelZeroEvent, Timing};
use super::program::{LevelZeroKernel, argument_place};
use crate::error::{Error, Kind, Result};
use crate::plugin::in_flight::{InFlight, Kept};
use crate::plugin::work_groups::{self, in_device_order};
use crate::plugin::{
    After, Allocation, Argument, Event, Kernel, Queue, Space, Started, downcast, wait_for_all,
};

/// A Level Zero queue. Commands wait for nothing but the events that they are given.
pub(super) struct LevelZeroQueue {
    list: CommandList,
    device: Id,
    events: Arc<Events>,
    /// How the device counts time, when the queue measures.
    clock: Option<Clock>,
    /// The longest pattern that the device fills memory with.
    longest_pattern: usize,
    in_flight: Mutex<InFlight>,
}

impl LevelZeroQueue {
    pub fn new(
        list: CommandList,
        device: Id,
        events: Arc<Events>,
        clock: Option<Clock>,
        longest_pattern: usize,
    ) -> LevelZeroQueue {
        LevelZeroQueue {
            list,
            device,
            events,
            clock,
            longest_pattern,
            in_flight: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Appends a command that signals a new event after the ones given; `append` gets the list, that
    /// event and the ones to wait for.
    pub(super) fn submit(
        &self,
        what: &str,
        after: After<'_>,
        kept: Kept,
        append: impl FnOnce(
            ze_command_list_handle_t,
            ze_event_handle_t,
            u32,
            *mut ze_event_handle_t,
        ) -> ze_result_t,
    ) -> Result<Arc<dyn Event>> {
        let raw = |event: &Arc<dyn Event>| Ok(downcast::<LevelZeroEvent>(event.as_any())?.handle());
        let mut waits: Vec<ze_event_handle_t> = after.iter().map(raw).collect::<Result<_>>()?;
        let first = match waits.is_empty() {
            true => null_mut(),
            false => waits.as_mut_ptr(),
        };
        let timing = self.clock.map(|clock| self.submitted_now(clock));
        let event = self.events.event(timing)?;
        // The list takes one command at a time.
        let mut in_flight = self.lock();
        let count = waits.len() as u32;
        done(
            what,
            append(self.list.handle(), event.handle(), count, first),
        )?;
        let event: Arc<dyn Event> = event;
        in_flight.add(Arc::clone(&event), kept.with_waits(after), drop);
        Ok(event)
    }

    fn submitted_now(&self, clock: Clock) -> Timing {
        let (mut host, mut submitted) = (0, 0);
        let read = self.list.api().device_get_global_timestamps;
        // SAFETY: the device is that of the queue; the places are ours.
        let result = unsafe { read(self.device.0, &raw mut host, &raw mut submitted) };
        Timing {
            clock,
            submitted: (result == sys::ZE_RESULT_SUCCESS).then_some(submitted),
        }
    }

    /// Copies bytes; with their owner, when that is not the caller.
    ///
    /// # Safety
    /// Both pointers must span `size` bytes until the command is done.
    pub(super) unsafe fn copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        after: After<'_>,
        kept: Kept,
    ) -> Result<Arc<dyn Event>> {
        let append = self.list.api().command_list_append_memory_copy;
        self.submit("copy memory", after, kept, |list, signal, count, waits| {
            // SAFETY: the caller vouches for both spans; list and events are alive.
            unsafe { append(list, to, from, size, signal, count, waits) }
        })
    }

    /// Fills with a repeated pattern.
    ///
    /// # Safety
    /// The pointer must span `size` bytes until the command is done.
    pub(super) unsafe fn fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        after: After<'_>,
        kept: Kept,
    ) -> Result<Arc<dyn Event>> {
        let length = pattern.len();
        if !length.is_power_of_two() || length > self.longest_pattern {
            // What the device cannot repeat is repeated here.
            let bytes: Vec<u8> = pattern.iter().copied().cycle().take(size).collect();
            let from = bytes.as_ptr().cast();
            // SAFETY: the caller vouches for the target; the bytes are kept with the command.
            return unsafe { self.copy(to, from, size, after, kept.with_bytes(bytes)) };
        }
        let append = self.list.api().command_list_append_memory_fill;
        let bytes = pattern.to_vec();
        let from = bytes.as_ptr().cast();
        let kept = kept.with_bytes(bytes);
        self.submit("fill memory", after, kept, |list, signal, n, waits| {
            // SAFETY: the caller vouches for the span; the pattern is kept with the command.
            unsafe { append(list, to, from, length, size, signal, n, waits) }
        })
    }

    /// The driver's functions.
    pub(super) fn api(&self) -> &'static sys::LevelZero {
        self.list.api()
    }

    fn set_arguments(&self, kernel: &driver::Kernel, arguments: &[Argument<'_>]) -> Result<()> {
        let set = kernel.api().kernel_set_argument_value;
        for (index, argument) in (0..).zip(arguments) {
            let word = |pointer: *const c_void| {
                (!pointer.is_null()).then(|| (pointer as usize).to_ne_bytes())
            };
            let pointer = match argument {
                Argument::Memory(memory) => {
                    let memory = downcast::<LevelZeroAllocation>(memory.as_any())?;
                    word(memory.pointer)
                }
                Argument::Pointer(pointer) => word(*pointer),
                Argument::Local(_) | Argument::Value(_) | Argument::Kept => None,
            };
            let (size, value) = match argument {
                Argument::Memory(_) | Argument::Pointer(_) => {
                    (size_of::<usize>(), pointer.as_ref().map(|p| p.as_slice()))
                }
                Argument::Local(size) => ((*size).max(1), None),
                Argument::Value(bytes) => (bytes.len(), Some(*bytes)),
                Argument::Kept => continue,
            };
            // SAFETY: the kernel is alive and locked by the caller; the value outlives the call, in
            // which the driver copies it, and the driver knows the parameter's size.
            let result = unsafe { set(kernel.handle(), index, size, argument_place(value)) };
            done(&format!("take argument {index} of the kernel"), result)?;
        }
        Ok(())
    }

    /// The work-group size that the driver suggests.
    fn suggested(&self, kernel: &driver::Kernel, global: [usize; 3]) -> Result<[usize; 3]> {
        let [x, y, z] = global.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let mut group = [1_u32; 3];
        let [group_x, group_y, group_z] = &mut group;
        let suggest = kernel.api().kernel_suggest_group_size;
        // SAFETY: the kernel is alive and locked by the caller; the places are ours.
        let result = unsafe { suggest(kernel.handle(), x, y, z, group_x, group_y, group_z) };
        done("suggest a work-group size", result)?;
        Ok(group.map(|size| size as usize))
    }
}

/// The offset of the space in device order.
fn offset_of(space: &Space) -> Result<[u32; 3]> {
    let mut offset = [0; 3];
    let wide = in_device_order(space, &space.offset);
    for (place, first) in offset.iter_mut().zip(wide) {
        *place = u32::try_from(first).map_err(|_| {
            let reason = format!(
                "Level Zero starts no kernel at work-item {first}: its number has to fit 32 bits"
            );
            Error::new(Kind::FeatureNotSupported, reason)
        })?;
    }
    Ok(offset)
}

impl Queue for LevelZeroQueue {
    fn launch(
        &self,
        kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        space: &Space,
        after: After<'_>,
    ) -> Result<Started> {
        let kernel = downcast::<LevelZeroKernel>(kernel.as_any())?;
        let required = kernel.required_group();
        let object = kernel.object.lock().unwrap_or_else(|e| e.into_inner());
        self.set_arguments(&object, arguments)?;
        let groups = work_groups::divide(space, |global| match required {
            Some(required) => Ok(required),
            None => self.suggested(&object, global),
        })?;
        let [offset_x, offset_y, offset_z] = offset_of(space)?;
        let (api, handle) = (object.api(), object.handle());
        let [x, y, z] = groups.size;
        // SAFETY: the kernel is alive and locked.
        let result = unsafe { (api.kernel_set_group_size)(handle, x, y, z) };
        done(&format!("launch work-groups of {x} x {y} x {z}"), result)?;
        // SAFETY: as above.
        let result =
            unsafe { (api.kernel_set_global_offset)(handle, offset_x, offset_y, offset_z) };
        done("take the offset of the iteration space", result)?;
        let [group_count_x, group_count_y, group_count_z] = groups.count;
        let count = sys::ze_group_count_t {
            group_count_x,
            group_count_y,
            group_count_z,
        };
        let object: Arc<driver::Kernel> = Arc::clone(&object);
        let kept = Kept::of_launch(object);
        let append = api.command_list_append_launch_kernel;
        let event = self.submit(
            "launch the kernel",
            after,
            kept,
            |list, signal, n, waits| {
                // SAFETY: list, kernel and events are alive; the arguments are set.
                unsafe { append(list, handle, &raw const count, signal, n, waits) }
            },
        )?;
        Ok(Started::Event(event))
    }

    fn write(&self, to: &dyn Allocation, offset: usize, from: &[u8]) -> Result<()> {
        let to = downcast::<LevelZeroAllocation>(to.as_any())?.pointer;
        let to = to.wrapping_byte_add(offset);
        let (bytes, size) = (from.as_ptr().cast(), from.len());
        // SAFETY: the allocation has the room, and both outlive the command, which is waited for.
        unsafe { self.copy(to, bytes, size, &[], Kept::default()) }?.wait()
    }

    fn read(&self, from: &dyn Allocation, offset: usize, to: &mut [u8]) -> Result<()> {
        let from = downcast::<LevelZeroAllocation>(from.as_any())?.pointer;
        let from = from.wrapping_byte_add(offset);
        let (bytes, size) = (to.as_mut_ptr().cast(), to.len());
        // SAFETY: as for `write`.
        unsafe { self.copy(bytes, from, size, &[], Kept::default()) }?.wait()
    }

    unsafe fn usm_copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        // SAFETY: the caller vouches for both spans.
        unsafe { self.copy(to, from, size, after, Kept::default()) }
    }

    unsafe fn usm_fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        // SAFETY: the caller vouches for the span.
        unsafe { self.fill(to, pattern, size, after, Kept::default()) }
    }

    fn barrier(&self, after: After<'_>) -> Result<Arc<dyn Event>> {
        let append = self.list.api().command_list_append_barrier;
        let kept = Kept::default();
        self.submit(
            "mark a place in a queue",
            after,
            kept,
            |list, signal, n, waits| {
                // SAFETY: list and events are alive.
                unsafe { append(list, signal, n, waits) }
            },
        )
    }

    fn finish(&self) -> Result<()> {
        // A failure belongs to its command's event.
        wait_for_all(&self.in_flight, drop);
        Ok(())
    }

    fn native(&self) -> *mut c_void {
        self.list.handle()
    }
}

impl Drop for LevelZeroQueue {
    fn drop(&mut self) {
        // The list must not end before its commands.
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_that_the_interface_cannot_say_is_an_error() {
        let space = |offset| Space {
            dimensions: 2,
            global: [8, 8, 1],
            local: None,
            offset,
        };
        assert_eq!(
            offset_of(&space([3, 0xffff_ffff, 0])),
            Ok([0xffff_ffff, 3, 0])
        );
        let error = offset_of(&space([1 << 32, 0, 0])).unwrap_err();
        assert_eq!(error.kind, Kind::FeatureNotSupported);
        assert!(error.reason.contains("work-item 4294967296"), "{error}");
    }
}
