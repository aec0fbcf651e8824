//! CUDA's events.

use std::any::Any;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cuda_driver_sys as sys;

use super::driver::{self, Primary, Stream, done, filled, refusal};
use crate::error::{Error, Kind, Result};
use crate::plugin::{Event, EventState};

/// The driver's events that commands of a queue have no use for any more: making one takes as long as
/// starting a kernel.
#[derive(Default)]
pub(super) struct Pool {
    plain: Mutex<Vec<driver::Event>>,
    timed: Mutex<Vec<driver::Event>>,
}

/// So many events of each kind are kept.
const KEPT: usize = 1024;

impl Pool {
    fn of(&self, timed: bool) -> MutexGuard<'_, Vec<driver::Event>> {
        let list = match timed {
            true => &self.timed,
            false => &self.plain,
        };
        list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in a stream, as the driver marks it.
pub(super) struct Mark {
    /// There until the end.
    event: Option<driver::Event>,
    timed: bool,
    pool: Arc<Pool>,
}

impl Mark {
    /// Marks the place after the commands of the stream so far, whose context is current.
    pub fn record(stream: &Stream, pool: &Arc<Pool>, timed: bool) -> Result<Mark> {
        let primary = stream.primary();
        let api = primary.api();
        let kept = pool.of(timed).pop();
        let event = match kept {
            Some(event) => event,
            None => {
                let flags = match timed {
                    true => 0,
                    false => sys::CU_EVENT_DISABLE_TIMING,
                };
                let event = filled(api, "make an event", null_mut(), |event| {
                    // SAFETY: the context of the stream is current, and there is a place for the
                    // handle.
                    unsafe { (api.event_create)(event, flags) }
                })?;
                // SAFETY: the driver has just made it, and nobody else has it.
                unsafe { driver::Event::of(primary, event) }
            }
        };
        // Who waited for the event's former place has given it up, or the driver knows that place.
        // SAFETY: both are alive and of one context.
        let result = unsafe { (api.event_record)(event.handle(), stream.handle()) };
        done(api, "mark a place in a queue", result)?;
        Ok(Mark {
            event: Some(event),
            timed,
            pool: Arc::clone(pool),
        })
    }

    fn event(&self) -> &driver::Event {
        match &self.event {
            Some(event) => event,
            None => unreachable!("a mark has its event until it ends"),
        }
    }

    /// For calls.
    pub fn handle(&self) -> sys::CUevent {
        self.event().handle()
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let mut kept = self.pool.of(self.timed);
        if kept.len() < KEPT {
            kept.extend(self.event.take());
        }
    }
}

/// Nanoseconds of the host's clock, from its first use on.
pub(super) fn host_time() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A place in a stream whose time on the host's clock is known: what the driver measures from.
pub(super) struct Base {
    event: Mark,
    time: u64,
}

impl Base {
    /// Marks a place now, and waits for it.
    pub fn now(stream: &Stream, pool: &Arc<Pool>) -> Result<Base> {
        let event = Mark::record(stream, pool, true)?;
        let api = stream.primary().api();
        // SAFETY: the event is alive.
        let result = unsafe { (api.event_synchronize)(event.handle()) };
        done(api, "wait for an event", result)?;
        Ok(Base {
            event,
            time: host_time(),
        })
    }
}

/// What tells when a command began.
pub(super) struct Timing {
    /// What its queue measures from.
    pub base: Arc<Base>,
    /// The host's time when it was submitted.
    pub submitted: u64,
    /// The place before it.
    pub start: Mark,
}

/// A CUDA event: the place after a command.
pub(super) struct CudaEvent {
    end: Mark,
    timing: Option<Timing>,
    /// The stream that it is a place in.
    stream: sys::CUstream,
}

// SAFETY: the stream is only compared.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    /// The event of the commands of the stream so far.
    pub fn after_all(
        stream: &Stream,
        pool: &Arc<Pool>,
        timing: Option<Timing>,
    ) -> Result<Arc<CudaEvent>> {
        let end = Mark::record(stream, pool, timing.is_some())?;
        Ok(Arc::new(CudaEvent {
            end,
            timing,
            stream: stream.handle(),
        }))
    }

    /// For calls.
    pub fn handle(&self) -> sys::CUevent {
        self.end.handle()
    }

    /// Whether it is a place in the stream, whose later commands come after it anyway.
    pub fn is_in(&self, stream: sys::CUstream) -> bool {
        self.stream == stream
    }

    fn primary(&self) -> &Primary {
        self.end.event().primary()
    }

    /// Nanoseconds from one place to another.
    fn between(&self, first: &Mark, second: &Mark) -> Result<u64> {
        let api = self.primary().api();
        let milliseconds = filled(api, "tell a command's times", 0.0_f32, |time| {
            // SAFETY: both events are alive and done; the place is ours.
            unsafe { (api.event_elapsed_time)(time, first.handle(), second.handle()) }
        })?;
        Ok((f64::from(milliseconds) * 1e6).max(0.0) as u64)
    }

    fn outcome(&self, result: sys::CUresult) -> Result<EventState> {
        match result {
            sys::CUDA_SUCCESS => Ok(EventState::Complete),
            sys::CUDA_ERROR_NOT_READY => Ok(EventState::Submitted),
            _ => Err(refusal(self.primary().api(), "complete a command", result)),
        }
    }
}

impl Event for CudaEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wait(&self) -> Result<()> {
        let _entered = self.primary().enter()?;
        // SAFETY: the event is alive.
        let result = unsafe { (self.primary().api().event_synchronize)(self.handle()) };
        self.outcome(result).map(drop)
    }

    fn state(&self) -> Result<EventState> {
        let _entered = self.primary().enter()?;
        // SAFETY: the event is alive.
        let result = unsafe { (self.primary().api().event_query)(self.handle()) };
        self.outcome(result)
    }

    fn profiling(&self, what: u32) -> Result<u64> {
        let timing = self.timing.as_ref();
        let timing = timing.filter(|_| self.state() == Ok(EventState::Complete));
        let timing = timing.ok_or_else(Error::not_measured)?;
        let _entered = self.primary().enter()?;
        // What the driver measures over long spans is coarse; a command's own span is not.
        let begun = timing.base.time + self.between(&timing.base.event, &timing.start)?;
        let begun = begun.max(timing.submitted);
        match what {
            0 => Ok(timing.submitted),
            1 => Ok(begun),
            2 => Ok(begun + self.between(&timing.start, &self.end)?),
            _ => Err(Error::new(Kind::Invalid, "unknown profiling point")),
        }
    }
}
