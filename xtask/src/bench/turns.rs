//! Programs that do rows of work as they are told (`fixtures/bench/serve.hpp`), each a process of its own,
//! in turns: runtimes that cannot be in one process measured as near to each other as it goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use components::dialogue::Dialogue;
use components::process::Job;

use super::measure::at;
use super::{Against, Finding};
use crate::failure::Failure;

/// One way to do the work.
pub struct Side {
    /// Who does it.
    pub name: &'static str,
    /// The program.
    pub job: Job,
}

/// How the work is measured.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How often each side does a row; the median counts.
    pub rounds: usize,
    /// A row that takes less is done so often that its turn takes about as long.
    pub turn: Duration,
    /// Whether all cores are kept busy by others meanwhile.
    pub under_load: bool,
}

/// What a row came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Microseconds a command of ours, the median.
    pub ours: f64,
    /// The other sides that have the row.
    pub peers: Vec<Peer>,
}

/// A peer's part of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// Who.
    pub name: &'static str,
    /// Microseconds a command, the median.
    pub microseconds: f64,
    /// Ours to this, the median of the rounds.
    pub ratio: f64,
    /// Between what the middle half of the ratios lies.
    pub middle_half: (f64, f64),
}

impl Row {
    /// The peer of a name, where it has the row.
    pub fn peer(&self, name: &str) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.name == name)
    }

    /// A finding a peer; `at_most` says what its ratio should be.
    pub fn findings(&self, at_most: impl Fn(&Row, &Peer) -> Option<f64>) -> Vec<Finding> {
        let finding = |peer: &Peer| Finding {
            what: self.name.clone(),
            value: peer.ratio,
            at_most: at_most(self, peer),
            against: Some(Against {
                peer: peer.name.to_owned(),
                middle_half: peer.middle_half,
            }),
        };
        self.peers.iter().map(finding).collect()
    }
}

/// How long a program may take for one line: a turn, or its start with all that it builds.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long everything is left alone before a turn: threads of the side before go to sleep.
const PAUSE: Duration = Duration::from_millis(4);
/// A row is done at most so often in a turn.
const MOST_TIMES: f64 = 1000.0;

/// A program of a side that waits to be told.
struct Served {
    name: &'static str,
    program: Dialogue,
    rows: Vec<Known>,
}

/// A row that a program has.
struct Known {
    name: String,
    commands: f64,
}

impl Served {
    fn start(side: &Side) -> Result<Served, Failure> {
        let job = side.job.clone().limit(PATIENCE);
        let mut program = job.converse().map_err(Failure::new)?;
        let mut rows = Vec::new();
        loop {
            let line = heard(&mut program, side.name)?;
            if line == "ready" {
                let name = side.name;
                return Ok(Served {
                    name,
                    program,
                    rows,
                });
            }
            rows.push(known(&line).ok_or_else(|| strange(side.name, &line))?);
        }
    }

    fn place(&self, row: &str) -> Option<usize> {
        self.rows.iter().position(|known| known.name == row)
    }

    /// Does a row some times; how long it took for a command, in microseconds, and for the row, in seconds.
    fn turn(&mut self, place: usize, times: f64) -> Result<(f64, f64), Failure> {
        thread::sleep(PAUSE);
        self.program.say(&format!("{place} {times}"));
        let line = heard(&mut self.program, self.name)?;
        let took: f64 = line.parse().map_err(|_| strange(self.name, &line))?;
        let commands = self.rows.get(place).map_or(1.0, |row| row.commands);
        Ok((took / 1e3 / times / commands, took / 1e9 / times))
    }
}

fn heard(program: &mut Dialogue, name: &str) -> Result<String, Failure> {
    let line = program.hear().map_err(Failure::new)?;
    line.ok_or_else(|| match program.status() {
        Ok(status) => Failure::new(format!("{name} ended ({status}) before its work was done")),
        Err(reason) => Failure::new(reason),
    })
}

fn strange(name: &str, line: &str) -> Failure {
    Failure::new(format!("{name} said '{line}'"))
}

/// A line `row COMMANDS NAME`.
fn known(line: &str) -> Option<Known> {
    let (commands, name) = line.strip_prefix("row ")?.split_once(' ')?;
    Some(Known {
        name: name.to_owned(),
        commands: commands.parse().ok()?,
    })
}

/// Measures all rows of `ours`, beside those `peers` that have them, and tells of each.
///
/// # Errors
/// When a program fails, as with a wrong result.
pub fn measure(ours: &Side, peers: &[Side], settings: Settings) -> Result<Vec<Row>, Failure> {
    let mut sides: Vec<Served> = Vec::new();
    for side in std::iter::once(ours).chain(peers) {
        sides.push(Served::start(side)?);
    }
    let load = settings.under_load.then(Load::start);
    let names: Vec<String> = sides[0].rows.iter().map(|row| row.name.clone()).collect();
    let mut rows = Vec::new();
    for name in names {
        let row = measure_row(&name, &mut sides, settings)?;
        tell(&row);
        rows.push(row);
    }
    drop(load);
    for side in sides {
        side.program.end().map_err(Failure::new)?;
    }
    Ok(rows)
}

