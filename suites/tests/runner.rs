//! The runner against a toolchain made of shell commands: what it calls right, what it calls wrong,
//! and what it says then.

mod scripted;

use std::collections::BTreeMap;

use components::process::Job;
use suites::bless;
use suites::catalogue::{Catalogue, Document};
use suites::deviation::{Deviation, Link};
use suites::evidence::Cause;
use suites::layout::Layout;
use suites::library::Library;
use suites::run::Runner;
use suites::tools::Tools;
use suites::verdict::Verdict;

use crate::scripted::{Scripted, case, layout, outcome, run};

/// A toolchain that offers these settings, each by a variable of its own.
fn offering(script: &str, settings: &[&str]) -> Scripted {
    let variables = |name: &str| BTreeMap::from([("SETTING".to_owned(), name.to_owned())]);
    let settings = settings.iter();
    Scripted {
        settings: settings
            .map(|name| ((*name).to_owned(), variables(name)))
            .collect(),
        ..Scripted::new(script)
    }
}

/// A golden file of the case that [`case`] makes.
fn golden(layout: &Layout, toolchain: &str, name: &str, text: &str) -> std::path::PathBuf {
    let folder = layout.golden.join(toolchain).join("harness");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, format!("---\nsource: x\n---\n{text}")).unwrap();
    file
}

#[test]
fn golden_files_hold_the_toolchain_that_has_them_and_no_other() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let tools = Tools::load(&layout).unwrap();
    let (sound, broken) = (
        Scripted::new("echo one; echo two"),
        Scripted::new("echo one"),
    );
    let runner = |toolchain| Runner {
        toolchain,
        tools: &tools,
        layout: &layout,
    };
    let steps = "- run: '%sycl-clang++'\n  stdout: {golden: said}\n";
    let plain = case(root.path(), steps);
    let evidence = runner(&broken).run(&plain);
    assert_eq!(evidence.wrong, None);
    assert_eq!(evidence.steps[0].without_golden, ["said"]);
    let mut of_goldens = plain.clone();
    of_goldens.body.beyond = Some("all of it is its own".to_owned());
    let obstacle = runner(&sound).obstacle(&of_goldens).unwrap();
    assert_eq!(obstacle.reason, "toolchain 'scripted' has no golden files");

    golden(&layout, "scripted", "one.said.snap", "one\ntwo\n");
    assert_eq!(runner(&sound).obstacle(&of_goldens), None);
    assert!(runner(&sound).is_held_by_goldens(&of_goldens));
    let evidence = runner(&sound).run(&of_goldens);
    assert_eq!(evidence.wrong, None);
    assert_eq!(evidence.steps[0].goldens[0].text, "one\ntwo");
    let wrong = runner(&broken).run(&of_goldens).wrong.unwrap();
    let expected = "differs from golden/scripted/harness/one.said.snap:";
    assert!(
        wrong.contains(expected) && wrong.contains("\n one\n-two"),
        "{wrong}"
    );
}

#[test]
fn blessing_finds_what_differs_and_what_no_case_names() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let description = root.path().join("mine.yaml");
    let text = "name: mine\nabout: it\ntools: {sycl-clang++: [/bin/echo]}\n";
    std::fs::write(&description, text).unwrap();
    let steps = "- run: '%sycl-clang++ hello'\n  stdout: {golden: said}\n";
    let library = Library {
        cases: vec![case(root.path(), steps)],
        ..Library::default()
    };
    let bless = |check| bless::bless(&library, &layout, &description.to_string_lossy(), check);
    assert!(bless(true).unwrap_err().contains("golden/mine"));

    golden(&layout, "mine", "one.said.snap", "hello\n");
    let gone = golden(&layout, "mine", "gone.said.snap", "hello\n");
    let checked = bless(true).unwrap();
    assert!(checked.wrong.is_empty() && checked.ran == 1 && !checked.holds(true));
    assert_eq!(checked.stale, [gone.as_path()]);
    assert!(gone.exists(), "a check changes nothing");
    assert!(bless(false).unwrap().holds(false) && !gone.exists());
    assert!(bless(true).unwrap().holds(true));

    golden(&layout, "mine", "one.said.snap", "good bye\n");
    let checked = bless(true).unwrap();
    assert!(checked.wrong["harness/one"].contains("-good bye\n+hello"));
    assert!(!checked.holds(true));
}

