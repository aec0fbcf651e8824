//! The archive of the suites as runners of a fleet have it: made here, unpacked into an empty folder, and run there
//! with nothing but a toolchain, while this source tree is hidden.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use components::process::{Job, Output};
use libtest_mimic::{Arguments, Failed, Trial};
use suites::report::Report;
use suites::verdict::Verdict;

/// Cases that upstream's packager and bundler are held to.
const CHOSEN: [&str; 3] = [
    "offload/bundler-and-upstream",
    "offload/package-as-upstream",
    "offload/package-sycl-versions",
];

/// How long making the archive may take, or running from it.
const LIMIT: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = match missing() {
        None => Trial::test("archive/fleet", || fleet().map_err(Failed::from)),
        Some(why) => Trial::test("archive/fleet", || Ok(()))
            .with_kind(format!("skipped: {why}"))
            .with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

/// What this machine lacks of what the test takes, if anything.
fn missing() -> Option<String> {
    let works = |words: &[&str]| {
        let (program, arguments) = words.split_first()?;
        let job = Job::new(program).args(arguments.iter().copied());
        job.capture(b"").is_ok().then_some(())
    };
    let needs: [(&[&str], &str); 4] = [
        (
            &["cargo-nextest", "nextest", "--version"],
            "no cargo-nextest",
        ),
        (
            &["zstd", "--version"],
            "no zstd, with which tar unpacks the archive",
        ),
        (
            &[
                "unshare",
                "--map-root-user",
                "--mount",
                "mount",
                "-t",
                "tmpfs",
                "none",
                "/mnt",
            ],
            "nobody may hide the source tree here (unshare)",
        ),
        (
            &["/usr/bin/clang-offload-packager-19", "--help"],
            "no clang-offload-packager-19, the toolchain that is judged",
        ),
    ];
    let mut missing = needs.iter().filter(|(words, _)| works(words).is_none());
    missing.next().map(|(_, why)| (*why).to_owned())
}

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    package.parent().unwrap_or(Path::new(".")).to_owned()
}

/// Both parts of a few cases, each tried again where it fails, come to one report of what was judged.
fn fleet() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let place = |name: &str| folder.path().join(name);
    let archive = place("tests.tar.zst");
    let job = Job::new(env!("CARGO_BIN_EXE_xtask")).arg("archive");
    finished(job.arg(&archive).dir(root()))?;
    std::fs::create_dir(place("tests")).map_err(|e| e.to_string())?;
    let job = Job::new("tar").arg("--zstd").arg("-xf").arg(&archive);
    finished(job.arg("-C").arg(place("tests")))?;
    describe(folder.path())?;
    let mut said = String::new();
    for part in ["hash:1/2", "hash:2/2"] {
        let chosen = CHOSEN.map(|name| format!("test(={name})")).join(" | ");
        let mut job = Job::new("unshare").args(["--map-root-user", "--mount", "/bin/sh", "-c"]);
        job = job.arg("mount -t tmpfs none \"$0\" && exec \"$@\"");
        job = job.arg(root()).arg(place("tests/target/conformance/run"));
        job = job.args(["--retries", "1", "--no-tests", "pass"]);
        job = job.args(["--partition", part, "-E", &chosen]);
        job.clean_env = true;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let job = job.env("PATH", path).env("HOME", folder.path());
        let job = job.env("PLUMBLINE_TOOLCHAIN", place("fleet.yaml"));
        let job = job.env("PLUMBLINE_HARDWARE", "none");
        let job = job.env("PLUMBLINE_REPORT", place(&part.replace([':', '/'], "-")));
        let output = finished(job.dir(folder.path()))?;
        said += &String::from_utf8_lossy(&output.stderr);
    }
    // The first start of the packager in each case fails.
    let packs = CHOSEN.iter().filter(|name| name.contains("/package-"));
    if said.matches("FLAKY 2/2").count() < packs.count() {
        return Err(format!("nothing was tried again:\n{said}"));
    }
    let parts = ["hash-1-2", "hash-2-2"].map(|part| place(part).join("merged/fleet"));
    let mut judged = BTreeMap::new();
    for part in parts.iter().filter(|part| part.exists()) {
        for name in ["junit.xml", "index.html"] {
            if !part.join(name).exists() {
                return Err(format!("there is no {name} in {}", part.display()));
            }
        }
        let report = Report::read(&part.join("conformance.json"))?;
        let ran = report.cases.iter();
        let ran = ran.filter(|case| !case.evidence.steps.is_empty());
        judged.extend(ran.map(|case| (case.case.clone(), case.verdict)));
    }
    let expected = CHOSEN.map(|name| (name.to_owned(), Verdict::Passed));
    match judged == BTreeMap::from(expected) {
        true => Ok(()),
        false => Err(format!("judged: {judged:?}")),
    }
}

/// A toolchain whose packager fails when it is first started in a case.
fn describe(folder: &Path) -> Result<(), String> {
    let script = "#!/bin/sh\nseen=$0.$(basename \"$PWD\")\n[ -e \"$seen\" ] || { : > \"$seen\"; exit 1; }\n\
                  exec /usr/bin/clang-offload-packager-19 \"$@\"\n";
    let description = format!(
        "name: fleet\nabout: a packager that fails once\ntools:\n\
         \x20 clang-offload-bundler: [/usr/lib/llvm-19/bin/clang-offload-bundler]\n\
         \x20 clang-offload-packager: [/bin/sh, '%{{here}}/packager/packager']\n\
         writes: ['{}/packager']\n",
        folder.display()
    );
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|e| format!("{}: {e}", file.display()))
    };
    write("packager/packager", script)?;
    write("fleet.yaml", &description)
}

/// Runs a job that has to succeed.
fn finished(job: Job) -> Result<Output, String> {
    let output = job
        .clone()
        .limit(LIMIT)
        .output(b"")
        .map_err(|e| e.to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(output),
        false => Err(format!(
            "{job} ended with {}\n{}{}",
            output.status,
            said(&output.stdout),
            said(&output.stderr)
        )),
    }
}
