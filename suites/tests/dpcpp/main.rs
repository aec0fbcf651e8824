//! The toolchain under test held against DPC++: both compile the kernels of
//! `fixtures/dpcpp/kernels.inc` from the same tokens, and what their images require, and which
//! kernels their runtimes refuse on the OpenCL CPU device, has to be the same, except for what
//! `suites/dpcpp.yaml` lists with a reason.
//!
//! DPC++ is its run-time compiler here (`libsycl-jit.so`), driven by `fixtures/dpcpp/judge.cpp`,
//! which plain clang builds against DPC++'s headers. What it made is read from the SYCLBIN file that
//! it writes; what the toolchain made, from the linked program. `PLUMBLINE_TOOLCHAIN` is as for the
//! suites.

mod sides;
mod syclbin;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use suites::layout::Layout;
use suites::tools::Tools;

/// What images say of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The names of the aspects that it needs.
    pub aspects: BTreeSet<String>,
    /// Its required work-group size, in the order of the attribute.
    pub work_group_size: Vec<u64>,
    /// Its required sub-group size.
    pub sub_group_size: Vec<u64>,
}

/// What one side shows of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Whether it runs on the device, or is refused as not supported.
    pub launched: bool,
    /// What its image says; a runtime that refuses an image may keep what it says to itself.
    pub facts: Option<Facts>,
}

/// A difference that is known, as `suites/dpcpp.yaml` has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Difference {
    kernel: String,
    what: String,
    toolchain: String,
    dpcpp: String,
    reason: String,
}

/// The file that lists them.
const DIFFERENCES: &str = "suites/dpcpp.yaml";
/// How many kernels the comparison is about, at least.
const KERNELS: usize = 15;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match trials(&Layout::here()) {
        Ok(trials) => trials,
        Err(reason) => vec![Trial::test("dpcpp/compared", || Err(Failed::from(reason)))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(layout: &Layout) -> Result<Vec<Trial>, String> {
    let tools = Tools::load(layout)?;
    let mut needs = ["dpcpp-runtime", "opencl-cpu"].into_iter();
    let missing = needs.find_map(|name| tools.need(name)?.clone().err());
    if let Some(reason) = missing {
        let skipped = Trial::test("dpcpp/compared", || Ok(()));
        return Ok(vec![
            skipped
                .with_kind(format!("skipped: {reason}"))
                .with_ignored_flag(true),
        ]);
    }
    // Everything is compiled once, in the one test that says so when it fails.
    let layout = layout.clone();
    Ok(vec![Trial::test("dpcpp/compared", move || {
        compare(&layout, &tools).map_err(Failed::from)
    })])
}

fn compare(layout: &Layout, tools: &Tools) -> Result<(), String> {
    let file = layout.spec.with_file_name("dpcpp.yaml");
    let known: Vec<Difference> =
        offload_formats::yaml::from_file(&file).map_err(|e| e.to_string())?;
    let toolchain = sides::toolchain(layout, tools)?;
    let dpcpp = sides::dpcpp(layout, tools)?;
    let wrong = mistakes(&toolchain, &dpcpp, &known);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

/// Everything that is different and not known to be, or known to be and not different.
fn mistakes(
    toolchain: &BTreeMap<String, Shown>,
    dpcpp: &BTreeMap<String, Shown>,
    known: &[Difference],
) -> Vec<String> {
    let mut wrong = Vec::new();
    if !toolchain.keys().eq(dpcpp.keys()) || toolchain.len() < KERNELS {
        wrong.push(format!(
            "the sides show different kernels, or too few:\n  toolchain: {:?}\n  DPC++: {:?}",
            toolchain.keys(),
            dpcpp.keys()
        ));
    }
    let mut explained = vec![false; known.len()];
    for (kernel, ours) in toolchain {
        let Some(theirs) = dpcpp.get(kernel) else {
            continue;
        };
        if ours.facts.is_none() {
            wrong.push(format!(
                "{kernel}: the toolchain's program says nothing of it"
            ));
        }
        for (what, ours, theirs) in compared(ours, theirs) {
            let place = known.iter().position(|d| {
                (&*d.kernel, &*d.what, &d.toolchain, &d.dpcpp) == (kernel, what, &ours, &theirs)
            });
            match place.and_then(|place| explained.get_mut(place)) {
                _ if ours == theirs => {}
                Some(explained) => *explained = true,
                None => wrong.push(format!(
                    "{kernel}: {what} is '{ours}', but '{theirs}' with DPC++"
                )),
            }
        }
    }
    let stale = known.iter().zip(explained).filter(|(_, seen)| !seen);
    wrong.extend(stale.map(|(d, _)| {
        format!(
            "{DIFFERENCES}: {}: {} does not differ as it says: {}",
            d.kernel, d.what, d.reason
        )
    }));
    let silent = known.iter().filter(|d| d.reason.trim().is_empty());
    wrong.extend(silent.map(|d| format!("{DIFFERENCES}: {}: no reason", d.kernel)));
    wrong
}

/// Each thing that is compared, as both sides show it.
fn compared(ours: &Shown, theirs: &Shown) -> Vec<(&'static str, String, String)> {
    let launch = |shown: &Shown| {
        if shown.launched {
            "launched"
        } else {
            "refused"
        }
        .to_owned()
    };
    let mut all = vec![("launch", launch(ours), launch(theirs))];
    if let (Some(ours), Some(theirs)) = (&ours.facts, &theirs.facts) {
        let aspects = |facts: &Facts| joined(&facts.aspects);
        all.push(("aspects", aspects(ours), aspects(theirs)));
        let groups = (&ours.work_group_size, &theirs.work_group_size);
        all.push(("work-group size", joined(groups.0), joined(groups.1)));
        let groups = (&ours.sub_group_size, &theirs.sub_group_size);
        all.push(("sub-group size", joined(groups.0), joined(groups.1)));
    }
    all
}

fn joined<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    words.join(" ")
}
