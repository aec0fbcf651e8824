//! The suites as plain data: one JSON file, and the inputs and golden files that its cases name, so
//! that a team with another runner needs neither Rust nor our reader.

use std::path::Path;

use serde::Serialize;

use crate::case::Case;
use crate::catalogue::Entry;
use crate::layout::{Layout, files_under};
use crate::library::Library;

/// The JSON file.
#[derive(Debug, Serialize)]
struct Export<'a> {
    /// Version of this form; goes up when a reader has to change.
    version: u32,
    requirements: Vec<&'a Entry>,
    cases: &'a [Case],
}

/// Writes `suites.json`, `cases/`, `fixtures/` and `golden/` into `folder`.
///
/// # Errors
/// Names the file that cannot be written.
pub fn export(library: &Library, layout: &Layout, folder: &Path) -> Result<(), String> {
    let export = Export {
        version: 1,
        requirements: library.catalogue.entries.values().collect(),
        cases: &library.cases,
    };
    for (name, from) in [
        ("cases", &layout.cases),
        ("fixtures", &layout.fixtures),
        ("golden", &layout.golden),
    ] {
        copy_tree(from, &folder.join(name))?;
    }
    let json = serde_json::to_string_pretty(&export).map_err(|e| e.to_string())?;
    write(&folder.join("suites.json"), json.as_bytes())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    for file in files_under(from)? {
        let within = file.strip_prefix(from).unwrap_or(&file);
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        write(&to.join(within), &bytes)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(fail)?;
    std::fs::write(path, bytes).map_err(fail)
}