#[test]
fn a_step_that_does_what_it_has_to_passes() {
    let steps = "- run: '%sycl-clang++ a \"b c\" %t/x'\n  stdout: {equals: 'a|b c|%t/x'}\n";
    run(r#"IFS='|'; echo "$*""#, steps).unwrap();
}

#[test]
fn a_crash_is_no_expected_failure() {
    let steps = "- run: '%sycl-clang++'\n  outcome: compile-fails\n  stderr: {contains: [oops]}\n";
    run("echo oops >&2; exit 1", steps).unwrap();
    for script in [
        "echo oops >&2; kill -SEGV $$",
        "echo oops >&2; exit 101",
        "echo oops >&2; exit 134",
    ] {
        let wrong = run(script, steps).unwrap_err();
        assert!(wrong.contains("crashed"), "{wrong}");
    }
}

/// Whose fault it can be that a case goes wrong: that decides whether a list or a case that goes beyond
/// the documents excuses it.
#[test]
fn what_the_harness_cannot_do_is_no_fault_of_a_toolchain() {
    let quiet = "- run: '%sycl-clang++'\n  limit: 1\n  stdout: {equals: ''}\n";
    let cause = |toolchain: &Scripted, steps: &str| outcome(toolchain, steps).unwrap_err().cause;
    assert_eq!(cause(&Scripted::new("echo a"), quiet), Cause::Unmet);
    assert_eq!(cause(&Scripted::new("kill -SEGV $$"), quiet), Cause::Crash);
    assert_eq!(cause(&Scripted::new("sleep 60"), quiet), Cause::Crash);
    assert_eq!(cause(&Scripted::new("yes"), quiet), Cause::Crash);
    let mut gone = Scripted::new("");
    gone.compiler = vec!["/no/such/compiler".to_owned()];
    assert_eq!(cause(&gone, quiet), Cause::Harness);
    // A script says by its status that something of its own crashed.
    let of_a_script = |status| {
        cause(
            &Scripted::new(""),
            &format!("- run: '%sh -c \"exit {status}\"'\n"),
        )
    };
    assert_eq!([127, 139].map(of_a_script), [Cause::Unmet, Cause::Crash]);
    // The last program of a script may stand in its place.
    let in_its_place = "- run: \"%sh -c 'kill -SEGV $$'\"\n";
    assert_eq!(cause(&Scripted::new(""), in_its_place), Cause::Crash);
    // What was to be built is the toolchain's.
    let program = "- run: '%t/a.out'\n  exit: 42\n";
    assert_eq!(cause(&Scripted::new("exit 0"), program), Cause::Unmet);
}

#[test]
fn two_runs_of_one_case_wait_for_each_other() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let steps =
        "- run: '%sycl-clang++ -o %t/a.out'\n  files: {'%t/a.out': {text: {contains: [made]}}}\n";
    let case = case(root.path(), steps);
    let tools = Tools::load(&layout).unwrap();
    let toolchain = Scripted::new("sleep 1; echo made > $2");
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &layout,
    };
    std::thread::scope(|scope| {
        let runs = [(), ()].map(|()| scope.spawn(|| runner.run(&case).wrong));
        for run in runs {
            assert_eq!(run.join().unwrap(), None);
        }
    });
}

#[test]
fn a_failure_that_leaves_its_output_is_wrong() {
    let steps = "- run: '%sycl-clang++ -o %t/a.out'\n  outcome: link-fails\n  \
                 stderr: {contains: [oops]}\n";
    run("echo oops >&2; exit 1", steps).unwrap();
    let wrong = run("echo half > $2; echo oops >&2; exit 1", steps).unwrap_err();
    assert!(wrong.contains("left its output %t/a.out"), "{wrong}");
}

#[test]
fn the_environment_is_pinned() {
    let steps = "- run: '%sycl-clang++'\n  env: {OWN: '%t'}\n  \
                 stdout: {equals: 'yes %t %t  C.UTF-8'}\n";
    let script = r#"echo "$FROM_TOOLCHAIN $OWN $HOME $CARGO_MANIFEST_DIR $LC_ALL""#;
    run(script, steps).unwrap();
}

#[test]
fn a_failure_prints_a_line_that_repeats_it() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let case = case(
        root.path(),
        "- run: '%sycl-clang++ \"a  $b\"'\n  stdout: {equals: no}\n",
    );
    let tools = Tools::load(&layout).unwrap();
    let toolchain = Scripted::new("echo \"got:$1\"; pwd");
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &layout,
    };
    let wrong = runner.run(&case).wrong.unwrap();
    assert!(wrong.contains("got:a  $b"), "{wrong}");
    let line = wrong
        .lines()
        .find_map(|line| line.strip_prefix("to repeat: "))
        .unwrap();
    let repeated = Job::new("sh").arg("-c").arg(line).capture(b"").unwrap();
    let work = layout.work.join("scripted/harness/one");
    let expected = format!("got:a  $b\n{}\n", work.display());
    assert_eq!(String::from_utf8(repeated.stdout).unwrap(), expected);
}

