//! Another suite of the machine's own package archive, read by apt with files of its own: it checks
//! the suite's signature and the hash of everything that it downloads, and leaves the system alone.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::{Job, JobError};

use crate::failure::Failure;

/// The suites that there are to look into, the steadiest first.
pub const SUITES: [&str; 2] = ["trixie", "sid"];

/// The packages `names` and all that they need, out of the first of `suites` that has them; what was
/// downloaded into `folder` before an interruption is not downloaded again.
pub fn fetched(
    names: &[&str],
    suites: &[&'static str],
    folder: &Path,
) -> Result<(&'static str, Vec<PathBuf>), Failure> {
    let archive = archive()?;
    let mut said = String::new();
    for suite in suites {
        match fetch(names, &archive, suite, &folder.join(suite)) {
            Ok(packages) => return Ok((suite, packages)),
            Err(reason) => said += &format!("\n  {suite}: {reason}"),
        }
    }
    Err(Failure::new(format!(
        "cannot bring {}:{said}",
        names.join(" ")
    )))
}

/// The address of the archive that the machine's own suite comes from, as its sources name it.
fn archive() -> Result<String, Failure> {
    let format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
    let job =
        Job::new("apt-get").args(["indextargets", "--format", format, "Created-By: Packages"]);
    let answer = job.capture(b"").map_err(Failure::new)?;
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let found = archive_in(&String::from_utf8_lossy(&answer.stdout), codename);
    found.ok_or_else(|| Failure::new("apt's sources name no archive of a Debian suite"))
}

/// The archive that serves the suite of this name, or else one of those that are looked into.
fn archive_in(targets: &str, codename: Option<&str>) -> Option<String> {
    let lines = targets.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (uri, release) = (words.next()?, words.next()?);
        (words.next()? == "main").then_some((uri, release))
    });
    let served = |(_, release): &(&str, &str)| {
        Some(*release) == codename || SUITES.contains(release) || *release == "unstable"
    };
    lines
        .into_iter()
        .find(served)
        .map(|(uri, _)| uri.to_owned())
}

/// Has apt download packages and all that they need, as onto a machine where nothing is installed.
fn fetch(
    names: &[&str],
    archive: &str,
    suite: &str,
    folder: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let fail = |e: std::io::Error| Failure::at(folder, e);
    let (lists, cache) = (folder.join("lists"), folder.join("cache"));
    let (sources, status) = (folder.join("sources.list"), folder.join("status"));
    for folder in [&lists, &cache] {
        fs::create_dir_all(folder.join("partial")).map_err(fail)?;
    }
    fs::write(&sources, format!("deb {archive} {suite} main\n")).map_err(fail)?;
    fs::write(&status, "").map_err(fail)?;
    let set = |name: &str, path: &Path| {
        let mut word = OsString::from(format!("{name}="));
        word.push(path);
        ["-o".into(), word]
    };
    let apt = Job::new("apt-get")
        .args(set("Dir::Etc::SourceList", &sources))
        .args(set("Dir::Etc::SourceParts", Path::new("/dev/null")))
        .args(set("Dir::State::Lists", &lists))
        .args(set("Dir::State::Status", &status))
        .args(set("Dir::State::Extended_States", &folder.join("extended")))
        .args(set("Dir::Cache", folder))
        .args(set("Dir::Cache::Archives", &cache))
        // Nothing here belongs to the user that apt downloads as for the system.
        .args(["-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none"])
        // A mirror that stands still has lists that expire. They are signed, and may be old: what comes of them is
        // a toolchain to be judged, and is installed nowhere.
        .args(["-o", "Acquire::Check-Valid-Until=false"])
        .args(["-o", "Debug::NoLocking=1", "--quiet"]);
    let run = |words: &[&str]| apt.clone().args(words).capture(b"").map_err(|e| reason(&e));
    run(&["-o", "APT::Update::Error-Mode=any", "update"])?;
    // A suite that moved on since an interruption: what it no longer has is not to be unpacked.
    run(&["autoclean"])?;
    let options = [
        "install",
        "--yes",
        "--download-only",
        "--no-install-recommends",
    ];
    run(&[&options, names].concat())?;
    let entries = fs::read_dir(&cache).map_err(fail)?;
    let mut packages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    packages.retain(|path| path.extension().is_some_and(|e| e == "deb"));
    packages.sort();
    Ok(packages)
}

/// What apt or dpkg said in the end.
pub fn reason(error: &JobError) -> Failure {
    let output = match error {
        JobError::Failed {
            output: Some(output),
            ..
        } => String::from_utf8_lossy(&output.stderr).into_owned(),
        _ => String::new(),
    };
    let said = output.lines().rfind(|line| line.starts_with("E:"));
    Failure::new(said.map_or_else(|| error.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_that_of_the_machine_s_own_suite() {
        let targets = "http://other/ stable main\n\
                       http://security/ bookworm-security main\n\
                       http://archive/ bookworm contrib\n\
                       http://archive/debian/ bookworm main\n";
        let found = archive_in(targets, Some("bookworm"));
        assert_eq!(found.as_deref(), Some("http://archive/debian/"));
        assert_eq!(archive_in(targets, Some("noble")), None);
        assert_eq!(
            archive_in("http://a/ unstable main\n", None).as_deref(),
            Some("http://a/")
        );
    }
}
