//! How long a run may begin tests: where something ends it after a while, as CI systems do, it says by itself
//! what it had no time for.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The variable that holds when that is over, in seconds of Unix time.
pub const VARIABLE: &str = "PLUMBLINE_TEST_UNTIL";

/// What [`VARIABLE`] is where tests may begin for so long from now.
#[must_use]
pub fn from_now(time: Duration) -> String {
    now().saturating_add(time).as_secs().to_string()
}

/// Why a test is skipped that would begin now, if it is.
#[must_use]
pub fn is_over() -> Option<&'static str> {
    let until = std::env::var(VARIABLE).ok()?.parse().ok()?;
    over(now(), until)
}

fn over(now: Duration, until: u64) -> Option<&'static str> {
    (now.as_secs() >= until).then_some("the time that the run was given is over")
}

fn now() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_begin_until_then() {
        let until: u64 = from_now(Duration::from_secs(60)).parse().unwrap();
        assert_eq!(over(now(), until), None);
        assert!(over(now() + Duration::from_secs(61), until).is_some());
    }
}
