//! What the runtime does, on standard error: everything when `PLUMBLINE_TRACE` is set, only the
//! devices of queues when it is `device`.

use std::io::Write as _;
use std::sync::LazyLock;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Nothing,
    Devices,
    Everything,
}

static LEVEL: LazyLock<Level> =
    LazyLock::new(|| level(&std::env::var("PLUMBLINE_TRACE").unwrap_or_default()));

fn level(setting: &str) -> Level {
    match setting {
        "" | "0" => Level::Nothing,
        "device" => Level::Devices,
        _ => Level::Everything,
    }
}

/// Writes a line to standard error. That nobody reads it there is no reason to end the program.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints a line when tracing is on; the line is only made then.
pub fn trace(line: impl FnOnce() -> String) {
    if *LEVEL == Level::Everything {
        say(&format!("plumbline: {}", line()));
    }
}

/// Prints a line about the device of a queue when tracing of devices is on.
pub fn trace_device(line: impl FnOnce() -> String) {
    if *LEVEL >= Level::Devices {
        say(&format!("plumbline: {}", line()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_how_much_is_told() {
        assert_eq!(level(""), Level::Nothing);
        assert_eq!(level("0"), Level::Nothing);
        assert_eq!(level("device"), Level::Devices);
        assert_eq!(level("1"), Level::Everything);
    }
}
