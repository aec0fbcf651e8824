//! CUDA's events.
//!
//! A command's end is a place in its queue's stream. The driver marks places, which takes it as long as
//! starting a kernel, so a place is marked only where somebody may tell it from a later one: before the
//! next command comes, if a program has its event still, or when it is asked for. The runtime itself may
//! learn of a command's end by a later mark.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_driver_sys as sys;
use cuda_driver_sys::CUresult;

use super::driver::{self, Api, Stream, done, filled, refusal};
use crate::clock;
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
            None => driver::Event::make(primary, timed)?,
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

    /// What the driver has for a place that has been reached: an event that stands for nothing.
    fn of_the_past(stream: &Stream, pool: &Arc<Pool>) -> Result<Mark> {
        Ok(Mark {
            event: Some(driver::Event::make(stream.primary(), false)?),
            timed: false,
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

/// A place in a stream whose time on the host's clock is known: what the driver measures from.
pub(super) struct Base {
    event: Mark,
    time: u64,
}

impl Base {
    /// Marks a place now, and waits for it.
    pub fn now(line: &Line) -> Result<Base> {
        let (event, api) = (line.mark(true)?, line.api());
        // SAFETY: the event is alive.
        let result = unsafe { (api.event_synchronize)(event.handle()) };
        done(api, "wait for an event", result)?;
        Ok(Base {
            event,
            time: clock::now(),
        })
    }
}

/// What tells when a command began and ended.
pub(super) struct Timing {
    /// What its queue measures from.
    pub base: Arc<Base>,
    /// The host's time when it was submitted.
    pub submitted: u64,
    /// The place before it.
    pub start: Mark,
    /// The place after it.
    pub end: Arc<Mark>,
}

/// A stream, whose commands are numbered from 1 in the order in which they end, and what is known of
/// their ends.
pub(super) struct Line {
    /// Which of the process's lines it is.
    id: u64,
    stream: Stream,
    pool: Arc<Pool>,
    /// The last command; who adds one is the only one to do so.
    last: AtomicU64,
    /// One whose event no program has any more: of several the one of which somebody said so last.
    unwatched: AtomicU64,
    known: Mutex<Known>,
    /// Whether a program has been given a mark.
    has_given: AtomicBool,
}

#[derive(Default)]
struct Known {
    /// All up to this one have ended.
    ended: u64,
    /// Marks after commands that may not have ended, in their order.
    marks: VecDeque<(u64, Arc<Mark>)>,
    /// Marks that programs have, by the commands that they asked of: theirs as long as those events are.
    given: BTreeMap<u64, Arc<Mark>>,
}

impl Known {
    /// Whether a mark stands after the command, or after a later one.
    fn has_mark_behind(&self, number: u64) -> bool {
        let last = self.marks.back();
        last.is_some_and(|(each, _)| *each >= number)
    }
}

/// What tells of a command's end.
enum End {
    /// It has ended.
    Seen,
    /// The mark after a command, which is this one or a later one.
    Marked(u64, Arc<Mark>),
    /// It is the last of the stream and not marked.
    Last(u64),
}

impl Line {
    /// A line over the stream, whose context is current.
    pub fn of(stream: Stream) -> Line {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Line {
            id: MADE.fetch_add(1, Ordering::Relaxed),
            stream,
            pool: Arc::default(),
            last: AtomicU64::new(0),
            unwatched: AtomicU64::new(0),
            known: Mutex::default(),
            has_given: AtomicBool::new(false),
        }
    }

    /// The stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    fn api(&self) -> Api {
        self.stream.primary().api()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all its commands.
    pub fn wait(&self) -> Result<()> {
        let (api, _entered) = (self.api(), self.stream.primary().enter()?);
        // SAFETY: the stream is alive.
        let result = unsafe { (api.stream_synchronize)(self.stream.handle()) };
        done(api, "wait for a queue", result)
    }

    /// Marks a place now, for times; the context is current.
    pub fn mark(&self, timed: bool) -> Result<Mark> {
        Mark::record(&self.stream, &self.pool, timed)
    }

    /// Marks the end of the last command if a program may have its event: nobody who has that waits for what
    /// comes now. The context is current, and nobody else adds a command.
    #[inline]
    pub fn before_next(&self) -> Result<()> {
        let last = self.last.load(Ordering::Relaxed);
        if last != 0 && last != self.unwatched.load(Ordering::Acquire) {
            self.marked(&mut self.known(), last)?;
        }
        Ok(())
    }

    /// The place of a command that was added, which is the last now; nobody else adds one meanwhile.
    #[inline]
    pub fn added(&self, timing: Option<&Timing>) -> u64 {
        let number = self.last.load(Ordering::Relaxed) + 1;
        if let Some(timing) = timing {
            let mark = (number, Arc::clone(&timing.end));
            self.known().marks.push_back(mark);
        }
        self.last.store(number, Ordering::Release);
        number
    }

    /// The event of a command that was added.
    pub fn event(self: &Arc<Self>, number: u64, timing: Option<Timing>) -> Place {
        let line = Arc::clone(self);
        Place {
            line,
            number,
            timing,
        }
    }

    /// No program has the event of the command any more.
    pub fn unwatched(&self, number: u64) {
        self.unwatched.store(number, Ordering::Release);
        if self.has_given.load(Ordering::Relaxed) {
            self.known().given.remove(&number);
        }
    }

    /// The driver's event of a command, for a program that asks for it.
    fn given(&self, place: &Place) -> Result<sys::CUevent> {
        let _entered = self.stream.primary().enter()?;
        let mut known = self.known();
        if let Some(mark) = known.given.get(&place.number) {
            return Ok(mark.handle());
        }
        let mark = match &place.timing {
            Some(timing) => Arc::clone(&timing.end),
            None => match self.marked(&mut known, place.number)? {
                Some((_, mark)) => mark,
                None => Arc::new(Mark::of_the_past(&self.stream, &self.pool)?),
            },
        };
        let handle = mark.handle();
        known.given.insert(place.number, mark);
        self.has_given.store(true, Ordering::Relaxed);
        Ok(handle)
    }

    /// The command of the number, or the last one, of which nobody took times.
    pub fn told(self: &Arc<Self>, number: Option<u64>) -> Option<Place> {
        let last = self.last.load(Ordering::Acquire);
        let number = number.unwrap_or(last);
        let is_known = (1..=last).contains(&number);
        is_known.then(|| self.event(number, None))
    }

    /// The first mark after the command, made where there is none; `None` if the command has ended.
    fn marked(&self, known: &mut Known, number: u64) -> Result<Option<(u64, Arc<Mark>)>> {
        if number <= known.ended {
            return Ok(None);
        }
        if known.has_mark_behind(number) {
            let first = known.marks.partition_point(|(each, _)| *each < number);
            return Ok(known.marks.get(first).cloned());
        }
        // Later ones may stand before the mark as well.
        let last = self.last.load(Ordering::Acquire);
        let made = (last, Arc::new(self.mark(false)?));
        known.marks.push_back(made.clone());
        Ok(Some(made))
    }

    /// What tells of a command's end when somebody waits for it.
    fn end_of(&self, number: u64) -> Result<End> {
        let mut known = self.known();
        let is_last = number == self.last.load(Ordering::Acquire);
        if number > known.ended && is_last && !known.has_mark_behind(number) {
            return Ok(End::Last(number));
        }
        let mark = self.marked(&mut known, number)?;
        Ok(mark.map_or(End::Seen, |(number, mark)| End::Marked(number, mark)))
    }

    /// Remembers that all commands up to this one have ended.
    fn have_ended(&self, number: u64) {
        let mut known = self.known();
        known.ended = known.ended.max(number);
        let gone = known.marks.partition_point(|(each, _)| *each <= number);
        known.marks.drain(..gone);
    }

    /// What the driver says of a command's end.
    fn outcome(&self, number: u64, result: CUresult) -> Result<EventState> {
        match result {
            sys::CUDA_SUCCESS => {
                self.have_ended(number);
                Ok(EventState::Complete)
            }
            sys::CUDA_ERROR_NOT_READY => Ok(EventState::Submitted),
            _ => Err(refusal(self.api(), "complete a command", result)),
        }
    }
}

/// The place after a command of a line, which is the command's event.
pub(super) struct Place {
    line: Arc<Line>,
    number: u64,
    timing: Option<Timing>,
}

impl Place {
    /// Whether it is a place in the line, whose later commands come after it anyway.
    pub fn is_in(&self, line: &Arc<Line>) -> bool {
        Arc::ptr_eq(&self.line, line)
    }

    /// Has what comes next in another stream of the context, which is current, wait for it.
    pub fn hold_back(&self, stream: sys::CUstream) -> Result<()> {
        let mark = self.line.marked(&mut self.line.known(), self.number)?;
        let Some((_, mark)) = mark else { return Ok(()) };
        let api = self.line.api();
        // SAFETY: stream and event are alive and of one context.
        let result = unsafe { (api.stream_wait_event)(stream, mark.handle(), 0) };
        done(api, "wait for another command", result)
    }

    /// Nanoseconds from one place to another.
    fn between(&self, first: &Mark, second: &Mark) -> Result<u64> {
        let api = self.line.api();
        let milliseconds = filled(api, "tell a command's times", 0.0_f32, |time| {
            // SAFETY: both events are alive and done; the place is ours.
            unsafe { (api.event_elapsed_time)(time, first.handle(), second.handle()) }
        })?;
        Ok((f64::from(milliseconds) * 1e6).max(0.0) as u64)
    }
}

impl Event for Place {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wait(&self) -> Result<()> {
        let (line, api) = (&self.line, self.line.api());
        let _entered = line.stream.primary().enter()?;
        let (number, result) = match line.end_of(self.number)? {
            End::Seen => return Ok(()),
            End::Marked(number, mark) => {
                // SAFETY: the event is alive.
                (number, unsafe { (api.event_synchronize)(mark.handle()) })
            }
            // SAFETY: the stream is alive.
            End::Last(number) => (number, unsafe {
                (api.stream_synchronize)(line.stream.handle())
            }),
        };
        line.outcome(number, result).map(drop)
    }

    fn state(&self) -> Result<EventState> {
        let (line, api) = (&self.line, self.line.api());
        if self.number <= line.known().ended {
            return Ok(EventState::Complete);
        }
        let _entered = line.stream.primary().enter()?;
        let mark = line.marked(&mut line.known(), self.number)?;
        let Some((number, mark)) = mark else {
            return Ok(EventState::Complete);
        };
        // SAFETY: the event is alive.
        let result = unsafe { (api.event_query)(mark.handle()) };
        line.outcome(number, result)
    }

    fn profiling(&self, what: u32) -> Result<u64> {
        let timing = self.timing.as_ref();
        let timing = timing.filter(|_| self.state() == Ok(EventState::Complete));
        let timing = timing.ok_or_else(Error::not_measured)?;
        let _entered = self.line.stream.primary().enter()?;
        // What the driver measures over long spans is coarse; a command's own span is not.
        let begun = timing.base.time + self.between(&timing.base.event, &timing.start)?;
        let begun = begun.max(timing.submitted);
        match what {
            0 => Ok(timing.submitted),
            1 => Ok(begun),
            2 => Ok(begun + self.between(&timing.start, &timing.end)?),
            _ => Err(Error::new(Kind::Invalid, "unknown profiling point")),
        }
    }

    fn line(&self) -> usize {
        Arc::as_ptr(&self.line) as usize
    }

    fn place_in_line(&self) -> Option<u64> {
        // A failure is one of the context, which each later call says.
        Some(self.number)
    }

    fn identity(&self) -> *const c_void {
        // Of one place there may be several. Nothing of the program's has such an address.
        let number = self.line.id << 40 | self.number & ((1 << 40) - 1);
        std::ptr::without_provenance((1 << 63 | number) as usize)
    }

    fn unwatched(&self) {
        self.line.unwatched(self.number);
    }

    fn natives(&self) -> Vec<*mut c_void> {
        self.line.given(self).into_iter().collect()
    }

    fn tell_apart(&self) -> Result<()> {
        let line = &self.line;
        let _entered = line.stream.primary().enter()?;
        line.marked(&mut line.known(), self.number).map(drop)
    }
}
