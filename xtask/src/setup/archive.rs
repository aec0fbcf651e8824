//! Programs that the machine's own suite does not have, out of another suite of the same package
//! archive (`setup --toolchain NAME`).
//!
//! apt reads the other suite with files of its own, checks its signature and the hash of everything
//! that it downloads, and leaves the system as it is. What comes is unpacked with all the libraries
//! that it needs, its C library included, and runs over the loader that came with it. Suites move, so
//! nothing is pinned here: a file beside the program says what was taken.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use components::home::{Entry, Home};
use components::process::{Job, JobError};
use serde::Serialize;

use super::download;
use crate::failure::{Failure, Outcome};

/// What can be brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Toolchain {
    /// The translator from LLVM bitcode to SPIR-V.
    #[value(name = "llvm-spirv-19")]
    LlvmSpirv19,
}

impl Toolchain {
    /// Its name, which is that of its package, of its program and of its component.
    fn name(self) -> &'static str {
        match self {
            Toolchain::LlvmSpirv19 => "llvm-spirv-19",
        }
    }
}

/// The suites that are looked into, the steadiest first.
const SUITES: [&str; 2] = ["trixie", "sid"];

/// Where the libraries of a package lie.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// The name of the record of what was taken.
const RECORD: &str = "packages.json";

/// One package, as it came.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Taken {
    package: String,
    version: String,
    sha256: String,
}

