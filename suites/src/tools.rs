//! The outside programs that cases use beside the toolchain under test (judges such as `FileCheck`
//! and `spirv-val`, peers to compare with), and the components and devices that cases can need.
//! Their names and where to look stand in `suites/tools.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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
    /// What cases can need of a machine.
    pub needs: BTreeMap<String, Vec<String>>,
    /// What they can need of a toolchain, and what that means.
    pub capabilities: BTreeMap<String, String>,
    /// The components that toolchains can rely on.
    pub components: BTreeMap<String, Vec<String>>,
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
        for (name, need) in file.needs {
            all.needs.insert(name, names(need.component())?);
        }
        all.capabilities = file.capabilities;
        for component in Component::all() {
            let programs = names(component.name())?;
            all.components.insert(component.name().to_owned(), programs);
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
    /// For each thing that a case can need of the toolchain under test: what it is.
    capabilities: BTreeMap<String, String>,
    /// For each thing that a case can need of the machine: what it stands for.
    needs: BTreeMap<String, NeedEntry>,
    /// For each setting that a toolchain can offer and that is no component: what it brings about.
    settings: BTreeMap<String, String>,
}

/// What a name of `needs:` stands for.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum NeedEntry {
    /// A component: it is enough that it is there.
    Component(String),
    /// A component that may be there and not work.
    Tried {
        component: String,
        /// A command that succeeds when it works.
        r#try: Vec<String>,
    },
}

impl NeedEntry {
    fn component(&self) -> &str {
        match self {
            NeedEntry::Component(component) | NeedEntry::Tried { component, .. } => component,
        }
    }
}

/// A component or device that cases can need.
#[derive(Debug, Clone)]
struct Need {
    /// The component, as it was found.
    component: Found,
    /// The command that tells whether it works.
    command: Vec<String>,
    /// Whether it does; found out when it is first asked for.
    works: OnceLock<Found>,
}

impl Need {
    fn new(component: Found, command: Vec<String>) -> Self {
        Need {
            component,
            command,
            works: OnceLock::new(),
        }
    }

    fn get(&self) -> &Found {
        let works = || self.component.clone().and_then(|path| self.tried(path));
        self.works.get_or_init(works)
    }

