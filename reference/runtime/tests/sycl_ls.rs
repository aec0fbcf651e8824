//! What `sycl-ls` lists, with the CPU device where set-up brought it, and without a device.

use components::process::{Job, Output};
use components::{Component, Components};

/// The tool, with a choice of devices.
fn listed(choice: &str, arguments: &[&str]) -> Output {
    let job = Job::new(env!("CARGO_BIN_EXE_sycl-ls")).args(arguments.iter().copied());
    job.env("PLUMBLINE_DEVICE", choice).output(b"").unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn has_cpu() -> bool {
    let components = Components::here().unwrap();
    let found = components.find(Component::OpenClCpu).is_ok();
    if !found {
        eprintln!("skipped: no OpenCL CPU device");
    }
    found
}

#[test]
fn a_device_is_a_line() {
    if !has_cpu() {
        return;
    }
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

#[test]
fn more_is_said_on_request() {
    if !has_cpu() {
        return;
    }
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

#[test]
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
