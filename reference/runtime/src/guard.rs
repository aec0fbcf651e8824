//! Mutexes by which programs share the memory of buffers on the host (SYCL 2020, "Buffer properties",
//! `use_mutex`, and "Synchronization primitives").
//!
//! A command or host accessor asks for the mutexes of its buffers when all else that it comes after is
//! settled, has them all at once, and waits for none while it has another: so the program may lock
//! them in any order of its own. The runtime gives a mutex back when no use of it is left; then the
//! program's memory has the contents, and they are what the program makes of them until the next use.
//! What locks a mutex also unlocks it: a thread of the pool, which waits in between.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use crate::event::{Event, Underway};
use crate::later::{self, Later};
use crate::memory::{Held, Memory};
use crate::pool::{self, Job};

/// A mutex of the program's, and how it is used.
#[derive(Debug, Clone, Copy)]
pub struct Lockable {
    /// The mutex.
    pub mutex: *mut c_void,
    /// Waits for it.
    pub lock: unsafe extern "C" fn(*mut c_void),
    /// Takes it if it is free: 0 if not.
    pub try_lock: unsafe extern "C" fn(*mut c_void) -> i32,
    /// Gives it back, on the thread that has it.
    pub unlock: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: a mutex is for all threads.
unsafe impl Send for Lockable {}
// SAFETY: as above.
unsafe impl Sync for Lockable {}

impl PartialEq for Lockable {
    fn eq(&self, other: &Lockable) -> bool {
        self.mutex == other.mutex
    }
}

impl Lockable {
    fn address(&self) -> usize {
        self.mutex as usize
    }

    fn lock(&self) {
        // SAFETY: a mutex is good while a buffer has it, and until a buffer's end has seen it given back.
        unsafe { (self.lock)(self.mutex) }
    }

    fn try_lock(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.try_lock)(self.mutex) != 0 }
    }

    fn unlock(&self) {
        // SAFETY: as above; who calls has locked it.
        unsafe { (self.unlock)(self.mutex) }
    }
}

/// A command or host accessor that needs mutexes.
pub struct Request {
    /// Each buffer that has one.
    uses: Vec<(Lockable, Arc<Memory>)>,
    /// What else it comes after.
    after: Vec<Event>,
    begins: Arc<Later>,
    is_of_host: bool,
}

impl Request {
    /// Of buffers, each with the mutex that it has; `None` when none has one. The request is made when
    /// the others that the command comes after are settled.
    #[must_use]
    pub fn of<'a>(
        uses: impl Iterator<Item = (Option<Lockable>, &'a Arc<Memory>)>,
        after: &[Event],
    ) -> Option<Request> {
        let guarded = |(mutex, memory): (Option<Lockable>, _)| Some((mutex?, Arc::clone(memory)));
        let mut uses = uses.filter_map(guarded).peekable();
        uses.peek()?;
        Some(Request {
            uses: uses.collect(),
            after: after.to_vec(),
            begins: Later::new(after.to_vec()),
            is_of_host: false,
        })
    }

    /// That the runtime has the mutexes for it.
    #[must_use]
    pub fn begins(&self) -> Event {
        Event::of_later(&self.begins)
    }

    /// Makes the request for a command that will have ended when `end` has. The caller holds no lock;
    /// the command begins by itself once it may.
    pub fn make(self, end: Event) {
        let after = self.after.clone();
        let take = move || {
            if let Some(locks) = self.take(end) {
                pool::run(locks.job());
            }
        };
        later::when_settled(&after, Box::new(take));
    }

    /// Makes the request for a host accessor of the calling thread until `end`, when all that it comes
    /// after has ended, and waits until it is granted. The caller holds no lock; [`end_for_host`]
    /// ends the accessor.
    pub fn make_for_host(mut self, end: Event) {
        self.is_of_host = true;
        let begins = Arc::clone(&self.begins);
        if let Some(locks) = self.take(end) {
            let mutexes = locks.0.clone();
            // There may be no thread; this one cannot wait for the end of its own accessor.
            if pool::offer(locks.job()).is_err() {
                for mutex in obtain(&mutexes) {
                    if let Some(hold) = all().hold(mutex) {
                        hold.is_kept = false;
                    }
                }
            }
        }
        drop(begins.wait_until_settled());
    }

    /// Grants the request if the runtime has all its mutexes. Else it waits with those for the same
    /// mutexes, if there are any, or for what is to be done by some thread.
    fn take(self, end: Event) -> Option<Locks> {
        let mut mutexes: Vec<Lockable> = self.uses.iter().map(|(mutex, _)| *mutex).collect();
        mutexes.sort_by_key(|mutex| mutex.mutex);
        mutexes.dedup();
        let mut all = all();
        if mutexes.iter().all(|mutex| all.has(*mutex)) {
            all.grant(&self, &end);
            drop(all);
            self.begins.becomes(Event::done());
            return None;
        }
        if let Some(alike) = all.waiting.iter_mut().find(|w| w.mutexes == mutexes) {
            alike.requests.push((self, end));
            return None;
        }
        all.waiting.push(Waiting {
            mutexes: mutexes.clone(),
            requests: vec![(self, end)],
        });
        Some(Locks(mutexes))
    }
}

