//! The host's clock, for commands that it runs.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds that never run backwards, by the clock that drivers of CPU devices tell times by: those of a host
/// task stand beside those of kernels.
#[must_use]
pub fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
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
