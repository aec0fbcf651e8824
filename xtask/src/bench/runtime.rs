//! `bench runtime`: commands through the runtime on the CPU device, against DPC++'s runtime and against
//! plain OpenCL calls over the same driver; on a quiet machine, and with all cores busy. Also a program's
//! start when what the start before had built is kept.

use std::path::Path;
use std::time::Duration;

use components::process::Job;
use components::{Component, Components};

use super::dpcpp::DpcPp;
use super::own_measure;
use super::turns::{self, Peer, Row, Settings, Side};
use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;

/// The program of the two SYCL sides, and that of the third.
const PROGRAM: &str = "launches";
const PLAIN_PROGRAM: &str = "launches-opencl";
/// The program of many kernels that both SYCL sides start.
const STARTS: &str = "starts";
/// The peers.
const LIBSYCL: &str = "libsycl.so.9";
const PLAIN: &str = "plain OpenCL";
/// What is started over and over.
const SECOND_START: &str = "second start of a program with 100 kernels";
/// What others do meanwhile.
const QUIET: &str = "quiet";
const BUSY: &str = "all cores busy";

/// Compiles the programs; the starts are a contest.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let of_dpcpp = folder.join("dpcpp");
    let dpcpp = DpcPp::here()?;
    own_measure::compile(folder, PROGRAM, &[])?;
    dpcpp.compile(&of_dpcpp, PROGRAM)?;
    let clang = Components::here().map_err(Failure::new)?;
    let clang = clang.find(Component::Clang).map_err(Failure::new)?;
    let compile = Job::new(clang.path)
        .args(["-std=c++20", "-O2", "-pthread"])
        .arg(own_measure::source(PLAIN_PROGRAM))
        .arg("-o")
        .arg(folder.join(PLAIN_PROGRAM));
    compile.run().map_err(Failure::new)?;
    let ours = own_measure::compile(folder, STARTS, &[])?;
    let ours =
        own_measure::start(&ours, "opencl:cpu").env("PLUMBLINE_CACHE_DIR", folder.join("kept"));
    let theirs = dpcpp
        .start(&dpcpp.compile(&of_dpcpp, STARTS)?)
        .env("SYCL_CACHE_PERSISTENT", "1")
        .env("SYCL_CACHE_DIR", of_dpcpp.join("kept"));
    let contender = |name: &str, job| Contender {
        name: name.to_owned(),
        steps: vec![vec![job]],
    };
    // The round before those that count fills what is kept.
    Ok(vec![Contest {
        name: SECOND_START.to_owned(),
        ours: contender("ours", ours),
        peers: vec![contender(LIBSYCL, theirs)],
        rounds: 15,
    }])
}

/// The ratios of all rows, quiet and under load.
pub fn findings(folder: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let dpcpp = DpcPp::here()?;
    let ours = Side {
        name: "ours",
        job: own_measure::start(&folder.join(PROGRAM), "opencl:cpu"),
    };
    let peers = [
        Side {
            name: LIBSYCL,
            job: dpcpp.start(&folder.join("dpcpp").join(PROGRAM)),
        },
        Side {
            name: PLAIN,
            job: dpcpp.start_plain(&folder.join(PLAIN_PROGRAM)),
        },
    ];
    let start = measured.iter().find_map(|contest| contest.of(LIBSYCL));
    let start = start.map(|figures| {
        Finding::plain(
            format!("{SECOND_START}, ours / {LIBSYCL}"),
            figures.ours_to_this,
            Some(0.5),
        )
    });
    let mut findings: Vec<Finding> = start.into_iter().collect();
    for (rounds, under_load) in [(21, false), (11, true)] {
        let state = if under_load { BUSY } else { QUIET };
        println!("  {state}, {rounds} rounds, microseconds a command:");
        let settings = Settings {
            rounds,
            turn: Duration::ZERO,
            under_load,
        };
        for mut row in turns::measure(&ours, &peers, settings)? {
            row.name = format!("{}; {state}", row.name);
            findings.extend(row.findings(at_most));
        }
    }
    Ok(findings)
}

/// The aims: no row slower than libsycl, and on a quiet machine a tenth faster where the driver alone takes
/// much less than libsycl, and near to plain OpenCL where commands are in order.
fn at_most(row: &Row, peer: &Peer) -> Option<f64> {
    let is_quiet = row.name.ends_with(QUIET);
    let takes = |name: &str| row.peer(name).map(|peer| peer.microseconds);
    match peer.name {
        LIBSYCL => {
            let driver = takes(PLAIN).zip(takes(LIBSYCL));
            let is_driver = driver.is_some_and(|(plain, libsycl)| plain > 0.8 * libsycl);
            Some(if is_driver || !is_quiet { 1.0 } else { 0.9 })
        }
        _ => (is_quiet && row.name.starts_with("in order")).then_some(1.15),
    }
}
