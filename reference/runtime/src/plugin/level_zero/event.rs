//! Level Zero's events: places in pools, of which there are as many as commands need at once.

use std::any::Any;
use std::sync::{Arc, Mutex};

use level_zero_sys as sys;

use super::driver::{self, EventPool, done, filled, refusal};
use crate::error::{Error, Kind, Result};
use crate::plugin::{Event, EventState};

/// Events of one pool.
const POOL_SIZE: u32 = 128;

/// A place in a pool.
struct Place {
    pool: Arc<EventPool>,
    index: u32,
}

/// The places that no event uses.
type Free = Arc<Mutex<Vec<Place>>>;

/// Makes the events of a context.
pub(super) struct Events {
    context: Arc<driver::Context>,
    /// Places without and with times of commands.
    free: [Free; 2],
}

impl Events {
    pub fn of(context: &Arc<driver::Context>) -> Events {
        Events {
            context: Arc::clone(context),
            free: Default::default(),
        }
    }

    /// A new event; with times when the queue measures.
    pub fn event(&self, timing: Option<Timing>) -> Result<Arc<LevelZeroEvent>> {
        let free = &self.free[usize::from(timing.is_some())];
        let Place { pool, index } = self.place(free, timing.is_some())?;
        // Goes back to the free ones when the driver makes no event of it.
        let place = Borrowed {
            pool,
            index,
            free: Arc::clone(free),
        };
        let description = sys::ze_event_desc_t {
            index,
            signal: sys::ZE_EVENT_SCOPE_FLAG_HOST,
            wait: sys::ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let pool = &place.pool;
        let api = pool.api();
        let object = filled("make an event", std::ptr::null_mut(), |object| {
            // SAFETY: the pool is alive and the index is that of a free place in it.
            unsafe { (api.event_create)(pool.handle(), &raw const description, object) }
        })?;
        Ok(Arc::new(LevelZeroEvent {
            // SAFETY: the driver has just made it, and nobody else has it.
            object: unsafe { driver::Event::of(api, object, Arc::clone(pool)) },
            timing,
            _place: place,
        }))
    }

    fn place(&self, free: &Free, timed: bool) -> Result<Place> {
        let mut free = free.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(place) = free.pop() {
            return Ok(place);
        }
        let mut flags = sys::ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
        if timed {
            flags |= sys::ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
        }
        let description = sys::ze_event_pool_desc_t {
            flags,
            count: POOL_SIZE,
            ..Default::default()
        };
        let api = self.context.api();
        let context = self.context.handle();
        let devices = std::ptr::null_mut();
        let pool = filled("make a pool of events", std::ptr::null_mut(), |pool| {
            // SAFETY: the context is alive; no devices mean all of them.
            unsafe { (api.event_pool_create)(context, &raw const description, 0, devices, pool) }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        let pool = Arc::new(unsafe { EventPool::of(api, pool, Arc::clone(&self.context)) });
        free.extend((1..POOL_SIZE).map(|index| Place {
            pool: Arc::clone(&pool),
            index,
        }));
        Ok(Place { pool, index: 0 })
    }
}

/// A place in use, which goes back to where it came from.
struct Borrowed {
    pool: Arc<EventPool>,
    index: u32,
    free: Free,
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let place = Place {
            pool: Arc::clone(&self.pool),
            index: self.index,
        };
        let mut free = self.free.lock().unwrap_or_else(|e| e.into_inner());
        free.push(place);
    }
}

/// How a device counts time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Nanoseconds of a tick.
    pub tick: u64,
    /// Bits of a kernel's times that count.
    pub bits: u32,
}

/// What turns the times of a command into nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// The device's clock.
    pub clock: Clock,
    /// The device's time when the command was submitted, where the device tells.
    pub submitted: Option<u64>,
}

