//! A toolchain with one fault: a tree of links to the sound one, in which one program is replaced by
//! `faulty`, which applies the fault and runs the sound program, or in which headers are edited, or
//! with a preloaded library beside the runtime.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::registration::VARIABLE;
use super::{Fault, files};
use crate::case::{Case, Outcome};
use crate::deviation::Deviation;
use crate::layout::{Layout, files_under};
use crate::toolchain::{Described, ROLES, Toolchain};
use crate::tools::Tools;

/// What `faulty` and the preloaded library read: `faulty.json` at the root of the tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// The fault.
    pub fault: Fault,
    /// The program that `faulty` stands in place of.
    pub sound: PathBuf,
    /// The programs of [`files::TOOLS`].
    pub tools: BTreeMap<String, PathBuf>,
}

impl Plan {
    /// The plan of the tree at `root`; `None` while the fault is switched off.
    ///
    /// # Errors
    /// When there is no plan, or it does not read.
    pub fn read(root: &Path) -> Result<(Plan, bool), String> {
        let file = root.join("faulty.json");
        let fail = |e: String| format!("{}: {e}", file.display());
        let text = fs::read(&file).map_err(|e| fail(e.to_string()))?;
        let plan = serde_json::from_slice(&text).map_err(|e| fail(e.to_string()))?;
        Ok((plan, !root.join("off").exists()))
    }

    /// Notes that the fault did something.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn note_bite(root: &Path, what: &str) -> Result<(), String> {
        note(&root.join("bites"), what)
    }

    /// Notes that the fault could not be applied.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn note_break(root: &Path, what: &str) -> Result<(), String> {
        note(&root.join("breaks"), what)
    }
}

fn note(file: &Path, what: &str) -> Result<(), String> {
    let line = format!("{what}\n");
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.map_err(|e| format!("{}: {e}", file.display()))
}

/// A toolchain with one fault, which can be switched off.
#[derive(Debug)]
pub struct FaultyToolchain<'a> {
    sound: &'a Described,
    name: String,
    root: PathBuf,
    tools: BTreeMap<&'static str, Vec<String>>,
    env: BTreeMap<String, String>,
    fault: &'a Fault,
    include: Option<PathBuf>,
    /// Where its tools note that the fault did something, and what the sound one writes to.
    writes: Vec<PathBuf>,
}

