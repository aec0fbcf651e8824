//! The runner in Python that the export brings, against ours: the same verdicts and the same bounds. Tests that
//! this machine has no means for are told as skipped.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitCode;
use std::time::Duration;

use components::process::Job;
use libtest_mimic::{Arguments, Completion, Trial};
use suites::case::Case;
use suites::layout::Layout;
use suites::library::Library;
use suites::run::Runner;
use suites::toolchain::{Described, Toolchain as _};
use suites::tools::Tools;
use suites::{confine, deviation};

/// The steps of a case in which the compiler has to make a file.
const MAKES: &str = "- run: '%sycl-clang++ -o %t/a.out'\n  limit: 3\n  stdin: abc\n  \
                     files: {'%t/a.out': {text: {contains: [made]}}}\n";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let unconfined =
        (!confine::is_enforced()).then_some("this kernel confines no program to folders");
    let test = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let outside = test("what_lies_outside_stays", what_lies_outside_stays);
    let mut trials = vec![
        test("bounds_bad_toolchains", bounds_bad_toolchains),
        test("bounds_memory", bounds_memory),
        test("leaves_what_was_there_before", leaves_what_was_there_before),
        test(
            "knows_failures_by_what_they_say",
            knows_failures_by_what_they_say,
        ),
        test(
            "leaves_out_steps_as_ours_does",
            leaves_out_steps_as_ours_does,
        ),
        Trial::ignorable_test("gives_the_same_verdicts", || Ok(gives_the_same_verdicts())),
    ];
    match unconfined {
        None => trials.push(outside),
        Some(why) => trials.extend([
            outside
                .with_kind(format!("skipped: {why}"))
                .with_ignored_flag(true),
            test("what_is_not_confined_is_said", what_is_not_confined_is_said),
        ]),
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The exported runner on the cases of a folder of its own, for a toolchain whose compiler is a shell script:
/// what it says, and what it leaves as JSON.
fn exported(script: &str, steps: &str) -> (String, serde_json::Value) {
    started("exec \"$@\"", script, steps, "")
}

/// The same with more in the toolchain's description, from a shell that does `start` with the words that start
/// the runner.
fn started(start: &str, script: &str, steps: &str, more: &str) -> (String, serde_json::Value) {
    let root = tempfile::tempdir().unwrap();
    let shipped = Layout::here();
    let layout = Layout {
        tools: shipped.tools,
        ..Layout::of(root.path())
    };
    let write = |name: &str, text: &str| {
        let file = root.path().join("suites").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let head = "requirements: [OFF-X-001]\nabout: it\ninputs: {in: whole}\nsteps:\n";
    write("cases/bad/one.yaml", &format!("{head}{steps}"));
    let head = "name: bad\nabout: it\nsettings: {no-device: {SETTING: no-device}}\n\
                cannot-show: {no-components: it cannot}\n";
    let compiler = serde_json::to_string(&["/bin/sh", "-c", script, "compiler"]).unwrap();
    write(
        "toolchains/bad.yaml",
        &format!("{head}tools: {{sycl-clang++: {compiler}}}\n{more}"),
    );
    for folder in [&layout.golden, &layout.fixtures] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let library = Library {
        cases: vec![Case::load(&layout.cases.join("bad/one.yaml"), &layout.cases).unwrap()],
        ..Library::default()
    };
    let folder = root.path().join("export");
    suites::export::export(&library, &layout, &folder).unwrap();
    let report = root.path().join("report.json");
    let job = Job::new("sh")
        .args(["-c", start, "sh", "python3"])
        .arg(folder.join("run.py"))
        .arg(folder.join("toolchains/bad.json"))
        .arg("--json")
        .arg(&report);
    let output = job.output(b"").unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let json = std::fs::read_to_string(report).unwrap_or_else(|error| panic!("{error}: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    (said, json["cases"][0].clone())
}

/// A case in which the compiler, a shell script, has to make a file: its verdict, the reason, and what the
/// exported runner says.
fn judged(script: &str) -> (String, String, String) {
    let started = std::time::Instant::now();
    let (said, case) = exported(script, MAKES);
    assert!(started.elapsed().as_secs() < 30, "{script}: {said}");
    let reason = case["reason"].as_str().unwrap_or_default().to_owned();
    (case["verdict"].as_str().unwrap().to_owned(), reason, said)
}

/// A shell in whose place the runner stands has left it a child: what a step does with its watcher does not end
/// that.
fn leaves_what_was_there_before() {
    let start = "sleep 5 >/dev/null 2>&1 & echo $! >&2; exec \"$@\"";
    let (said, case) = started(start, "kill -KILL $PPID", MAKES, "");
    assert_eq!(case["verdict"], "failed", "{said}");
    let child: i32 = said.lines().find_map(|line| line.parse().ok()).unwrap();
    let child = rustix::process::Pid::from_raw(child).unwrap();
    assert!(rustix::process::test_kill_process(child).is_ok(), "{said}");
}

/// An entry of the list covers the failure that says what the entry has, in the same words as ours.
fn knows_failures_by_what_they_say() {
    let begins =
        "- run: '%sycl-clang++ -o %t/a.out'\n  files: {'%t/a.out': {begins-with: 10 ff}}\n";
    let long = "seq 1 5000; echo unsupported file type >&2; exit 3";
    for (script, steps, says, expected) in [
        ("exit 0", MAKES, "%t/a.out No such file", "known-deviation"),
        (
            "echo BC > $2",
            begins,
            "begins with [42, 43], not [10, ff]",
            "known-deviation",
        ),
        (long, MAKES, "unsupported file type", "known-deviation"),
        ("exit 3", MAKES, "unsupported file type", "failed"),
        ("exit 3", MAKES, "a.out -o", "failed"),
    ] {
        let more = format!(
            "deviations:\n- {{case: bad/one, reason: it does not, says: '{says}', \
             link: 'https://example.org/1'}}\n"
        );
        let (said, case) = started("exec \"$@\"", script, steps, &more);
        assert_eq!(case["verdict"], expected, "{script}: {said}");
    }
}

/// What a toolchain does at its worst, the exported runner bounds as ours does, and nothing of it stays.
fn bounds_bad_toolchains() {
    let seconds = format!("{}7", 2000 + std::process::id());
    let stays = format!("(env -i setsid sh -c 'sleep {seconds}; :' &)");
    for (script, expected) in [
        ("exit 0", "No such file"),
        ("yes", "wrote more than 64 MiB"),
        ("yes >&2", "wrote more than 64 MiB"),
        ("sleep 1000", "ran longer than 3 s"),
        ("kill -STOP $PPID; sleep 1000", "ran longer than 3 s"),
        ("trap '' TERM; while :; do :; done", "ran longer than 3 s"),
        ("rm -rf \"$HOME\"", "No such file"),
        ("mkfifo $2", "is no file"),
        ("ln -s /dev/zero $2", "is no file"),
        ("truncate -s 20G $2", "has more than 256 MiB"),
        ("kill -SEGV $$", "crashed (11)"),
        ("kill -PIPE $$", "crashed (13)"),
        ("exit 3", "exit status 3"),
        (&format!("{stays}; sleep 1000"), "ran longer than 3 s"),
        (&format!("{stays}; kill -KILL $PPID"), "crashed (9)"),
        (&format!("{stays}; yes"), "wrote more than 64 MiB"),
        (&format!("{stays}; {stays}; sleep 0.3"), "No such file"),
    ] {
        let (verdict, reason, said) = judged(script);
        assert_eq!(verdict, "failed", "{script}: {said}");
        assert!(reason.contains(expected), "{script}: {said}");
        assert!(!is_running(&seconds), "{script}");
    }
    let (verdict, _, said) = judged("read text; [ $text = abc ] && echo made > $2");
    assert_eq!(verdict, "passed", "{said}");
    let (verdict, _, said) = judged(&format!("{stays}; sleep 0.3; echo made > $2"));
    assert_eq!(verdict, "passed", "{said}");
    assert!(!is_running(&seconds));
}

/// Memory has a bound too, which is another on another machine.
fn bounds_memory() {
    let file = Layout::here().cases.join("../src/export/bounded.py");
    let spec = format!(
        "{{\"env\": {{}}, \"writes\": [], \"runner\": {}, \"memory\": {}}}",
        std::process::id(),
        64 << 20
    );
    // Where nobody ends it, the shell's own bound does.
    let script = "ulimit -v 2000000; (/usr/bin/tail /dev/zero; /usr/bin/sleep 60)";
    let job = Job::new("python3").args(["-I", "-S"]).arg(file).arg(spec);
    let job = job.args(["/bin/sh", "-c", script]);
    let output = job.limit(Duration::from_secs(30)).output(b"").unwrap();
    assert_eq!(output.status.signal(), Some(30), "{output:?}");
}

/// What lies outside a case's folder stays as it is.
fn what_lies_outside_stays() {
    let outside = tempfile::tempdir().unwrap();
    let input = outside.path().join("input");
    std::fs::write(&input, "whole").unwrap();
    for harm in ["rm", "truncate -s 0", "echo >"] {
        let (verdict, reason, said) =
            judged(&format!("{harm} {} && echo made > $2", input.display()));
        assert_eq!(verdict, "failed", "{harm}: {said}");
        assert!(reason.contains("Permission denied"), "{harm}: {said}");
    }
    assert_eq!(std::fs::read_to_string(&input).unwrap(), "whole");
    let (verdict, _, said) =
        judged("echo x > $2; mkdir d; mv $2 d/b; mv d/b $2; echo made >> $2; echo >/dev/null");
    assert_eq!(verdict, "passed", "{said}");
}

/// Where nothing can be kept to its folder, that is said.
fn what_is_not_confined_is_said() {
    let (_, _, said) = judged("echo made > $2");
    assert!(said.contains("this kernel has no Landlock"), "{said}");
}

/// Whether a process has this word in its command line.
fn is_running(word: &str) -> bool {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(word))
}

/// So does it leave out the steps alone whose settings are not here, and tells them.
fn leaves_out_steps_as_ours_does() {
    let step = |with: &str, said: &str| {
        format!("- {{run: '%sycl-clang++', with: {with}, stdout: {{equals: {said}}}}}\n")
    };
    let script = "echo $SETTING";
    let (hidden, unoffered) = (
        step("no-components", "never"),
        step("opencl-cpu-traced", "never"),
    );
    let steps = [
        step("no-device", "no-device"),
        hidden.clone(),
        unoffered.clone(),
    ]
    .concat();
    let (said, case) = exported(script, &steps);
    assert_eq!(case["verdict"], "passed", "{said}");
    assert_eq!(case["left-out"]["no-components"], "it cannot");
    assert_eq!(
        case["left-out"]["opencl-cpu-traced"],
        "the toolchain offers no 'opencl-cpu-traced'"
    );
    assert!(
        said.contains("left out: bad/one: steps with no-components: it cannot"),
        "{said}"
    );
    let (said, case) = exported(script, &[hidden, unoffered.clone()].concat());
    assert_eq!(case["verdict"], "not-observable", "{said}");
    let (said, case) = exported(script, &unoffered);
    assert_eq!(case["verdict"], "skipped", "{said}");
}

/// The exported runner comes to the verdicts of ours, case by case, for a toolchain that has every
/// kind of them: the upstream tools.
fn gives_the_same_verdicts() -> Completion {
    let layout = Layout::here();
    let tools = Tools::load(&layout).unwrap();
    let library =
        Library::load(&layout).unwrap_or_else(|mistakes| panic!("{}", mistakes.join("\n")));
    let toolchain = Described::load("llvm-19", &layout).unwrap();
    if let Some(absent) = toolchain.absent_tool() {
        return Completion::ignored_with(format!("skipped: {absent}"));
    }
    let folder = tempfile::tempdir().unwrap();
    suites::export::export(&library, &layout, folder.path()).unwrap();
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &Layout {
            work: folder.path().join("work"),
            ..layout.clone()
        },
    };
    let ours = library.cases.iter().map(|case| {
        let verdict = match runner.obstacle(case) {
            Some(obstacle) => obstacle.verdict,
            None => {
                let outcome = runner.run(case).outcome();
                let beyond = case.body.beyond.as_deref();
                deviation::judged(
                    &case.name,
                    outcome,
                    toolchain.deviations(),
                    "the list",
                    beyond,
                )
                .0
            }
        };
        (case.name.clone(), serde_json::to_value(verdict).unwrap())
    });
    let ours: BTreeMap<String, serde_json::Value> = ours.collect();
    let report = folder.path().join("report.json");
    let mut job = Job::new("python3")
        .arg(folder.path().join("run.py"))
        .arg(folder.path().join("toolchains/llvm-19.json"))
        .arg("--json")
        .arg(&report);
    for name in tools.names() {
        if let Some(Ok(program)) = tools.program(name) {
            job = job
                .arg("--tool")
                .arg(format!("{name}={}", program.display()));
        }
    }
    for name in ["intel-device-libraries", "opencl-cpu", "dpcpp-runtime"] {
        if let Some(Ok(place)) = tools.need(name) {
            job = job.arg("--have").arg(format!("{name}={}", place.display()));
        }
    }
    let output = job.output(b"").unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(report).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let theirs = json["cases"].as_array().unwrap().iter();
    let theirs: BTreeMap<String, serde_json::Value> = theirs
        .map(|case| {
            (
                case["case"].as_str().unwrap().to_owned(),
                case["verdict"].clone(),
            )
        })
        .collect();
    assert_eq!(theirs, ours, "{said}");
    assert!(ours.values().any(|verdict| verdict == "passed"));
    assert!(ours.values().any(|verdict| verdict == "known-deviation"));
    Completion::Completed
}
