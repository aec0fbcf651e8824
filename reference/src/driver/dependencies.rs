//! The list of dependencies that `-MD`, `-M` and their kin ask for: the host compilation's own, less
//! what is the driver's, and what only the device compilations read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::targets::Target;

use super::clang_plan::value_of;
use super::dependency_list::{DependencyList, escaped};
use super::options::{Phase, Side};
use super::plan::{Action, Node};
use super::stages::read;
use super::unit::{FPGA_DEPENDENCY_SUFFIX, Unit};
use crate::tool::{Failure, write_whole};

/// The lists of one source and the list that they become, all in make's format.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The lists of the compilations, the host's first; the targets of the first one stay.
    pub lists: Vec<PathBuf>,
    /// The source, which is the first file of the list also where a precompiled header is read before it.
    pub source: PathBuf,
    /// Files of the driver's own that leave the list.
    pub own: Vec<PathBuf>,
    /// Where the whole list goes; `-` is standard output.
    pub output: PathBuf,
}

impl Dependencies {
    /// Commands that do the same as far as make can tell: rules of one target add up.
    pub(super) fn job(&self) -> Job {
        let mut script = String::from("cat \"$@\"");
        let mut values = Vec::new();
        if !self.own.is_empty() {
            script.insert_str(0, "drop=$1; shift; ");
            script.push_str(" | sed \"$drop\"");
            let commands: Vec<_> = self.own.iter().map(|own| sed_commands(own)).collect();
            values.push(commands.join(";").into());
        }
        if self.output.as_os_str() != "-" {
            script.insert_str(0, "to=$1; shift; ");
            script.push_str(" > \"$to\"");
            values.insert(0, self.output.clone().into_os_string());
        }
        Job::new("sh")
            .args(["-c", &script, "sh"])
            .args(values)
            .args(&self.lists)
    }

    /// Writes the whole list.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let texts: Result<Vec<_>, _> = self.lists.iter().map(|path| read(path)).collect();
        let texts = texts?;
        let mut lists = texts.iter().map(|text| DependencyList::read(text));
        let mut whole = lists.next().unwrap_or_default();
        for list in lists {
            whole.take_in(&list);
        }
        whole.put_first(&self.source);
        whole.drop_files(&self.own);
        write_whole(&self.output, &whole.text())
    }
}

/// What makes `sed` drop a file from a list, and the empty rule for it.
fn sed_commands(own: &Path) -> String {
    let mut pattern = String::new();
    for c in escaped(own).chars() {
        if r"\.*[]^$|".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    format!(r"\|^{pattern}:$|d;s|{pattern} *||g")
}

impl Unit<'_> {
    /// The words that make a device compilation list what it read: always for FPGA, and where the
    /// user wants a list; system headers where that list has them too.
    pub(super) fn dependency_words(&self, target: &Target) -> Vec<OsString> {
        let host = self.host.first_words();
        let asked = value_of(host, "-dependency-file").is_some();
        let fpga = self.shared.options.fpga;
        if !asked && !fpga {
            return Vec::new();
        }
        let of = match value_of(host, "-MT") {
            Some(name) => name.to_owned(),
            None => self.object_name(),
        };
        let mut words = vec![
            "-dependency-file".into(),
            self.device_list(target).into_os_string(),
            "-MT".into(),
            of,
        ];
        let listed_too = |word: &&str| host.iter().any(|given| given == word);
        let both = ["-sys-header-deps", "-MG"].into_iter().filter(listed_too);
        words.extend(both.map(OsString::from));
        words
    }

    /// The object that a list of dependencies is about. What a link makes on its way has no name that
    /// lasts, so that it gets the one that `-c` would have given it.
    fn object_name(&self) -> OsString {
        match self.shared.options.phase {
            Phase::Link => {
                let object = self.host.source().with_extension("o");
                object.file_name().unwrap_or_default().to_owned()
            }
            _ => self.host.output().unwrap_or_default().to_owned(),
        }
    }

    /// Where a device compilation lists what it read.
    pub(super) fn device_list(&self, target: &Target) -> PathBuf {
        if self.shared.options.fpga {
            return self.file(FPGA_DEPENDENCY_SUFFIX);
        }
        self.file(&format!("-sycl-{}.d", target.name))
    }

    /// Where the host compilation lists what it read.
    pub(super) fn host_list(&self) -> PathBuf {
        self.file("-host.d")
    }

    /// The step that writes the list which the user wants of this source, if any, from those of the
    /// compilations on the sides that the command line asks for.
    pub(super) fn dependencies_of_sides(&self) -> Option<Node> {
        let side = self.shared.options.side;
        let targets = match side {
            Side::Host => &[],
            _ => self.shared.targets.compiled.as_slice(),
        };
        self.dependencies(side != Side::Device, targets)
    }

    /// The same for the compilations that are named.
    pub(super) fn dependencies(&self, host: bool, targets: &[&'static Target]) -> Option<Node> {
        let output = self.list.clone()?;
        let device = targets.iter().map(|target| self.device_list(target));
        let included = host && !targets.is_empty() && self.shared.options.phase > Phase::Syntax;
        let header = included.then(|| self.header());
        let spooled = self.host.spooled.then(|| self.host.source());
        let dependencies = Dependencies {
            lists: host
                .then(|| self.host_list())
                .into_iter()
                .chain(device)
                .collect(),
            source: self.host.source(),
            own: header.into_iter().chain(spooled).collect(),
            output,
        };
        Some(self.step(Action::Dependencies(dependencies), "dependencies"))
    }
}
