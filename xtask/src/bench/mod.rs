//! `bench`: how long the tools take, as ratios to peers that run the same work in turns with them.
//!
//! A bench is a module here that prepares inputs and returns [`Contest`]s, or measures by itself what no
//! starts of programs are; reporting is the same for all. Results also go to `target/bench/NAME.json`,
//! and as a picture to the folder of `--report`.

mod aspects;
mod chart;
mod cuda;
mod dpcpp;
mod driver;
mod formats;
mod harness;
mod headers;
mod kernels;
mod link;
mod measure;
mod objects;
mod own_measure;
mod runtime;
mod split;
mod thinlto;
mod turns;

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use components::process::Job;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::{build, places};
use measure::Figures;

/// A named measurement.
struct Bench {
    name: &'static str,
    about: &'static str,
    /// Prepares inputs in the folder and says who competes in what.
    contests: fn(&Path) -> Result<Vec<Contest>, Failure>,
    /// What follows from the figures of all contests, given the same folder, or is measured there.
    findings: fn(&Path, &[Measured]) -> Result<Vec<Finding>, Failure>,
}

/// All benches; each module adds its own.
const BENCHES: &[Bench] = &[
    Bench {
        name: "aspects",
        about: "aspect propagation, against passes of LLVM's",
        contests: aspects::contests,
        findings: aspects::findings,
    },
    Bench {
        name: "cuda",
        about: "commands on an NVIDIA GPU, against calls of its driver",
        contests: cuda::contests,
        findings: cuda::findings,
    },
    Bench {
        name: "driver",
        about: "compiling programs, against the outside programs that it takes and with headers kept precompiled",
        contests: driver::contests,
        findings: no_findings,
    },
    Bench {
        name: "formats",
        about: "packaging and extraction of device images",
        contests: formats::contests,
        findings: formats::findings,
    },
    Bench {
        name: "harness",
        about: "running cases, against their processes alone and against lit",
        contests: harness::contests,
        findings: harness::findings,
    },
    Bench {
        name: "headers",
        about: "reading sycl.hpp, against DPC++'s with the same clang",
        contests: headers::contests,
        findings: headers::findings,
    },
    Bench {
        name: "kernels",
        about: "kernels: on the CPU against DPC++'s compiler, on an NVIDIA GPU against CUDA's",
        contests: kernels::contests,
        findings: kernels::findings,
    },
    Bench {
        name: "link",
        about: "the linker wrapper on 1, 50 and 500 objects",
        contests: link::contests,
        findings: link::findings,
    },
    Bench {
        name: "runtime",
        about: "commands on the CPU device, against DPC++'s runtime and plain OpenCL calls",
        contests: runtime::contests,
        findings: runtime::findings,
    },
    Bench {
        name: "split",
        about: "device code split of many kernels",
        contests: split::contests,
        findings: split::findings,
    },
    Bench {
        name: "thinlto",
        about: "the ThinLTO link of 10 to 1000 units, against full links",
        contests: thinlto::contests,
        findings: thinlto::findings,
    },
];

/// One piece of work, done by the reference and by its peers.
#[derive(Debug, Clone)]
pub struct Contest {
    /// What the work is.
    pub name: String,
    /// The reference's way.
    pub ours: Contender,
    /// The ways to compare with.
    pub peers: Vec<Contender>,
    /// How often each way runs; the median counts.
    pub rounds: usize,
}

/// One way to do the work.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Who does it.
    pub name: String,
    /// What is run: steps one after the other, the jobs of one at once, as many as there are cores.
    pub steps: Vec<Vec<Job>>,
}

/// A contest that was run.
struct Measured {
    contest: Contest,
    /// Ours first, then the peers in their order.
    figures: Vec<Figures>,
}

impl Measured {
    /// The figures of a contender.
    fn of(&self, name: &str) -> Option<Figures> {
        lines(&self.contest, &self.figures)
            .find(|(known, _)| *known == name)
            .map(|(_, figures)| *figures)
    }
}

