//! The suites as plain data: a JSON file, the inputs and golden files that its cases name, the
//! toolchains' descriptions, and a runner in Python that reads them, so that a team needs neither
//! Rust nor our reader.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::case::Case;
use crate::catalogue::Entry;
use crate::golden::{Form, Rule};
use crate::layout::{Layout, files_under};
use crate::library::Library;
use crate::toolchain::{Described, ROLES};
use crate::tools::ProgramNames;

/// The JSON file.
#[derive(Debug, Serialize)]
struct Export<'a> {
    /// Version of this form; goes up when a reader has to change.
    version: u32,
    roles: &'a [&'a str],
    /// How the texts that golden files hold are written before they are compared, by their form.
    forms: BTreeMap<Form, &'a [Rule]>,
    #[serde(flatten)]
    programs: ProgramNames,
    requirements: Vec<&'a Entry>,
    cases: Vec<Exported<'a>>,
}

/// A case, and the file within `cases/` that it came from: its inputs lie beside that.
#[derive(Debug, Serialize)]
struct Exported<'a> {
    #[serde(flatten)]
    case: &'a Case,
    file: String,
}

/// The runner, and what it starts programs by.
const RUNNER: [(&str, &str); 2] = [
    ("run.py", include_str!("run.py")),
    ("bounded.py", include_str!("bounded.py")),
];

/// Writes `suites.json`, `run.py`, `bounded.py`, `cases/`, `fixtures/`, `golden/` and `toolchains/` into `folder`.
///
/// # Errors
/// Names the file that cannot be written, or the description that does not read.
pub fn export(library: &Library, layout: &Layout, folder: &Path) -> Result<(), String> {
    let cases = library.cases.iter().map(|case| {
        let file = case.file.strip_prefix(&layout.cases);
        let file = file.unwrap_or(&case.file).to_string_lossy().into_owned();
        Exported { case, file }
    });
    let export = Export {
        version: 4,
        roles: &ROLES,
        forms: Form::ALL.map(|form| (form, form.rules())).into(),
        programs: ProgramNames::load(layout)?,
        requirements: library.catalogue.entries.values().collect(),
        cases: cases.collect(),
    };
    for (name, from) in [
        ("cases", &layout.cases),
        ("fixtures", &layout.fixtures),
        ("golden", &layout.golden),
    ] {
        copy_tree(from, &folder.join(name))?;
    }
    let descriptions = layout.descriptions()?;
    // The scripts that some of them start.
    for file in files_under(&layout.toolchains)? {
        if !descriptions.contains(&file) {
            copy(&file, &layout.toolchains, &folder.join("toolchains"))?;
        }
    }
    for file in descriptions {
        let toolchain = Described::movable(&file, layout)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let to = folder.join("toolchains").join(format!("{stem}.json"));
        write(&to, toolchain.json()?.as_bytes())?;
    }
    for (name, text) in RUNNER {
        write(&folder.join(name), text.as_bytes())?;
    }
    let json = serde_json::to_string_pretty(&export).map_err(|e| e.to_string())?;
    write(&folder.join("suites.json"), json.as_bytes())
}

/// Copies files with their permissions: some inputs are programs.
fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    files_under(from)?
        .iter()
        .try_for_each(|file| copy(file, from, to))
}

/// Copies a file below `from` to the same place below `to`.
fn copy(file: &Path, from: &Path, to: &Path) -> Result<(), String> {
    let to = to.join(file.strip_prefix(from).unwrap_or(file));
    let fail = |e: std::io::Error| format!("{}: {e}", to.display());
    std::fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(fail)?;
    std::fs::copy(file, &to).map_err(fail).map(drop)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(fail)?;
    std::fs::write(path, bytes).map_err(fail)
}
