//! `bench aspects`: the propagation pass over generated modules, against LLVM's `globaldce` and
//! verifier over the same modules in the same run. Reading a module takes far longer than any of
//! these passes, so the passes are timed inside one program, `reference/benches/aspects.rs`; its
//! figures become findings here.

use std::path::Path;

use components::process::Job;
use serde_json::Value;

use super::{Contest, Finding, Measured};
use crate::cargo;
use crate::failure::Failure;

/// Nothing is timed from outside.
pub fn contests(_: &Path) -> Result<Vec<Contest>, Failure> {
    Ok(Vec::new())
}

/// Ratios to LLVM's passes at each size, and how time grows.
pub fn findings(_: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let programs = cargo::test_programs(&["--bench", "aspects"])?;
    let program = programs.iter().find(|program| program.target == "aspects");
    let program = program.ok_or_else(|| Failure::new("cargo built no bench 'aspects'"))?;
    let output = Job::new(&program.program).capture(b"");
    let text = String::from_utf8_lossy(&output.map_err(Failure::new)?.stdout).into_owned();
    println!("{}", text.trim_end());
    let last = text.lines().last().unwrap_or_default();
    let rows: Vec<Value> = serde_json::from_str(last).map_err(Failure::new)?;
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap_or(f64::NAN);
    let mut found = Vec::new();
    for row in &rows {
        let seconds = number(row, "propagate_s");
        let functions = number(row, "functions");
        let mut tell = |what: &str, value, at_most| {
            let what = format!("{functions} functions: {what}");
            found.push(Finding::plain(what, value, at_most));
        };
        tell("seconds", seconds, None);
        let ratio = |peer: &str| seconds / number(row, peer);
        tell("time to the verifier's", ratio("verify_s"), Some(1.0));
        tell("time to globaldce's", ratio("globaldce_s"), None);
    }
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        let growth = |name: &str| number(last, name) / number(first, name);
        let what = "time grows so much faster than the number of functions";
        let value = growth("propagate_s") / growth("functions");
        found.push(Finding::plain(what, value, Some(1.5)));
    }
    Ok(found)
}
