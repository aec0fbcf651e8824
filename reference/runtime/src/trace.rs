//! What the runtime does, on standard error when `PLUMBLINE_TRACE` is set.

use std::sync::LazyLock;

static ON: LazyLock<bool> = LazyLock::new(|| {
    std::env::var_os("PLUMBLINE_TRACE").is_some_and(|value| !value.is_empty() && value != "0")
});

/// Prints a line when tracing is on; the line is only made then.
pub fn trace(line: impl FnOnce() -> String) {
    if *ON {
        eprintln!("plumbline: {}", line());
    }
}
