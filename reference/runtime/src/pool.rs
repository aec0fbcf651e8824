//! Threads that run what the host has to do for queues.
//!
//! A job runs the program's own code, which may wait for another job in ways that nobody here sees: a
//! fixed number of threads could all stand still. So while jobs wait, a watcher looks whether any was
//! taken lately; when none was, there are more threads. A job for which there is none, as the system
//! gives no more, waits for one. Threads that find nothing to do end.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// Something to run once.
pub type Job = Box<dyn FnOnce() + Send>;

/// How long a thread waits for another job.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long jobs may wait without one being taken before there are more threads.
const STANDSTILL: Duration = Duration::from_millis(1);

/// So many threads there are as soon as jobs want them; at least one for each core.
const FEW: usize = 4;

/// The stack of a thread: what the program's own threads have on Linux.
const STACK: usize = 8 << 20;

static POOL: LazyLock<Pool> = LazyLock::new(Pool::default);

thread_local! {
    /// Whether this thread is one of the pool's.
    static OF_POOL: Cell<bool> = const { Cell::new(false) };
}

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    /// Wakes an idle thread.
    wanted: Condvar,
    /// Wakes those who wait until nothing runs.
    quiet: Condvar,
    /// Wakes the watcher when jobs wait.
    waiting: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    /// Threads that were started and have not come to run yet.
    starting: usize,
    /// How many jobs threads have taken so far.
    taken: u64,
    /// Whether there is a watcher.
    is_watched: bool,
}

impl State {
    fn is_quiet(&self) -> bool {
        self.jobs.is_empty() && self.idle == self.threads
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does until there is nothing to do for a while.
    fn work(&self) {
        OF_POOL.set(true);
        let mut state = self.lock();
        state.starting -= 1;
        loop {
            if let Some(job) = state.jobs.pop_front() {
                state.taken += 1;
                drop(state);
                job();
                state = self.lock();
                continue;
            }
            state.idle += 1;
            if state.is_quiet() {
                self.quiet.notify_all();
            }
            let waited = self
                .wanted
                .wait_timeout_while(state, PATIENCE, |state| state.jobs.is_empty());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.idle -= 1;
            if state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

impl Pool {
    /// What the watcher does until no job has waited for a while.
    fn watch(&'static self) {
        let mut state = self.lock();
        let mut more = 1;
        loop {
            let waited = self
                .waiting
                .wait_timeout_while(state, PATIENCE, |state| state.jobs.is_empty());
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.jobs.is_empty() {
                state.is_watched = false;
                return;
            }
            let taken = state.taken;
            drop(state);
            thread::sleep(STANDSTILL);
            state = self.lock();
            // Threads that could take one are on their way, however long the system lets them wait.
            let is_awaited = state.idle > 0 || state.starting > 0;
            if state.taken != taken || is_awaited {
                more = 1;
                continue;
            }
            // Many jobs that stand in the way of others are got past soon.
            for _ in 0..more.min(state.jobs.len()) {
                self.add_thread(&mut state);
            }
            more *= 2;
        }
    }

    /// Runs the job on one of its threads; gives it back where there is none and the system gives none.
    fn offer(&'static self, job: Job) -> Result<(), Job> {
        let mut state = self.lock();
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() {
            self.wanted.notify_one();
            return Ok(());
        }
        if state.threads < few() && self.add_thread(&mut state) {
            return Ok(());
        }
        if state.threads == 0 {
            // Nobody else does it.
            return state.jobs.pop_back().map_or(Ok(()), Err);
        }
        // One of the threads takes it in time, or the watcher sees that none does.
        if state.is_watched {
            self.waiting.notify_one();
        } else {
            let watcher = thread::Builder::new().spawn(|| self.watch());
            state.is_watched = watcher.is_ok();
        }
        Ok(())
    }

    /// Starts a thread; whether the system gave one.
    fn add_thread(&'static self, state: &mut State) -> bool {
        let thread = thread::Builder::new().stack_size(STACK);
        let is_there = thread.spawn(|| self.work()).is_ok();
        state.threads += usize::from(is_there);
        state.starting += usize::from(is_there);
        is_there
    }
}

/// The number of threads that jobs get at once.
fn few() -> usize {
    static FEW_HERE: LazyLock<usize> = LazyLock::new(|| {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        cores.max(FEW)
    });
    *FEW_HERE
}

/// Runs the job on a thread of the pool, or at once where there is none. The caller must hold no lock.
pub fn run(job: Job) {
    if let Err(job) = offer(job) {
        job();
    }
}

/// Runs the job on a thread of the pool.
///
/// # Errors
/// The job, where there is no thread and the system gives none.
pub fn offer(job: Job) -> Result<(), Job> {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| at_exit(end_quietly));
    POOL.offer(job)
}

/// Calls the function when the program ends, or this library is unloaded.
pub fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function stays in place until the library is unloaded, before which it is called.
    // Where the system has no room for it, the program ends without.
    let _ = unsafe { libc::atexit(function) };
}

/// Lets what runs come to its end before the program does, and with it what static objects it uses.
extern "C" fn end_quietly() {
    wait_until_quiet();
}

/// Waits until no job runs; whether it did. A job that ends the program does not wait for itself.
pub fn wait_until_quiet() -> bool {
    if OF_POOL.get() {
        return false;
    }
    let quiet = POOL
        .quiet
        .wait_while(POOL.lock(), |state| !state.is_quiet());
    drop(quiet);
    true
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A pool of one test's own: another one's threads would take its jobs.
    fn pool() -> &'static Pool {
        Box::leak(Box::default())
    }

    fn run_in(pool: &'static Pool, job: Job) {
        if let Err(job) = pool.offer(job) {
            job();
        }
    }

    #[test]
    fn short_jobs_share_a_few_threads() {
        const COUNT: usize = 2000;
        let pool = pool();
        let (done, ends) = mpsc::channel();
        for _ in 0..COUNT {
            let done = done.clone();
            let job = move || done.send(thread::current().id()).unwrap();
            run_in(pool, Box::new(job));
        }
        let mut threads = std::collections::HashSet::new();
        for _ in 0..COUNT {
            threads.insert(ends.recv_timeout(Duration::from_secs(20)).unwrap());
        }
        assert!(threads.len() < COUNT / 10, "{} threads", threads.len());
    }

    #[test]
    fn jobs_that_wait_for_jobs_that_came_later_all_end() {
        const COUNT: usize = 200;
        let pool = pool();
        let (done, ends) = mpsc::channel();
        let mut opens: Option<mpsc::Sender<()>> = None;
        for _ in 0..COUNT {
            let (open, opened) = mpsc::channel();
            let earlier = opens.replace(open);
            let done = done.clone();
            let job = move || {
                opened.recv_timeout(Duration::from_secs(20)).unwrap();
                earlier.map(|earlier| earlier.send(()));
                done.send(()).unwrap();
            };
            run_in(pool, Box::new(job));
        }
        opens.map(|last| last.send(()));
        for _ in 0..COUNT {
            ends.recv_timeout(Duration::from_secs(20)).unwrap();
        }
    }
}
