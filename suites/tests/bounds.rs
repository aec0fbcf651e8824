//! The runner against toolchains that do their worst: each is a failure with its reason, within the step's
//! limit, and nothing of it stays. Tests that this machine has no means for are told as skipped.

mod scripted;

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitCode;

use components::process::Job;
use libtest_mimic::{Arguments, Completion, Trial};
use suites::confine;
use suites::layout::Layout;
use suites::run::Runner;
use suites::tools::Tools;

use crate::scripted::{Scripted, case, layout, run};

/// The steps of a case in which the compiler has to make a file.
const MAKES: &str = "- run: '%sycl-clang++ -o %t/a.out'\n  limit: 5\n  \
                     files: {'%t/a.out': {text: {contains: [made]}}}\n";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let unconfined =
        (!confine::is_enforced()).then_some("this kernel confines no program to folders");
    let tools = Tools::load(&Layout::here()).unwrap_or_else(|mistake| panic!("{mistake}"));
    let filecheck = tools.program("FileCheck");
    let unjudged = filecheck
        .is_none_or(Result::is_err)
        .then_some("no FileCheck");
    let trials = vec![
        test(
            "bad_toolchains_fail_and_leave_nothing",
            None,
            bad_toolchains_fail_and_leave_nothing,
        ),
        test(
            "what_lies_outside_stays",
            unconfined,
            what_lies_outside_stays,
        ),
        test(
            "what_is_no_file_is_not_read",
            None,
            what_is_no_file_is_not_read,
        ),
        test(
            "a_judge_reads_what_it_is_given",
            unjudged,
            a_judge_reads_what_it_is_given,
        ),
        test(
            "nothing_that_a_step_started_outlives_it",
            None,
            nothing_that_a_step_started_outlives_it,
        ),
        test(
            "a_step_beside_one_that_is_ended_goes_on",
            None,
            a_step_beside_one_that_is_ended_goes_on,
        ),
        test(
            "what_holds_too_much_memory_is_ended",
            None,
            what_holds_too_much_memory_is_ended,
        ),
        test(
            "devices_are_there_and_no_place_for_files",
            unconfined,
            devices_are_there_and_no_place_for_files,
        ),
        test(
            "a_step_past_its_limit_is_ended_and_wrong",
            None,
            a_step_past_its_limit_is_ended_and_wrong,
        ),
        Trial::ignorable_test("a_full_disk_is_one_failure", || {
            Ok(a_full_disk_is_one_failure())
        }),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test, which is skipped where something is missing for it.
fn test(name: &str, missing: Option<&str>, test: fn()) -> Trial {
    let trial = Trial::test(name, move || {
        test();
        Ok(())
    });
    match missing {
        Some(missing) => trial
            .with_kind(format!("skipped: {missing}"))
            .with_ignored_flag(true),
        None => trial,
    }
}

/// A toolchain may do its worst: each of these is a failure with its reason, within the step's limit,
/// and nothing of it stays.
fn bad_toolchains_fail_and_leave_nothing() {
    run("echo made > $2", MAKES).unwrap();
    for (script, expected) in [
        ("exit 0", "No such file"),
        ("yes", "wrote more than 64 MiB"),
        ("yes >&2", "wrote more than 64 MiB"),
        ("sleep 1000", "ran longer than 5 s"),
        ("while :; do :; done", "ran longer than 5 s"),
        ("rm -rf \"$HOME\"", "No such file"),
    ] {
        let started = std::time::Instant::now();
        let wrong = run(script, MAKES).unwrap_err();
        assert!(wrong.contains(expected), "{script}: {wrong}");
        assert!(started.elapsed().as_secs() < 60, "{script}");
    }
}

/// What a step leaves under the name of an output is read if it is a file, and not without end.
fn what_is_no_file_is_not_read() {
    let same = "- run: '%sycl-clang++ -o %t/a.out'\n  files: {'%t/a.out': {same-as: '%t/b'}}\n";
    for (script, steps, expected) in [
        ("mkfifo $2", MAKES, "%t/a.out is no file"),
        ("ln -s /dev/zero $2", MAKES, "%t/a.out is no file"),
        ("mkdir $2", MAKES, "%t/a.out is no file"),
        (
            "truncate -s 20G $2",
            MAKES,
            "%t/a.out has more than 256 MiB",
        ),
        ("echo a > $2; mkfifo b", same, "%t/b: is no file"),
    ] {
        let wrong = run(script, steps).unwrap_err();
        assert!(wrong.contains(expected), "{script}: {wrong}");
    }
}

/// What a judge is given lies where no step can put anything in its place.
fn a_judge_reads_what_it_is_given() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file");
    std::fs::write(&file, "whole").unwrap();
    let steps = "- run: '%sycl-clang++'\n  limit: 5\n  stdout: {filecheck: 'CHECK: said'}\n";
    for harm in ["mkfifo", &format!("ln -s {}", file.display())] {
        run(&format!("{harm} .filecheck; echo said"), steps).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "whole");
}