/// A number that follows from several contests.
struct Finding {
    /// What it is the number of.
    what: String,
    value: f64,
    /// The most that it should be, where there is such an aim.
    at_most: Option<f64>,
    /// Of a ratio, whose it is.
    against: Option<Against>,
}

/// What ours was divided by.
struct Against {
    peer: String,
    /// Between what the middle half of the rounds lies.
    middle_half: (f64, f64),
}

impl Finding {
    /// A number that is no ratio of measured rounds.
    fn plain(what: impl Into<String>, value: f64, at_most: Option<f64>) -> Finding {
        Finding {
            what: what.into(),
            value,
            at_most,
            against: None,
        }
    }

    fn is_missed(&self) -> bool {
        self.at_most.is_some_and(|most| self.value > most)
    }
}

fn no_findings(_: &Path, _: &[Measured]) -> Result<Vec<Finding>, Failure> {
    Ok(Vec::new())
}

/// Runs the bench called `name`, or all of them; their pictures go to the folder `report`.
pub fn run(name: Option<&str>, report: Option<&Path>) -> Outcome {
    let chosen: Vec<&Bench> = BENCHES
        .iter()
        .filter(|bench| name.is_none_or(|name| bench.name == name))
        .collect();
    if chosen.is_empty() {
        let known: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        return Err(Failure::new(format!(
            "no such bench; there are: {}",
            known.join(", ")
        )));
    }
    build::run()?;
    for bench in chosen {
        println!("{}: {}", bench.name, bench.about);
        let folder = places::target().join("bench").join(bench.name);
        if folder.is_dir() {
            // What an earlier run left must not count.
            fs::remove_dir_all(&folder).map_err(|e| Failure::at(&folder, e))?;
        }
        fs::create_dir_all(&folder).map_err(|e| Failure::at(&folder, e))?;
        let mut measured = Vec::new();
        for contest in (bench.contests)(&folder)? {
            let figures = measure::contest(&contest)?;
            tell(&contest, &figures);
            measured.push(Measured { contest, figures });
        }
        let findings = (bench.findings)(&folder, &measured)?;
        findings.iter().for_each(tell_finding);
        let file = folder.with_extension("json");
        let text = serde_json::to_string_pretty(&json!({
            "bench": bench.name,
            "contests": measured.iter().map(as_json).collect::<Vec<_>>(),
            "findings": findings.iter().map(finding_as_json).collect::<Vec<_>>(),
        }));
        let text = text.map_err(Failure::new)?;
        fs::write(&file, text + "\n").map_err(|e| Failure::at(&file, e))?;
        println!("{}", file.display());
        if let Some(report) = report {
            picture(bench, &measured, &findings, report)?;
        }
    }
    Ok(())
}

/// Draws a bench's ratios as `NAME.svg` in a folder.
fn picture(bench: &Bench, measured: &[Measured], findings: &[Finding], folder: &Path) -> Outcome {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let date = now.split('T').next().unwrap_or_default();
    let circumstances = format!("{date}, {}", machine());
    let notes = findings.iter().filter(|finding| finding.against.is_none());
    let notes: Vec<String> = notes.map(note).collect();
    let captions = chart::Captions {
        title: bench.about,
        circumstances: &circumstances,
        notes: &notes,
    };
    let of_contests = measured.iter().flat_map(|measured| {
        let peers = lines(&measured.contest, &measured.figures).skip(1);
        peers.map(|(peer, figures)| chart::Mark {
            row: measured.contest.name.clone(),
            peer: peer.to_owned(),
            ratio: figures.ours_to_this,
            middle_half: figures.middle_half,
            at_most: None,
        })
    });
    let of_findings = findings.iter().filter_map(|finding| {
        let against = finding.against.as_ref()?;
        Some(chart::Mark {
            row: finding.what.clone(),
            peer: against.peer.clone(),
            ratio: finding.value,
            middle_half: against.middle_half,
            at_most: finding.at_most,
        })
    });
    let marks: Vec<chart::Mark> = of_contests.chain(of_findings).collect();
    let Some(picture) = chart::draw(captions, &marks) else {
        println!("  nothing to draw: no ratio was measured");
        return Ok(());
    };
    let file = folder.join(bench.name).with_extension("svg");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, picture))
        .map_err(|e| Failure::at(&file, e))?;
    println!("{}", file.display());
    Ok(())
}