/// Brings a toolchain into place, the newest that the archive has; what was there of it goes.
pub fn bring(toolchain: Toolchain, home: &mut Home) -> Outcome {
    let name = toolchain.name();
    let fail = |e: std::io::Error| Failure::at(&home.folder, e);
    let scratch = tempfile::tempdir_in(&home.folder).map_err(fail)?;
    let archive = archive()?;
    let spinner = crate::progress::spinner(format!("looking for {name}"));
    let fetched = fetched(name, &archive, scratch.path());
    spinner.finish_and_clear();
    let (suite, packages) = fetched?;
    let entry = unpacked(name, &packages, &home.folder)?;
    eprintln!("set-up: {name} {} of {suite}", entry.version);
    home.entries.retain(|other| other.name != entry.name);
    home.entries.push(entry);
    home.entries.sort_by(|a, b| a.name.cmp(&b.name));
    home.write().map_err(|e| Failure::at(&home.folder, e))
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

/// The packages of the first suite that has `name`, in `folder`.
fn fetched(
    name: &str,
    archive: &str,
    folder: &Path,
) -> Result<(&'static str, Vec<PathBuf>), Failure> {
    let mut said = String::new();
    for suite in SUITES {
        let folder = folder.join(suite);
        match fetch(name, archive, suite, &folder) {
            Ok(packages) => return Ok((suite, packages)),
            Err(reason) => said += &format!("\n  {suite}: {reason}"),
        }
    }
    Err(Failure::new(format!("cannot bring {name}:{said}")))
}

/// Has apt download a package and all that it needs, as onto a machine where nothing is installed.
fn fetch(name: &str, archive: &str, suite: &str, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
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
        .args(["-o", "Debug::NoLocking=1", "--quiet"]);
    let run = |words: &[&str]| apt.clone().args(words).capture(b"").map_err(|e| reason(&e));
    run(&["-o", "APT::Update::Error-Mode=any", "update"])?;
    run(&[
        "install",
        "--yes",
        "--download-only",
        "--no-install-recommends",
        name,
    ])?;
    let entries = fs::read_dir(&cache).map_err(fail)?;
    let mut packages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    packages.retain(|path| path.extension().is_some_and(|e| e == "deb"));
    packages.sort();
    Ok(packages)
}

/// What apt said in the end.
fn reason(error: &JobError) -> Failure {
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

/// Unpacks packages into the folder of the component `name`, which appears whole or not at all.
fn unpacked(name: &str, packages: &[PathBuf], home: &Path) -> Result<Entry, Failure> {
    let record: Vec<Taken> = packages
        .iter()
        .map(|path| taken(path))
        .collect::<Result<_, _>>()?;
    let version = record.iter().find(|taken| taken.package == name);
    let version = version.map(|taken| taken.version.clone());
    let version = version.ok_or_else(|| Failure::new(format!("apt brought no {name}")))?;
    let folder = PathBuf::from(format!("{name}-{version}"));
    let (partial, whole) = (
        home.join(format!(".{}.partial", folder.display())),
        home.join(&folder),
    );
    let fail = |e: std::io::Error| Failure::at(&partial, e);
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(fail)?;
    }
    let all = partial.join("all");
    fs::create_dir_all(&all).map_err(fail)?;
    for package in packages {
        let job = Job::new("dpkg-deb").arg("--extract").arg(package).arg(&all);
        job.capture(b"").map_err(|e| reason(&e))?;
    }
    keep(&all, &partial, name)?;
    fs::remove_dir_all(&all).map_err(fail)?;
    let text = serde_json::to_string_pretty(&record).map_err(Failure::new)?;
    fs::write(partial.join(RECORD), text + "\n").map_err(fail)?;
    if whole.exists() {
        fs::remove_dir_all(&whole).map_err(fail)?;
    }
    fs::rename(&partial, &whole).map_err(fail)?;
    Ok(Entry {
        name: name.to_owned(),
        version,
        folder,
    })
}

/// What a package says of itself, and the hash of its file.
fn taken(package: &Path) -> Result<Taken, Failure> {
    let field = |name: &str| {
        let job = Job::new("dpkg-deb").arg("--field").arg(package).arg(name);
        let answer = job.capture(b"").map_err(|e| reason(&e))?;
        Ok::<_, Failure>(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
    };
    Ok(Taken {
        package: field("Package")?,
        version: field("Version")?,
        sha256: download::sha256(package)?,
    })
}

/// Keeps of the unpacked packages the program, the shared libraries and the licences.
fn keep(all: &Path, folder: &Path, name: &str) -> Outcome {
    let (lib, bin) = (folder.join("lib"), folder.join("bin"));
    let licences = folder.join("licences");
    for folder in [&lib, &bin, &licences] {
        fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    }
    let libraries = all.join(LIBRARIES);
    for path in files(&libraries)? {
        let name = path.file_name().unwrap_or_default().to_owned();
        let is_library = name.to_string_lossy().contains(".so");
        if is_library && path.is_file() {
            // Each name becomes a file of its own: the links among them name places in the system.
            let whole = path.canonicalize().map_err(|e| Failure::at(&path, e))?;
            put(&whole, &lib.join(name))?;
        }
    }
    for documents in files(&all.join("usr/share/doc"))? {
        let licence = documents.join("copyright");
        if licence.is_file() {
            let name = documents.file_name().unwrap_or_default();
            put(&licence, &licences.join(name))?;
        }
    }
    let program = all.join("usr/bin").join(name);
    let program = program
        .canonicalize()
        .map_err(|e| Failure::at(&program, e))?;
    put(&program, &lib.join(name))?;
    write_starter(&bin.join(name), name)
}

/// A second name for a file, or a copy of it.
fn put(from: &Path, to: &Path) -> Outcome {
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(|e| Failure::at(to, e))
}

/// Writes the program that starts the one in `lib` over its own loader, wherever the folder lies.
fn write_starter(path: &Path, name: &str) -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    let text = format!(
        "#!/bin/sh\n\
         lib=${{0%/*}}/../lib\n\
         exec \"$lib/ld-linux-x86-64.so.2\" --library-path \"$lib\" \"$lib/{name}\" \"$@\"\n"
    );
    let written = File::create(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(0o755))
    });
    written.map_err(|e| Failure::at(path, e))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
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

    #[test]
    fn a_program_is_started_over_the_loader_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let (lib, bin) = (root.path().join("lib"), root.path().join("bin"));
        for folder in [&lib, &bin] {
            fs::create_dir(folder).unwrap();
        }
        // In place of the loader: what tells its words.
        put(Path::new("/bin/echo"), &lib.join("ld-linux-x86-64.so.2")).unwrap();
        write_starter(&bin.join("tool"), "tool").unwrap();
        let said = Job::new(bin.join("tool")).arg("a b").capture(b"").unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(said.ends_with("/lib/tool a b\n"), "{said}");
        assert!(said.starts_with("--library-path "), "{said}");
    }
}
