//! Where the harness finds its data, and where its runs leave theirs.

use std::path::{Path, PathBuf};

use components::home;

/// The folders of one checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The requirement catalogue.
    pub spec: PathBuf,
    /// The cases, one folder a suite.
    pub cases: PathBuf,
    /// The toolchain descriptions.
    pub toolchains: PathBuf,
    /// The seeded faults.
    pub faults: PathBuf,
    /// The file that says which outside programs the cases use as judges.
    pub tools: PathBuf,
    /// Inputs that several cases share.
    pub fixtures: PathBuf,
    /// Expected outputs, one folder a suite.
    pub golden: PathBuf,
    /// The staged reference toolchain, or the installed one that `PLUMBLINE_PREFIX` names.
    pub plumbline: PathBuf,
    /// The folder of the running build's own programs.
    pub build: PathBuf,
    /// The hand-written chapters of the book, and what toolchains came to when they were last judged.
    pub docs: PathBuf,
    /// What is known to fail on devices.
    pub deviations: PathBuf,
    /// Where the runs have their folders.
    pub work: PathBuf,
}

impl Layout {
    /// The layout of the checkout whose root is `root`.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |folder| root.join(folder));
        let prefix = std::env::var_os("PLUMBLINE_PREFIX").map(PathBuf::from);
        Layout {
            spec: root.join("suites/spec"),
            cases: root.join("suites/cases"),
            toolchains: root.join("suites/toolchains"),
            faults: root.join("suites/faults"),
            tools: root.join("suites/tools.yaml"),
            fixtures: root.join("fixtures"),
            golden: root.join("golden"),
            docs: root.join("docs"),
            deviations: root.join("hardware/deviations.yaml"),
            plumbline: prefix.unwrap_or_else(|| target.join("plumbline")),
            build: target.join("release"),
            work: target.join("suites"),
        }
    }

    /// The layout of the checkout that this process is asked about: the one that `PLUMBLINE_ROOT`
    /// names, or the one around the package that cargo (or nextest) runs, around the current folder,
    /// or around the executable. No path of the machine that built it is kept, so that a test program
    /// may run elsewhere.
    #[must_use]
    pub fn here() -> Self {
        if let Some(root) = std::env::var_os("PLUMBLINE_ROOT") {
            return Layout::of(Path::new(&root));
        }
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let places = [
            package,
            std::env::current_dir().ok(),
            std::env::current_exe().ok(),
        ];
        let root = places
            .iter()
            .flatten()
            .flat_map(|place| place.ancestors())
            .find(|folder| folder.join("suites/spec").is_dir());
        Layout::of(root.unwrap_or(Path::new(".")))
    }

    /// Where set-up has put what it calls `name`, or would.
    #[must_use]
    pub fn set_up(&self, name: &str) -> PathBuf {
        let variable = std::env::var_os(home::VARIABLE).map(PathBuf::from);
        let folder = match home::locate(variable, &self.build.join(name)) {
            Some((folder, _)) => folder,
            None => self.work.with_file_name("components"),
        };
        let place = home::Home::read(&folder).ok();
        let place = place.and_then(|home| home.find(name).map(|(place, _)| place));
        place.unwrap_or_else(|| folder.join(name))
    }

    /// The files that describe the shipped toolchains, in a fixed order. What else lies beside them, such
    /// as a script that starts a compiler, is theirs and describes nothing.
    ///
    /// # Errors
    /// Names the folder that cannot be read.
    pub fn descriptions(&self) -> Result<Vec<PathBuf>, String> {
        let mut files = files_under(&self.toolchains)?;
        files.retain(|file| file.parent() == Some(&self.toolchains) && has_extension(file, "yaml"));
        Ok(files)
    }
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// Every file under `folder`, at any depth, in a fixed order; empty when there is no such folder.
///
/// # Errors
/// Names the folder that cannot be read.
pub fn files_under(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    if !folder.exists() {
        return Ok(files);
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(fail)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files.extend(files_under(&entry)?);
        } else {
            files.push(entry);
        }
    }
    Ok(files)
}