/// The processor and how many cores of it there are.
fn machine() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = known.lines().filter_map(|line| line.split_once(':'));
    let model = lines.find(|(key, _)| key.trim() == "model name");
    let model = model.map_or("an unknown processor", |(_, value)| value.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{model}, {cores} cores")
}

/// A finding that is no ratio, as a line of text.
fn note(finding: &Finding) -> String {
    let aim = finding.at_most.map_or(String::new(), |most| {
        let verdict = if finding.is_missed() {
            "missed"
        } else {
            "held"
        };
        format!(" (aim: at most {most}, {verdict})")
    });
    format!("{}: {:.3}{aim}", finding.what, finding.value)
}

/// The contenders of a contest, ours first, each with its figures.
fn lines<'a>(
    contest: &'a Contest,
    figures: &'a [Figures],
) -> impl Iterator<Item = (&'a str, &'a Figures)> {
    let names = std::iter::once(&contest.ours).chain(&contest.peers);
    names.map(|contender| contender.name.as_str()).zip(figures)
}

fn tell(contest: &Contest, figures: &[Figures]) {
    println!("  {} (median of {})", contest.name, contest.rounds);
    for (i, (name, figure)) in lines(contest, figures).enumerate() {
        let memory = figure
            .peak_mib
            .map_or(String::new(), |m| format!("{m:8.0} MiB"));
        let ratio = match i {
            0 => String::new(),
            _ => {
                let (least, most) = figure.middle_half;
                let ratio = figure.ours_to_this;
                let processor = figure.ours_to_this_processor;
                format!(
                    "ours / this = {ratio:.2} (half of them {least:.2} to {most:.2}), of the processors \
                     {processor:.2}"
                )
            }
        };
        println!("    {name:40} {:9.3} s {memory:12} {ratio}", figure.seconds);
    }
}

fn tell_finding(finding: &Finding) {
    let aim = finding.at_most.map_or(String::new(), |most| {
        let verdict = if finding.is_missed() {
            "MISSED"
        } else {
            "holds"
        };
        format!("at most {most}: {verdict}")
    });
    let peer = finding.against.as_ref();
    let peer = peer.map_or(String::new(), |against| format!(" / {}", against.peer));
    let what = format!("{}{peer}", finding.what);
    println!("  {what:66} {:9.3} {aim}", finding.value);
}

fn finding_as_json(finding: &Finding) -> Value {
    let against = finding.against.as_ref();
    json!({
        "what": finding.what,
        "value": finding.value,
        "at_most": finding.at_most,
        "peer": against.map(|against| &against.peer),
        "middle_half": against.map(|against| [against.middle_half.0, against.middle_half.1]),
    })
}

fn as_json(Measured { contest, figures }: &Measured) -> Value {
    let contenders = lines(contest, figures).map(|(name, figure)| {
        json!({
            "name": name,
            "seconds": figure.seconds,
            "processor_seconds": figure.processor_seconds,
            "ours_to_this_processor": figure.ours_to_this_processor,
            "peak_mib": figure.peak_mib,
            "ours_to_this": figure.ours_to_this,
            "middle_half": [figure.middle_half.0, figure.middle_half.1],
        })
    });
    let contenders: Vec<Value> = contenders.collect();
    json!({"name": contest.name, "rounds": contest.rounds, "contenders": contenders})
}
