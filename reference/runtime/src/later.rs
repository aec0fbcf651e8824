//! Commands that no driver has: those that the host runs, and those that cannot begin before one of
//! them has ended. Also host accessors and the ends of other contexts' commands, which commands wait for
//! in the same way.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::plugin::{self, EventState};
use crate::pool::{self, Job};

/// A command until it has ended or a driver has it.
pub struct Later {
    state: Mutex<State>,
    /// Wakes those who wait for that.
    settled: Condvar,
}

struct State {
    /// What the command comes after, until it is settled.
    after: Vec<Event>,
    runs: bool,
    /// What became of it: an outcome, or a driver's event.
    became: Option<Event>,
    /// What to do then.
    then: Vec<Job>,
}

impl Later {
    /// A command that comes after others.
    #[must_use]
    pub fn new(after: Vec<Event>) -> Arc<Later> {
        Arc::new(Later {
            state: Mutex::new(State {
                after,
                runs: false,
                became: None,
                then: Vec::new(),
            }),
            settled: Condvar::new(),
        })
    }

    /// Says that the host runs it now.
    pub fn runs(&self) {
        self.lock().runs = true;
    }

    /// Settles the command: from now on it is what `event` is. When that one is not settled itself,
    /// it waits for it.
    pub fn becomes(self: &Arc<Self>, event: Event) {
        if let Some(other) = event.unsettled() {
            let this = Arc::clone(self);
            other.then(Box::new(move || this.becomes(event)));
            return;
        }
        let then = {
            let mut state = self.lock();
            state.became = event.settled();
            state.after.clear();
            std::mem::take(&mut state.then)
        };
        self.settled.notify_all();
        for job in then {
            job();
        }
    }

    /// What became of the command; `None` while it is not settled.
    #[must_use]
    pub fn became(&self) -> Option<Event> {
        self.lock().became.clone()
    }

    /// Waits until the command is settled.
    pub fn wait_until_settled(&self) -> Option<Event> {
        let state = self.lock();
        let settled = self.settled.wait_while(state, |s| s.became.is_none());
        let state = settled.unwrap_or_else(PoisonError::into_inner);
        state.became.clone()
    }

    /// Whether the command is one of the others or cannot end before one of them has.
    pub fn stands_on(&self, others: &[Arc<Later>]) -> bool {
        if others.is_empty() {
            return false;
        }
        let is_one = |each: &Later| others.iter().any(|o| std::ptr::eq(Arc::as_ptr(o), each));
        let mut seen = HashSet::new();
        let mut open = self.unsettled_before();
        let mut found = is_one(self);
        while let Some(each) = open.pop() {
            found = found || is_one(&each);
            if !found && seen.insert(Arc::as_ptr(&each)) {
                open.extend(each.unsettled_before());
            }
        }
        found
    }

    /// What the command comes after that is not settled.
    fn unsettled_before(&self) -> Vec<Arc<Later>> {
        let state = self.lock();
        state.after.iter().filter_map(Event::unsettled).collect()
    }

    /// Does the job when the command is settled; now, when it is already.
    fn then(&self, job: Job) {
        let mut state = self.lock();
        match state.became {
            None => state.then.push(job),
            Some(_) => {
                drop(state);
                job();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the job, which must be short, as soon as all the events are settled.
pub fn when_settled(events: &[Event], job: Job) {
    let unsettled: Vec<Arc<Later>> = events.iter().filter_map(Event::unsettled).collect();
    // One more, for the calls of `then` below.
    let left = Arc::new(AtomicUsize::new(unsettled.len() + 1));
    let job = Arc::new(Mutex::new(Some(job)));
    let one_less = move || {
        if left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let job = job.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(job) = job {
                job();
            }
        }
    };
    for later in unsettled {
        later.then(Box::new(one_less.clone()));
    }
    one_less();
}

/// Commands that drivers have, whose ends others wait for that cannot be told to: by their identity.
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Known {
    ends: HashMap<usize, (Event, Arc<Later>)>,
    /// Whether a thread asks for them.
    is_asked: bool,
}

/// How often drivers are asked at first, and at least, whether such a command has ended.
const OFTEN: Duration = Duration::from_micros(20);
const SELDOM: Duration = Duration::from_micros(500);

/// The ends of commands that drivers have, for a command that they cannot be told to wait for. They are asked for
/// when this goes, which is to be when the command's locks are gone: the pool may have no thread for it.
///
/// One thread asks for all such commands: one each would leave few threads to others, and who waits for one of them
/// after the other may wait for what the other makes possible.
#[derive(Default)]
pub struct Ends {
    is_any: bool,
}

impl Ends {
    /// The end of the command: settled when it has ended, well or not, which its queue tells.
    pub fn of(&mut self, event: &Event) -> Event {
        self.is_any = true;
        let mut known = known();
        let end = known.ends.entry(event.identity().addr());
        let (_, end) = end.or_insert_with(|| (event.clone(), Later::new(Vec::new())));
        Event::of_later(end)
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        if self.is_any && !std::mem::replace(&mut known().is_asked, true) {
            pool::run(Box::new(ask_until_all_have_ended));
        }
    }
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ask_until_all_have_ended() {
    let mut pause = OFTEN;
    loop {
        // Drivers may take their time, and who submits a command does not wait for them.
        let open: Vec<(usize, Event)> = {
            let known = known();
            let all = known.ends.iter();
            all.map(|(key, (event, _))| (*key, event.clone())).collect()
        };
        let has_ended = |(_, event): &&(usize, Event)| !event.is_underway();
        let ended: Vec<usize> = open.iter().filter(has_ended).map(|(key, _)| *key).collect();
        // While it is known the command stays, and its identity means no other.
        let (settled, is_all) = {
            let mut known = known();
            let settled = ended.iter().filter_map(|key| known.ends.remove(key));
            let settled: Vec<_> = settled.collect();
            known.is_asked = !known.ends.is_empty();
            (settled, !known.is_asked)
        };
        pause = match settled.is_empty() {
            true => SELDOM.min(2 * pause),
            false => OFTEN,
        };
        for (_, end) in settled {
            end.becomes(Event::done());
        }
        if is_all {
            return;
        }
        std::thread::sleep(pause);
    }
}

impl plugin::Event for Later {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn wait(&self) -> Result<()> {
        self.wait_until_settled()
            .map_or(Ok(()), |event| event.wait())
    }

    fn state(&self) -> Result<EventState> {
        let (became, runs) = {
            let state = self.lock();
            (state.became.clone(), state.runs)
        };
        match became {
            Some(event) => event.state(),
            None if runs => Ok(EventState::Running),
            None => Ok(EventState::Submitted),
        }
    }

    fn profiling(&self, what: u32) -> Result<u64> {
        let became = self.became().ok_or_else(Error::not_measured)?;
        became.profiling(what)
    }
}
