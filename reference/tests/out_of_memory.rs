//! Where LLVM gets no memory, a tool ends with exit status 1 and a message that says so and names the file,
//! whatever it was at: not by a signal, and not as if the file were broken.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use components::process::Job;
use reference::llvm::{context, read, write};

/// Functions of the module, and what each computes.
const FUNCTIONS: usize = 5000;
const STEPS: usize = 100;

/// Limits of a process's address space in KiB, the first of which suffices.
const LIMITS: [u32; 9] = [
    4_000_000, 320_000, 290_000, 270_000, 250_000, 230_000, 210_000, 195_000, 180_000,
];

/// What Rust's library says where it is the one that gets no memory, or no thread: it lets nobody go on.
const OF_RUST: [&str; 2] = ["memory allocation of", "ThreadPoolBuildError"];

fn module() -> String {
    let mut text = String::from("target triple = \"spir64-unknown-unknown\"\n");
    for function in 0..FUNCTIONS {
        let _ = writeln!(
            text,
            "define spir_kernel void @f{function}(ptr addrspace(1) %p, i32 %v0) {{"
        );
        for step in 0..STEPS {
            let number = function * 131 + step;
            let _ = writeln!(text, "  %v{} = mul i32 %v{step}, {number}", step + 1);
        }
        let _ = writeln!(
            text,
            "  store i32 %v{STEPS}, ptr addrspace(1) %p\n  ret void\n}}"
        );
    }
    text
}

/// Exit status and standard error of a split of `module` with `limit`.
fn split(module: &Path, limit: u32) -> (Option<i32>, String) {
    let job = Job::new("/bin/sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
        .arg(limit.to_string())
        .arg(env!("CARGO_BIN_EXE_sycl-post-link"))
        .args(["-split=source", "-o"])
        .arg(module.with_extension("table"))
        .arg(module)
        // Each thread takes address space.
        .env("RAYON_NUM_THREADS", "2")
        .limit(Duration::from_secs(120));
    let output = job.output(b"").unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn used_up_memory_is_an_ordinary_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.bc");
    let context = context();
    let module = read::module(&context, module().as_bytes(), "large").unwrap();
    std::fs::write(&file, write::bitcode(&module)).unwrap();
    let mut told = 0;
    for limit in LIMITS {
        let (code, said) = split(&file, limit);
        println!("{limit} KiB: {code:?} {said}");
        if OF_RUST.iter().any(|words| said.contains(words)) {
            continue;
        }
        assert_eq!(
            code,
            Some(i32::from(!said.is_empty())),
            "{limit} KiB: {said}"
        );
        assert!(code == Some(0) || limit != LIMITS[0], "{said}");
        assert!(!said.contains("not a valid"), "{limit} KiB: {said}");
        if said.contains("out of memory") {
            assert!(said.contains("large.bc"), "{limit} KiB: {said}");
            told += 1;
        }
    }
    assert!(told > 0, "memory was used up in none of these");
}
