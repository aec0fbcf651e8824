//! `doctor`: every component, where it is, and what brings the ones that are missing.

use components::{Component, Components};

use crate::failure::Outcome;
use crate::setup;

/// Prints the table; fails when a required component is missing.
pub fn run() -> Outcome {
    let components = setup::discovered()?;
    let rows: Vec<Row> = Component::all().map(|c| row(&components, c)).collect();
    let width = |cell: fn(&Row) -> &str| rows.iter().map(|row| cell(row).chars().count()).max();
    let name = width(|row| row.name).unwrap_or(0);
    let version = width(|row| &row.version).unwrap_or(0);
    for row in &rows {
        println!(
            "{:name$}  {:version$}  {}",
            row.name, row.version, row.place
        );
    }
    Ok(())
}

struct Row {
    name: &'static str,
    version: String,
    place: String,
}

fn row(components: &Components, component: Component) -> Row {
    let (version, place) = match components.find(component) {
        Ok(found) => (
            found.version().unwrap_or_else(|| "-".to_owned()),
            found.path.display().to_string(),
        ),
        Err(missing) => ("missing".to_owned(), missing.to_string()),
    };
    Row {
        name: component.name(),
        version,
        place,
    }
}
