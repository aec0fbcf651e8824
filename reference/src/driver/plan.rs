//! The driver's plan: a tree of steps, printable as clang prints its own plans.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use components::process::Job;

use super::dependencies::Dependencies;
use super::device_text::DeviceTexts;
use super::options::CodeSplit;
use crate::frontend::{Emit, LowerOptions};

/// Steps in an order.
#[derive(Debug, Clone)]
pub enum Node {
    /// One step.
    Step(Box<Step>),
    /// One after the other; the first failure ends the rest.
    Sequence(Vec<Node>),
    /// In any order, or at the same time.
    Together(Vec<Node>),
}

/// One step of a plan.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// What it is for, for timings: `device compile a.cpp (spir64)`.
    pub label: String,
    /// Which steps share diagnostics: the same text is shown once for all steps of one source.
    pub source: usize,
}

/// What a step does: an outside program, or a stage of this toolchain that runs in this process.
#[derive(Debug, Clone)]
pub enum Action {
    /// An outside program.
    Run(Job),
    /// Lowers clang's raw device module (`sycl-lower`).
    Lower(Lower),
    /// Splits a device module for a ThinLTO link (`sycl-post-link`).
    Split(Split),
    /// Puts device images into an OffloadBinary (`clang-offload-packager`).
    Package(Package),
    /// Puts an OffloadBinary into the offloading section of a host object (`llvm-objcopy`).
    Embed(Embed),
    /// Puts device images into a host object in the old format (`clang-offload-bundler`).
    Bundle(Bundle),
    /// Makes one list of dependencies out of those of the compilations (`cat`, `sed`).
    Dependencies(Dependencies),
    /// Tells of the texts of device compilations behind that of the host's (`sha256sum`).
    DeviceTexts(DeviceTexts),
    /// Links through `clang-linker-wrapper`.
    LinkerWrapper(Vec<OsString>),
    /// Links device code with `clang-sycl-linker`.
    SyclLinker(Vec<OsString>),
}

/// Input, outputs and options of the lowering.
#[derive(Debug, Clone)]
pub struct Lower {
    /// clang's raw module.
    pub raw: PathBuf,
    /// The raw modules of all targets that the unit is compiled for, if there are several.
    pub of_all_targets: Vec<PathBuf>,
    /// The device module.
    pub module: PathBuf,
    /// The integration header; the host compilation needs that of one target only.
    pub header: Option<PathBuf>,
    /// Everything else.
    pub options: LowerOptions,
}

/// A device module and the table of what it is split into.
#[derive(Debug, Clone)]
pub struct Split {
    /// The device module.
    pub module: PathBuf,
    /// The table; the split modules lie beside it.
    pub table: PathBuf,
    /// How to split.
    pub mode: CodeSplit,
}

/// One device image on its way into a fat object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its file.
    pub file: PathBuf,
    /// The file is a table of images of this target.
    pub table: bool,
    /// The target's triple, sub-architecture included.
    pub triple: String,
    /// The architecture; empty for a generic target.
    pub arch: String,
    /// The offloading kind, `sycl` for device code.
    pub kind: &'static str,
}

/// Device images and the OffloadBinary that takes them.
#[derive(Debug, Clone)]
pub struct Package {
    /// The images.
    pub images: Vec<Image>,
    /// The OffloadBinary.
    pub output: PathBuf,
}

/// A host object and the OffloadBinary that goes into it.
#[derive(Debug, Clone)]
pub struct Embed {
    /// The host object.
    pub object: PathBuf,
    /// The OffloadBinary.
    pub package: PathBuf,
    /// The fat object.
    pub output: PathBuf,
}

/// A host object, the device images that go into it, and where the result goes.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The host object.
    pub object: PathBuf,
    /// The host's triple.
    pub host_triple: String,
    /// The images.
    pub images: Vec<Image>,
    /// The fat object.
    pub output: PathBuf,
}

impl Node {
    /// A node of one step.
    #[must_use]
    pub fn step(action: Action, label: impl Into<String>, source: usize) -> Node {
        Node::Step(Box::new(Step {
            action,
            label: label.into(),
            source,
        }))
    }

    /// All steps in the order in which they are printed.
    #[must_use]
    pub fn steps(&self) -> Vec<&Step> {
        match self {
            Node::Step(step) => vec![step],
            Node::Sequence(nodes) | Node::Together(nodes) => {
                nodes.iter().flat_map(Node::steps).collect()
            }
        }
    }

