//! Programs and drivers that the machine's own suite does not have, out of another suite of the same
//! package archive (`setup --toolchain NAME`).
//!
//! What comes is unpacked with all the libraries that it needs, its C library included, and runs over
//! the loader that came with it. Suites move, so nothing is pinned here: a file beside the programs
//! says what was taken. What is in place stays; removing its folder has the next run bring what the
//! archive has by then.

mod apt;
mod place;
mod pocl;

use std::fs;
use std::path::{Path, PathBuf};

use components::home::{Entry, Home};
use components::process::Job;
use serde::Serialize;

use super::download;
use crate::failure::{Failure, Outcome};

/// What can be brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Toolchain {
    /// The translator from LLVM bitcode to SPIR-V.
    #[value(name = "llvm-spirv-19")]
    LlvmSpirv19,
    /// The translator of LLVM 22, a third writer of SPIR-V for the same cases.
    #[value(name = "llvm-spirv-22")]
    LlvmSpirv22,
    /// Upstream's compiler and offloading tools, to be judged by the suites.
    #[value(name = "llvm-23")]
    Llvm23,
    /// What there is of DPC++, to be judged by the suites: plain set-up brings it.
    #[value(name = "dpcpp-2026.2")]
    Dpcpp,
    /// The compiler that has the SPIR-V back end, to be judged by the suites: plain set-up brings it, and
    /// llvm-23 reads what it makes.
    #[value(name = "clang-22")]
    Clang22,
    /// Upstream's offloading tools of LLVM 19, to be judged by the suites: plain set-up brings them.
    #[value(name = "llvm-19")]
    Llvm19,
    /// PoCL, a second OpenCL device on the processor, of another maker than plain set-up's.
    #[value(name = "pocl")]
    Pocl,
}

/// What of its packages is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// One program.
    Program,
    /// The folder of a whole compiler.
    Prefix(&'static str),
    /// A device's driver, and what it reads and starts.
    Driver,
}

impl Toolchain {
    /// Its name, which is that of its component.
    pub(super) fn name(self) -> &'static str {
        match self {
            Toolchain::LlvmSpirv19 => "llvm-spirv-19",
            Toolchain::LlvmSpirv22 => "llvm-spirv-22",
            Toolchain::Llvm23 => "llvm-23",
            Toolchain::Dpcpp => "dpcpp-2026.2",
            Toolchain::Clang22 => "clang-22",
            Toolchain::Llvm19 => "llvm-19",
            Toolchain::Pocl => "pocl",
        }
    }

    /// Its packages; the version of the first is the toolchain's.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Toolchain::LlvmSpirv19 => &["llvm-spirv-19"],
            Toolchain::LlvmSpirv22 => &["llvm-spirv-22"],
            Toolchain::Llvm23 => &[
                "llvm-23",
                "clang-23",
                "clang-tools-23",
                "lld-23",
                "patchelf",
            ],
            Toolchain::Pocl => &["pocl-opencl-icd"],
            // Plain set-up brings them, from elsewhere.
            Toolchain::Dpcpp | Toolchain::Clang22 | Toolchain::Llvm19 => &[],
        }
    }

    /// The suites that it is looked for in, the first that has it.
    fn suites(self) -> &'static [&'static str] {
        match self {
            // The steadier one has a PoCL before version 7.
            Toolchain::Pocl => &["sid"],
            _ => &apt::SUITES,
        }
    }

    fn kept(self) -> Kept {
        match self {
            Toolchain::LlvmSpirv19
            | Toolchain::LlvmSpirv22
            | Toolchain::Dpcpp
            | Toolchain::Clang22
            | Toolchain::Llvm19 => Kept::Program,
            Toolchain::Llvm23 => Kept::Prefix("usr/lib/llvm-23"),
            Toolchain::Pocl => Kept::Driver,
        }
    }
}

/// The name of the record of what was taken.
const RECORD: &str = "packages.json";

/// One package, as it came.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Taken {
    package: String,
    version: String,
    sha256: String,
}