impl<'a> FaultyToolchain<'a> {
    /// Makes the tree, with the fault switched on.
    ///
    /// # Errors
    /// When it cannot be made; names the file.
    pub fn stage(
        fault: &'a Fault,
        sound: &'a Described,
        layout: &Layout,
        tools: &Tools,
    ) -> Result<Self, String> {
        let name = format!("faulty-{}", fault.name);
        let root = layout.work.join(&name).join("tree");
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|e| at(&root, &e))?;
        }
        let bin = root.join("bin");
        fs::create_dir_all(&bin).map_err(|e| at(&bin, &e))?;
        let writes = std::iter::once(root.clone()).chain(sound.writes().iter().cloned());
        let mut staged = FaultyToolchain {
            sound,
            name,
            writes: writes.collect(),
            root,
            tools: BTreeMap::new(),
            env: sound.env().clone(),
            fault,
            include: None,
        };
        let mut original = PathBuf::new();
        for role in ROLES {
            let Some([program, words @ ..]) = sound.command(role) else {
                continue;
            };
            let program = located(program)?;
            let is_faulty = role == fault.role;
            let own = bin.join(program.file_name().unwrap_or(role.as_ref()));
            if is_faulty {
                original = own.with_file_name(format!("{role}.sound"));
                link(&program, &original)?;
                link(&layout.build.join("faulty"), &own)?;
            } else {
                link(&program, &own)?;
            }
            staged.link_beside(&program)?;
            let own = [own.to_string_lossy().into_owned()];
            staged.tools.insert(role, [&own, words].concat());
        }
        if fault.edits.registers.is_some() {
            let library = layout.build.join("libfaulty_registration.so");
            let text = |path: &Path| path.to_string_lossy().into_owned();
            staged.env.insert("LD_PRELOAD".to_owned(), text(&library));
            staged.env.insert(VARIABLE.to_owned(), text(&staged.root));
        }
        let found = |name: &&str| tools.program(name)?.as_ref().ok().cloned();
        let tools = files::TOOLS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), found(name)?)));
        let plan = Plan {
            fault: fault.clone(),
            sound: original,
            tools: tools.collect(),
        };
        let file = staged.root.join("faulty.json");
        let json = serde_json::to_vec_pretty(&plan).map_err(|e| e.to_string())?;
        fs::write(&file, json).map_err(|e| at(&file, &e))?;
        staged.switch(true)?;
        Ok(staged)
    }

    /// Links the folders that an installed toolchain has beside `bin`, once.
    fn link_beside(&mut self, program: &Path) -> Result<(), String> {
        let prefix = program.parent().and_then(Path::parent).unwrap_or(program);
        for folder in ["lib", "share", "include"] {
            let (there, here) = (prefix.join(folder), self.root.join(folder));
            if !there.is_dir() {
                continue;
            }
            if folder == "include" {
                self.include = Some(there);
            } else if !here.exists() {
                std::os::unix::fs::symlink(&there, &here).map_err(|e| at(&here, &e))?;
            }
        }
        Ok(())
    }

    /// Switches the fault on or off, and forgets what it did.
    ///
    /// # Errors
    /// When the tree cannot be changed; names the file.
    pub fn switch(&self, on: bool) -> Result<(), String> {
        for note in ["off", "bites", "breaks"] {
            let file = self.root.join(note);
            if file.exists() {
                fs::remove_file(&file).map_err(|e| at(&file, &e))?;
            }
        }
        if !on {
            let file = self.root.join("off");
            fs::write(&file, "").map_err(|e| at(&file, &e))?;
        }
        self.include
            .as_ref()
            .map_or(Ok(()), |sound| self.headers(sound, on))
    }

    /// The toolchain's headers: linked, or copied with the fault's changes in them.
    fn headers(&self, sound: &Path, on: bool) -> Result<(), String> {
        let here = self.root.join("include");
        if here.is_symlink() {
            fs::remove_file(&here).map_err(|e| at(&here, &e))?;
        } else if here.exists() {
            fs::remove_dir_all(&here).map_err(|e| at(&here, &e))?;
        }
        if !on || self.fault.edits.headers.is_empty() {
            return std::os::unix::fs::symlink(sound, &here).map_err(|e| at(&here, &e));
        }
        for file in files_under(sound)? {
            let within = file.strip_prefix(sound).unwrap_or(&file);
            let mut bytes = fs::read(&file).map_err(|e| at(&file, &e))?;
            for edit in &self.fault.edits.headers {
                if edit.file.whole()?.is_match(&within.to_string_lossy()) {
                    let edited = edit.apply(&bytes, &BTreeMap::new(), &self.root)?;
                    if edited != bytes {
                        Plan::note_bite(&self.root, &within.to_string_lossy())?;
                    }
                    bytes = edited;
                }
            }
            let copy = here.join(within);
            let folder = copy.parent().unwrap_or(&here);
            fs::create_dir_all(folder).map_err(|e| at(folder, &e))?;
            fs::write(&copy, bytes).map_err(|e| at(&copy, &e))?;
        }
        Ok(())
    }

    /// What the fault did since it was switched: a line each.
    #[must_use]
    pub fn bites(&self) -> String {
        fs::read_to_string(self.root.join("bites")).unwrap_or_default()
    }

    /// Why it could not be applied, if so.
    #[must_use]
    pub fn breaks(&self) -> Option<String> {
        fs::read_to_string(self.root.join("breaks")).ok()
    }

    /// Removes the tree, and what cases left beside it.
    pub fn remove(self) {
        // What cannot be removed now, the next run removes.
        let _ = self.root.parent().map(fs::remove_dir_all);
    }
}

/// The file of a program that is named by its path, or looked up.
fn located(program: &str) -> Result<PathBuf, String> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let folders = crate::tools::SEARCH_PATH.split(':').map(Path::new);
    let mut files = folders.map(|folder| folder.join(program));
    let found = files.find(|file| file.is_file());
    found.ok_or_else(|| format!("'{program}' is not there"))
}

/// Another name of a program, or a copy where there can be none: a tool finds its toolchain by the
/// name that it was started by.
fn link(program: &Path, name: &Path) -> Result<(), String> {
    let copy = |_| fs::copy(program, name).map(|_| ());
    let program = program.canonicalize().map_err(|e| at(program, &e))?;
    let linked = fs::hard_link(&program, name).or_else(copy);
    linked.map_err(|e| at(&program, &e))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

impl Toolchain for FaultyToolchain<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn origin(&self) -> &str {
        self.sound.origin()
    }

    fn command(&self, role: &str) -> Option<&[String]> {
        self.tools.get(role).map(Vec::as_slice)
    }

    fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    fn setting(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.sound.setting(name)
    }

    fn launcher(&self) -> &[String] {
        self.sound.launcher()
    }

    fn judge(&self, name: &str) -> Option<&Path> {
        self.sound.judge(name)
    }

    fn translated(&self, case: &Case) -> Case {
        self.sound.translated(case)
    }

    fn hides(&self, case: &Case) -> Option<&str> {
        self.sound.hides(case)
    }

    fn writes(&self) -> &[PathBuf] {
        &self.writes
    }

    fn relies_on(&self, capability: &str) -> &[String] {
        self.sound.relies_on(capability)
    }

    fn tries(&self, capability: &str) -> &[String] {
        self.sound.tries(capability)
    }

    fn exits(&self, outcome: Outcome) -> &[i32] {
        self.sound.exits(outcome)
    }

    fn cannot_show(&self, name: &str) -> Option<&str> {
        self.sound.cannot_show(name)
    }

    fn deviations(&self) -> &[Deviation] {
        self.sound.deviations()
    }

    fn answers_beyond(&self) -> bool {
        self.fault.beyond
    }
}
