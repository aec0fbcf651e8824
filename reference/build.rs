//! Builds the shim over what LLVM's C interface lacks, and links LLVM into the tools.
//!
//! LLVM comes as archives where they are installed: a program that has LLVM inside starts in a
//! quarter of the time that loading and relocating the shared library takes. The words for the
//! linker come last on its line, so that any linker finds what the crates before them refer to.

use std::env;
use std::path::Path;
use std::process::Command;

/// What the stages use of LLVM. Each archive member that the linker takes brings its static
/// constructors along, so what is not named here costs nothing at the start.
const COMPONENTS: [&str; 12] = [
    "aarch64",
    "bitreader",
    "bitwriter",
    "executionengine",
    "irreader",
    "linker",
    "lto",
    "nvptx",
    "passes",
    "target",
    "x86",
    "core",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=shim");
    let llvm = Llvm::wanted();
    println!("cargo::rerun-if-env-changed={}", llvm.variable);
    let config = llvm.config();
    let spirv = has_spirv(&config);
    shim(&config, spirv);
    let components = COMPONENTS.into_iter().chain(spirv.then_some("spirv"));
    let words = archives(&config, components.collect()).unwrap_or_else(|| shared_library(&config));
    for word in &words {
        println!("cargo::rustc-link-arg={word}");
    }
    // For packages that make programs or libraries of this one.
    println!("cargo::metadata=LINK_WORDS={}", words.join("\u{1f}"));
    // Programs at a fixed address need no relocation. Without line tables they are half the size.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rustc-link-arg-bins=-Wl,--strip-debug");
}

/// A release of LLVM that the tools can be built over.
struct Llvm {
    major: &'static str,
    /// Names its folder, where `llvm-sys` looks for it too.
    variable: &'static str,
}

impl Llvm {
    /// The one that the features choose.
    fn wanted() -> Self {
        let llvm19 = Llvm {
            major: "19",
            variable: "LLVM_SYS_191_PREFIX",
        };
        let llvm22 = Llvm {
            major: "22",
            variable: "LLVM_SYS_221_PREFIX",
        };
        match (cfg!(feature = "llvm19"), cfg!(feature = "llvm22")) {
            (true, false) => llvm19,
            (false, true) => llvm22,
            _ => panic!(
                "one of the features llvm19 and llvm22 chooses LLVM: beside the second one, \
                 say --no-default-features"
            ),
        }
    }

    /// The `llvm-config` of the LLVM in use.
    fn config(&self) -> String {
        if let Ok(prefix) = env::var(self.variable) {
            return format!("{prefix}/bin/llvm-config");
        }
        let major = self.major;
        [format!("llvm-config-{major}"), "llvm-config".to_owned()]
            .into_iter()
            .find(|name| {
                let found = Command::new(name).arg("--version").output();
                let version = format!("{major}.");
                found.is_ok_and(|found| found.stdout.starts_with(version.as_bytes()))
            })
            .unwrap_or_else(|| panic!("no llvm-config of LLVM {major}; install llvm-{major}-dev"))
    }
}

/// Whether LLVM's SPIR-V back end is there to be linked. Releases before 20 can have it as an experiment,
/// which is not what the tools are for.
fn has_spirv(config: &str) -> bool {
    let targets = output_of(config, &["--targets-built"]).unwrap_or_else(|e| panic!("{e}"));
    cfg!(feature = "llvm22") && targets.split_whitespace().any(|target| target == "SPIRV")
}

fn shim(config: &str, spirv: bool) {
    let flags = output_of(config, &["--cxxflags"]).unwrap_or_else(|e| panic!("{e}"));
    let mut build = cc::Build::new();
    // The C++ library is linked after LLVM, which needs it too.
    build.cpp(true).cpp_link_stdlib(None).warnings(true);
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
    // LLVM throws nothing, but the C++ library under it does.
    build.flag("-fexceptions");
    if spirv {
        build.define("PLUMBLINE_SPIRV", None);
    }
    build
        .file("shim/subset.cpp")
        .file("shim/module.cpp")
        .file("shim/read.cpp")
        .file("shim/inline.cpp")
        .file("shim/copies.cpp")
        .file("shim/places.cpp")
        .file("shim/dead_ends.cpp")
        .file("shim/edges.cpp")
        .file("shim/initializers.cpp")
        .file("shim/irreducible.cpp")
        .file("shim/member_pointers.cpp")
        .file("shim/parameters.cpp")
        .file("shim/passes.cpp")
        .file("shim/recursion.cpp")
        .file("shim/rows.cpp")
        .file("shim/thin.cpp")
        .file("shim/lto.cpp")
        .file("shim/cache.cpp")
        .file("shim/spirv.cpp")
        .compile("plumbline_llvm_shim");
}

/// The words that link LLVM's archives; `None` when they are not installed.
fn archives(config: &str, components: Vec<&str>) -> Option<Vec<String>> {
    let files = |words: &[&str]| output_of(config, &[&["--link-static"], words].concat()).ok();
    let files = files(&[&["--libfiles"], &components[..]].concat())?;
    let mut words: Vec<String> = files.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() || !words.iter().all(|file| Path::new(file).is_file()) {
        return None;
    }
    words.push(cpp_library());
    let system = output_of(config, &["--link-static", "--system-libs"]).ok()?;
    let system = system.split_whitespace().filter(|word| !unused(word));
    words.extend(system.map(str::to_owned));
    Some(words)
}

/// Whether a library is one that LLVM names for parts that are not taken here: the solver of clang's
/// analyzer, and manifests of Windows programs.
fn unused(word: &str) -> bool {
    ["z3", "xml2"].iter().any(|name| word.contains(name))
}

/// The words that link LLVM's shared library.
fn shared_library(config: &str) -> Vec<String> {
    let output =
        |word| output_of(config, &["--link-shared", word]).unwrap_or_else(|e| panic!("{e}"));
    let words = [output("--ldflags"), output("--libs")].join(" ");
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    words.push("-lstdc++".to_owned());
    words
}

/// The C++ library as an archive where the compiler has one: loading it is a third of what is left
/// of a program's start.
fn cpp_library() -> String {
    let compiler = cc::Build::new().cpp(true).get_compiler();
    let found = compiler
        .to_command()
        .arg("-print-file-name=libstdc++.a")
        .output();
    let path = found.map(|found| String::from_utf8_lossy(&found.stdout).trim().to_owned());
    match path {
        Ok(path) if Path::new(&path).is_absolute() => path,
        _ => "-lstdc++".to_owned(),
    }
}

fn output_of(program: &str, arguments: &[&str]) -> Result<String, String> {
    let line = || format!("{program} {}", arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|e| format!("cannot start {}: {e}", line()))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|e| format!("{}: {e}", line())),
        false => Err(format!("{} failed", line())),
    }
}