/// Brings a toolchain into place, the newest that the archive has; silent when it is there.
pub fn bring(toolchain: Toolchain, home: &mut Home) -> Outcome {
    let name = toolchain.name();
    let present = home.find(name).map(|(folder, _)| folder);
    if let Some(folder) = present.filter(|folder| folder.join(RECORD).is_file()) {
        return settled(toolchain, &folder, &folder);
    }
    let downloads = home.folder.join("downloads").join(name);
    fs::create_dir_all(&downloads).map_err(|e| Failure::at(&downloads, e))?;
    let spinner = crate::progress::spinner(format!("set-up: looking for {name}"));
    let fetched = apt::fetched(toolchain.packages(), toolchain.suites(), &downloads);
    spinner.finish_and_clear();
    let (suite, packages) = fetched?;
    let entry = unpacked(toolchain, &packages, &home.folder)?;
    eprintln!("set-up: {name} {} of {suite}", entry.version);
    home.entries.retain(|other| other.name != entry.name);
    home.entries.push(entry);
    home.entries.sort_by(|a, b| a.name.cmp(&b.name));
    home.write().map_err(|e| Failure::at(&home.folder, e))?;
    fs::remove_dir_all(&downloads).map_err(|e| Failure::at(&downloads, e))?;
    // Another set-up's downloads stay.
    let _ = fs::remove_dir(home.folder.join("downloads"));
    Ok(())
}

/// Makes what lies in `folder` run at `place`.
fn settled(toolchain: Toolchain, folder: &Path, place: &Path) -> Outcome {
    match toolchain.kept() {
        Kept::Program | Kept::Driver => Ok(()),
        Kept::Prefix(_) => place::settle(folder, place),
    }
}

/// Unpacks packages into the toolchain's folder, which appears whole or not at all.
fn unpacked(toolchain: Toolchain, packages: &[PathBuf], home: &Path) -> Result<Entry, Failure> {
    let name = toolchain.name();
    let record: Vec<Taken> = packages
        .iter()
        .map(|path| taken(path))
        .collect::<Result<_, _>>()?;
    let main = toolchain.packages().first().copied().unwrap_or(name);
    let version = record.iter().find(|taken| taken.package == main);
    let version = version.map(|taken| without_epoch(&taken.version).to_owned());
    let version = version.ok_or_else(|| Failure::new(format!("apt brought no {main}")))?;
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
        job.capture(b"").map_err(|e| apt::reason(&e))?;
    }
    match toolchain.kept() {
        Kept::Program => place::program(&all, &partial, name)?,
        Kept::Prefix(within) => place::prefix(&all, &partial, within)?,
        Kept::Driver => pocl::driver(&all, &partial)?,
    }
    fs::remove_dir_all(&all).map_err(fail)?;
    settled(toolchain, &partial, &whole)?;
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

/// A package's version as people know it. A colon in the folder's name would part lists of folders.
fn without_epoch(version: &str) -> &str {
    version.split_once(':').map_or(version, |(_, rest)| rest)
}

/// What a package says of itself, and the hash of its file.
fn taken(package: &Path) -> Result<Taken, Failure> {
    let field = |name: &str| {
        let job = Job::new("dpkg-deb").arg("--field").arg(package).arg(name);
        let answer = job.capture(b"").map_err(|e| apt::reason(&e))?;
        Ok::<_, Failure>(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
    };
    Ok(Taken {
        package: field("Package")?,
        version: field("Version")?,
        sha256: download::sha256(package)?,
    })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use suites::layout::Layout;
    use suites::toolchain::{Described, Toolchain as _};

    use super::*;
    use crate::places;

    /// Whoever is told to judge one of them is told how to bring it.
    #[test]
    fn every_shipped_toolchain_can_be_brought() {
        let layout = Layout::of(&places::root());
        for file in layout.descriptions().unwrap() {
            let described = Described::load(&file.to_string_lossy(), &layout).unwrap();
            let name = described.name();
            if !described.is_stand_in() && name != "reference" {
                let toolchain = Toolchain::from_str(name, false).unwrap();
                assert_eq!(toolchain.name(), name);
            }
        }
    }

    #[test]
    fn folders_are_named_without_the_epoch() {
        assert_eq!(without_epoch("1:23.1.4-2"), "23.1.4-2");
        assert_eq!(without_epoch("19.1.6-1"), "19.1.6-1");
    }
}