    /// The plan as `-###` prints it: a line a step, each word in quotes.
    #[must_use]
    pub fn print(&self, tools: &Path) -> String {
        self.steps()
            .iter()
            .map(|step| format!(" {}\n", step.action.job(tools)))
            .collect()
    }
}

impl Action {
    /// The program start that does the same, with this toolchain's tools in `tools`.
    #[must_use]
    pub fn job(&self, tools: &Path) -> Job {
        match self {
            Action::Run(job) => job.clone(),
            Action::Lower(lower) => lower.job(tools),
            Action::Split(split) => Job::new(tools.join("sycl-post-link")).args(split.words()),
            Action::Package(package) => Job::new(tools.join("clang-offload-packager"))
                .arg("-o")
                .arg(&package.output)
                .args(package.images.iter().map(Image::word)),
            Action::Embed(embed) => embed.job(),
            Action::Bundle(bundle) => bundle.job(tools),
            Action::Dependencies(dependencies) => dependencies.job(),
            Action::DeviceTexts(texts) => texts.job(),
            Action::LinkerWrapper(words) => {
                Job::new(tools.join("clang-linker-wrapper")).args(words.iter().cloned())
            }
            Action::SyclLinker(words) => {
                Job::new(tools.join("clang-sycl-linker")).args(words.iter().cloned())
            }
        }
    }
}

impl Image {
    /// The packager's word for it.
    fn word(&self) -> String {
        let mut word = format!(
            "--image=file={}{},triple={},kind={}",
            if self.table { "@" } else { "" },
            self.file.display(),
            self.triple,
            self.kind
        );
        if !self.arch.is_empty() {
            word.push_str(",arch=");
            word.push_str(&self.arch);
        }
        word
    }

    /// The bundler's word for it.
    fn bundle_target(&self) -> String {
        match self.arch.as_str() {
            "" => format!("{}-{}", self.kind, self.triple),
            arch => format!("{}-{}-{arch}", self.kind, self.triple),
        }
    }
}

impl Lower {
    fn job(&self, tools: &Path) -> Job {
        let options = &self.options;
        let mut job = Job::new(tools.join("sycl-lower"))
            .arg(format!("--source={}", options.source.display()))
            .arg(format!("--module-id={}", options.module_id));
        for raw in &self.of_all_targets {
            job = job.arg(format!("--of-all-targets={}", raw.display()));
        }
        if let Some(level) = options.opt_level {
            job = job.arg(format!("-O{}", level.number()));
        }
        if options.all_parameters {
            job = job.arg("--all-parameters");
        }
        if let Some(size) = options.sub_group_size {
            job = job.arg(format!("--sub-group-size={size}"));
        }
        if options.debug {
            job = job.arg("-g");
        }
        if !options.fixed_targets.is_empty() {
            let names: Vec<_> = options.fixed_targets.iter().map(|t| t.name).collect();
            job = job.arg(format!("--fixed-targets={}", names.join(",")));
        }
        if let Some(file) = &options.device_config {
            job = job.arg(format!("--device-config-file={}", file.display()));
        }
        if options.emit == Emit::Text {
            job = job.arg("-S");
        }
        job = job.args(&options.warnings.words);
        if let Some(header) = &self.header {
            job = job.arg(format!("--integration-header={}", header.display()));
        }
        job.arg("-o").arg(&self.module).arg(&self.raw)
    }
}

impl Split {
    /// The words after `sycl-post-link`.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mode = format!("-split={}", self.mode.post_link_value());
        let (table, module) = (&self.table, &self.module);
        ["-thin-lto".into(), mode.into(), "-o".into()]
            .into_iter()
            .chain([table, module].map(OsString::from))
            .collect()
    }
}

impl Embed {
    fn job(&self) -> Job {
        Job::new("llvm-objcopy-19")
            .arg(format!(
                "--add-section=.llvm.offloading={}",
                self.package.display()
            ))
            .args([
                "--set-section-flags=.llvm.offloading=exclude",
                "--set-section-type=.llvm.offloading=0x6fff4c0b",
            ])
            .arg(&self.object)
            .arg(&self.output)
    }
}

impl Bundle {
    fn job(&self, tools: &Path) -> Job {
        let mut targets = vec![format!("host-{}", self.host_triple)];
        targets.extend(self.images.iter().map(Image::bundle_target));
        Job::new(tools.join("clang-offload-bundler"))
            .arg("-type=o")
            .arg(format!("-targets={}", targets.join(",")))
            .arg(format!("-input={}", self.object.display()))
            .args(
                self.images
                    .iter()
                    .map(|image| format!("-input={}", image.file.display())),
            )
            .arg(format!("-output={}", self.output.display()))
    }
}
