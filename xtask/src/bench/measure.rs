//! Measuring: contenders take turns, so that what else the machine does falls on all of them alike;
//! the median of the rounds counts.

use std::time::Instant;

use components::Component;
use components::process::Job;
use rayon::prelude::*;

use super::{Contender, Contest};
use crate::failure::Failure;
use crate::setup;

/// What one contender came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The median time of a round, by the clock on the wall.
    pub seconds: f64,
    /// The median of what ours took in a round to what this took in the same one: under 1, ours is
    /// faster. The machine may have other work in one round than in the next.
    pub ours_to_this: f64,
    /// Between what the middle half of those ratios lies.
    pub middle_half: (f64, f64),
    /// The median of the processor time that its jobs took in a round, on all cores together.
    pub processor_seconds: f64,
    /// The same ratio as [`Figures::ours_to_this`] of processor time.
    pub ours_to_this_processor: f64,
    /// The most memory that one of its jobs held, in MiB; unknown when GNU time is not there.
    pub peak_mib: Option<f64>,
}

/// Runs a contest; the figures of ours, then those of the peers in their order.
pub fn contest(contest: &Contest) -> Result<Vec<Figures>, Failure> {
    let contenders: Vec<&Contender> = std::iter::once(&contest.ours)
        .chain(&contest.peers)
        .collect();
    // A round that does not count for the time: it warms caches, and tells the memory.
    let peaks: Vec<Option<f64>> = contenders
        .iter()
        .map(|contender| peak(contender))
        .collect::<Result<_, Failure>>()?;
    // By the clock on the wall, and by the processors.
    let mut rounds: Vec<Vec<(f64, f64)>> = vec![Vec::new(); contenders.len()];
    for round in 0..contest.rounds {
        let mut turns: Vec<_> = rounds.iter_mut().zip(&contenders).collect();
        // Whoever comes after another finds what that one left in caches: nobody does so always.
        if round % 2 == 1 {
            turns.reverse();
        }
        for (seconds, contender) in turns {
            let (started, before) = (Instant::now(), processor_time()?);
            run(contender, |job| job.capture(b"").map_err(Failure::new))?;
            let processor = processor_time()? - before;
            seconds.push((started.elapsed().as_secs_f64(), processor));
        }
    }
    let ours = rounds.first().cloned().unwrap_or_default();
    let figures = rounds.into_iter().zip(peaks).map(|(times, peak_mib)| {
        let both = || ours.iter().zip(&times);
        let ratios: Vec<f64> = both().map(|(ours, this)| ours.0 / this.0).collect();
        let processor = both().map(|(ours, this)| ours.1 / this.1).collect();
        Figures {
            middle_half: (at(0.25, ratios.clone()), at(0.75, ratios.clone())),
            ours_to_this: at(0.5, ratios),
            seconds: at(0.5, times.iter().map(|time| time.0).collect()),
            processor_seconds: at(0.5, times.iter().map(|time| time.1).collect()),
            ours_to_this_processor: at(0.5, processor),
            peak_mib,
        }
    });
    Ok(figures.collect())
}

/// What programs that this one started, and that have ended, took of the processors, in seconds.
fn processor_time() -> Result<f64, Failure> {
    let file = std::path::Path::new("/proc/self/stat");
    let text = std::fs::read_to_string(file).map_err(|e| Failure::at(file, e))?;
    // The program's name, which may hold anything, stands in brackets before the numbers.
    let numbers = text.rsplit(')').next().unwrap_or_default();
    let ticks = numbers.split_whitespace().skip(13).take(2);
    let ticks: f64 = ticks.filter_map(|number| number.parse::<f64>().ok()).sum();
    // What the kernel counts in for programs.
    Ok(ticks / 100.0)
}

/// What `start` says of all jobs of a contender, step after step.
fn run<T: Send>(
    contender: &Contender,
    start: impl Fn(&Job) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let mut said = Vec::new();
    for step in &contender.steps {
        let step: Result<Vec<T>, Failure> = step.par_iter().map(&start).collect();
        said.extend(step?);
    }
    Ok(said)
}

/// The most memory that a job of a contender holds, in MiB, as GNU time tells it.
fn peak(contender: &Contender) -> Result<Option<f64>, Failure> {
    let Ok(time) = setup::require(Component::GnuTime) else {
        run(contender, |job| job.capture(b"").map_err(Failure::new))?;
        return Ok(None);
    };
    let peaks = run(contender, |job| {
        let note = tempfile::NamedTempFile::new().map_err(Failure::new)?;
        let mut under_time = Job::new(&time.path)
            .args(["--format=%M", "--quiet", "--output"])
            .arg(note.path())
            .arg(&job.program)
            .args(job.args.iter().cloned());
        under_time.env.clone_from(&job.env);
        under_time.dir.clone_from(&job.dir);
        under_time.capture(b"").map_err(Failure::new)?;
        let said = std::fs::read_to_string(note.path()).map_err(Failure::new)?;
        let kib: Option<f64> = said.trim().parse().ok();
        Ok(kib.map(|kib| kib / 1024.0))
    })?;
    Ok(peaks.into_iter().flatten().reduce(f64::max))
}

/// The value that stands at a part of the way through the sorted ones: 0.5 is the median.
pub fn at(part: f64, mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() as f64 * part) as usize;
    values.get(place).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_take_turns_and_the_median_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let job = |name: &str| {
            let line = format!("echo {name} >> {}", log.display());
            Contender {
                name: name.to_owned(),
                steps: vec![vec![Job::new("sh").arg("-c").arg(line)]],
            }
        };
        let figures = contest(&Contest {
            name: "echo".to_owned(),
            ours: job("a"),
            peers: vec![job("b")],
            rounds: 2,
        });
        let figures = figures.unwrap();
        assert_eq!(figures.len(), 2);
        assert!((figures[0].ours_to_this - 1.0).abs() < f64::EPSILON);
        let said = std::fs::read_to_string(&log).unwrap();
        assert_eq!(said.split_whitespace().collect::<String>(), "ababba");
        assert!((at(0.5, vec![9.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((at(0.75, vec![4.0, 2.0, 3.0, 1.0]) - 4.0).abs() < f64::EPSILON);
    }
}
