//! Commands that were submitted, whichever device or the host runs them.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::clock::Times;
use crate::context::{Context, ContextId};
use crate::ending;
use crate::error::{Error, Result};
use crate::later::Later;
use crate::plugin::{self, Event as _, EventState};

/// A submitted command.
#[derive(Clone)]
pub struct Event(State);

#[derive(Clone)]
enum State {
    /// It has ended.
    Ended(Arc<End>),
    /// A device of the context has it. What the driver needs for its event, that keeps.
    OnDevice(ContextId, Arc<dyn plugin::Event>),
    /// A device of the context has it, and the driver's queue tells it by its place: an event of its own is made
    /// when somebody asks.
    Told(ContextId, Arc<dyn plugin::Queue>, u64),
    /// The host has it.
    Later(Arc<Later>),
}

/// How a command ended that no driver knows.
struct End {
    outcome: Result<()>,
    /// When, if somebody took the times.
    times: Option<Times>,
}

impl Event {
    /// A command that is done.
    #[must_use]
    pub fn done() -> Event {
        Event::ended(Ok(()))
    }

    /// A command that has ended in one way or the other.
    #[must_use]
    pub fn ended(outcome: Result<()>) -> Event {
        let times = None;
        Event(State::Ended(Arc::new(End { outcome, times })))
    }

    /// A command of the host that is done, and when; without times for a queue that takes none.
    #[must_use]
    pub fn done_at(times: Option<Times>) -> Event {
        let outcome = Ok(());
        Event(State::Ended(Arc::new(End { outcome, times })))
    }

    /// A command that a device of `context` runs.
    #[must_use]
    pub fn of_device(context: &Context, event: Arc<dyn plugin::Event>) -> Event {
        Event(State::OnDevice(context.id, event))
    }

    /// A command that a queue of `context` has given its driver.
    #[must_use]
    pub fn of_started(
        context: &Context,
        queue: &Arc<dyn plugin::Queue>,
        started: plugin::Started,
    ) -> Event {
        Event(match started {
            plugin::Started::Event(event) => State::OnDevice(context.id, event),
            plugin::Started::Told(place) => State::Told(context.id, Arc::clone(queue), place),
        })
    }

    /// A command that no driver has yet.
    #[must_use]
    pub fn of_later(later: &Arc<Later>) -> Event {
        Event(State::Later(Arc::clone(later)))
    }

    /// The command, while it has neither ended nor reached a driver.
    #[must_use]
    pub fn unsettled(&self) -> Option<Arc<Later>> {
        match &self.0 {
            State::Later(later) if later.became().is_none() => Some(Arc::clone(later)),
            _ => None,
        }
    }

    /// The outcome or the driver's event that the command has come to.
    #[must_use]
    pub fn settled(&self) -> Option<Event> {
        match &self.0 {
            State::Later(later) => later.became(),
            _ => Some(self.clone()),
        }
    }

    /// The driver's event or that of a later command; `None` for one that has ended well.
    #[must_use]
    pub fn underway(self) -> Option<Arc<dyn plugin::Event>> {
        match self.0 {
            State::Ended(_) => None,
            State::OnDevice(_, event) => Some(event),
            State::Told(_, queue, place) => queue.told(Some(place)),
            State::Later(later) => Some(later as Arc<dyn plugin::Event>),
        }
    }

    /// The context whose driver has the command, and the driver's event.
    fn of_driver(&self) -> Option<(ContextId, Cow<'_, Arc<dyn plugin::Event>>)> {
        match &self.0 {
            State::OnDevice(context, event) => Some((*context, Cow::Borrowed(event))),
            State::Told(context, queue, place) => {
                let event = queue.told(Some(*place));
                event.map(|event| (*context, Cow::Owned(event)))
            }
            State::Ended(_) | State::Later(_) => None,
        }
    }

