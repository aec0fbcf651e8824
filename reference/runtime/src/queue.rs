//! Queues: commands in, events out.
//!
//! Submitting a command waits for none. A command of the device goes to the driver at once when all
//! that it comes after is there or has ended; the driver makes it wait for the rest. Every other one
//! becomes a [`Later`]: when what it comes after is settled, a thread of the pool begins it.

mod line;

use std::collections::{HashSet, VecDeque};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use crate::clock::{self, Times};
use crate::command::{Command, Described, HostCommand};
use crate::context::Context;
use crate::device::Device;
use crate::ending;
use crate::error::{Error, Kind, Result};
use crate::event::{Event, Follows, Watched};
use crate::foreign;
use crate::guard::Request;
use crate::later::{self, Later};
use crate::launch::{self, Start};
use crate::memory::{Access, Brought, Held, Memory, Place, Required, Span, Usage, Use};
use crate::order::{self, Order};
use crate::plugin::{self, Pending, Started, wait_for};
use crate::pool;
use crate::trace::trace_device;
use crate::transfer;

/// Commands of one device.
pub struct Queue {
    /// The driver's own, which ends before the context.
    pub driver: Arc<dyn plugin::Queue>,
    /// The context of its memory and programs.
    pub context: Arc<Context>,
    /// Its device.
    pub device: &'static Device,
    /// The kernels that it has started.
    pub kernels: launch::Known,
    in_order: bool,
    /// Whether it takes the times of its commands.
    profiles: bool,
    /// Whether its driver [tells](plugin::Queue::tells) its commands.
    is_told: bool,
    /// Of an in-order queue every command follows the one before, of another the last barrier.
    order: Order,
    /// Commands whose end nobody has seen. Locked before the failures; not under the order's lock, as a turn may
    /// last as long as what a submission waits for.
    pending: Mutex<Pending<()>>,
    /// Whether the driver has commands that are not among the pending: one that tells its last command stands for
    /// all of them, and is asked when somebody wants to know.
    unseen: AtomicBool,
    /// Whether a program has the driver's queue, which may then have commands that nobody here knows of.
    is_shared: AtomicBool,
    /// Failures that nobody has taken.
    failures: Mutex<VecDeque<Error>>,
}

/// A buffer that a command uses, how, and what of it.
pub type Requirement<'a> = (&'a Arc<Memory>, Access, Span);

/// A buffer while a command that uses it is submitted or begins.
struct Using<'a> {
    memory: &'a Arc<Memory>,
    usage: Usage,
    /// The place of a command that was submitted before; the next one is that of a command that is now.
    place: Option<&'a Place>,
    held: Held<'a>,
}

impl<'a> Using<'a> {
    /// The buffer for a command that was submitted before.
    fn again(each: &'a Use) -> Using<'a> {
        Using {
            memory: &each.memory,
            usage: each.usage.clone(),
            place: Some(&each.place),
            held: each.memory.hold(),
        }
    }

    /// What is kept of a command that begins later.
    fn to_keep(&self) -> Use {
        Use {
            memory: Arc::clone(self.memory),
            usage: self.usage.clone(),
            place: self.held.place(&self.usage),
        }
    }
}

/// All of them; most commands use few.
type AllUsed<'a> = SmallVec<[Using<'a>; 4]>;

/// What a command needs of the program's until it has ended.
pub type Kept = Option<Box<dyn std::any::Any + Send>>;

impl Queue {
    /// A queue on a device of the context, or a part of one.
    ///
    /// # Errors
    /// As [`Context::require`], or when the driver refuses.
    pub fn create(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
    ) -> Result<Queue> {
        context.require(device)?;
        ending::refuse()?;
        let driver = context
            .driver
            .create_queue(device.place, in_order, profiling)?;
        trace_device(|| format!("device of the queue: {}", device.facts().name));
        Ok(Queue::over(context, device, driver, in_order, profiling))
    }

