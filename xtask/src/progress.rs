//! Progress bars, on terminals only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over a number of bytes; invisible when standard error is no terminal.
pub fn bytes(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = "{msg:32!} {wide_bar} {bytes:>11} of {total_bytes:<11} {eta:>4}";
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A spinner with a message, for work of unknown length; invisible when standard error is no
/// terminal.
pub fn spinner(message: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_message(message);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
