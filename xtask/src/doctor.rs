//! `doctor`: every component, where it is, what it is for, and what brings the ones that are
//! missing; then the devices of this machine.

use std::io::Write as _;

use components::process::Job;
use components::{Component, Components};

use crate::failure::{Failure, Outcome};
use crate::{cargo, places, setup};

/// Prints the tables; fails when a required component is missing.
pub fn run() -> Outcome {
    let components = setup::discovered()?;
    let rows: Vec<Row> = Component::all().map(|c| row(&components, c)).collect();
    // Whoever reads it may have enough of it and close the pipe.
    let printed = std::io::stdout().lock().write_all(table(&rows).as_bytes());
    printed.map_err(|_| Failure::Reported)?;
    // The devices come from a program of their own, so that a driver that crashes takes nothing
    // along.
    cargo::build(&["--bin=probe-devices"])?;
    let devices = Job::new(places::release().join("probe-devices"))
        .env(components::home::VARIABLE, places::components());
    devices.run().map_err(|_| Failure::Reported)?;
    let lacking: Vec<&str> = rows
        .iter()
        .filter(|row| row.lacking)
        .map(|row| row.cells[0].as_str())
        .collect();
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!(
            "required components are missing: {}; `cargo xtask setup` brings them",
            lacking.join(", ")
        ))),
    }
}

struct Row {
    /// Name, version, place or remedy, purpose.
    cells: [String; 4],
    /// Whether it is required and missing.
    lacking: bool,
}

fn row(components: &Components, component: Component) -> Row {
    let found = components.find(component);
    let (version, place) = match &found {
        Ok(found) => (
            found.version().unwrap_or_else(|| "there".to_owned()),
            found.path.display().to_string(),
        ),
        Err(missing) => ("missing".to_owned(), missing.component.remedy()),
    };
    let (name, purpose) = (component.name(), component.purpose());
    Row {
        cells: [name.to_owned(), version, purpose.to_owned(), place],
        lacking: found.is_err() && component.is_required(),
    }
}

/// The rows as text, with an empty line behind them.
fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let width = |i: usize| rows.iter().map(|row| row.cells[i].chars().count()).max();
    let widths = [0, 1, 2].map(|i| width(i).unwrap_or(0));
    for Row { cells, .. } in rows {
        text.push_str(&format!(
            "{:a$}  {:b$}  {:c$}  {}\n",
            cells[0],
            cells[1],
            cells[2],
            cells[3],
            a = widths[0],
            b = widths[1],
            c = widths[2],
        ));
    }
    text.push('\n');
    text
}