/// Mutexes that are to be locked for requests that wait.
struct Locks(Vec<Lockable>);

impl Locks {
    /// Locks them and keeps them until their uses have ended.
    fn job(self) -> Job {
        Box::new(move || keep(&obtain(&self.0)))
    }
}

/// Requests for the same mutexes.
struct Waiting {
    /// By their addresses.
    mutexes: Vec<Lockable>,
    /// Each with the end of what makes it.
    requests: Vec<(Request, Event)>,
}

/// A mutex that the runtime has.
struct Hold {
    /// The buffers that were used since, and their uses.
    used: Vec<(Arc<Memory>, Underway)>,
    /// How many of the uses are host accessors that have not ended.
    accessors: usize,
    /// Whether a thread gives the mutex back when nothing uses it; else the last of the accessors does.
    is_kept: bool,
    /// Whether the mutex is about to be given back, so that nobody else has it along.
    is_ending: bool,
    /// Becomes done when the program may have it again.
    ends: Arc<Later>,
}

impl Hold {
    fn new() -> Hold {
        Hold {
            used: Vec::new(),
            accessors: 0,
            is_kept: true,
            is_ending: false,
            ends: Later::new(Vec::new()),
        }
    }

    fn add(&mut self, memory: &Arc<Memory>, end: &Event) {
        let known = self.used.iter_mut().find(|(m, _)| Arc::ptr_eq(m, memory));
        if let Some((_, uses)) = known {
            uses.add(end.clone());
            return;
        }
        let mut uses = Underway::default();
        uses.add(end.clone());
        self.used.push((Arc::clone(memory), uses));
    }

    /// The buffers, in the order in which commands hold them.
    fn memories(&self) -> Vec<Arc<Memory>> {
        let used = self.used.iter().map(|(memory, _)| Arc::clone(memory));
        let mut memories: Vec<Arc<Memory>> = used.collect();
        memories.sort_by_key(Arc::as_ptr);
        memories
    }
}

/// All mutexes that the runtime has or waits for.
struct All {
    /// By their addresses.
    holds: BTreeMap<usize, Hold>,
    /// Those that a thread waits for, which alone takes them.
    awaited: BTreeSet<usize>,
    waiting: Vec<Waiting>,
}

/// Wakes those who wait for a thread that waited for a mutex.
static ARRIVED: Condvar = Condvar::new();

/// Locked after the states of buffers.
fn all() -> MutexGuard<'static, All> {
    static ALL: Mutex<All> = Mutex::new(All {
        holds: BTreeMap::new(),
        awaited: BTreeSet::new(),
        waiting: Vec::new(),
    });
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl All {
    /// The runtime's hold of the mutex, which may be had along.
    fn hold(&mut self, mutex: Lockable) -> Option<&mut Hold> {
        let hold = self.holds.get_mut(&mutex.address());
        hold.filter(|hold| !hold.is_ending)
    }

    fn has(&mut self, mutex: Lockable) -> bool {
        self.hold(mutex).is_some()
    }

    /// Notes the uses of who may begin: the runtime has all its mutexes.
    fn grant(&mut self, request: &Request, end: &Event) {
        for (mutex, memory) in &request.uses {
            if let Some(hold) = self.hold(*mutex) {
                hold.add(memory, end);
                hold.accessors += usize::from(request.is_of_host);
            }
        }
    }

    /// Grants the requests that wait for these mutexes, all of which the runtime has.
    fn grant_waiting(&mut self, mutexes: &[Lockable]) -> Vec<(Request, Event)> {
        let place = self.waiting.iter().position(|w| w.mutexes == mutexes);
        let waiting = place.map(|place| self.waiting.swap_remove(place));
        let requests = waiting.map_or_else(Vec::new, |waiting| waiting.requests);
        for (request, end) in &requests {
            self.grant(request, end);
        }
        requests
    }

    /// Locks those of the mutexes that the runtime does not have; the calling thread may have locked one
    /// already. Gives what the thread has locked now, or, with none left locked, one that is not free.
    fn complete(
        &mut self,
        mutexes: &[Lockable],
        locked: Option<Lockable>,
    ) -> Result<Vec<Lockable>, Lockable> {
        let mut new: Vec<Lockable> = locked.into_iter().collect();
        for mutex in mutexes {
            if new.contains(mutex) || self.has(*mutex) {
                continue;
            }
            if self.awaited.contains(&mutex.address()) || !mutex.try_lock() {
                new.iter().for_each(Lockable::unlock);
                return Err(*mutex);
            }
            new.push(*mutex);
        }
        let holds = new.iter().map(|mutex| (mutex.address(), Hold::new()));
        self.holds.extend(holds);
        Ok(new)
    }
}

