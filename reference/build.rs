//! Builds the shim over what LLVM's C interface lacks, against the same LLVM that `llvm-sys` finds.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let config = llvm_config();
    let flags = output_of(&config, "--cxxflags");
    let mut build = cc::Build::new();
    build.cpp(true).warnings(true);
    // What LLVM's templates become here is nobody else's: a linker keeps visible copies of what
    // libLLVM has too, and with them libLLVM in programs that use none of it.
    build.flag("-fvisibility=hidden");
    for flag in flags.split_whitespace() {
        // LLVM's headers are not ours to keep free of warnings.
        match flag.strip_prefix("-I") {
            Some(folder) => build.flag("-isystem").flag(folder),
            None => build.flag(flag),
        };
    }
    build
        .file("shim/subset.cpp")
        .file("shim/module.cpp")
        .file("shim/passes.cpp")
        .compile("plumbline_llvm_shim");
}

/// The `llvm-config` of the LLVM in use, looked for where `llvm-sys` looks.
fn llvm_config() -> String {
    if let Ok(prefix) = env::var("LLVM_SYS_191_PREFIX") {
        return format!("{prefix}/bin/llvm-config");
    }
    ["llvm-config-19", "llvm-config"]
        .into_iter()
        .find(|name| {
            Command::new(name)
                .arg("--version")
                .output()
                .is_ok_and(|found| found.stdout.starts_with(b"19."))
        })
        .unwrap_or_else(|| panic!("no llvm-config of LLVM 19; install llvm-19-dev"))
        .to_owned()
}

fn output_of(program: &str, argument: &str) -> String {
    let output = Command::new(program)
        .arg(argument)
        .output()
        .unwrap_or_else(|e| panic!("cannot start {program}: {e}"));
    assert!(output.status.success(), "{program} {argument} failed");
    String::from_utf8(output.stdout).unwrap_or_else(|e| panic!("{program} {argument}: {e}"))
}