    /// A queue of the driver's that the program made in the context.
    ///
    /// # Errors
    /// `Invalid` when it is of another context or of a device that the program does not see.
    ///
    /// # Safety
    /// `native` must be a live queue of the driver.
    pub unsafe fn adopt(context: Arc<Context>, native: *mut c_void) -> Result<Queue> {
        // SAFETY: as the caller says.
        let adopted = unsafe { context.driver.adopt_queue(native) }?;
        let mut devices = context.with_parts().into_iter();
        let device = devices.find(|device| device.place == adopted.device);
        let reason = "the queue's device is none of the context's that the program sees";
        let device = device.ok_or_else(|| Error::new(Kind::Invalid, reason))?;
        let (in_order, profiles) = (adopted.in_order, adopted.profiling);
        let queue = Queue::over(context, device, adopted.queue, in_order, profiles);
        queue.shared();
        Ok(queue)
    }

    /// The driver's queue, for a program that may give it commands itself: who waits for this queue waits for
    /// those too.
    pub fn shared(&self) -> &dyn plugin::Queue {
        self.is_shared.store(true, Ordering::Relaxed);
        self.driver.as_ref()
    }

    fn over(
        context: Arc<Context>,
        device: &'static Device,
        driver: Arc<dyn plugin::Queue>,
        in_order: bool,
        profiles: bool,
    ) -> Queue {
        Queue {
            is_told: driver.tells(),
            driver,
            context,
            device,
            kernels: launch::Known::default(),
            in_order,
            profiles,
            order: Order::default(),
            pending: Mutex::default(),
            unseen: AtomicBool::new(false),
            is_shared: AtomicBool::new(false),
            failures: Mutex::default(),
        }
    }

    /// Whether each command comes after the one before.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Whether it takes the times of its commands.
    #[must_use]
    pub fn profiles(&self) -> bool {
        self.profiles
    }

    /// Submits a command that uses buffers and waits for events. What is `kept` is dropped when it has
    /// ended.
    ///
    /// # Errors
    /// When the command cannot be started. Failures while it runs, or begins later, come through
    /// [`Queue::take_failure`].
    ///
    /// # Safety
    /// The command's pointers must be good until it is done.
    pub unsafe fn submit(
        self: &Arc<Self>,
        command: Described<'_>,
        kept: Kept,
        after: &[&Event],
        requirements: &[Requirement<'_>],
    ) -> Result<Watched> {
        use Described::Whole;
        ending::refuse()?;
        self.ask_oldest();
        let is_barrier = matches!(command, Whole(Command::Barrier | Command::BarrierAfter));
        let is_of_host = matches!(command, Whole(Command::Host(_)));
        // Some others give the driver nothing that its order would hold.
        let is_kernel = (command.space()).is_some_and(|space| !space.global.contains(&0));
        let holds = |event: &Event| is_kernel && event.is_before(self.driver.as_ref());
        // Goes when all locks are gone.
        let mut ends = later::Ends::default();
        let mut turn = self.turn();
        // Filled where it stays.
        let mut uses = AllUsed::new();
        let is_whole = !is_of_host && self.context.moves_whole_buffers();
        use_all(&mut uses, requirements, is_whole);
        let told = after;
        let mut after: SmallVec<[Event; 4]> = SmallVec::new();
        let mut comes_after = |each: &Event| {
            if !holds(each) {
                // Nobody waits here for what another context's driver has.
                after.push(match each.is_underway_beside(&self.context) {
                    true => ends.of(each),
                    false => each.clone(),
                });
            }
        };
        told.iter().for_each(|each| comes_after(each));
        let mut follows = Follows::new();
        for each in &uses {
            each.held.each_before(&each.usage, |event| {
                comes_after(event);
                if event.may_be_of(&self.context) {
                    follows.push(event.clone());
                }
            });
        }
        if follows.len() > 1 {
            let mut known = HashSet::new();
            follows.retain(|event| known.insert(event.identity()));
        }
        match command {
            // The driver knows all others.
            Whole(Command::Barrier) => after.extend(turn.later()),
            _ => {
                if let Some(event) = turn.follows(&after, holds) {
                    after.push(event);
                }
            }
        }
        let mutexes = uses.iter().map(|each| (each.held.mutex(), each.memory));
        let request = Request::of(mutexes, &after);
        if let Some(request) = &request {
            after.push(request.begins());
        }
        let begun = after.iter().all(|event| event.unsettled().is_none());
        // Only those that the host runs are asked for it.
        let submitted = if self.profiles { clock::now() } else { 0 };
        if begun && !is_of_host {
            let turn = (self.in_order || is_barrier).then_some(turn);
            // The driver would find out too late that rows leave their buffer.
            command.whole().map_or(Ok(()), Command::check)?;
            let begun = self.begin(&command, &after, &mut uses, submitted)?;
            let Begun { event, sources } = begun;
            let own = event.clone();
            for each in &mut uses {
                each.held.used_by(&own, &each.usage);
            }
            if let Some(turn) = turn {
                turn.then(own.clone());
            }
            drop(uses);
            if kept.is_some() || !sources.is_empty() {
                keep_until_ended((kept, sources), own.clone());
            }
            self.remember(&own);
            return Ok(Watched::following(event, follows));
        }
        let command = Submitted {
            queue: Arc::clone(self),
            command: command.into_command(),
            after: after.into_vec(),
            uses: uses.iter().map(Using::to_keep).collect(),
            submitted,
        };
        command.check()?;
        let later = Later::new(command.after.clone());
        let event = Event::of_later(&later);
        for each in &mut uses {
            each.held.used_by(&event, &each.usage);
        }
        turn.waits(&event);
        if self.in_order || is_barrier {
            turn.then(event.clone());
        } else {
            drop(turn);
        }
        drop(uses);
        self.remember(&event);
        let after = command.after.clone();
        let job = Box::new(move || command.begin_later(&later, kept));
        later::when_settled(&after, Box::new(move || pool::run(job)));
        if let Some(request) = request {
            request.make(event.clone());
        }
        Ok(Watched::following(event, follows))
    }

    /// Waits for all commands, but for the host task that calls; keeps what failed for
    /// [`Queue::take_failure`].
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn wait(&self) -> Result<()> {
        if ending::has_come() {
            return Ok(());
        }
        let own = order::running();
        let is_other = |event: &dyn plugin::Event| {
            let later = event.as_any().downcast_ref::<Later>();
            !later.is_some_and(|later| later.stands_on(&own))
        };
        drop(self.pending());
        wait_for(&self.pending, is_other, |failure| self.keep(failure));
        // Behind the host task that this is may stand commands that the driver waits for.
        if self.is_shared.load(Ordering::Relaxed) && own.is_empty() {
            self.driver
                .finish()
                .unwrap_or_else(|failure| self.keep(failure));
        }
        self.context.give_back();
        Ok(())
    }

    /// Waits for the commands that the driver has: others may wait for what never comes.
    pub fn finish(&self) {
        let has_begun = |event: &dyn plugin::Event| {
            let later = event.as_any().downcast_ref::<Later>();
            later.is_none_or(|later| later.became().is_some())
        };
        drop(self.pending());
        wait_for(&self.pending, has_begun, |failure| self.keep(failure));
    }

    /// The last command, of a queue whose commands are in order and which has had one.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn last(&self) -> Result<Option<Event>> {
        ending::refuse()?;
        let last = self.turn().last();
        last.iter().try_for_each(Event::tell_apart)?;
        Ok(last)
    }

