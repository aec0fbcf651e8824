//! The host's clock, for commands that it runs.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

static START: LazyLock<(Instant, Duration)> = LazyLock::new(|| {
    let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    (Instant::now(), epoch.unwrap_or_default())
});

/// Nanoseconds that never run backwards.
#[must_use]
pub fn now() -> u64 {
    let (start, epoch) = *START;
    let nanoseconds = (epoch + start.elapsed()).as_nanos();
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

/// When a command of the host was submitted, when it began and when it ended, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// When it was submitted.
    pub submitted: u64,
    /// When it began.
    pub started: u64,
    /// When it ended.
    pub ended: u64,
}

impl Times {
    /// The time at a point with a number of `plsycl_profiling`.
    #[must_use]
    pub fn at(&self, what: u32) -> Option<u64> {
        [self.submitted, self.started, self.ended]
            .get(what as usize)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Times, now};

    #[test]
    fn times_are_asked_for_by_their_numbers() {
        let (submitted, started, ended) = (now(), now(), now());
        assert!(submitted <= started && started <= ended);
        let times = Times {
            submitted,
            started,
            ended,
        };
        let asked = [0, 1, 2, 3].map(|what| times.at(what));
        assert_eq!(asked, [Some(submitted), Some(started), Some(ended), None]);
    }
}