#[test]
fn what_is_not_there_is_an_obstacle_with_a_reason() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let tools = Tools::load(&layout).unwrap();
    let toolchain = Scripted::new("true");
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &layout,
    };
    for (steps, reason) in [
        ("- run: '%opencl-aot x'\n", Some("has no opencl-aot")),
        (
            "- run: '%sycl-clang++'\n  with: no-device\n",
            Some("offers no 'no-device'"),
        ),
        ("- run: '%sycl-clang++'\n", None),
    ] {
        let obstacle = runner.obstacle(&case(root.path(), steps));
        match reason {
            Some(reason) => assert!(obstacle.unwrap().reason.contains(reason), "{steps}"),
            None => assert_eq!(obstacle, None),
        }
    }
}

/// Of a case with steps for several settings, those are run whose settings are here, and the others told:
/// such as those of a device that a toolchain cannot show, even where the case says that it needs it.
#[test]
fn steps_whose_settings_are_not_here_are_left_out_alone() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let tools = Tools::load(&layout).unwrap();
    let steps = "- run: '%sycl-clang++'\n  stdout: {equals: ''}\n\
                 - {run: '%sycl-clang++ a', with: no-device, stdout: {equals: no-device}}\n\
                 - {run: '%sycl-clang++ b', with: no-components, stdout: {equals: never}}\n\
                 - {run: '%sycl-clang++ c', with: opencl-cpu, stdout: {equals: never}}\n\
                 - {run: '%sycl-clang++ d', with: no-components, stdout: {equals: never}}\n\
                 - run: '%sycl-clang++'\n  stdout: {equals: ''}\n";
    let mut case = case(root.path(), steps);
    let script = "echo $SETTING";
    let mut toolchain = offering(script, &["no-device", "opencl-cpu"]);
    let why = "the CPU cannot be seen";
    let hidden = &mut toolchain.hidden;
    hidden.insert("opencl-cpu".to_owned(), why.to_owned());
    let runner = |toolchain| Runner {
        toolchain,
        tools: &tools,
        layout: &layout,
    };
    if tools.need("opencl-cpu").unwrap().is_ok() {
        case.body.needs = vec!["opencl-cpu".to_owned()];
    }
    assert_eq!(runner(&toolchain).obstacle(&case), None);
    let evidence = runner(&toolchain).run(&case);
    assert_eq!(evidence.wrong, None);
    assert_eq!(evidence.steps.len(), 3);
    let left_out = evidence.left_out.iter();
    let left_out: Vec<_> = left_out
        .map(|left| {
            (
                left.setting.as_str(),
                left.steps.join(" "),
                left.reason.as_str(),
            )
        })
        .collect();
    let unoffered = "toolchain 'scripted' offers no 'no-components'";
    let expected = [
        (
            "no-components",
            "%sycl-clang++ b %sycl-clang++ d".to_owned(),
            unoffered,
        ),
        ("opencl-cpu", "%sycl-clang++ c".to_owned(), why),
    ];
    assert_eq!(left_out, expected);

    // A failure of what is run is one.
    let broken = offering("echo broken", &["no-device"]);
    case.body.needs.clear();
    let evidence = runner(&broken).run(&case);
    assert!(evidence.wrong.is_some() && !evidence.left_out.is_empty());

    // Of a step that only others answer for, nothing is asked.
    let mut beyond = case.clone();
    beyond.body.steps[1].beyond = Some("it is ours".to_owned());
    let obstacle = runner(&toolchain).obstacle(&beyond).unwrap();
    assert_eq!(
        (obstacle.verdict, obstacle.reason.as_str()),
        (Verdict::NotObservable, why)
    );

    // What is asked of one device may be in steps of either of its settings.
    let of_one_device = "- {run: '%sycl-clang++ a', with: opencl-cpu, stdout: {equals: opencl-cpu}}\n\
                         - {run: '%sycl-clang++ b', with: opencl-cpu-traced, stdout: {equals: never}}\n";
    let untraced = offering(script, &["opencl-cpu"]);
    let obstacle = runner(&untraced).obstacle(&scripted::case(root.path(), of_one_device));
    assert_eq!(obstacle.unwrap().verdict, Verdict::Skipped);

    // Where no setting is here, nothing is run.
    let none = Scripted::new(script);
    let obstacle = runner(&none).obstacle(&case).unwrap();
    assert_eq!(obstacle.verdict, Verdict::Skipped);
    let mut hiding = Scripted::new(script);
    hiding.hidden.clone_from(&toolchain.hidden);
    let obstacle = runner(&hiding).obstacle(&case).unwrap();
    assert_eq!(
        (obstacle.verdict, obstacle.reason.as_str()),
        (Verdict::NotObservable, why)
    );
}

