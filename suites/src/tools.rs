//! The outside programs that cases use beside the toolchain under test (judges such as `FileCheck`
//! and `spirv-val`, peers to compare with), and the components and devices that cases can need.
//! Their names and where to look stand in `suites/tools.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use components::process::Job;
use components::{Component, Components};
use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::toolchain::located;

/// What `tools.yaml` names, for runners that have no components: names of programs to look up, best
/// first. What is no program that others could have, such as a folder of set-up's, has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProgramNames {
    /// Judges, helpers and peers, by the names of their placeholders.
    pub tools: BTreeMap<String, Vec<String>>,
    /// What cases can need.
    pub needs: BTreeMap<String, Vec<String>>,
}

impl ProgramNames {
    /// Reads the file.
    ///
    /// # Errors
    /// With file and line; also when it names a component that nobody knows.
    pub fn load(layout: &Layout) -> Result<Self, String> {
        let file: ToolFile =
            offload_formats::yaml::from_file(&layout.tools).map_err(|e| e.to_string())?;
        let names = |component: &str| -> Result<Vec<String>, String> {
            let names = component_named(component)?.program_names();
            Ok(names.iter().map(|name| (*name).to_owned()).collect())
        };
        let mut all = ProgramNames::default();
        for (name, candidates) in file.tools {
            let mut programs = Vec::new();
            for candidate in candidates {
                match candidate.strip_prefix("component:") {
                    Some(component) => programs.extend(names(component)?),
                    None => programs.extend(candidate.rsplit('/').next().map(str::to_owned)),
                }
            }
            all.tools.insert(name, programs);
        }
        for (name, component) in file.needs {
            all.needs.insert(name, names(&component)?);
        }
        Ok(all)
    }
}

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    /// For each name, the programs that can serve, best first.
    tools: BTreeMap<String, Vec<String>>,
    /// For each name, the component that it stands for.
    needs: BTreeMap<String, String>,
    /// For each setting that a toolchain can offer and that is no component: what it brings about.
    settings: BTreeMap<String, String>,
}

/// What this machine has of the things that cases name.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    programs: BTreeMap<String, Result<PathBuf, String>>,
    needs: BTreeMap<String, Result<PathBuf, String>>,
    settings: BTreeSet<String>,
}

impl Tools {
    /// Reads the file and looks for everything it names.
    ///
    /// # Errors
    /// With file and line; also when it names a component that nobody knows.
    pub fn load(layout: &Layout) -> Result<Self, String> {
        let file: ToolFile =
            offload_formats::yaml::from_file(&layout.tools).map_err(|e| e.to_string())?;
        let components = Components::here().map_err(|e| e.to_string())?;
        let here = layout.tools.parent().unwrap_or(Path::new("."));
        let mut tools = Tools {
            settings: file.settings.into_keys().collect(),
            ..Tools::default()
        };
        for (name, candidates) in file.tools {
            let program = first(&candidates, here, layout, &components)?;
            tools.programs.insert(name, program);
        }
        for (name, component) in file.needs {
            let found = find_component(&component, &components)?;
            tools.needs.insert(name, found);
        }
        Ok(tools)
    }

    /// Where the program called `name` is, or why it cannot be used; `None` when no such name is
    /// listed.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<&Result<PathBuf, String>> {
        self.programs.get(name)
    }

    /// Where the component that `name` stands for is, or why it cannot be used; `None` when no such
    /// name is listed.
    #[must_use]
    pub fn need(&self, name: &str) -> Option<&Result<PathBuf, String>> {
        self.needs.get(name)
    }

    /// Whether a case may say `with: name`: a component with a device, or a listed setting.
    #[must_use]
    pub fn knows_setting(&self, name: &str) -> bool {
        self.needs.contains_key(name) || self.settings.contains(name)
    }

    /// The names of all programs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(String::as_str)
    }
}

/// Where programs are looked for, and the `PATH` that cases run with.
pub const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Which writer of SPIR-V the reference takes.
pub const SPIRV_WRITER: &str = "PLUMBLINE_SPIRV_WRITER";

/// What cases get of the caller's environment: where set-up put things, the writer of SPIR-V, and the
/// instruction set that Intel's OpenCL runtimes compile for in the place of the processor's own, so that
/// a run shows what an older processor would.
pub const PASSED_ON: [&str; 3] = [
    components::home::VARIABLE,
    SPIRV_WRITER,
    "CL_CONFIG_CPU_TARGET_ARCH",
];

/// A job in `folder` with nothing of the caller's environment but what is passed on, for five minutes
/// at most.
#[must_use]
pub fn pinned(job: Job, folder: &Path) -> Job {
    let job = job
        .dir(folder)
        .clean_env()
        .limit(Duration::from_secs(300))
        .env("PATH", SEARCH_PATH)
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8");
    PASSED_ON
        .iter()
        .fold(job, |job, name| match std::env::var_os(name) {
            Some(value) => job.env(*name, value),
            None => job,
        })
}

type Found = Result<PathBuf, String>;

/// The first candidate that is there; the outer error is a mistake in the file.
fn first(
    candidates: &[String],
    here: &Path,
    layout: &Layout,
    components: &Components,
) -> Result<Found, String> {
    let mut reasons = Vec::new();
    for candidate in candidates {
        let found = match candidate.strip_prefix("component:") {
            Some(component) => find_component(component, components)?,
            None => find_program(&located(candidate, here, layout)),
        };
        match found {
            Ok(path) => return Ok(Ok(path)),
            Err(reason) => reasons.push(reason),
        }
    }
    Ok(Err(reasons.join("; ")))
}

fn find_component(name: &str, components: &Components) -> Result<Found, String> {
    let found = components.find(component_named(name)?);
    Ok(found.map(|found| found.path).map_err(|e| e.to_string()))
}

fn component_named(name: &str) -> Result<Component, String> {
    Component::all()
        .find(|component| component.name() == name)
        .ok_or_else(|| format!("no component is called '{name}'"))
}

fn find_program(program: &str) -> Found {
    let missing = || format!("'{program}' is not there");
    if program.contains('/') {
        let path = PathBuf::from(program);
        return path.exists().then_some(path).ok_or_else(missing);
    }
    SEARCH_PATH
        .split(':')
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.exists())
        .ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_list_reads() {
        let tools = Tools::load(&Layout::here()).unwrap();
        assert!(tools.program("sh").unwrap().is_ok());
        assert!(tools.program("no-such-tool").is_none());
        assert!(tools.need("opencl-cpu").is_some());
    }

    #[test]
    fn what_is_missing_says_so() {
        assert!(find_program("/nonexistent/x").unwrap_err().contains("x"));
        let components = Components::here().unwrap();
        assert!(find_component("cook", &components).is_err());
    }
}
