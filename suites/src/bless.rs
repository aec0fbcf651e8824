//! Golden files of a toolchain, written anew or held against what it does now: only cases that golden
//! files hold are run. `cargo xtask bless` sets `INSTA_UPDATE`, by which `insta` writes them or does not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use components::process::Job;

use crate::case::Case;
use crate::golden::Set;
use crate::layout::{Layout, files_under};
use crate::library::Library;
use crate::run::Runner;
use crate::toolchain::{Described, Toolchain as _};
use crate::tools::Tools;

/// What came of it.
#[derive(Debug, Default)]
pub struct Blessing {
    /// Files that were written anew.
    pub written: Vec<PathBuf>,
    /// Files that no case names; they are gone unless the run only looked.
    pub stale: Vec<PathBuf>,
    /// Cases that failed, with what was wrong.
    pub wrong: BTreeMap<String, String>,
    /// How many cases could not run, by the reason.
    pub skipped: BTreeMap<String, usize>,
    /// How many cases ran.
    pub ran: usize,
}

impl Blessing {
    /// Whether all golden files are as the toolchain has it.
    #[must_use]
    pub fn holds(&self, check: bool) -> bool {
        self.wrong.is_empty() && !(check && (!self.stale.is_empty() || !self.written.is_empty()))
    }
}

/// How long a toolchain may take to tell its version.
const VERSION: Duration = Duration::from_secs(20);

/// The toolchains that have a set, their own or another's, and for each that is not here, why it cannot be asked.
///
/// # Errors
/// When the folder of sets or a description does not read.
pub fn sets(layout: &Layout) -> Result<Vec<(String, Option<String>)>, String> {
    let cannot = |e: std::io::Error| format!("{}: {e}", layout.golden.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&layout.golden).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    for file in layout.descriptions()? {
        let described = Described::load(&file.to_string_lossy(), layout)?;
        if described.goldens().is_some() {
            names.push(described.name().to_owned());
        }
    }
    names.sort();
    names.dedup();
    let told = |name: String| {
        let toolchain = Described::load(&name, layout)?;
        Ok((name, absent(&toolchain)))
    };
    names.into_iter().map(told).collect()
}

/// Why a toolchain is not here, if so.
#[must_use]
pub fn absent(toolchain: &Described) -> Option<String> {
    toolchain.absent_tool().or_else(|| silent(toolchain))
}

/// What is wrong where a toolchain does not tell its version: what a script in its description starts is
/// not there.
fn silent(toolchain: &Described) -> Option<String> {
    let (program, words) = toolchain.version().split_first()?;
    let mut job = Job::new(program).args(words).limit(VERSION);
    for (name, value) in toolchain.env() {
        job = job.env(name, value);
    }
    match job.output(b"") {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!("its '{program}' ends with {}", output.status)),
        Err(e) => Some(e.to_string()),
    }
}

/// Runs the cases that golden files hold for the toolchain called `name`, and looks for files that no
/// case names. With `check` no file is removed, and `insta` writes none where `INSTA_UPDATE` is `no`.
///
/// # Errors
/// When something does not read or cannot be written, or there is nothing to check.
pub fn bless(
    library: &Library,
    layout: &Layout,
    name: &str,
    check: bool,
) -> Result<Blessing, String> {
    let tools = Tools::load(layout)?;
    let toolchain = Described::load(name, layout)?;
    if let Some(absent) = toolchain.absent_tool() {
        return Err(absent);
    }
    let set = layout.golden.join(toolchain.name());
    let other = toolchain.goldens();
    match (Set::of(toolchain.name(), other, &layout.golden), check) {
        (Some(_), _) => {}
        (None, true) => return Err(format!("there is no '{}'", set.display())),
        (None, false) => {
            std::fs::create_dir_all(&set).map_err(|e| format!("{}: {e}", set.display()))?;
        }
    }
    let before = contents(&set)?;
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout,
    };
    let mut blessing = run(library, runner);
    let after = contents(&set)?.into_iter();
    let written = after.filter(|(file, text)| before.get(file) != Some(text));
    blessing.written = written.map(|(file, _)| file).collect();
    blessing.stale = library.orphans(&layout.golden)?;
    if !check {
        // Those of other toolchains are theirs to clean up.
        blessing.stale.retain(|file| file.starts_with(&set));
        for file in &blessing.stale {
            std::fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display()))?;
        }
    }
    Ok(blessing)
}

/// As many cases at a time as there are processors.
fn run(library: &Library, runner: Runner<'_>) -> Blessing {
    let cases = library.cases.iter();
    let held: Vec<&Case> = cases
        .filter(|case| case.goldens().next().is_some())
        .collect();
    let blessing = Mutex::new(Blessing::default());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(case) = held.get(next.fetch_add(1, Ordering::Relaxed)) {
            let obstacle = runner.obstacle(case);
            let wrong = match obstacle {
                Some(_) => None,
                None => runner.run(case).wrong,
            };
            let Ok(mut blessing) = blessing.lock() else {
                return;
            };
            match (obstacle, wrong) {
                (Some(obstacle), _) => *blessing.skipped.entry(obstacle.reason).or_insert(0) += 1,
                (None, Some(wrong)) => {
                    blessing.ran += 1;
                    blessing.wrong.insert(case.name.clone(), wrong);
                }
                (None, None) => blessing.ran += 1,
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    blessing.into_inner().unwrap_or_default()
}

/// The golden files of a set; what waits for its review is none.
fn contents(set: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    if !set.is_dir() {
        return Ok(BTreeMap::new());
    }
    let files = files_under(set)?.into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|e| e == "snap"));
    let read = |file: PathBuf| {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok((file, text))
    };
    files.map(read).collect()
}
