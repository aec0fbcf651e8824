//! The processes that a process has started, and those that these have started, as `/proc` shows them. One
//! that takes in what its descendants leave behind (a subreaper) has all of them below itself, whatever
//! sessions and groups they made and whichever environment they have.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long it may take until none is left: those that start others faster than they are ended stay.
const LONGEST: Duration = Duration::from_secs(10);

/// How long those that were ended are given until they are looked for again.
const LOOK: Duration = Duration::from_millis(1);

/// Ends every process below `root`, which stays. While it does, it has to wait for its children or to be
/// unable to start others.
pub fn end(root: Pid) {
    let until = Instant::now() + LONGEST;
    loop {
        let below = below(root.as_raw_nonzero().get(), &processes());
        if below.is_empty() || Instant::now() > until {
            return;
        }
        for pid in below.into_iter().filter_map(Pid::from_raw) {
            // It may have ended in this very moment.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(LOOK);
    }
}

/// Whether the processes below `root` hold more than `bytes` of memory that is no file's. What several share
/// counts once: that is looked at only where it can decide, as the system takes its time to tell.
#[must_use]
pub fn hold_more_than(root: Pid, bytes: u64) -> bool {
    let below = below(root.as_raw_nonzero().get(), &processes());
    let read = |pid, name| std::fs::read_to_string(format!("/proc/{pid}/{name}")).ok();
    let whole = |pid: &i32| read(*pid, "status").map(|text| held(&text, ["RssAnon:", "RssShmem:"]));
    let share = |pid: &i32| {
        let told = read(*pid, "smaps_rollup").filter(|text| text.contains("Pss_Anon:"));
        let share = told.map(|text| held(&text, ["Pss_Anon:", "Pss_Shmem:"]));
        share.or_else(|| whole(pid))
    };
    below.iter().filter_map(whole).sum::<u64>() > bytes
        && below.iter().filter_map(share).sum::<u64>() > bytes
}

/// The bytes of memory that lines of a file of `/proc/PID` tell of.
fn held(text: &str, lines: [&str; 2]) -> u64 {
    let of_no_file = |line: &str| -> Option<u64> {
        lines
            .iter()
            .find_map(|name| line.strip_prefix(name))?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    };
    text.lines().filter_map(of_no_file).sum::<u64>() * 1024
}

/// The children of a process, ended or not.
pub(crate) fn children(of: Pid) -> impl Iterator<Item = i32> {
    let of = of.as_raw_nonzero().get();
    let all = stats().filter_map(|(pid, line)| Some((pid, fields(&line)?.get(1)?.parse().ok()?)));
    all.filter_map(move |(pid, parent): (i32, i32)| (parent == of).then_some(pid))
}

/// A process that runs, and the one that it stands below.
type Process = (i32, i32);

fn processes() -> Vec<Process> {
    stats()
        .filter_map(|(pid, line)| Some((pid, parent(&line)?)))
        .collect()
}

/// The processes of the system, each with its line of `/proc/PID/stat`.
fn stats() -> impl Iterator<Item = (i32, String)> {
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| {
        let pid: i32 = folder.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(folder.path().join("stat")).ok()?;
        Some((pid, String::from_utf8_lossy(&line).into_owned()))
    })
}

/// What stands in such a line behind the program's name, which is in brackets and may have brackets in it.
fn fields(line: &str) -> Option<Vec<&str>> {
    let (_, rest) = line.rsplit_once(')')?;
    Some(rest.split_whitespace().collect())
}

/// The parent that such a line names; none where the process has ended: one of which the first thread alone
/// has ended looks so, but for the number of its threads.
fn parent(line: &str) -> Option<i32> {
    let fields = fields(line)?;
    let threads = fields.get(17).and_then(|threads| threads.parse().ok());
    let is_over = fields
        .first()
        .is_none_or(|state| matches!(*state, "Z" | "X"));
    let has_ended = is_over && threads.is_none_or(|threads: u32| threads <= 1);
    let parent = fields.get(1)?.parse().ok()?;
    (!has_ended).then_some(parent)
}

/// Those of `processes` below `root`, parents before their children.
fn below(root: i32, processes: &[Process]) -> Vec<i32> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&above) = found.get(at) {
        let children = processes.iter().filter(|(_, parent)| *parent == above);
        let children: Vec<i32> = children.map(|(pid, _)| *pid).collect();
        found.extend(children);
        at += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_below_is_found_at_any_depth() {
        let processes = [(2, 1), (5, 3), (3, 2), (4, 2), (9, 8)];
        assert_eq!(below(2, &processes), [3, 4, 5]);
        assert!(below(9, &processes).is_empty());
    }

    #[test]
    fn memory_is_what_no_file_holds() {
        let status = "Name:\tRssAnon: 9 kB\nVmRSS:\t     900 kB\nRssAnon:\t      20 kB\n\
                      RssFile:\t     800 kB\nRssShmem:\t       1 kB\nThreads:\t1\n";
        assert_eq!(held(status, ["RssAnon:", "RssShmem:"]), 21 * 1024);
        assert_eq!(held("", ["RssAnon:", "RssShmem:"]), 0);
    }

    #[test]
    fn a_line_names_the_parent_of_what_has_not_ended() {
        assert_eq!(parent("7 (a) b) S 3 7 7 0"), Some(3));
        let ended = "7 (sleep) Z 3 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0";
        assert_eq!(parent(ended), None);
        // Its first thread has ended, and another goes on.
        assert_eq!(parent(&ended.replace(" 1 0", " 2 0")), Some(3));
        assert_eq!(parent("7 (cut"), None);
    }
}
