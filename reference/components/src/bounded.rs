//! A program within bounds: of time, of what it writes, and of what it leaves running. For programs
//! that nobody vouches for.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};

use crate::descendants;
use crate::process::Output;

/// How many bytes a program may write on each of its streams.
pub const MOST: usize = 64 << 20;

/// How long what a program started may hold its streams open once the program itself has ended.
const GRACE: Duration = Duration::from_secs(2);

/// How often a program is looked at where the system does not tell that it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A bound that a program broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breach {
    /// It ran too long.
    Time,
    /// It wrote too much.
    Output,
}

/// Waits for `child`, which leads a process group of its own, for at most `limit`. What it has
/// started and left in its group is ended with it.
///
/// # Errors
/// When it cannot be waited for.
pub(crate) fn finish(mut child: Child, limit: Duration) -> io::Result<(Output, Option<Breach>)> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let deadline = Instant::now() + limit;
    let mut watched = Watched {
        streams: [
            Stream::new(child.stdout.take().map(OwnedFd::from)),
            Stream::new(child.stderr.take().map(OwnedFd::from)),
        ],
        program: group.and_then(|group| pidfd_open(group, PidfdFlags::empty()).ok()),
    };
    let watching = watched.until_end(group, deadline);
    // The program is not reaped yet, so that its number still means its group and no other. The
    // group may be empty; then there is nothing to end. One that has broken a bound still has below itself
    // what went out of its group.
    if let Some(group) = group {
        if !matches!(watching, Ok(None)) {
            descendants::end(group);
        }
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait()?;
    let mut breach = watching?;
    // What it wrote last may still be in the pipes, which somebody outside the group may hold open.
    let last = Instant::now() + GRACE;
    let goes_on =
        |watched: &Watched| watched.is_open() && !watched.is_full() && !left(last).is_zero();
    while goes_on(&watched) && watched.wait(left(last), false)? {}
    if watched.is_full() {
        breach = breach.or(Some(Breach::Output));
    }
    let [stdout, stderr] = watched.streams.map(|stream| stream.text);
    let output = Output {
        status,
        stdout,
        stderr,
    };
    Ok((output, breach))
}

/// The time until then.
fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// Whether a program has ended; it is left to be reaped.
fn has_ended(program: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(
        waitid(WaitId::Pid(program), options),
        Ok(None) | Err(Errno::INTR)
    )
}

/// A stream of a program, until its end, and what it has brought.
struct Stream {
    open: Option<OwnedFd>,
    text: Vec<u8>,
}

impl Stream {
    fn new(open: Option<OwnedFd>) -> Self {
        Stream {
            open,
            text: Vec::new(),
        }
    }

    /// Takes what is there to read.
    fn take(&mut self) -> io::Result<()> {
        let Some(open) = &self.open else {
            return Ok(());
        };
        let mut chunk = [0; 1 << 16];
        match read(open, &mut chunk) {
            Ok(0) => self.open = None,
            Ok(count) => self.text.extend_from_slice(&chunk[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// What is waited for.
struct Watched {
    streams: [Stream; 2],
    /// Readable when the program has ended; none where the system has no such thing.
    program: Option<OwnedFd>,
}

impl Watched {
    fn is_open(&self) -> bool {
        self.streams.iter().any(|stream| stream.open.is_some())
    }

    fn is_full(&self) -> bool {
        self.streams.iter().any(|stream| stream.text.len() > MOST)
    }

    /// Waits until the program has ended and its streams with it, or a bound is broken. What it leaves
    /// running may hold the streams open for a while.
    fn until_end(&mut self, program: Option<Pid>, deadline: Instant) -> io::Result<Option<Breach>> {
        let (mut ended, mut until) = (false, deadline);
        while self.is_open() || !ended {
            if left(until).is_zero() {
                return Ok((!ended).then_some(Breach::Time));
            }
            self.wait(left(until), !ended)?;
            if self.is_full() {
                return Ok(Some(Breach::Output));
            }
            if !ended && program.is_none_or(has_ended) {
                ended = true;
                until = deadline.min(Instant::now() + GRACE);
            }
        }
        Ok(None)
    }

    /// Waits until something happens, the program's end too if it is still to come, and takes what the
    /// streams bring. Whether anything did happen within `most`.
    fn wait(&mut self, most: Duration, for_end: bool) -> io::Result<bool> {
        let most = match &self.program {
            None if for_end => most.min(LOOK),
            _ => most,
        };
        let open = self.streams.iter().map(|stream| stream.open.as_ref());
        let program = self.program.as_ref().filter(|_| for_end);
        let watched: Vec<&OwnedFd> = open.chain([program]).flatten().collect();
        let polled = watched.iter().map(|file| PollFd::new(*file, PollFlags::IN));
        let mut polled: Vec<PollFd<'_>> = polled.collect();
        let timeout = Timespec::try_from(most).unwrap_or_default();
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) => return Ok(false),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut happened = polled.iter().map(|file| !file.revents().is_empty());
        let ready = self.streams.each_ref().map(|stream| match &stream.open {
            Some(_) => happened.next().unwrap_or_default(),
            None => false,
        });
        for (stream, ready) in self.streams.iter_mut().zip(ready) {
            if ready {
                stream.take()?;
            }
        }
        Ok(true)
    }
}