/// What lies outside its folder stays as it is.
fn what_lies_outside_stays() {
    let outside = tempfile::tempdir().unwrap();
    let (input, neighbour) = (outside.path().join("input"), outside.path().join("new"));
    std::fs::write(&input, "whole").unwrap();
    for harm in ["rm", "truncate -s 0", "echo >"] {
        let script = format!("{harm} {} && echo made > $2", input.display());
        let wrong = run(&script, MAKES).unwrap_err();
        assert!(wrong.contains("Permission denied"), "{harm}: {wrong}");
    }
    assert_eq!(std::fs::read_to_string(&input).unwrap(), "whole");
    let script = format!("echo x > {}; echo made > $2", neighbour.display());
    run(&script, MAKES).unwrap();
    assert!(!neighbour.exists());
}

/// Children that stay, with the step's streams open: in its process group and out of it, without its
/// environment, orphaned before the step ends, and of a step that is ended.
fn nothing_that_a_step_started_outlives_it() {
    let done = "- run: '%sycl-clang++'\n  limit: 30\n";
    let endless = "- run: '%sycl-clang++'\n  limit: 1\n";
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let tools = Tools::load(&layout).unwrap();
    let away = "(env -i setsid sleep SECONDS &)";
    for (at, (started, end, steps, expected)) in [
        ("sleep SECONDS &", "", done, None),
        ("setsid sleep SECONDS &", "", done, None),
        ("env -i setsid sleep SECONDS &", "", done, None),
        (
            "(env -i setsid sh -c 'sleep SECONDS; :' &) &",
            "wait",
            done,
            None,
        ),
        (away, "sleep 60", endless, Some("ran longer than 1 s")),
        (away, "kill -SEGV $$", done, Some("crashed (11)")),
        (away, "yes", done, Some("wrote more than 64 MiB")),
        // What would end all of it is ended first.
        (away, "kill -KILL $PPID", done, Some("crashed (9)")),
        (
            away,
            "kill -TERM $PPID; exec setsid sleep SECONDS",
            done,
            Some("crashed (15)"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let seconds = format!("{}{at}", 1000 + std::process::id());
        let script = format!("{started}\nsleep 0.3; {end}").replace("SECONDS", &seconds);
        let toolchain = Scripted::new(&script);
        let runner = Runner {
            toolchain: &toolchain,
            tools: &tools,
            layout: &layout,
        };
        let begun = std::time::Instant::now();
        let wrong = runner.run(&case(root.path(), steps)).wrong;
        let lasts = begun.elapsed().as_secs();
        match expected {
            None => assert_eq!(wrong, None, "{script}"),
            Some(expected) => {
                let wrong = wrong.unwrap_or_default();
                assert!(wrong.contains(expected), "{script}: {wrong}");
            }
        }
        assert!(lasts < 20, "{script}: {lasts} s");
        let left = processes()
            .into_iter()
            .filter(|line| line.contains(&seconds));
        let left: Vec<String> = left.collect();
        assert!(left.is_empty(), "{script}: {left:?}");
    }
}

/// What one step left is ended, and no step that runs beside it.
fn a_step_beside_one_that_is_ended_goes_on() {
    let begun = std::time::Instant::now();
    let is_over = || begun.elapsed().as_secs() >= 3;
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            while !is_over() {
                run("sleep 0.2 | cat; echo made > $2", MAKES).unwrap();
            }
        });
        while !is_over() {
            let wrong = run("(setsid sleep 999 &)\nkill -KILL $PPID", MAKES).unwrap_err();
            assert!(wrong.contains("crashed (9)"), "{wrong}");
        }
        beside.join().unwrap();
    });
}