    /// Whether no command is known that has not ended.
    pub fn is_empty(&self) -> bool {
        if ending::has_come() {
            return true;
        }
        let mut pending = self.pending();
        pending.look(|failure| self.keep(failure));
        pending.is_empty()
    }

    /// The oldest failure that nobody has taken, of the commands that have ended.
    pub fn take_failure(&self) -> Option<Error> {
        let taken = self.failures().pop_front();
        taken.or_else(|| {
            if ending::has_come() {
                return None;
            }
            self.pending().look(|failure| self.keep(failure));
            self.failures().pop_front()
        })
    }

    /// Gives the command to the driver. What it comes after is settled.
    fn begin(
        &self,
        command: &Described<'_>,
        after: &[Event],
        uses: &mut [Using<'_>],
        submitted: u64,
    ) -> Result<Begun> {
        use Described::Whole;
        let Queue {
            context, driver, ..
        } = self;
        let mut waits: SmallVec<[Arc<dyn plugin::Event>; 4]> = SmallVec::new();
        for event in after {
            if let Some(event) = event.within(context) {
                waits.push(event);
            }
        }
        let mut allocations: SmallVec<[Brought<'_>; 4]> = SmallVec::new();
        let (mut on_host, mut sources) = (Vec::new(), Vec::new());
        for each in &mut *uses {
            let Using { memory, place, .. } = *each;
            let (handle, held) = (Arc::as_ptr(memory), &mut each.held);
            let access = each.usage.access();
            let is_source = command.can_read_on_host(memory) && !access.writes();
            if is_source && !held.is_current_in(context, &each.usage) {
                on_host.push((handle, held.bring_to_host(place, &each.usage)?));
                sources.push(Arc::clone(memory));
                continue;
            }
            let allocation = match command.overwrites(memory) {
                true => held.bring_to(context, driver, place, &each.usage.of_all())?,
                false => held.bring_to(context, driver, place, &each.usage)?,
            };
            allocations.push(((handle, access), allocation));
        }
        let started = match command {
            Described::Start(Start { chosen, call, .. }) => {
                launch::start_known(self, chosen, *call, &allocations, &waits)?
            }
            Whole(Command::Kernel(launch)) => launch::start(self, launch, &allocations, &waits)?,
            Whole(Command::Foreign(launch)) => foreign::start(self, launch, &allocations, &waits)?,
            // To where it is already nothing is copied: OpenCL refuses spans that overlap.
            // SAFETY: who submitted the command vouches for both pointers.
            Whole(Command::Copy { to, from, size }) if *size > 0 && *from != to.cast_const() => unsafe {
                Started::Event(driver.usm_copy(*to, *from, *size, &waits)?)
            },
            // SAFETY: who submitted the command vouches for the pointer.
            Whole(Command::Fill { to, pattern, size }) if *size > 0 && !pattern.is_empty() => unsafe {
                Started::Event(driver.usm_fill(*to, pattern, *size, &waits)?)
            },
            Whole(Command::CopyBox { to, from, rows }) if rows.size() > 0 => {
                let (to, from) = (
                    transfer::side(to, &allocations, &on_host)?,
                    transfer::side(from, &allocations, &on_host)?,
                );
                // SAFETY: the rows were checked to lie within buffers; who submitted the command
                // vouches for a pointer, and who begins the command keeps its sources on the host.
                Started::Event(unsafe { driver.copy_box(&to, &from, *rows, &waits)? })
            }
            Whole(Command::FillBox { to, pattern, rows }) if rows.size() > 0 => {
                let to = transfer::side(to, &allocations, &on_host)?;
                // SAFETY: the rows were checked to lie within the buffer.
                Started::Event(unsafe { driver.fill_box(&to, pattern, *rows, &waits)? })
            }
            Whole(Command::Barrier) => {
                // To a driver a list says what alone to wait for, so what is more goes into a second
                // barrier.
                if !waits.is_empty() {
                    waits.push(driver.barrier(&[])?);
                }
                Started::Event(driver.barrier(&waits)?)
            }
            // No list would say to wait for all commands.
            _ if waits.is_empty() => {
                let event = ended(self, submitted, clock::now());
                return Ok(Begun::alone(event));
            }
            _ => Started::Event(driver.barrier(&waits)?),
        };
        drop(allocations);
        for each in uses {
            each.held.written_in(context, &each.usage);
        }
        let event = Event::of_started(context, driver, started);
        Ok(Begun { event, sources })
    }

    fn keep(&self, failure: Error) {
        self.failures().push_back(failure);
    }

    fn failures(&self) -> MutexGuard<'_, VecDeque<Error>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command with its place among the others.
struct Submitted {
    queue: Arc<Queue>,
    command: Command,
    /// What it comes after, whatever the reason.
    after: Vec<Event>,
    uses: Vec<Use>,
    /// When it was, by the host's clock.
    submitted: u64,
}

impl Submitted {
    fn is_of_host(&self) -> bool {
        matches!(self.command, Command::Host(_))
    }

    /// Says now what beginning the command would say later, as far as it can be known.
    fn check(&self) -> Result<()> {
        match &self.command {
            Command::Kernel(launch) => {
                let buffers: Vec<Required> = self.buffers().collect();
                launch::check(&self.queue, launch, &buffers)
            }
            Command::Foreign(launch) => {
                let buffers: Vec<Required> = self.buffers().collect();
                foreign::check(&self.queue, launch, &buffers)
            }
            command => command.check(),
        }
    }

    fn buffers(&self) -> impl Iterator<Item = Required> {
        let uses = self.uses.iter();
        uses.map(|each| (Arc::as_ptr(&each.memory), each.usage.access()))
    }

    /// Begins the command on a thread of the pool, when what it comes after is settled.
    fn begin_later(self, later: &Arc<Later>, kept: Kept) {
        // A buffer that goes asks what its last command has become.
        let used: Vec<Arc<Memory>> = (self.uses.iter())
            .map(|each| Arc::clone(&each.memory))
            .collect();
        // Whatever goes wrong, somebody waits for the command's end.
        let outcome = catch_unwind(AssertUnwindSafe(|| match self.is_of_host() {
            _ if ending::has_come() => ending::refuse().map(|()| Begun::alone(Event::done())),
            true => self.run(later).map(Begun::alone),
            false => {
                // What became another context's: while others may have the buffers.
                for event in &self.after {
                    let _ = event.within(&self.queue.context);
                }
                let mut uses: AllUsed<'_> = self.uses.iter().map(Using::again).collect();
                let (queue, command) = (&self.queue, Described::Whole(self.command));
                queue.begin(&command, &self.after, &mut uses, self.submitted)
            }
        }));
        let panicked = |_| Err(Error::new(Kind::Runtime, "the runtime failed in itself"));
        let outcome = outcome.unwrap_or_else(panicked);
        let failed = |failure| Begun::alone(Event::ended(Err(failure)));
        let Begun { event, sources } = outcome.unwrap_or_else(failed);
        later.becomes(event.clone());
        drop(used);
        // Only now: what the program gave may be a buffer whose end waits for the command.
        if kept.is_some() || !sources.is_empty() {
            keep_until_ended((kept, sources), event);
        }
    }

    /// Runs a command of the host. What it comes after is settled.
    fn run(self, later: &Arc<Later>) -> Result<Event> {
        // A command runs after others end, however they end.
        for event in &self.after {
            let _ = event.wait();
        }
        let is_interop = matches!(self.command, Command::Host(HostCommand::Interop(_)));
        for each in &self.uses {
            match is_interop && each.usage.access().is_on_device() {
                true => each.bring_to(&self.queue.context, &self.queue.driver)?,
                false => each.bring_to_host()?,
            }
        }
        later.runs();
        let started = clock::now();
        let order = self.queue.in_order.then_some(&self.queue.order);
        let part = match self.command {
            Command::Host(command) => order::run(later, order, || command.run()),
            _ => None,
        };
        if is_interop {
            // Drivers may return from what they call blocking before it has ended.
            self.queue.driver.barrier(&[])?.wait()?;
        }
        Ok(part.unwrap_or_else(|| ended(&self.queue, self.submitted, started)))
    }
}

/// A command that the driver has.
struct Begun {
    event: Event,
    /// Buffers whose bytes on the host the driver reads until its end.
    sources: Vec<Arc<Memory>>,
}

impl Begun {
    fn alone(event: Event) -> Begun {
        let sources = Vec::new();
        Begun { event, sources }
    }
}

/// Drops what is kept for a command when it has ended. The caller must hold no lock: what the program
/// gave may do anything when it goes.
fn keep_until_ended(kept: (Kept, Vec<Arc<Memory>>), event: Event) {
    match event.underway() {
        None => drop(kept),
        Some(event) => pool::run(Box::new(move || {
            // Its failure is told by its queue.
            let _ = event.wait();
            drop(kept);
        })),
    }
}

/// The end of a command that began on the host.
fn ended(queue: &Queue, submitted: u64, started: u64) -> Event {
    Event::done_at(queue.profiles.then(|| Times {
        submitted,
        started,
        ended: clock::now(),
    }))
}

/// Each buffer once, with all its uses, in an order that is the same for all commands, so that two
/// threads never wait for each other's buffers; all of it for commands that have it whole.
fn use_all<'a>(all: &mut AllUsed<'a>, requirements: &[Requirement<'a>], is_whole: bool) {
    let mut sorted: SmallVec<[Requirement<'a>; 4]>;
    let mut each = requirements;
    if each.len() > 1 {
        sorted = SmallVec::from_slice(each);
        sorted.sort_unstable_by_key(|(memory, ..)| Arc::as_ptr(memory));
        each = &sorted;
    }
    for &(memory, access, span) in each {
        let span = if is_whole { Span::ALL } else { span };
        match all.last_mut() {
            Some(last) if Arc::ptr_eq(memory, last.memory) => last.usage.add(access, span),
            _ => all.push(Using {
                memory,
                usage: Usage::of(access, span),
                place: None,
                held: memory.hold(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
