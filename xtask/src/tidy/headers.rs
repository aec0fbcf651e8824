//! That the public headers give no compiler a reason to warn.

use components::Component;
use components::process::{Job, JobError};

use super::sources::Source;
use crate::failure::{Failure, Outcome};
use crate::{places, setup};

const FOLDER: &str = "reference/include/";
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Compiles all headers as a host compiler of the user's does, but not as a system's: there compilers
/// would keep their warnings to themselves.
pub fn check(sources: &[Source]) -> Outcome {
    let unit = including_all(sources);
    let mut failed = false;
    for compiler in [Component::Clang, Component::HostCompiler] {
        let program = setup::require(compiler)?.path;
        for standard in ["-std=c++17", "-std=c++20"] {
            let job = Job::new(&program)
                .args(["-fsyntax-only", standard, "-I", FOLDER])
                .args(WARNINGS)
                .arg("-DSYCL2020_DISABLE_DEPRECATION_WARNINGS")
                .args(["-x", "c++", "-"])
                .dir(places::root());
            match job.capture(unit.as_bytes()) {
                Ok(_) => {}
                Err(JobError::Failed { output, .. }) => {
                    let said = output.map(|output| output.stderr).unwrap_or_default();
                    eprint!("{}", String::from_utf8_lossy(&said));
                    failed = true;
                }
                Err(other) => return Err(Failure::new(other)),
            }
        }
    }
    match failed {
        true => Err(Failure::Reported),
        false => Ok(()),
    }
}

/// A unit that includes each header that any compiler takes: one that needs Plumbline's says so.
fn including_all(sources: &[Source]) -> String {
    let headers = sources.iter().filter(|source| {
        let needs_plumbline = source.text.contains("#error \"Plumbline has no ");
        source.path.ends_with(".hpp") && !needs_plumbline
    });
    let names = headers.filter_map(|source| source.path.strip_prefix(FOLDER));
    names
        .map(|name| format!("#include <{name}>\n"))
        .collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_plumbline_is_not_included() {
        let source = |name: &str, text: &str| Source {
            path: format!("{FOLDER}sycl/{name}"),
            text: text.to_owned(),
        };
        let sources = [
            source("a.hpp", "#pragma once\n"),
            source("b.hpp", "#error \"Plumbline has no b\"\n"),
            source("list.inc", "X(1)\n"),
        ];
        assert_eq!(including_all(&sources), "#include <sycl/a.hpp>\n");
    }
}
