//! Chromium without a window: what tries the page of a report, and takes its picture.

use std::path::{Path, PathBuf};

use components::process::Job;

use crate::tools::SEARCH_PATH;

/// The system's browser, if it has one.
#[must_use]
pub fn find() -> Option<PathBuf> {
    SEARCH_PATH
        .split(':')
        .flat_map(|folder| ["chromium", "google-chrome"].map(|name| Path::new(folder).join(name)))
        .find(|program| program.exists())
}

/// A start of `browser` that keeps to itself: no window, no network of its own accord, and all that it
/// remembers in `profile`.
#[must_use]
pub fn job(browser: &Path, profile: &Path) -> Job {
    Job::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
}