    /// The line of the command that a driver has, and its place there.
    fn in_line(&self) -> Option<(usize, Option<u64>)> {
        let (line, place) = match &self.0 {
            State::OnDevice(_, event) => (event.line(), event.place_in_line()),
            State::Told(_, queue, place) => (queue.line(), Some(*place)),
            State::Ended(_) | State::Later(_) => return None,
        };
        (line != 0).then_some((line, place))
    }

    /// Whether the command is one of the others or cannot end before one of them has.
    #[must_use]
    pub fn stands_on(&self, others: &[Arc<Later>]) -> bool {
        self.unsettled()
            .is_some_and(|later| later.stands_on(others))
    }

    /// The driver's event, for a command that a driver had. Waits until one has it.
    #[must_use]
    pub fn on_device(&self) -> Option<Arc<dyn plugin::Event>> {
        match &self.0 {
            State::Later(later) => later.wait_until_settled()?.on_device(),
            _ => self.of_driver().map(|(_, event)| event.into_owned()),
        }
    }

    /// Has it tell its end from that of commands to come, whoever watches it.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn tell_apart(&self) -> Result<()> {
        self.of_driver()
            .map_or(Ok(()), |(_, event)| event.tell_apart())
    }

    /// Whether it stands for a command that may not have ended, and that no device of another context has.
    #[must_use]
    pub fn may_be_of(&self, context: &Context) -> bool {
        match &self.0 {
            State::Ended(_) => false,
            State::OnDevice(own, _) | State::Told(own, ..) => *own == context.id,
            State::Later(_) => true,
        }
    }

    /// Whether a driver has it that no command of the context can be told to wait for, and it may not have ended.
    #[must_use]
    pub fn is_underway_beside(&self, context: &Context) -> bool {
        match &self.0 {
            State::Ended(_) => false,
            State::OnDevice(own, _) | State::Told(own, ..) => {
                *own != context.id && self.is_underway()
            }
            State::Later(later) => (later.became()).is_some_and(|e| e.is_underway_beside(context)),
        }
    }

    /// What all events of the command have in common, and no other has while there is one of them.
    #[must_use]
    pub fn identity(&self) -> *const c_void {
        match &self.0 {
            State::Ended(end) => Arc::as_ptr(end).cast(),
            State::OnDevice(..) | State::Told(..) => {
                (self.of_driver()).map_or(std::ptr::null(), |(_, event)| event.identity())
            }
            State::Later(later) => Arc::as_ptr(later).cast(),
        }
    }

    /// Whether the end of this command tells of the other's, which a device was given before it.
    #[must_use]
    pub fn tells_of(&self, other: &Event) -> bool {
        let Some(((own, place), (other, before))) = self.in_line().zip(other.in_line()) else {
            return false;
        };
        own == other && place.is_some() && place >= before
    }

    /// Whether a command of the queue begins after this one has ended, by what the driver does anyway.
    #[must_use]
    pub fn is_before(&self, queue: &dyn plugin::Queue) -> bool {
        self.in_line().is_some_and(|(line, _)| line == queue.line())
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When the command failed.
    pub fn wait(&self) -> Result<()> {
        match &self.0 {
            State::Ended(end) => end.outcome.clone(),
            // What has not begun by then never does.
            State::Later(later) if ending::has_come() => {
                later.became().map_or(Ok(()), |event| event.wait())
            }
            State::OnDevice(..) | State::Told(..) if ending::has_come() => Ok(()),
            State::OnDevice(..) | State::Told(..) => {
                self.of_driver().map_or(Ok(()), |(_, event)| event.wait())
            }
            State::Later(later) => later.wait(),
        }
    }

    /// How far it is.
    ///
    /// # Errors
    /// When the command failed.
    pub fn state(&self) -> Result<EventState> {
        match &self.0 {
            State::Later(later) if ending::has_come() => later
                .became()
                .map_or(Ok(EventState::Submitted), |event| event.state()),
            State::OnDevice(..) | State::Told(..) if ending::has_come() => Ok(EventState::Complete),
            State::Ended(end) => end.outcome.clone().map(|()| EventState::Complete),
            State::OnDevice(..) | State::Told(..) => match self.of_driver() {
                Some((_, event)) => event.state(),
                None => Ok(EventState::Complete),
            },
            State::Later(later) => later.state(),
        }
    }

    /// Whether it may not have ended. Nobody waits for one that failed; its failure is told by its queue.
    #[must_use]
    pub fn is_underway(&self) -> bool {
        matches!(self.state(), Ok(now) if now != EventState::Complete)
    }

    /// Nanoseconds at a profiling point.
    ///
    /// # Errors
    /// When the queue does not profile or the command failed.
    pub fn profiling(&self, what: u32) -> Result<u64> {
        ending::refuse()?;
        match &self.0 {
            State::OnDevice(_, event) => event.profiling(what),
            // Commands of which times are taken have events of their own.
            State::Told(..) => Err(Error::not_measured()),
            State::Later(later) => later.profiling(what),
            State::Ended(end) => {
                let time = end.times.as_ref().and_then(|times| times.at(what));
                time.ok_or_else(Error::not_measured)
            }
        }
    }

    /// The device's event, for a command of the same context; waits for one of another context,
    /// which no driver can.
    pub fn within(&self, context: &Context) -> Option<Arc<dyn plugin::Event>> {
        match &self.0 {
            State::Later(later) => later.wait_until_settled()?.within(context),
            _ => match self.of_driver()? {
                (own, event) if own == context.id => Some(event.into_owned()),
                // A failure there is reported by the queue that it belongs to.
                (_, event) => {
                    let _ = event.wait();
                    None
                }
            },
        }
    }
}