#[test]
fn what_dangles_is_found() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let steps = "- run: '%sycl-clang++ %nothing'\n  with: nowhere\n";
    let library = Library {
        cases: vec![case(root.path(), steps)],
        ..Library::default()
    };
    std::fs::create_dir_all(layout.golden.join("mine/harness")).unwrap();
    std::fs::write(layout.golden.join("mine/harness/old.text.snap"), "").unwrap();
    let found = library
        .dangling(&layout, &Tools::load(&layout).unwrap())
        .join("\n");
    for expected in [
        "no requirement OFF-X-001",
        "no placeholder '%nothing'",
        "no setting 'nowhere'",
        "golden/mine/harness/old.text.snap: no case names it",
    ] {
        assert!(found.contains(expected), "{found}");
    }
    let mut toolchain = Scripted::new("true");
    toolchain.deviations.push(known("harness/gone"));
    assert_eq!(library.stale_deviations(&toolchain).len(), 1);
}

/// An entry of a list of deviations.
fn known(case: &str) -> Deviation {
    Deviation {
        case: case.to_owned(),
        reason: "it does not".to_owned(),
        link: Link::Address("https://example.org/1".to_owned()),
        spirv_writer: None,
        breaks: None,
        crashes: false,
        says: None,
        by_hand: None,
    }
}

/// An entry of a list that accuses a toolchain of nothing which a document asks of it.
#[test]
fn a_deviation_without_grounds_is_found() {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let entry = |id: &str, strength: &str, role: &str| {
        format!(
            "  - {{id: {id}, section: S, strength: {strength}, role: {role}, statement: it does}}\n"
        )
    };
    let text = format!(
        "document: OFF\nrequirements:\n{}{}{}",
        entry("OFF-X-001", "must", "runtime"),
        entry("OFF-X-002", "may", "sycl-clang++"),
        entry("OFF-X-003", "must", "sycl-clang++"),
    );
    let spec = root.path().join("suites/spec");
    std::fs::create_dir_all(&spec).unwrap();
    std::fs::write(spec.join("off.yaml"), text).unwrap();
    let mut case = case(root.path(), "- run: '%sycl-clang++'\n");
    case.body.requirements = ["OFF-X-001", "OFF-X-002"].map(str::to_owned).into();
    let mut library = Library {
        catalogue: Catalogue::load(&layout.spec).unwrap(),
        cases: vec![case],
    };
    let mut toolchain = Scripted::new("true");
    toolchain.deviations = vec![known("harness/one")];
    let breaks = |toolchain: &mut Scripted, id: &str| {
        toolchain.deviations[0].breaks = Some(vec![id.to_owned()]);
    };
    let none: [&str; 0] = [];
    assert_eq!(library.stale_deviations(&toolchain), none);
    let section = |heading: &str| Link::Section(Document::Off, heading.to_owned());
    toolchain.deviations[0].link = section("T");
    let found = library.stale_deviations(&toolchain).join("\n");
    assert!(
        found.contains("no requirement stands in OFF, \"T\""),
        "{found}"
    );
    toolchain.deviations[0].link = section("S");
    assert_eq!(library.stale_deviations(&toolchain), none);
    for (id, expected) in [
        ("OFF-X-003", "does not cite OFF-X-003"),
        ("OFF-X-002", "OFF-X-002 is left open"),
    ] {
        breaks(&mut toolchain, id);
        let found = library.stale_deviations(&toolchain).join("\n");
        assert!(found.contains(expected), "{found}");
    }
    breaks(&mut toolchain, "OFF-X-001");
    assert_eq!(library.stale_deviations(&toolchain), none);
    toolchain.borrows = vec!["runtime".to_owned()];
    assert_eq!(library.stale_deviations(&toolchain).len(), 1);
    toolchain.deviations[0].breaks = None;
    assert_eq!(library.stale_deviations(&toolchain).len(), 1);
    toolchain.borrows.clear();
    library.cases[0].body.beyond = Some("ours".to_owned());
    let found = library.stale_deviations(&toolchain).join("\n");
    assert!(found.contains("goes beyond the documents"), "{found}");
    toolchain.deviations[0].crashes = true;
    assert_eq!(library.stale_deviations(&toolchain), none);
}
