//! Progress: bars on terminals, a line now and then in logs.

use std::io::IsTerminal as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The bars of works that go on side by side, one below the other.
static SIDE_BY_SIDE: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Does what writes to the terminal while bars may be on it.
pub fn apart<T>(write: impl FnOnce() -> T) -> T {
    SIDE_BY_SIDE.suspend(write)
}

/// A bar over a number of bytes; invisible when standard error is no terminal.
pub fn bytes(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = "{msg:32!} {wide_bar} {bytes:>11} of {total_bytes:<11} {eta:>4}";
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A spinner with a message, for work of unknown length; a line when standard error is no terminal.
pub fn spinner(message: String) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        eprintln!("{message}");
    }
    spinning(message)
}

fn spinning(message: String) -> ProgressBar {
    let bar = SIDE_BY_SIDE.add(ProgressBar::new_spinner());
    bar.set_message(message);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// How often a log gets a line.
const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// Progress of work in steps whose number is known once it runs.
pub struct Steps {
    title: String,
    bar: ProgressBar,
    started: Instant,
    /// When a log last got a line; none on a terminal, which has the bar.
    logged: Option<Instant>,
}

impl Steps {
    /// Nothing done yet of the work called `title`.
    pub fn new(title: String) -> Self {
        let bar = spinning(title.clone());
        let started = Instant::now();
        let logged = (!std::io::stderr().is_terminal()).then_some(started);
        Steps {
            title,
            bar,
            started,
            logged,
        }
    }

    /// `done` of `count` steps have ended, `latest` the last.
    pub fn at(&mut self, done: u64, count: u64, latest: &str) {
        let text = format!("{} {done} of {count} {latest}", self.title);
        if let Some(logged) = &mut self.logged
            && logged.elapsed() >= LOGGED_EVERY
        {
            *logged = Instant::now();
            eprintln!("{text} ({} s)", self.started.elapsed().as_secs());
        }
        self.bar.set_message(text);
    }

    /// The work has ended.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
