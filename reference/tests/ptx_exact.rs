//! The exact functions of the device libraries for PTX, which are integer arithmetic in plain C++,
//! compiled for the host and compared with its C library: nobody needs a GPU for that.

use std::path::Path;

use components::process::Job;
use components::{Component, Components};

fn check(real: &str) {
    let clang = Components::here().unwrap().find(Component::Clang).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx_exact.cpp");
    Job::new(&clang.path)
        .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-DREAL={real}"))
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .run()
        .unwrap();
    let output = Job::new(&program).output(&[]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(42), "{said}");
}

#[test]
fn exact_functions_of_single_precision_are_the_c_librarys() {
    check("float");
}

#[test]
fn exact_functions_of_double_precision_are_the_c_librarys() {
    check("double");
}
