//! The children of this process: those that it started, and, where it takes in what processes below it leave
//! behind (a subreaper), those that came to it. Which are which the system does not say, so that every start
//! is noted here.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, set_child_subreaper, waitid,
};

use crate::descendants;

/// Held shared while a process starts, and alone while children are told apart: one that has just started is
/// not noted yet.
static STARTING: RwLock<()> = RwLock::new(());

/// The numbers of the processes that were started, some of which may have ended.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Held while children that came to this process are ended: the number of one that has ended may be another's.
static ENDING: Mutex<()> = Mutex::new(());

/// How long it may take until none is left: those that start others faster than they are ended stay.
const LONGEST: Duration = Duration::from_secs(10);

/// How long those that were ended are given until they are looked for again.
const LOOK: Duration = Duration::from_millis(1);

/// Has what processes below this one leave behind come to it; false where the system does not. Children that are
/// there already, such as those of a shell in whose place this process stands, count as started.
pub fn take_in() -> bool {
    let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.extend(descendants::children(getpid()));
    set_child_subreaper(Some(getpid())).is_ok()
}

/// Notes the process that `start` starts as this one's own.
pub(crate) fn noted(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let _shared = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let child = start()?;
    let number = i32::try_from(child.id()).unwrap_or_default();
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.insert(number);
    Ok(child)
}

/// Ends the children that came to this process, and what stands below them. Those that it started, and what
/// these started, go on.
pub fn end_adopted() {
    let _alone = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let until = Instant::now() + LONGEST;
    while Instant::now() < until {
        let adopted = adopted();
        if adopted.is_empty() {
            return;
        }
        for pid in adopted {
            descendants::end(pid);
            let _ = kill_process(pid, Signal::KILL);
            // What has ended is taken off the system's list, at the latest when it is looked for again.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = waitid(WaitId::Pid(pid), options);
        }
        std::thread::sleep(LOOK);
    }
}

/// The children that this process did not start.
fn adopted() -> Vec<Pid> {
    let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let children: BTreeSet<i32> = descendants::children(getpid()).collect();
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    // A number that is no child's any more may soon be another's.
    started.retain(|number| children.contains(number));
    let adopted = children.difference(&started);
    adopted.copied().filter_map(Pid::from_raw).collect()
}
