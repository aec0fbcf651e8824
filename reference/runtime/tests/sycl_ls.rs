//! What `sycl-ls` lists, with the CPU device, and without a device. Where set-up brought no CPU device, what needs
//! one is told as skipped.

use std::process::ExitCode;

use components::process::{Job, Output};
use components::{Component, Components};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = Components::here().map_or_else(
        |e| Some(e.to_string()),
        |components| Some(components.find(Component::OpenClCpu).err()?.to_string()),
    );
    let test = |name, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let with_cpu = |trial: Trial| match &missing {
        None => trial,
        Some(why) => trial
            .with_kind(format!("skipped: {why}"))
            .with_ignored_flag(true),
    };
    let trials = vec![
        with_cpu(test("a_device_is_a_line", a_device_is_a_line)),
        with_cpu(test("more_is_said_on_request", more_is_said_on_request)),
        test("without_a_device_it_says_why", without_a_device_it_says_why),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The tool, with a choice of devices.
fn listed(choice: &str, arguments: &[&str]) -> Output {
    let job = Job::new(env!("CARGO_BIN_EXE_sycl-ls")).args(arguments.iter().copied());
    job.env("PLUMBLINE_DEVICE", choice).output(b"").unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn a_device_is_a_line() {
    let output = listed("opencl:cpu", &[]);
    let lines = text(&output.stdout);
    assert!(output.status.success());
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let (words, rest) = lines.split_once("] ").unwrap();
    let number = words.strip_prefix("[opencl:cpu][opencl:").unwrap();
    assert!(number.parse::<usize>().is_ok(), "{lines}");
    assert!(rest.contains(", ") && rest.ends_with("]\n"), "{lines}");
    // The number is what both variables take.
    assert_eq!(
        text(&listed(&format!("opencl:{number}"), &[]).stdout),
        lines
    );
    let all = listed("opencl:999", &["--ignore-device-selectors"]);
    assert!(text(&all.stdout).contains(&lines));
}

fn more_is_said_on_request() {
    let verbose = text(&listed("opencl:cpu", &["--verbose"]).stdout);
    for part in ["Platforms: 1\n", "Type     : cpu\n", "Aspects  : cpu "] {
        assert!(verbose.contains(part), "{verbose}");
    }
    let json = listed("opencl:cpu", &["--json"]).stdout;
    let platforms: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let device = &platforms[0]["devices"][0];
    assert_eq!(device["type"], "cpu");
    assert!(
        device["global-memory"]
            .as_u64()
            .is_some_and(|bytes| bytes > 0)
    );
    let aspects = device["aspects"].as_array().unwrap();
    assert!(
        aspects
            .iter()
            .any(|aspect| aspect == "usm_device_allocations")
    );
}

fn without_a_device_it_says_why() {
    let output = listed("opencl:999", &[]);
    assert!(output.stdout.is_empty() && output.status.success());
    let why = text(&output.stderr);
    assert!(
        why.contains("no SYCL device found that PLUMBLINE_DEVICE=opencl:999 shows"),
        "{why}"
    );
    let malformed = listed("nonsense:cpu", &[]);
    assert_eq!(malformed.status.code(), Some(1));
    assert!(text(&malformed.stderr).contains("'nonsense:cpu' is no device"));
}