impl Timing {
    /// The device's time at a `PLSYCL_PROFILING_*` point.
    fn at(self, what: u32, times: sys::ze_kernel_timestamp_data_t) -> Option<u64> {
        let bits = self.clock.bits;
        let submitted = self.submitted.unwrap_or(times.kernel_start);
        let start = at_or_after(submitted, times.kernel_start, bits);
        match what {
            0 => Some(submitted),
            1 => Some(start),
            2 => Some(at_or_after(start, times.kernel_end, bits)),
            _ => None,
        }
    }
}

/// The first time not before `earlier` whose low bits are those of `ticks`.
fn at_or_after(earlier: u64, ticks: u64, bits: u32) -> u64 {
    let mask = 1u64.checked_shl(bits).map_or(u64::MAX, |end| end - 1);
    earlier.saturating_add(ticks.wrapping_sub(earlier) & mask)
}

/// A Level Zero event. Whoever waits for it keeps it until the wait is over.
pub(super) struct LevelZeroEvent {
    // Ends before its place goes back.
    object: driver::Event,
    timing: Option<Timing>,
    _place: Borrowed,
}

impl LevelZeroEvent {
    /// For calls.
    pub fn handle(&self) -> sys::ze_event_handle_t {
        self.object.handle()
    }

    /// Waits so many nanoseconds at most; says whether the command is done.
    fn is_done_within(&self, time: u64) -> Result<bool> {
        // SAFETY: the event is alive.
        let result =
            unsafe { (self.object.api().event_host_synchronize)(self.object.handle(), time) };
        match result {
            sys::ZE_RESULT_SUCCESS => Ok(true),
            sys::ZE_RESULT_NOT_READY => Ok(false),
            _ => Err(refusal("complete a command", result)),
        }
    }
}

impl Event for LevelZeroEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wait(&self) -> Result<()> {
        while !self.is_done_within(u64::MAX)? {}
        Ok(())
    }

    fn state(&self) -> Result<EventState> {
        // The interface does not tell whether a command has begun.
        Ok(match self.is_done_within(0)? {
            true => EventState::Complete,
            false => EventState::Submitted,
        })
    }

    fn profiling(&self, what: u32) -> Result<u64> {
        let timing = self.timing.filter(|_| self.is_done_within(0) == Ok(true));
        let timing = timing.ok_or_else(Error::not_measured)?;
        let mut times = sys::ze_kernel_timestamp_result_t::default();
        let api = self.object.api();
        // SAFETY: the event is alive and of a pool with times; the place is ours.
        let result =
            unsafe { (api.event_query_kernel_timestamp)(self.object.handle(), &raw mut times) };
        done("tell a command's times", result)?;
        let ticks = timing.at(what, times.global);
        let ticks = ticks.ok_or_else(|| Error::new(Kind::Invalid, "unknown profiling point"))?;
        Ok(ticks.saturating_mul(timing.clock.tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_starts_over_never_runs_backwards() {
        assert_eq!(at_or_after(0x5_0000_0010, 0x20, 32), 0x5_0000_0020);
        assert_eq!(at_or_after(0x5_ffff_fff0, 0x10, 32), 0x6_0000_0010);
        assert_eq!(at_or_after(7, 9, 64), 9);
    }

    #[test]
    fn a_command_is_submitted_then_begins_then_ends() {
        let times = sys::ze_kernel_timestamp_data_t {
            kernel_start: 0xffff_fff0,
            kernel_end: 0x20,
        };
        let points = |submitted| {
            let clock = Clock { tick: 83, bits: 32 };
            let timing = Timing { clock, submitted };
            [0, 1, 2].map(|what| timing.at(what, times).unwrap())
        };
        let expected = [0x3_ffff_ff00, 0x3_ffff_fff0, 0x4_0000_0020];
        assert_eq!(points(Some(0x3_ffff_ff00)), expected);
        assert_eq!(points(None), [0xffff_fff0, 0xffff_fff0, 0x1_0000_0020]);
    }
}