/// An event as a program has it, which may ask when this command has ended and those after it have not. Where
/// no program has it any more, it is enough that its end is heard of with that of later ones, which is less to
/// do for some drivers.
pub struct Watched {
    event: Event,
    follows: Follows,
}

/// Commands that one comes after for the buffers that they use too, each once; none of another context.
pub type Follows = SmallVec<[Event; 1]>;

impl Watched {
    /// The event, to hand out.
    #[must_use]
    pub fn of(event: Event) -> Watched {
        let follows = Follows::new();
        Watched { event, follows }
    }

    /// The event of a command that comes after others for the buffers that they use too.
    #[must_use]
    pub fn following(event: Event, follows: Follows) -> Watched {
        Watched { event, follows }
    }

    /// What it comes after for its buffers, which may have ended.
    #[must_use]
    pub fn follows(&self) -> &[Event] {
        &self.follows
    }
}

impl Deref for Watched {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl Watched {
    /// Has it be the event of another command of the queue, which is told by its place: for who has the only one.
    pub fn stands_at(&mut self, place: u64) {
        debug_assert!(matches!(self.event.0, State::Told(..)));
        if let State::Told(_, _, own) = &mut self.event.0 {
            *own = place;
        }
    }

    /// No program has it any more.
    pub fn unwatch(&mut self) {
        match &self.event.0 {
            State::OnDevice(_, event) => event.unwatched(),
            State::Told(_, queue, place) => queue.unwatched(*place),
            // What the host began leaves a driver little to spare.
            State::Ended(_) | State::Later(_) => {}
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.unwatch();
    }
}

/// Commands that may not be done.
#[derive(Clone, Default)]
pub struct Underway {
    events: Vec<Event>,
    /// With so many, those that ended are forgotten: twice as many as were left the last time.
    many: usize,
}

impl Underway {
    /// One more.
    pub fn add(&mut self, event: Event) {
        if let Some(last) = self.events.last_mut().filter(|last| event.tells_of(last)) {
            *last = event;
            return;
        }
        if self.events.len() >= self.many {
            self.events.retain(Event::is_underway);
            self.many = 16.max(2 * self.events.len());
        }
        self.events.push(event);
    }

    /// All of them, and some that are done.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}
