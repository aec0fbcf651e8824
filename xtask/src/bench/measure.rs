//! Measuring: contenders take turns, so that what else the machine does falls on all of them alike;
//! the median of the rounds counts.

use std::time::Instant;

use components::Component;
use components::process::Job;

use super::{Contender, Contest};
use crate::failure::Failure;
use crate::setup;

/// What one contender came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The median time of a round, by the clock on the wall.
    pub seconds: f64,
    /// The most memory that one of its jobs held, in MiB; unknown when GNU time is not there.
    pub peak_mib: Option<f64>,
}

/// Runs a contest; the figures of ours, then those of the peers in their order.
pub fn contest(contest: &Contest) -> Result<Vec<Figures>, Failure> {
    let contenders: Vec<&Contender> = std::iter::once(&contest.ours)
        .chain(&contest.peers)
        .collect();
    let mut rounds: Vec<Vec<Figures>> = vec![Vec::new(); contenders.len()];
    // One round more than asked for: the first one warms caches and does not count.
    for round in 0..=contest.rounds {
        for (figures, contender) in rounds.iter_mut().zip(&contenders) {
            let one = self::round(contender)?;
            if round > 0 {
                figures.push(one);
            }
        }
    }
    Ok(rounds.iter().map(|figures| median(figures)).collect())
}

fn round(contender: &Contender) -> Result<Figures, Failure> {
    let jobs: Result<Vec<_>, Failure> = contender.jobs.iter().map(timed).collect();
    let (seconds, peaks): (Vec<f64>, Vec<Option<f64>>) = jobs?.into_iter().unzip();
    Ok(Figures {
        seconds: seconds.iter().sum(),
        peak_mib: peaks.into_iter().flatten().reduce(f64::max),
    })
}

/// How long a job took, in seconds, and the most memory it held, in MiB.
fn timed(job: &Job) -> Result<(f64, Option<f64>), Failure> {
    // GNU time tells the peak memory of what it runs.
    let Ok(time) = setup::require(Component::GnuTime) else {
        let started = Instant::now();
        job.capture(b"").map_err(Failure::new)?;
        return Ok((started.elapsed().as_secs_f64(), None));
    };
    let note = tempfile::NamedTempFile::new().map_err(Failure::new)?;
    let mut under_time = Job::new(time.path)
        .args(["--format=%M", "--quiet", "--output"])
        .arg(note.path())
        .arg(&job.program)
        .args(job.args.iter().cloned());
    under_time.env.clone_from(&job.env);
    under_time.dir.clone_from(&job.dir);
    let started = Instant::now();
    under_time.capture(b"").map_err(Failure::new)?;
    let took = started.elapsed().as_secs_f64();
    let said = std::fs::read_to_string(note.path()).map_err(Failure::new)?;
    let kib: Option<f64> = said.trim().parse().ok();
    Ok((took, kib.map(|kib| kib / 1024.0)))
}

fn median(figures: &[Figures]) -> Figures {
    let mut seconds: Vec<f64> = figures.iter().map(|figure| figure.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let peaks = figures.iter().filter_map(|figure| figure.peak_mib);
    Figures {
        seconds: seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN),
        peak_mib: peaks.reduce(f64::max),
    }
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
                jobs: vec![Job::new("sh").arg("-c").arg(line)],
            }
        };
        let figures = contest(&Contest {
            name: "echo".to_owned(),
            ours: job("a"),
            peers: vec![job("b")],
            rounds: 2,
        });
        assert_eq!(figures.unwrap().len(), 2);
        let said = std::fs::read_to_string(&log).unwrap();
        assert_eq!(said.split_whitespace().collect::<String>(), "ababab");
        let of = |seconds| Figures {
            seconds,
            peak_mib: Some(seconds),
        };
        let median = median(&[of(9.0), of(1.0), of(2.0)]);
        assert_eq!((median.seconds, median.peak_mib), (2.0, Some(9.0)));
    }
}
