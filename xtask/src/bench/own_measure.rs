//! Programs of the fixtures, and those of them that measure two sides in turns themselves, in one
//! process over one device: what these print becomes findings.

use std::path::{Path, PathBuf};

use components::process::Job;

use super::{Against, Finding};
use crate::failure::Failure;
use crate::places;

/// A source of the bench's fixtures.
pub fn source(name: &str) -> PathBuf {
    let folder = places::root().join("fixtures/bench");
    folder.join(name).with_extension("cpp")
}

/// Compiles a program of the fixtures with the staged toolchain into a folder, beside the runtime that
/// it needs, so that the folder can be carried to another machine.
pub fn compile(folder: &Path, name: &str, words: &[&str]) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let program = folder.join(name);
    let compile = Job::new(places::staging().join("bin/sycl-clang++"))
        .args(["-std=c++20", "-O2", "-fsycl"])
        .args(words.iter().copied())
        .arg(source(name))
        .arg("-o")
        .arg(&program);
    compile.run().map_err(Failure::new)?;
    let runtime = "libplumbline_sycl.so";
    let (from, to) = (places::staging().join("lib"), folder.join(runtime));
    std::fs::copy(from.join(runtime), &to).map_err(|e| Failure::at(&to, e))?;
    Ok(program)
}

/// A start of such a program on a device.
pub fn start(program: &Path, device: &str) -> Job {
    Job::new(program)
        .env("PLUMBLINE_DEVICE", device)
        .env(components::home::VARIABLE, places::components())
        .env(
            "LD_LIBRARY_PATH",
            program.parent().unwrap_or(Path::new(".")),
        )
}

/// Runs it, shows what it prints, and reads the ratios to a peer.
///
/// # Errors
/// When it fails, as with a wrong result.
pub fn findings(
    job: &Job,
    peer: &str,
    at_most: impl Fn(&str) -> Option<f64>,
) -> Result<Vec<Finding>, Failure> {
    let said = job.capture(b"").map_err(Failure::new)?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    said.lines().for_each(|line| println!("    {line}"));
    Ok(read(&said, peer, at_most))
}

/// The lines `NAME OURS THEIRS RATIO (half of them LEAST to MOST)`; names may have blanks.
fn read(text: &str, peer: &str, at_most: impl Fn(&str) -> Option<f64>) -> Vec<Finding> {
    let one = |line: &str| {
        let (row, spread) = line.split_once(" (half of them ")?;
        let (least, most) = spread.trim_end_matches(')').split_once(" to ")?;
        let mut words = row.split_whitespace().rev();
        let value = words.next()?.parse().ok()?;
        let mut name: Vec<&str> = words.skip(2).collect();
        name.reverse();
        let name = name.join(" ");
        Some(Finding {
            at_most: at_most(&name),
            what: name,
            value,
            against: Some(Against {
                peer: peer.to_owned(),
                middle_half: (least.parse().ok()?, most.parse().ok()?),
            }),
        })
    };
    text.lines().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_findings() {
        let text = "commands ours us OpenCL us ratio\n\
                    in order, each awaited  8.00  4.00  2.000 (half of them 1.900 to 2.100)\n\
                    all counts are right\n";
        let found = read(text, "OpenCL", |name| {
            name.starts_with("in order").then_some(1.15)
        });
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "in order, each awaited");
        assert!((found[0].value - 2.0).abs() < 1e-9);
        assert_eq!(found[0].at_most, Some(1.15));
        let against = found[0].against.as_ref().unwrap();
        assert_eq!(
            (against.peer.as_str(), against.middle_half),
            ("OpenCL", (1.9, 2.1))
        );
    }
}
