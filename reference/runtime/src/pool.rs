//! Threads that run what the host has to do for queues.
//!
//! A job runs the program's own code, which may wait for another job in ways that nobody here sees: a
//! fixed number of threads could all stand still. So every job that finds no idle thread gets a new
//! one, and waits only when the system gives no more. Threads that find nothing to do end.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// Something to run once.
pub type Job = Box<dyn FnOnce() + Send>;

/// How long a thread waits for another job.
const PATIENCE: Duration = Duration::from_secs(2);

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
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
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
        loop {
            if let Some(job) = state.jobs.pop_front() {
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

/// Runs the job on a thread of its own. The caller must hold no lock.
pub fn run(job: Job) {
    static AT_EXIT: Once = Once::new();
    // SAFETY: the function stays in place until the library is unloaded, before which it is called.
    AT_EXIT.call_once(|| unsafe {
        atexit(wait_until_quiet);
    });
    let mut state = POOL.lock();
    state.jobs.push_back(job);
    if state.idle >= state.jobs.len() {
        POOL.wanted.notify_one();
        return;
    }
    let thread = thread::Builder::new().stack_size(STACK);
    match thread.spawn(|| POOL.work()) {
        Ok(_) => state.threads += 1,
        // One of the threads takes it in time.
        Err(_) if state.threads > 0 => POOL.wanted.notify_one(),
        Err(_) => {
            let job = state.jobs.pop_back();
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
}

/// Lets what runs come to its end before the program does, and with it what static objects it uses.
/// A job that ends the program does not wait for itself.
extern "C" fn wait_until_quiet() {
    if OF_POOL.get() {
        return;
    }
    let quiet = POOL
        .quiet
        .wait_while(POOL.lock(), |state| !state.is_quiet());
    drop(quiet);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn jobs_that_wait_for_jobs_that_came_later_all_end() {
        const COUNT: usize = 200;
        let (done, ends) = mpsc::channel();
        let mut opens: Option<mpsc::Sender<()>> = None;
        for _ in 0..COUNT {
            let (open, opened) = mpsc::channel();
            let earlier = opens.replace(open);
            let done = done.clone();
            run(Box::new(move || {
                opened.recv_timeout(Duration::from_secs(20)).unwrap();
                earlier.map(|earlier| earlier.send(()));
                done.send(()).unwrap();
            }));
        }
        opens.map(|last| last.send(()));
        for _ in 0..COUNT {
            ends.recv_timeout(Duration::from_secs(20)).unwrap();
        }
    }
}