/// Gets all the mutexes for the requests that wait for them, and has those begin; gives the mutexes
/// that the calling thread has locked.
fn obtain(mutexes: &[Lockable]) -> Vec<Lockable> {
    let mut all = all();
    let mut locked = None;
    loop {
        match all.complete(mutexes, locked.take()) {
            Ok(new) => {
                let requests = all.grant_waiting(mutexes);
                drop(all);
                for (request, _) in requests {
                    request.begins.becomes(Event::done());
                }
                return new;
            }
            Err(busy) if all.awaited.insert(busy.address()) => {
                drop(all);
                busy.lock();
                all = self::all();
                all.awaited.remove(&busy.address());
                ARRIVED.notify_all();
                locked = Some(busy);
            }
            // Once the runtime has it, it is had along.
            Err(_) => all = ARRIVED.wait(all).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// Keeps mutexes that the calling thread has locked, each until nothing uses it.
fn keep(mutexes: &[Lockable]) {
    if let [only] = *mutexes {
        loop {
            wait_until_unused(only);
            if give_back(only) {
                return;
            }
        }
    }
    // None is kept for the uses of another.
    let (tell, told) = mpsc::channel();
    let watch = |mutex: Lockable| {
        let tell = tell.clone();
        pool::run(Box::new(move || {
            wait_until_unused(mutex);
            // Who is told waits for it.
            let _ = tell.send(mutex);
        }));
    };
    mutexes.iter().copied().for_each(watch);
    let mut left = mutexes.len();
    while left > 0 {
        // There is always somebody who tells: `tell` is here.
        let Ok(mutex) = told.recv() else { return };
        match give_back(mutex) {
            true => left -= 1,
            false => watch(mutex),
        }
    }
}

/// Waits for the uses so far.
fn wait_until_unused(mutex: Lockable) {
    let uses: Vec<Event> = {
        let mut all = all();
        let used = all.hold(mutex).map(|hold| hold.used.iter());
        let used = used.into_iter().flatten();
        used.flat_map(|(_, uses)| uses.events().to_vec()).collect()
    };
    for end in uses {
        // Its failure is told by its queue.
        let _ = end.wait();
    }
}

/// Gives the mutex back, which the calling thread has locked, and leaves the contents to the program;
/// whether no use was left.
fn give_back(mutex: Lockable) -> bool {
    let memories = all()
        .hold(mutex)
        .map_or_else(Vec::new, |hold| hold.memories());
    let mut held: Vec<Held<'_>> = memories.iter().map(|memory| memory.hold()).collect();
    {
        let mut all = all();
        let is_known = |memory: &Arc<Memory>| memories.iter().any(|m| Arc::ptr_eq(m, memory));
        let Some(hold) = all.hold(mutex) else {
            return true;
        };
        let mut used = hold.used.iter();
        if used
            .any(|(memory, uses)| !is_known(memory) || uses.events().iter().any(Event::is_underway))
        {
            return false;
        }
        hold.is_ending = true;
    }
    held.iter_mut().for_each(Held::leave_to_program);
    drop(held);
    let hold = {
        let mut all = all();
        // What locks it next finds no hold of it.
        mutex.unlock();
        all.holds.remove(&mutex.address())
    };
    if let Some(hold) = hold {
        hold.ends.becomes(Event::done());
    }
    true
}

/// Ends a host accessor that has the mutex. The caller holds no lock.
pub fn end_for_host(mutex: Lockable, end: impl FnOnce()) {
    // Before its end: after that, the mutex may be had for others.
    let gives_back = all().hold(mutex).is_some_and(|hold| {
        hold.accessors -= 1;
        let gives_back = hold.accessors == 0 && !hold.is_kept;
        hold.is_kept |= gives_back;
        gives_back
    });
    end();
    if gives_back {
        keep(&[mutex]);
    }
}

/// Waits until the runtime does not have the mutex for the buffer, which nothing uses. What else the
/// mutex is kept for is another buffer's, with which the program keeps it.
pub fn leave(memory: &Arc<Memory>, mutex: Lockable) {
    loop {
        let ends = {
            let mut held = memory.hold();
            let mut all = all();
            let Some(hold) = all.holds.get_mut(&mutex.address()) else {
                return;
            };
            let is_own = |(used, _): &(Arc<Memory>, _)| Arc::ptr_eq(used, memory);
            let Some(place) = hold.used.iter().position(is_own) else {
                return;
            };
            if hold.used.len() > 1 && !hold.is_ending {
                held.leave_to_program();
                hold.used.swap_remove(place);
                return;
            }
            Arc::clone(&hold.ends)
        };
        drop(ends.wait_until_settled());
    }
}
