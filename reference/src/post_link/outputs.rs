//! The files of `sycl-post-link`: `STEM_N.bc`, `.prop` and `.sym` for each image, written as the
//! images are made, and the table that lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use inkwell::module::Module;
use offload_formats::device_config::DeviceConfig;
use offload_formats::file_table::{FileTable, Row};
use offload_formats::property_set::PropertySets;
use offload_formats::symbols;

use super::command_line::{CommandLine, Output};
use super::options::{Form, Options};
use super::{Outcome, SplitModule, run};
use crate::aspect_filter;
use crate::frontend::device_config;
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
    let outputs = match &line.outputs[..] {
        [] => vec![Output {
            target: None,
            file: default_output(line),
        }],
        outputs => outputs.to_vec(),
    };
    let Some(output) = outputs.first().map(|output| output.file.clone()) else {
        return Err(Failure::Usage("there is no output".to_owned()));
    };
    let options = Options {
        max_workers: Some(MAX_WORKERS),
        ..line.options()
    };
    if line.ir_output_only {
        return write_one(module, &options, &outputs);
    }
    let configured = configured(line, &outputs)?;
    let files = Files::new(line, &output);
    let written =
        run(module, &options, |split| files.write(&split, options.form)).and_then(|outcome| {
            files
                .write_tables(&outputs, configured.as_ref())
                .map(|()| outcome)
        });
    if written.is_err() {
        files.remove();
    }
    written
}

/// Writes the one module that there has to be.
fn write_one(
    module: Module<'_>,
    options: &Options,
    outputs: &[Output],
) -> Result<Outcome, Failure> {
    let [output] = outputs else {
        let reason = "--ir-output-only writes one file".to_owned();
        return Err(Failure::Usage(reason));
    };
    let made: Mutex<Vec<Vec<u8>>> = Mutex::default();
    let outcome = run(module, options, |split: SplitModule| {
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push(split.code);
        Ok::<_, Failure>(())
    })?;
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    match &made[..] {
        [code] => write_whole(&output.file, code).map(|()| outcome),
        more => Err(Failure::Job(format!(
            "--ir-output-only writes one module, but the code has to be split into {}",
            more.len()
        ))),
    }
}

/// The device configuration, where an output names a target.
fn configured(line: &CommandLine, outputs: &[Output]) -> Result<Option<DeviceConfig>, Failure> {
    if outputs.iter().all(|output| output.target.is_none()) {
        return Ok(None);
    }
    let config = device_config(line.device_config_file.as_deref()).map_err(Failure::Job)?;
    let targets = outputs.iter().filter_map(|output| output.target.as_ref());
    for target in targets {
        if config.find(target).is_none() {
            let reason = format!("the device configuration has no entry for target '{target}'");
            return Err(Failure::Job(reason));
        }
    }
    Ok(Some(config))
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
    rows: Mutex<BTreeMap<usize, (Row, PropertySets)>>,
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
        let properties = split.properties.clone();
        self.rows().insert(split.index, (row.clone(), properties));
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

    /// Writes the tables, each when all of them are known to be right.
    fn write_tables(
        &self,
        outputs: &[Output],
        config: Option<&DeviceConfig>,
    ) -> Result<(), Failure> {
        let tables: Vec<_> = outputs
            .iter()
            .map(|output| self.table(output, config))
            .collect::<Result<_, _>>()?;
        for (output, table) in outputs.iter().zip(tables) {
            write_whole(&output.file, table.as_bytes())?;
        }
        Ok(())
    }

    /// The table of an output: the modules that its target can run.
    fn table(&self, output: &Output, config: Option<&DeviceConfig>) -> Result<String, Failure> {
        let target = output.target.as_ref();
        let entry = target.and_then(|target| config?.find(target));
        let mut rows = Vec::new();
        for (row, properties) in self.rows().values() {
            let lacks = match entry {
                Some(entry) => {
                    aspect_filter::unsupported(properties, entry).map_err(Failure::job)?
                }
                None => None,
            };
            if lacks.is_none() {
                rows.push(row.clone());
            }
        }
        FileTable {
            has_properties: self.line.properties,
            has_symbols: self.line.symbols,
            rows,
        }
        .to_text()
        .map_err(Failure::job)
    }

    fn remove(&self) {
        for (row, _) in self.rows().values() {
            for file in [&row.code, &row.properties, &row.symbols] {
                // What was not written yet can't be removed, and need not be.
                let _ = fs::remove_file(file);
            }
        }
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, (Row, PropertySets)>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