/// Memory has a bound too, which is another on another machine.
fn what_holds_too_much_memory_is_ended() {
    let own = std::env::current_exe().unwrap();
    let folder = own.parent().and_then(Path::parent).unwrap();
    // Where nobody ends it, the shell's own bound does.
    let script = "ulimit -v 2000000; (tail /dev/zero; sleep 60)";
    let words = [&std::process::id().to_string(), "64", "PATH=/usr/bin:/bin"];
    let job = Job::new(folder.join("supervise"))
        .args(words)
        .args(["--", "/bin/sh", "-c", script])
        .limit(std::time::Duration::from_secs(30));
    let output = job.output(b"").unwrap();
    assert_eq!(output.status.signal(), Some(30), "{output:?}");
}

/// The words of every process.
fn processes() -> Vec<String> {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .collect()
}

/// Programs have the devices that they need, and leave nothing among them.
fn devices_are_there_and_no_place_for_files() {
    let name = format!("plumbline-{}", std::process::id());
    let steps = "- run: '%sycl-clang++'\n  stdout: {equals: ''}\n";
    run("for device in null zero full; do : <> /dev/$device; done; head -c 1 /dev/urandom >/dev/null; \
         echo a >/dev/null", steps).unwrap();
    for folder in ["/dev", "/dev/shm"] {
        let file = Path::new(folder).join(&name);
        let _ = run(&format!("echo a > {}", file.display()), steps);
        let there = file.exists();
        let _ = std::fs::remove_file(&file);
        assert!(!there, "{} stays", file.display());
    }
}

/// A disk of 8 MiB, as long as it is held.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// Why there is none, if so: only some users may mount one.
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let words = ["-t", "tmpfs", "-o", "size=8m", "none"];
        let mount = Job::new("mount").args(words).arg(folder.path());
        mount.capture(b"").map_err(|e| e.to_string())?;
        Ok(SmallDisk(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Job::new("umount").arg(self.0.path()).capture(b"");
        if let Err(error) = unmounted {
            eprintln!("{error}");
        }
    }
}

/// A toolchain that fills the disk fails its case, and the next one has room.
fn a_full_disk_is_one_failure() -> Completion {
    let disk = match SmallDisk::new() {
        Ok(disk) => disk,
        Err(reason) => {
            return Completion::ignored_with(format!("skipped: no disk to fill: {reason}"));
        }
    };
    let layout = layout(disk.0.path());
    let tools = Tools::load(&layout).unwrap();
    let steps = "- run: '%sycl-clang++ -o %t/a.out'\n  \
                 files: {'%t/a.out': {text: {contains: [made]}}}\n";
    let case = case(disk.0.path(), steps);
    let run = |script: &str| {
        let runner = Runner {
            toolchain: &Scripted::new(script),
            tools: &tools,
            layout: &layout,
        };
        runner.run(&case).wrong
    };
    for script in ["cat /dev/zero > big; echo made > $2", "yes made > $2"] {
        let wrong = run(script).unwrap();
        assert!(wrong.contains("No space left"), "{script}: {wrong}");
        assert!(wrong.contains("its folder is not kept"), "{wrong}");
        assert_eq!(run("echo made > $2"), None);
    }
    Completion::Completed
}

fn a_step_past_its_limit_is_ended_and_wrong() {
    let started = std::time::Instant::now();
    let wrong = run(
        "echo begun; sleep 60",
        "- run: '%sycl-clang++'\n  limit: 1\n",
    )
    .unwrap_err();
    assert!(started.elapsed().as_secs() < 30);
    assert!(
        wrong.contains("ran longer than 1 s") && wrong.contains("begun"),
        "{wrong}"
    );
}
