//! `bench headers`: reading `sycl/sycl.hpp`, which each compilation of a SYCL source does, against the one of
//! DPC++ with the same clang, and for scale an empty source.

use std::fs;
use std::path::Path;

use components::Components;
use components::process::Job;

use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::places;

const CONTEST: &str = "a source that includes sycl/sycl.hpp and no more, as the host reads it";
const OURS: &str = "the reference's headers";
const PEER: &str = "DPC++'s headers";

/// Both by the host's compiler in C++17, which is what all compilers can read.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let components = Components::here().map_err(Failure::new)?;
    let clang = components.clang().map_err(Failure::new)?.program;
    let dpcpp = components.dpcpp_runtime().map_err(Failure::new)?.include;
    for (name, text) in [("all.cpp", "#include <sycl/sycl.hpp>\n"), ("none.cpp", "")] {
        let file = folder.join(name);
        fs::write(&file, text).map_err(|e| Failure::at(&file, e))?;
    }
    let read = |name: &str, source: &str, include: &Path| Contender {
        name: name.to_owned(),
        steps: vec![vec![
            Job::new(&clang)
                .args(["-std=c++17", "-w", "-fsyntax-only", source, "-isystem"])
                .arg(include)
                .dir(folder),
        ]],
    };
    Ok(vec![Contest {
        name: CONTEST.to_owned(),
        ours: read(OURS, "all.cpp", &places::staging().join("include")),
        peers: vec![
            read(PEER, "all.cpp", &dpcpp),
            read("an empty source", "none.cpp", &dpcpp),
        ],
        rounds: 9,
    }])
}

/// Ours to DPC++'s.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let seconds = |name: &str| {
        let figures = measured.iter().find_map(|contest| contest.of(name));
        figures.map_or(f64::NAN, |figures| figures.seconds)
    };
    let ratio = seconds(OURS) / seconds(PEER);
    let what = "reading sycl.hpp, ours / DPC++'s";
    Ok(vec![Finding::plain(what, ratio, Some(0.5))])
}
