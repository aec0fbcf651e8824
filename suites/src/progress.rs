//! What still runs, for those who wait: a harness tells of tests when they end, and some take minutes.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long nothing ends until what runs is told.
const QUIET: Duration = Duration::from_secs(10);

/// The cases that run.
#[derive(Debug)]
pub struct Running(Mutex<State>);

#[derive(Debug)]
struct State {
    begun: BTreeMap<String, Instant>,
    /// When a case last ended, or what runs was last told.
    last: Instant,
}

impl Running {
    /// None yet.
    #[must_use]
    pub fn none() -> Self {
        Running(Mutex::new(State {
            begun: BTreeMap::new(),
            last: Instant::now(),
        }))
    }

    /// The case called `name` begins.
    pub fn begins(&self, name: &str) {
        self.change(|state| {
            state.begun.insert(name.to_owned(), Instant::now());
        });
    }

    /// It has ended.
    pub fn ended(&self, name: &str) {
        self.change(|state| {
            state.begun.remove(name);
            state.last = Instant::now();
        });
    }

    /// The line to show at `now`, if nothing has ended for long: `still: suite/case (40 s)`.
    fn line(&self, now: Instant) -> Option<String> {
        self.change(|state| {
            if now.saturating_duration_since(state.last) < QUIET || state.begun.is_empty() {
                return None;
            }
            state.last = now;
            let seconds = |begun: &Instant| now.saturating_duration_since(*begun).as_secs();
            let begun = state.begun.iter();
            let cases: Vec<String> = begun
                .map(|(name, begun)| format!("{name} ({} s)", seconds(begun)))
                .collect();
            Some(format!("still: {}", cases.join(", ")))
        })
    }

    /// Tells on standard error what runs, as long as this process lives.
    pub fn tell(&'static self) {
        // The line of a progress bar, if there is one, makes room.
        let clear = match std::io::stderr().is_terminal() {
            true => "\r\x1b[2K",
            false => "",
        };
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(QUIET / 20);
                if let Some(line) = self.line(Instant::now()) {
                    eprintln!("{clear}{line}");
                }
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // A panic elsewhere leaves the state as whole as it was.
        let mut state = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        change(&mut state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_told_when_nothing_has_ended_for_ten_seconds() {
        let running = Running::none();
        let at = |seconds| Instant::now() + Duration::from_secs(seconds);
        assert_eq!(running.line(at(60)), None, "nothing runs");
        let running = Running::none();
        running.begins("a/slow");
        running.begins("a/quick");
        assert_eq!(running.line(at(8)), None);
        let line = running.line(at(12)).unwrap();
        assert!(
            line == "still: a/quick (12 s), a/slow (12 s)" || line.contains("(11 s)"),
            "{line}"
        );
        assert_eq!(running.line(at(20)), None, "not so soon again");
        assert!(running.line(at(30)).is_some());
        running.ended("a/quick");
        assert_eq!(running.line(at(8)), None, "something has ended");
        let line = running.line(at(41)).unwrap();
        assert!(line.starts_with("still: a/slow (4"), "{line}");
    }
}
