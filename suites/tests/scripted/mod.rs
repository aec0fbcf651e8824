//! A toolchain that is a shell script, and a case with the steps that a test wants of it.

use std::collections::BTreeMap;
use std::path::Path;

use suites::case::{Case, Outcome};
use suites::deviation::Deviation;
use suites::evidence::Wrong;
use suites::layout::Layout;
use suites::run::Runner;
use suites::toolchain::Toolchain;
use suites::tools::Tools;

/// A toolchain whose compiler is a shell script.
pub struct Scripted {
    pub compiler: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub settings: BTreeMap<String, BTreeMap<String, String>>,
    pub hidden: BTreeMap<String, String>,
    pub deviations: Vec<Deviation>,
    pub borrows: Vec<String>,
}

impl Scripted {
    pub fn new(script: &str) -> Self {
        Scripted {
            compiler: ["/bin/sh", "-c", script, "compiler"]
                .map(str::to_owned)
                .into(),
            env: BTreeMap::from([("FROM_TOOLCHAIN".to_owned(), "yes".to_owned())]),
            settings: BTreeMap::new(),
            hidden: BTreeMap::new(),
            deviations: Vec::new(),
            borrows: Vec::new(),
        }
    }
}

impl Toolchain for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }
    fn command(&self, role: &str) -> Option<&[String]> {
        (role == "sycl-clang++").then_some(self.compiler.as_slice())
    }
    fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }
    fn setting(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.settings.get(name)
    }
    fn exits(&self, outcome: Outcome) -> &[i32] {
        outcome.exits()
    }
    fn cannot_show(&self, name: &str) -> Option<&str> {
        self.hidden.get(name).map(String::as_str)
    }
    fn borrows(&self) -> &[String] {
        &self.borrows
    }
    fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }
    fn answers_beyond(&self) -> bool {
        false
    }
}

/// A checkout of its own: the shipped tools, and nothing else.
pub fn layout(root: &Path) -> Layout {
    Layout {
        tools: Layout::here().tools,
        work: root.join("work"),
        ..Layout::of(root)
    }
}

/// Runs a case with these steps against a compiler with this script.
pub fn run(script: &str, steps: &str) -> Result<(), String> {
    outcome(&Scripted::new(script), steps).map_err(|wrong| wrong.text)
}

/// How a case with these steps goes with a toolchain.
pub fn outcome(toolchain: &Scripted, steps: &str) -> Result<(), Wrong> {
    let root = tempfile::tempdir().unwrap();
    let layout = layout(root.path());
    let case = case(root.path(), steps);
    let tools = Tools::load(&layout).unwrap();
    Runner {
        toolchain,
        tools: &tools,
        layout: &layout,
    }
    .run(&case)
    .outcome()
}

pub fn case(root: &Path, steps: &str) -> Case {
    let file = root.join("suites/cases/harness/one.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!("requirements: [OFF-X-001]\nabout: it\nsteps:\n{steps}");
    std::fs::write(&file, text).unwrap();
    Case::load(&file, &root.join("suites/cases")).unwrap()
}
