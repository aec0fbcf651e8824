//! A stand-in for a driver, for unit tests: it runs nothing, and its commands end when the test says
//! so.

use std::any::Any;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::foreign::Adopt;
use super::{
    After, Allocation, Argument, BuildInput, Context, Device, DeviceFacts, DeviceType, Event,
    EventState, Form, Kernel, Place, Program, Queue, Side, Space, Started, Transfer, UsmKind,
};
use crate::boxes::Rows;
use crate::error::{Error, Kind, Result};

/// A command that ends when the test says so.
#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
    /// Its line, and its place there; 0 where the driver keeps no order.
    line: usize,
    place: usize,
}

#[derive(Default)]
struct GateState {
    outcome: Option<Result<()>>,
    asked: usize,
    waiting: usize,
}

impl Gate {
    /// Ends the command.
    pub fn open(&self, outcome: Result<()>) {
        self.change(|state| state.outcome = Some(outcome));
    }

    /// How often somebody asked how far it is.
    pub fn asked(&self) -> usize {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .asked
    }

    /// Returns when so many threads have begun to wait for the command.
    pub fn until_waited_for(&self, threads: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.changed.wait_while(state, |s| s.waiting < threads);
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    /// How many threads have begun to wait for the command.
    pub fn waited_for(&self) -> usize {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .waiting
    }

    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl Event for Gate {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wait(&self) -> Result<()> {
        self.change(|state| state.waiting += 1);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = self.changed.wait_while(state, |s| s.outcome.is_none());
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.outcome.clone().unwrap_or(Ok(()))
    }

    fn state(&self) -> Result<EventState> {
        let mut outcome = None;
        self.change(|state| {
            state.asked += 1;
            outcome.clone_from(&state.outcome);
        });
        match outcome {
            None => Ok(EventState::Running),
            Some(outcome) => outcome.map(|()| EventState::Complete),
        }
    }

    fn profiling(&self, _what: u32) -> Result<u64> {
        Err(Error::not_measured())
    }

    fn line(&self) -> usize {
        self.line
    }

    fn place_in_line(&self) -> Option<u64> {
        (self.line != 0).then_some(self.place as u64)
    }
}

/// What a queue was told to do.
pub struct Submitted {
    /// `copy`, `fill`, `barrier`, `kernel`; of boxes `copy-box`, `write-box`, `read-box`, `fill-box`.
    pub what: &'static str,
    /// What it waits for.
    pub after: Vec<Arc<dyn Event>>,
    /// The bytes of a kernel's arguments; none for those that are no bytes.
    pub values: Vec<Vec<u8>>,
    /// Its end.
    pub gate: Arc<Gate>,
}

impl Submitted {
    /// Whether the command waits for another one itself.
    pub fn follows(&self, other: &Submitted) -> bool {
        let other = Arc::as_ptr(&other.gate).cast::<()>();
        let mut after = self.after.iter();
        after.any(|event| Arc::as_ptr(event).cast::<()>() == other)
    }
}

/// A queue that keeps what it was told.
#[derive(Default)]
pub struct StandInQueue {
    submitted: Mutex<Vec<Submitted>>,
    /// Its line, where it begins its commands in their order by itself; else 0.
    line: usize,
    commands: AtomicUsize,
    /// Whether it tells them.
    tells: bool,
    told: Mutex<Vec<Arc<Gate>>>,
    /// The places of those whose events no program has any more.
    pub unwatched: Mutex<Vec<u64>>,
    /// Bytes of allocations that were copied to them and from them.
    moved: Mutex<Vec<(&'static str, Range<usize>)>>,
    /// What is to be done at its end.
    pub at_end: Option<AtEnd>,
}

type AtEnd = Box<dyn Fn() + Send + Sync>;

impl Drop for StandInQueue {
    fn drop(&mut self) {
        if let Some(at_end) = &self.at_end {
            at_end();
        }
    }
}

impl StandInQueue {
    fn moves(&self, what: &'static str, offset: usize, size: usize) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        moved.push((what, offset..offset + size));
    }

    /// The bytes that were written and read since the last time.
    pub fn take_moved(&self) -> Vec<(&'static str, Range<usize>)> {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut moved)
    }

    /// One that begins its commands in their order.
    pub fn in_line(line: usize) -> StandInQueue {
        let mut queue = StandInQueue::default();
        queue.line = line;
        queue
    }

    /// The same, and it tells them.
    pub fn telling(line: usize) -> StandInQueue {
        let mut queue = StandInQueue::in_line(line);
        queue.tells = true;
        queue
    }

    /// What it was told since the last time, in that order.
    pub fn take(&self) -> Vec<Submitted> {
        let mut submitted = self
            .submitted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut submitted)
    }

    fn submit(&self, what: &'static str, after: After<'_>) -> Arc<dyn Event> {
        self.submit_with(what, after, Vec::new())
    }

    fn submit_with(
        &self,
        what: &'static str,
        after: After<'_>,
        values: Vec<Vec<u8>>,
    ) -> Arc<dyn Event> {
        let gate = Arc::new(Gate {
            line: self.line,
            place: self.commands.fetch_add(1, Ordering::Relaxed),
            ..Gate::default()
        });
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(Arc::clone(&gate));
        let mut submitted = self
            .submitted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        submitted.push(Submitted {
            what,
            after: after.to_vec(),
            values,
            gate: Arc::clone(&gate),
        });
        gate
    }
}

fn unknown() -> Error {
    Error::new(Kind::FeatureNotSupported, "a stand-in runs nothing")
}

impl Transfer for StandInQueue {
    unsafe fn copy_box(
        &self,
        to: &Side,
        from: &Side,
        _rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        Ok(match (&to.place, &from.place) {
            (Place::Memory(_), Place::Memory(_)) => self.submit("copy-box", after),
            (Place::Memory(_), Place::Pointer(_)) => self.submit("write-box", after),
            (Place::Pointer(_), _) => self.submit("read-box", after),
        })
    }

    unsafe fn fill_box(
        &self,
        _to: &Side,
        _pattern: &[u8],
        _rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        Ok(self.submit("fill-box", after))
    }
}

impl Queue for StandInQueue {
    fn launch(
        &self,
        _kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        _space: &Space,
        after: After<'_>,
    ) -> Result<Started> {
        let values = arguments.iter().map(|argument| match argument {
            Argument::Value(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        });
        let event = self.submit_with("kernel", after, values.collect());
        let place = event.place_in_line().filter(|_| self.tells);
        Ok(place.map_or(Started::Event(event), Started::Told))
    }

    fn line(&self) -> usize {
        self.line
    }

    fn tells(&self) -> bool {
        self.tells
    }

    fn unwatched(&self, place: u64) {
        let mut unwatched = self
            .unwatched
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unwatched.push(place);
    }

    fn told(&self, place: Option<u64>) -> Option<Arc<dyn Event>> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = told.iter().rev().filter(|_| self.tells);
        let is_it = |gate: &&Arc<Gate>| place.is_none() || place == gate.place_in_line();
        told.find(is_it)
            .map(|gate| Arc::clone(gate) as Arc<dyn Event>)
    }

    fn write(&self, _to: &dyn Allocation, offset: usize, from: &[u8]) -> Result<()> {
        self.moves("write", offset, from.len());
        Ok(())
    }

    fn read(&self, _from: &dyn Allocation, offset: usize, to: &mut [u8]) -> Result<()> {
        self.moves("read", offset, to.len());
        Ok(())
    }

    unsafe fn usm_copy(
        &self,
        _to: *mut c_void,
        _from: *const c_void,
        _size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        Ok(self.submit("copy", after))
    }

    unsafe fn usm_fill(
        &self,
        _to: *mut c_void,
        _pattern: &[u8],
        _size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        Ok(self.submit("fill", after))
    }

    fn barrier(&self, after: After<'_>) -> Result<Arc<dyn Event>> {
        Ok(self.submit("barrier", after))
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }
}

/// A device that nobody asks anything.
pub struct NoDevice;

impl Device for NoDevice {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> DeviceType {
        DeviceType::Custom
    }

    fn facts(&self) -> &DeviceFacts {
        unreachable!("a stand-in has nothing to say")
    }

    fn accepts(&self, _form: &Form<'_>) -> Option<u32> {
        None
    }
}

/// A kernel that computes nothing.
pub struct NoKernel;

impl Kernel for NoKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn required_group(&self) -> Option<[usize; 3]> {
        None
    }

    fn query(&self, _what: u32) -> Result<u64> {
        Err(unknown())
    }
}

/// Memory that is not there, of which there is only so much.
struct NoMemory(Arc<AtomicUsize>);

impl Drop for NoMemory {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Allocation for NoMemory {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A context in which buffers can be used: four of them at once.
#[derive(Default)]
pub struct StandInContext {
    /// How many have memory.
    pub allocated: Arc<AtomicUsize>,
}

impl Adopt for StandInContext {}

impl Context for StandInContext {
    fn create_queue(&self, _: usize, _: bool, _: bool) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(StandInQueue::default()))
    }

    fn build(&self, _device: usize, _input: &BuildInput<'_>) -> Result<Arc<dyn Program>> {
        Err(unknown())
    }

    fn allocate(&self, _size: usize) -> Result<Arc<dyn Allocation>> {
        const ROOM: usize = 4;
        let allocated = self.allocated.fetch_add(1, Ordering::SeqCst);
        let memory = NoMemory(Arc::clone(&self.allocated));
        match allocated < ROOM {
            true => Ok(Arc::new(memory)),
            false => Err(Error::new(Kind::MemoryAllocation, "there is no room")),
        }
    }

    fn usm_allocate(&self, _: usize, _: UsmKind, _: usize, _: usize) -> Result<*mut c_void> {
        Err(unknown())
    }

    fn usm_free(&self, _pointer: *mut c_void) -> Result<()> {
        Err(unknown())
    }

    fn usm_query(&self, _pointer: *const c_void) -> Option<(UsmKind, Option<usize>)> {
        None
    }
}