    fn tried(&self, path: PathBuf) -> Found {
        let Some((program, arguments)) = self.command.split_first() else {
            return Ok(path);
        };
        // What cases run with: a driver that they would not see must not be seen here.
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let job = pinned(Job::new(program), folder.path());
        match job.args(arguments).output(b"") {
            Ok(output) if output.status.success() => Ok(path),
            Ok(output) if !output.stderr.is_empty() => {
                Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
            }
            Ok(output) => Err(format!("{program}: {}", output.status)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What this machine has of the things that cases name.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    programs: BTreeMap<String, Result<PathBuf, String>>,
    needs: BTreeMap<String, Need>,
    capabilities: BTreeSet<String>,
    settings: BTreeSet<String>,
    /// The components that a toolchain can rely on, by name.
    components: BTreeMap<String, Found>,
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
            capabilities: file.capabilities.into_keys().collect(),
            settings: file.settings.into_keys().collect(),
            ..Tools::default()
        };
        for component in Component::all() {
            let found = find_component(component.name(), &components)?;
            tools.components.insert(component.name().to_owned(), found);
        }
        for (name, candidates) in file.tools {
            let program = first(&candidates, here, layout, &components)?;
            tools.programs.insert(name, program);
        }
        for (name, entry) in file.needs {
            let found = find_component(entry.component(), &components)?;
            let command = match entry {
                NeedEntry::Component(_) => Vec::new(),
                NeedEntry::Tried { r#try, .. } => r#try,
            };
            let command = command.iter().map(|word| located(word, here, layout));
            tools
                .needs
                .insert(name, Need::new(found, command.collect()));
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
    /// name is listed. What the list has tried is tried when it is first asked for.
    #[must_use]
    pub fn need(&self, name: &str) -> Option<&Result<PathBuf, String>> {
        self.needs.get(name).map(Need::get)
    }

    /// The device that a setting is about, a name that cases can need: itself, or what its name begins with
    /// (`opencl-cpu-traced`).
    #[must_use]
    pub fn device_of(&self, setting: &str) -> Option<&str> {
        let begins = |need: &&String| {
            let rest = setting.strip_prefix(need.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let devices = self.needs.keys().filter(begins);
        devices.max_by_key(|need| need.len()).map(String::as_str)
    }

    /// Whether a case may say `needs: [name]`.
    #[must_use]
    pub fn knows_need(&self, name: &str) -> bool {
        self.needs.contains_key(name) || self.is_capability(name)
    }

    /// Whether `name` is something that a case can need of the toolchain under test.
    #[must_use]
    pub fn is_capability(&self, name: &str) -> bool {
        self.capabilities.contains(name)
    }

    /// Whether a toolchain can rely on the component called `name`.
    #[must_use]
    pub fn knows_component(&self, name: &str) -> bool {
        self.components.contains_key(name)
    }

    /// Why none of the `components` that a toolchain relies on is there, if so; what nobody
    /// knows is not.
    #[must_use]
    pub fn lacks_all(&self, components: &[String]) -> Option<String> {
        let mut reasons = Vec::new();
        for name in components {
            match self.components.get(name) {
                Some(Ok(_)) => return None,
                Some(Err(reason)) => reasons.push(reason.clone()),
                None => reasons.push(format!("no component is called '{name}'")),
            }
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
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

/// Why a command that a toolchain tells a capability by fails, if so; nothing says nothing.
#[must_use]
pub fn refusal(command: &[String]) -> Option<String> {
    Need::new(Ok(PathBuf::new()), command.to_vec())
        .get()
        .clone()
        .err()
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
        assert!(tools.knows_need("opencl-cpu") && tools.knows_need("cuda-gpu"));
        assert!(!tools.knows_need("teapot"));
        assert!(tools.knows_need("spirv") && !tools.knows_setting("spirv"));
        assert_eq!(tools.device_of("opencl-cpu-traced"), Some("opencl-cpu"));
        assert_eq!(tools.device_of("opencl-cpu"), Some("opencl-cpu"));
        assert_eq!(tools.device_of("no-device"), None);
    }

    #[test]
    fn what_is_there_and_does_not_work_is_not_had() {
        let tried = |script: &str| {
            let command = ["sh", "-c", script].map(str::to_owned).to_vec();
            let need = Need::new(Ok(PathBuf::from("/lib/driver.so")), command);
            need.get().clone()
        };
        assert_eq!(tried("exit 0"), Ok(PathBuf::from("/lib/driver.so")));
        assert_eq!(
            tried("echo no such GPU >&2; exit 1"),
            Err("no such GPU".to_owned())
        );
        assert!(tried("kill -SEGV $$").unwrap_err().contains("signal"));
        let absent = Need::new(Err("no driver".to_owned()), vec!["true".to_owned()]);
        assert_eq!(absent.get(), &Err("no driver".to_owned()));
    }

    #[test]
    fn a_toolchain_has_what_its_command_does_not_deny() {
        assert_eq!(refusal(&[]), None);
        let says = |script: &str| refusal(&["sh", "-c", script].map(str::to_owned));
        assert_eq!(says("exit 0"), None);
        assert_eq!(
            says("echo built without >&2; exit 1"),
            Some("built without".to_owned())
        );
    }

    #[test]
    fn one_of_the_components_that_a_toolchain_relies_on_is_enough() {
        let found = |name: &str, found: Found| (name.to_owned(), found);
        let tools = Tools {
            components: BTreeMap::from([
                found("writer", Err("no writer".to_owned())),
                found("other writer", Ok(PathBuf::from("/bin/writer"))),
            ]),
            ..Tools::default()
        };
        let lacks = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            tools.lacks_all(&names)
        };
        assert_eq!(lacks(&[]), None);
        assert_eq!(lacks(&["writer", "other writer"]), None);
        assert_eq!(lacks(&["writer"]), Some("no writer".to_owned()));
        assert!(lacks(&["cook"]).unwrap().contains("'cook'"));
    }

    #[test]
    fn what_is_missing_says_so() {
        assert!(find_program("/nonexistent/x").unwrap_err().contains("x"));
        let components = Components::here().unwrap();
        assert!(find_component("cook", &components).is_err());
    }
}