fn measure_row(name: &str, sides: &mut [Served], settings: Settings) -> Result<Row, Failure> {
    struct Turns<'a> {
        side: &'a mut Served,
        place: usize,
        times: f64,
        microseconds: Vec<f64>,
    }
    let mut turns = Vec::new();
    for side in sides {
        let Some(place) = side.place(name) else {
            continue;
        };
        // The first time is for what is done once.
        side.turn(place, 1.0)?;
        let (_, seconds) = side.turn(place, 1.0)?;
        let times = (settings.turn.as_secs_f64() / seconds).floor();
        turns.push(Turns {
            side,
            place,
            times: times.clamp(1.0, MOST_TIMES),
            microseconds: Vec::new(),
        });
    }
    for round in 0..settings.rounds {
        // Whoever comes after another finds what that one left in caches: nobody does so always.
        let turn = |each: &mut Turns<'_>| {
            let (microseconds, _) = each.side.turn(each.place, each.times)?;
            each.microseconds.push(microseconds);
            Ok(())
        };
        match round % 2 {
            0 => turns.iter_mut().try_for_each(turn),
            _ => turns.iter_mut().rev().try_for_each(turn),
        }?;
    }
    let mut turns = turns
        .into_iter()
        .map(|each| (each.side.name, each.microseconds));
    let (_, ours) = turns.next().unwrap_or_default();
    let peers = turns.map(|(name, theirs)| {
        let ratios = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs);
        let ratios: Vec<f64> = ratios.collect();
        Peer {
            name,
            microseconds: at(0.5, theirs),
            middle_half: (at(0.25, ratios.clone()), at(0.75, ratios.clone())),
            ratio: at(0.5, ratios),
        }
    });
    Ok(Row {
        name: name.to_owned(),
        peers: peers.collect(),
        ours: at(0.5, ours),
    })
}

fn tell(row: &Row) {
    print!("    {:40} {:10.2} us", row.name, row.ours);
    for peer in &row.peers {
        let (least, most) = peer.middle_half;
        print!(
            ", {} {:.2} us: {:.3} ({least:.3} to {most:.3})",
            peer.name, peer.microseconds, peer.ratio
        );
    }
    println!();
}

/// Work for all cores, until it goes away.
struct Load {
    ends: std::sync::Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Load {
    fn start() -> Load {
        let ends = std::sync::Arc::new(AtomicBool::new(false));
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let busy = |_| {
            let ends = std::sync::Arc::clone(&ends);
            thread::spawn(move || {
                let mut number = 1u64;
                while !ends.load(Ordering::Relaxed) {
                    number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005));
                }
            })
        };
        let threads = (0..cores).map(busy).collect();
        Load { ends, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It only computes.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with two rows that takes `nanoseconds` for each command.
    fn side(name: &'static str, rows: &str, nanoseconds: u32, end: &str) -> Side {
        let script = format!(
            "printf '{rows}ready\\n'; while read row times; do \
             echo $((({nanoseconds} * 10) * times)); done; {end}"
        );
        Side {
            name,
            job: Job::new("sh").arg("-c").arg(script),
        }
    }

    const SETTINGS: Settings = Settings {
        rounds: 2,
        turn: Duration::ZERO,
        under_load: true,
    };

    #[test]
    fn rows_are_compared_with_those_who_have_them() {
        let ours = side("ours", "row 10 one\\nrow 10 the other\\n", 2000, "exit 0");
        let peer = side("peer", "row 10 the other\\n", 4000, "exit 0");
        let rows = measure(&ours, &[peer], SETTINGS).unwrap();
        assert_eq!(rows.len(), 2);
        assert!(rows[0].peers.is_empty());
        assert!((rows[1].ours - 2.0).abs() < 1e-9);
        let peer = rows[1].peer("peer").unwrap();
        assert!((peer.microseconds - 4.0).abs() < 1e-9);
        assert!((peer.ratio - 0.5).abs() < 1e-9);
        let found = rows[1].findings(|_, _| Some(1.0));
        assert_eq!(found[0].at_most, Some(1.0));
    }

    #[test]
    fn a_program_that_fails_fails_the_bench() {
        let ours = side("ours", "row 10 one\\n", 2000, "exit 1");
        assert!(measure(&ours, &[], SETTINGS).is_err());
        let dies = Side {
            name: "dies",
            job: Job::new("sh").args(["-c", "exit 3"]),
        };
        let failure = measure(&dies, &[], SETTINGS).unwrap_err();
        assert!(failure.to_string().contains("dies ended"), "{failure}");
    }
}
