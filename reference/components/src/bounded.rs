//! A program within bounds: of time, of what it writes, and of what it leaves running. For programs
//! that nobody vouches for.

use std::io::Read;
use std::process::Child;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::process::Output;

/// How many bytes a program may write on each of its streams.
pub const MOST: usize = 64 << 20;

/// How long what a program started may hold its streams open once the program itself has ended.
const GRACE: Duration = Duration::from_secs(2);

/// A bound that a program broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breach {
    /// It ran too long.
    Time,
    /// It wrote too much.
    Output,
}

/// What the threads that watch a program tell.
enum Event {
    /// The program itself has ended, and waits to be reaped.
    Ended,
    /// A stream has come to its end.
    Closed,
    /// A stream has brought more than [`MOST`].
    Full,
}

/// Waits for `child`, which leads a process group of its own, for at most `limit`. What it has
/// started and left in its group is ended with it.
///
/// # Errors
/// When it cannot be waited for.
pub(crate) fn finish(
    mut child: Child,
    limit: Duration,
) -> std::io::Result<(Output, Option<Breach>)> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let deadline = Instant::now() + limit;
    let (tell, events) = mpsc::channel();
    let stdout = read(child.stdout.take(), &tell);
    let stderr = read(child.stderr.take(), &tell);
    watch(group, tell);
    let (mut open, mut ended, mut breach) = (2_u32, false, None);
    let mut until = deadline;
    while open > 0 || !ended {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::Closed) => open -= 1,
            Ok(Event::Ended) => {
                ended = true;
                until = deadline.min(Instant::now() + GRACE);
            }
            Ok(Event::Full) => {
                breach = Some(Breach::Output);
                break;
            }
            Err(_) => {
                breach = (!ended).then_some(Breach::Time);
                break;
            }
        }
    }
    // The program is not reaped yet, so that its number still means its group and no other. The
    // group may be empty; then there is nothing to end.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let status = child.wait()?;
    // What it wrote last may still be in the pipes, which somebody outside the group may hold open.
    while open > 0 && breach != Some(Breach::Output) {
        match events.recv_timeout(GRACE) {
            Ok(Event::Closed) => open -= 1,
            Ok(_) => (),
            Err(_) => break,
        }
    }
    let taken = |text: &Mutex<Vec<u8>>| {
        std::mem::take(&mut *text.lock().unwrap_or_else(PoisonError::into_inner))
    };
    let output = Output {
        status,
        stdout: taken(&stdout),
        stderr: taken(&stderr),
    };
    Ok((output, breach))
}

/// Reads a stream on a thread of its own, up to [`MOST`].
fn read<R: Read + Send + 'static>(stream: Option<R>, tell: &Sender<Event>) -> Arc<Mutex<Vec<u8>>> {
    let text = Arc::new(Mutex::new(Vec::new()));
    let (kept, tell) = (Arc::clone(&text), tell.clone());
    std::thread::spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        let mut stream = stream;
        let mut event = Event::Closed;
        while let Some(Ok(count @ 1..)) = stream.as_mut().map(|s| s.read(&mut chunk)) {
            let mut text = kept.lock().unwrap_or_else(PoisonError::into_inner);
            text.extend_from_slice(&chunk[..count]);
            if text.len() > MOST {
                event = Event::Full;
                break;
            }
        }
        // Nobody may be listening any more.
        let _ = tell.send(event);
    });
    text
}

/// Tells on a thread of its own when the program has ended, and leaves it to be reaped.
fn watch(program: Option<Pid>, tell: Sender<Event>) {
    std::thread::spawn(move || {
        if let Some(program) = program {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(program), options), Err(Errno::INTR)) {}
        }
        let _ = tell.send(Event::Ended);
    });
}
