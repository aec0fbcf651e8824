//! The order of a queue's commands: what the next one follows.
//!
//! A command has its place from the moment that it is submitted, whoever runs it and whenever it
//! begins. What a host task itself submits to its own in-order queue is part of it: that comes before
//! the task's end, so that the task may wait for it. Only the thread that runs the task is the task;
//! what other threads submit comes after it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::event::{Event, Underway, Watched};
use crate::later::Later;
use crate::launch::Recent;

thread_local! {
    /// The host task that this thread runs. A thread that ends has let go of it when destructors of the
    /// program's static objects still use queues; it runs none by then.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// How many host tasks run, on any thread: most programs have none, and each start of a kernel asks.
static TASKS: AtomicUsize = AtomicUsize::new(0);

struct Running {
    task: Arc<Later>,
    /// The order that it stands in; null when it stands in none.
    order: *const Order,
    /// The last command of that order that is part of it.
    last: Option<Event>,
}

/// The order of a queue's commands.
#[derive(Default)]
pub struct Order(Mutex<State>);

#[derive(Default)]
struct State {
    follows: Follows,
    /// Commands that no driver had when they were submitted.
    later: Underway,
    at_hand: AtHand,
}

/// What a queue has at hand to start kernels with little to do.
#[derive(Default)]
pub struct AtHand {
    /// Those that it has started of late.
    pub kernels: Recent,
    /// The event of the last one that was [started alone](crate::queue::Queue::start_alone) and no other command came
    /// after. If the program has let go of it, it becomes that of the next one.
    pub last: Option<Arc<Watched>>,
}

/// What the next command of a queue follows.
#[derive(Default)]
enum Follows {
    /// No other.
    #[default]
    Nothing,
    /// This one.
    Known(Event),
    /// The one at this place of the line of the driver, which tells it.
    OfDriver(u64),
}

/// The right to submit the next command. Nobody else submits one in order meanwhile, so it must not
/// be kept while the program's own code runs or is waited for.
pub struct Turn<'a> {
    order: &'a Order,
    state: MutexGuard<'a, State>,
    /// Whether the command is part of the host task that runs here.
    within: bool,
}

impl Follows {
    /// The command, once the driver was asked where it is the one that tells.
    fn known(&self) -> Option<Event> {
        match self {
            Follows::Known(event) => Some(event.clone()),
            Follows::Nothing | Follows::OfDriver(_) => None,
        }
    }
}

impl Order {
    /// Waits for the right to submit the next command, which comes after others anyway.
    pub fn turn(&self) -> Turn<'_> {
        Turn {
            order: self,
            state: self.0.lock().unwrap_or_else(PoisonError::into_inner),
            within: false,
        }
    }
}

impl Turn<'_> {
    /// What the command follows, which comes after others anyway; nothing that `anyway` says it follows
    /// without being told.
    pub fn follows(&mut self, after: &[Event], anyway: impl Fn(&Event) -> bool) -> Option<Event> {
        let last = on_running(|running| {
            let is_own = std::ptr::eq(running.order, self.order);
            // What waits for the task's end cannot come before it.
            let own = std::slice::from_ref(&running.task);
            let within = is_own && !after.iter().any(|event| event.stands_on(own));
            within.then(|| running.last.clone())
        });
        self.within = last.is_some();
        let last = last.unwrap_or_else(|| self.state.follows.known());
        last.filter(|last| !anyway(last))
    }

    /// Whether the next command follows nothing but what `anyway` says it follows without being told, and is part
    /// of no host task.
    pub fn is_free(&self, anyway: impl FnOnce(&Event) -> bool) -> bool {
        let in_task = on_running(|_| Some(())).is_some();
        !in_task
            && match &self.state.follows {
                Follows::Nothing | Follows::OfDriver(_) => true,
                Follows::Known(event) => anyway(event),
            }
    }

    /// What is at hand to start kernels.
    pub fn at_hand(&mut self) -> &mut AtHand {
        &mut self.state.at_hand
    }

    /// Has the driver tell the command that the next one follows, where it is the one that does.
    pub fn settle(&mut self, at: impl FnOnce(u64) -> Option<Event>) {
        if let Follows::OfDriver(place) = self.state.follows {
            self.state.follows = at(place).map_or(Follows::Nothing, Follows::Known);
        }
    }

    /// What the next command of an in-order queue would follow.
    pub fn last(&self) -> Option<Event> {
        let within = on_running(|running| {
            let is_own = std::ptr::eq(running.order, self.order);
            is_own.then(|| running.last.clone())
        });
        within.unwrap_or_else(|| self.state.follows.known())
    }

    /// The commands so far that no driver has; without the host task that runs here.
    pub fn later(&self) -> Vec<Event> {
        let own = running();
        let later = self.state.later.events().iter();
        let others = later.filter(|event| event.unsettled().is_some() && !event.stands_on(&own));
        others.cloned().collect()
    }

    /// Remembers a command that no driver has.
    pub fn waits(&mut self, event: &Event) {
        self.state.later.add(event.clone());
    }

    /// Makes later commands follow this one, which follows the earlier ones itself.
    pub fn then(mut self, event: Event) {
        if !self.within {
            self.state.follows = Follows::Known(event);
            return;
        }
        on_running(|running| running.last.replace(event));
    }

    /// The same for a command that the driver has at this place and tells, of a turn that
    /// [is free](Turn::is_free).
    pub fn then_of_driver(mut self, place: u64) {
        self.state.follows = Follows::OfDriver(place);
    }
}

/// The host task that this thread runs, if any.
pub fn running() -> Vec<Arc<Later>> {
    let task = on_running(|running| Some(Arc::clone(&running.task)));
    task.into_iter().collect()
}

/// What is said of the host task that this thread runs; `None` where it runs none.
fn on_running<T>(say: impl FnOnce(&mut Running) -> Option<T>) -> Option<T> {
    // A thread knows of its own.
    if TASKS.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let said = RUNNING.try_with(|running| running.borrow_mut().as_mut().and_then(say));
    said.ok().flatten()
}

fn set_running(running: Option<Running>) {
    // Whoever cannot be told that a task runs has none that asks.
    let _ = RUNNING.try_with(|place| place.replace(running));
}

/// Runs a host task; gives the last command that is part of it.
pub fn run(task: &Arc<Later>, order: Option<&Order>, function: impl FnOnce()) -> Option<Event> {
    let running = Running {
        task: Arc::clone(task),
        order: order.map_or(std::ptr::null(), std::ptr::from_ref),
        last: None,
    };
    TASKS.fetch_add(1, Ordering::Relaxed);
    set_running(Some(running));
    let ends = Ends;
    function();
    let last = on_running(|running| running.last.take());
    drop(ends);
    last
}

/// Ends the task of this thread, however its function ends.
struct Ends;

impl Drop for Ends {
    fn drop(&mut self) {
        set_running(None);
        TASKS.fetch_sub(1, Ordering::Relaxed);
    }
}
