//! The files of `sycl-post-link`: `STEM_N.bc`, `.prop` and `.sym` for each image, written as the
//! images are made, and the table that lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use inkwell::module::Module;
use offload_formats::file_table::{FileTable, Row};
use offload_formats::symbols;

use super::command_line::CommandLine;
use super::options::{Form, Options};
use super::{Outcome, SplitModule, run};
use crate::tool::{Failure, write_whole};

/// More workers would make memory grow with the machine; and what comes before them, reading and
/// checking the input, takes as long as a few of them need for all images.
const MAX_WORKERS: usize = 8;

/// Runs the stage and writes what the command line asks for. When anything fails, no file stays
/// behind.
///
/// # Errors
/// Those of [`run`], and of writing.
pub fn write(module: Module<'_>, line: &CommandLine) -> Result<Outcome, Failure> {
    let output = line.output.clone().unwrap_or_else(|| default_output(line));
    let options = Options {
        max_workers: Some(MAX_WORKERS),
        ..line.options()
    };
    if line.ir_output_only {
        return run(module, &options, |split: SplitModule| {
            write_whole(&output, &split.code)
        });
    }
    let files = Files::new(line, &output);
    let written = run(module, &options, |split| files.write(&split, options.form))
        .and_then(|outcome| files.table().map(|table| (outcome, table)))
        .and_then(|(outcome, table)| write_whole(&output, table.as_bytes()).map(|()| outcome));
    if written.is_err() {
        files.remove();
    }
    written
}

/// Beside the input, with another extension.
fn default_output(line: &CommandLine) -> PathBuf {
    let input = match line.input.as_os_str() == "-" {
        true => Path::new("a"),
        false => &line.input,
    };
    input.with_extension(match (line.ir_output_only, line.text) {
        (false, _) => "table",
        (true, true) => "out.ll",
        (true, false) => "out.bc",
    })
}

struct Files<'a> {
    line: &'a CommandLine,
    /// What the files' names begin with, folder included.
    stem: String,
    rows: Mutex<BTreeMap<usize, Row>>,
}

impl<'a> Files<'a> {
    fn new(line: &'a CommandLine, output: &Path) -> Self {
        let stem = match output.as_os_str() == "-" {
            true => Path::new("a"),
            false => Path::new(output.file_stem().unwrap_or(output.as_os_str())),
        };
        let folder = line
            .out_dir
            .as_deref()
            .or(output.parent())
            .unwrap_or(Path::new(""));
        Files {
            line,
            stem: folder.join(stem).to_string_lossy().into_owned(),
            rows: Mutex::default(),
        }
    }

    fn write(&self, split: &SplitModule, form: Form) -> Result<(), Failure> {
        let name = |extension| format!("{}_{}.{extension}", self.stem, split.index);
        let mut row = Row {
            code: name(match form {
                Form::Bitcode | Form::ThinLto => "bc",
                Form::Text => "ll",
            }),
            ..Row::default()
        };
        if self.line.properties {
            row.properties = name("prop");
        }
        if self.line.symbols {
            row.symbols = name("sym");
        }
        // Listed before they are written, so that a failure finds them.
        self.rows().insert(split.index, row.clone());
        write_whole(Path::new(&row.code), &split.code)?;
        if self.line.properties {
            let text = split.properties.to_text().map_err(Failure::job)?;
            write_whole(Path::new(&row.properties), text.as_bytes())?;
        }
        if self.line.symbols {
            let text = symbols::to_text(&split.entries).map_err(Failure::job)?;
            write_whole(Path::new(&row.symbols), text.as_bytes())?;
        }
        Ok(())
    }

    fn table(&self) -> Result<String, Failure> {
        FileTable {
            has_properties: self.line.properties,
            has_symbols: self.line.symbols,
            rows: self.rows().values().cloned().collect(),
        }
        .to_text()
        .map_err(Failure::job)
    }

    fn remove(&self) {
        for row in self.rows().values() {
            for file in [&row.code, &row.properties, &row.symbols] {
                // What was not written yet can't be removed, and need not be.
                let _ = fs::remove_file(file);
            }
        }
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
