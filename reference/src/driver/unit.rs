//! The plan of one SYCL source: a device compilation a target, the package of their results, and
//! the host compilation that takes integration header and package in (MODEL "Fat Binary
//! Generation", OFF "Compilation Process").

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::targets::Target;

use super::clang_plan::{HostCompile, replace_value, value_of};
use super::device_target::{DeviceTargets, clang_triple, macro_definitions};
use super::host_compiler;
use super::level::{level, without_levels};
use super::options::{CodeSplit, Options, Phase, Side};
use super::plan::{Action, Bundle, Embed, Image, Lower, Node, Package, Split};
use super::precompiled;
use super::warnings::warning_options;
use crate::frontend::cc1::{DeviceCompile, device_cc1};
use crate::frontend::{Emit, LowerOptions, OptLevel};
use crate::layout::Layout;
use crate::link::inputs::group::FPGA_DEPENDENCIES;
use crate::llvm::nvptx;

/// The end of the name of a unit's list of dependencies for FPGA.
pub(super) const FPGA_DEPENDENCY_SUFFIX: &str = "-fpga.d";

/// What clang cannot quote in an `#include`, or the packager's words in a name.
const UNQUOTABLE: &[char] = &['"', '\n', '\r', ','];

/// What all sources of a command line share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// The command line.
    pub options: &'a Options,
    /// Its targets.
    pub targets: &'a DeviceTargets,
    /// This toolchain's files.
    pub layout: &'a Layout,
    /// Where results that are no output go: a folder that is dropped, or the current one with
    /// `-save-temps`.
    pub work: &'a Path,
    /// What the names of such results begin with, before the source's own.
    pub prefix: &'a str,
}

/// One source on its way.
#[derive(Debug)]
pub struct Unit<'a> {
    /// What it shares with the others.
    pub shared: &'a Shared<'a>,
    /// Its number on the command line.
    pub index: usize,
    /// The beginning of the names of its files, unlike that of any other source.
    pub stem: String,
    /// What clang would do for the host; its last output is in its final place, its list of
    /// dependencies is not: that lacks what the device compilations read.
    pub host: HostCompile,
    /// Where the user wants the list of dependencies.
    pub list: Option<PathBuf>,
}

impl<'a> Unit<'a> {
    /// What becomes of the source of `host`.
    #[must_use]
    pub fn new(shared: &'a Shared<'a>, index: usize, stem: String, host: HostCompile) -> Self {
        let list = value_of(host.first_words(), "-dependency-file").map(PathBuf::from);
        let mut unit = Unit {
            shared,
            index,
            stem,
            host,
            list,
        };
        let own = unit.host_list();
        if let Some(job) = unit.host.jobs.first_mut() {
            replace_value(&mut job.args, "-dependency-file", own.as_os_str());
        }
        unit
    }

    /// The steps for this source.
    #[must_use]
    pub fn plan(self) -> Node {
        if self.host.language() != Some("c++") {
            return self.host_alone();
        }
        let options = self.shared.options;
        match options.phase {
            Phase::Syntax => return self.syntax(),
            Phase::Preprocess if options.preprocesses_text() => return self.preprocess_device(),
            Phase::Preprocess => return self.list_dependencies(),
            _ => {}
        }
        match options.side {
            Side::Host => self.host_steps(None),
            Side::Device => self.device_only(),
            Side::Both => {
                let device = self.device_steps(Emit::Bitcode, true);
                let package = self.package(self.file(".offload"));
                let images = package.images.clone();
                let mut steps = vec![device];
                if options.new_driver {
                    steps.push(self.step(Action::Package(package), "package"));
                }
                steps.push(self.host_steps(Some(images)));
                Node::Sequence(steps)
            }
        }
    }

    /// What no device code is made of. A precompiled header is for host compilations, whose language
    /// it has to agree with.
    fn host_alone(self) -> Node {
        let host = match precompiled::is_header_language(self.host.language()) {
            true => self.host_half(),
            false => self.host.clone(),
        };
        let jobs = self.clang_steps(&host, "host compile");
        let jobs = jobs.chain(self.kept_steps(&host));
        Node::Sequence(jobs.chain(self.dependencies(true, &[])).collect())
    }

    /// The host compilation as that of a half of something.
    fn host_half(&self) -> HostCompile {
        let mut host = self.host.clone();
        host.insert(host_words(self.shared.layout));
        host
    }

    /// Diagnostics alone.
    fn syntax(self) -> Node {
        let mut nodes = Vec::new();
        if self.shared.options.side != Side::Host {
            let targets = &self.shared.targets.compiled;
            nodes.extend(targets.iter().map(|target| {
                let job = self.device_job_instead(target, "-fsyntax-only");
                self.step(Action::Run(job), "device syntax")
            }));
        }
        let options = self.shared.options;
        match &options.host_compiler {
            _ if options.side == Side::Device => {}
            Some(compiler) => {
                let job =
                    host_compiler::job(compiler, options, self.shared.layout, &self.host, &[]);
                nodes.push(self.step(Action::Run(job), "host syntax"));
            }
            None => nodes.extend(self.clang_steps(&self.host_half(), "host syntax")),
        }
        nodes.extend(self.dependencies_of_sides());
        Node::Sequence(nodes)
    }

    /// `-E -fsycl-device-only`: what the device compilation for the first target reads.
    fn preprocess_device(self) -> Node {
        let output = self.host.output().unwrap_or(OsStr::new("-")).to_owned();
        let targets = self.shared.targets.compiled.get(..1).unwrap_or_default();
        let steps = targets.iter().map(|target| {
            let mut job = self.device_job_instead(target, "-E");
            replace_value(&mut job.args, "-o", &output);
            self.step(Action::Run(job), "device preprocess")
        });
        Node::Sequence(steps.chain(self.dependencies(false, targets)).collect())
    }

    /// `-M`, `-MM`: what the compilations of either half read.
    fn list_dependencies(self) -> Node {
        let side = self.shared.options.side;
        let mut steps = Vec::new();
        if side != Side::Device {
            steps.extend(self.clang_steps(&self.host_half(), "host dependencies"));
        }
        if side != Side::Host {
            steps.extend(self.shared.targets.compiled.iter().map(|target| {
                let job = self.device_job_instead(target, "-Eonly");
                self.step(Action::Run(job), "device dependencies")
            }));
        }
        steps.extend(self.dependencies_of_sides());
        Node::Sequence(steps)
    }

    /// `-fsycl-device-only`: an OffloadBinary with the device modules (MODEL "Offload Binary"), or
    /// the only target's module itself with `-S` or `-emit-llvm`.
    fn device_only(self) -> Node {
        let options = self.shared.options;
        let as_module = options.phase == Phase::Assembly
            || options.clang.iter().any(|word| word == "-emit-llvm");
        let text = options.phase == Phase::Assembly;
        let output = self.host.output().map(PathBuf::from).unwrap_or_default();
        let output = options.placed(&match &options.output {
            Some(path) => path.clone(),
            None if as_module && text => output.with_extension("ll"),
            None => output.with_extension("bc"),
        });
        if as_module && self.shared.targets.compiled.len() == 1 {
            let emit = if text { Emit::Text } else { Emit::Bitcode };
            let targets = &self.shared.targets.compiled;
            let steps = targets.iter().flat_map(|target| {
                let lower = self.lower_steps(target, emit, &output, None, false);
                [self.device_compile(target), lower]
            });
            return Node::Sequence(steps.chain(self.dependencies_of_sides()).collect());
        }
        let device = self.device_steps(Emit::Bitcode, false);
        let package = self.step(Action::Package(self.package(output)), "package");
        let steps = [device, package];
        Node::Sequence(
            steps
                .into_iter()
                .chain(self.dependencies_of_sides())
                .collect(),
        )
    }

    /// The device compilations, each to its module; the first one also writes the header.
    fn device_steps(&self, emit: Emit, with_header: bool) -> Node {
        let targets = &self.shared.targets.compiled;
        let compile = targets.iter().map(|target| self.device_compile(target));
        let lower = targets.iter().enumerate().map(|(nth, target)| {
            let header = (with_header && nth == 0).then(|| self.header());
            let thin = self.shared.options.thin_lto;
            self.lower_steps(target, emit, &self.module(target), header, thin)
        });
        // What names of the unit's own are told apart by is made of all raw modules.
        let (compile, lower) = (compile.collect(), lower.collect());
        Node::Sequence(vec![Node::Together(compile), Node::Together(lower)])
    }

    /// clang's device compilation for a target.
    fn device_compile(&self, target: &Target) -> Node {
        let label = format!("device compile ({})", target.name);
        self.step(Action::Run(self.device_job(target)), &label)
    }

    /// What is made of the raw module of a target.
    fn lower_steps(
        &self,
        target: &Target,
        emit: Emit,
        module: &Path,
        header: Option<PathBuf>,
        split: bool,
    ) -> Node {
        let options = self.shared.options;
        let all = self.shared.targets.compiled.iter();
        let all: Vec<PathBuf> = all.map(|target| self.raw_module(target)).collect();
        let lower = Lower {
            raw: self.raw_module(target),
            of_all_targets: if all.len() > 1 { all } else { Vec::new() },
            module: module.to_owned(),
            header,
            options: LowerOptions {
                source: self.host.source(),
                module_id: self.module_id(),
                opt_level: device_level(&self.host, options, target),
                all_parameters: options.all_parameters,
                sub_group_size: options.sub_group_size,
                debug: self.debug(),
                fixed_targets: self.shared.targets.fixed.clone(),
                device_config: options.device_config.clone(),
                warnings: warning_options(&options.clang),
                emit,
            },
        };
        let for_target = format!("({})", target.name);
        let mut steps = vec![self.step(Action::Lower(lower), &format!("lower {for_target}"))];
        if split {
            let split = Split {
                module: module.to_owned(),
                table: module.with_extension("table"),
                mode: options.split.unwrap_or(CodeSplit::Auto),
            };
            steps.push(self.step(Action::Split(split), &format!("split {for_target}")));
        }
        Node::Sequence(steps)
    }

    /// clang's device compilation for one target.
    fn device_job(&self, target: &Target) -> Job {
        let options = self.shared.options;
        let device = DeviceCompile {
            triple: clang_triple(target).to_owned(),
            plugin: self.shared.layout.clang_plugin(),
            include: self.shared.layout.device_include(),
            output: self.raw_module(target),
            opt_level: device_level(&self.host, options, target),
        };
        let host = precompiled::with_header_text(&self.host.device_words(), options);
        let mut words = device_cc1(&host, &device);
        let at = words.iter().rposition(|word| word == "-x").unwrap_or(1);
        let own = macro_definitions(target).into_iter().map(OsString::from);
        let own = own.chain(contraction(target, &options.clang));
        let own = own.chain(without_levels(&own_words(options, target)));
        let own = own.chain(host_compiler::device_words(options));
        let own: Vec<OsString> = own.chain(self.dependency_words(target)).collect();
        words.splice(at..at, own);
        let program = self.host.jobs.first().map(|job| job.program.clone());
        Job::new(program.unwrap_or_default()).args(words)
    }

    /// The device compilation with another of clang's actions in place of code generation.
    pub(super) fn device_job_instead(&self, target: &Target, action: &str) -> Job {
        let mut job = self.device_job(target);
        for word in job.args.iter_mut().filter(|word| *word == "-emit-llvm") {
            *word = action.into();
        }
        job
    }

    /// The host compilation, with header and device code unless it is for the host alone.
    fn host_steps(&self, images: Option<Vec<Image>>) -> Node {
        let options = self.shared.options;
        let both = images.is_some();
        let package = (both && options.new_driver).then(|| self.file(".offload"));
        let mut host = self.host.clone();
        let output = options.placed(Path::new(host.output().unwrap_or_default()));
        let bundled = both && !options.new_driver;
        let embedded = both && options.new_driver && options.host_compiler.is_some();
        if bundled || embedded {
            host.set_output(&self.file(".host.o"));
        }
        let object = host.output().map(PathBuf::from).unwrap_or_default();
        let targets = self.shared.targets.compiled.iter();
        let macros = targets.flat_map(|target| macro_definitions(target));
        let mut forced: Vec<OsString> = macros.map(OsString::from).collect();
        if both {
            forced.extend(["-include".into(), self.header().into_os_string()]);
        }
        let mut nodes = Vec::new();
        if let Some(compiler) = &options.host_compiler {
            let job = host_compiler::job(compiler, options, self.shared.layout, &host, &forced);
            nodes.push(self.step(Action::Run(job), "host compile"));
            if let Some(package) = package {
                let embed = Embed {
                    object: object.clone(),
                    package,
                    output: output.clone(),
                };
                nodes.push(self.step(Action::Embed(embed), "embed"));
            }
        } else {
            forced.extend(host_words(self.shared.layout));
            forced.extend(package.map(|package| {
                let mut word = OsString::from("-fembed-offload-object=");
                word.push(package);
                word
            }));
            host.insert(forced);
            nodes.extend(self.clang_steps(&host, "host compile"));
            nodes.extend(self.kept_steps(&host));
        }
        nodes.extend(self.dependencies_of_sides());
        if let Some(images) = images.filter(|_| bundled) {
            let host_triple = value_of(host.first_words(), "-triple").unwrap_or_default();
            let bundle = Bundle {
                object,
                host_triple: host_triple.to_string_lossy().into_owned(),
                images,
                output,
            };
            nodes.push(self.step(Action::Bundle(bundle), "bundle"));
        }
        Node::Sequence(nodes)
    }

    fn package(&self, output: PathBuf) -> Package {
        let targets = self.shared.targets.compiled.iter();
        let thin = self.shared.options.thin_lto;
        let images = targets.map(|target| Image {
            file: match thin {
                true => self.module(target).with_extension("table"),
                false => self.module(target),
            },
            table: thin,
            triple: target.triple().to_owned(),
            arch: target.device.to_owned(),
            kind: "sycl",
        });
        let dependencies = self.shared.options.fpga.then(|| Image {
            file: self.file(FPGA_DEPENDENCY_SUFFIX),
            table: false,
            triple: FPGA_DEPENDENCIES.to_owned(),
            arch: String::new(),
            kind: "sycl",
        });
        Package {
            images: images.chain(dependencies).collect(),
            output,
        }
    }

    pub(super) fn step(&self, action: Action, what: &str) -> Node {
        let label = format!("{what} {}", self.host.source().display());
        Node::step(action, label, self.index)
    }

    /// The jobs of clang itself.
    fn clang_steps(&self, host: &HostCompile, what: &str) -> impl Iterator<Item = Node> {
        let jobs = host.jobs.iter().cloned();
        jobs.map(move |job| self.step(Action::Run(job), what))
    }

    pub(super) fn file(&self, suffix: &str) -> PathBuf {
        self.shared.work.join(format!("{}{suffix}", self.stem))
    }

    pub(super) fn header(&self) -> PathBuf {
        self.file("-header.h")
    }

    fn raw_module(&self, target: &Target) -> PathBuf {
        self.file(&format!("-sycl-{}.raw.bc", target.name))
    }

    fn module(&self, target: &Target) -> PathBuf {
        self.file(&format!("-sycl-{}.bc", target.name))
    }

    /// The unit's name for the per-source split: the source's full path, so that the same relative
    /// name in two folders means two units.
    fn module_id(&self) -> String {
        let source = self.shared.options.placed(&self.host.source());
        let full = std::path::absolute(&source).unwrap_or(source);
        full.to_string_lossy().into_owned()
    }

    fn debug(&self) -> bool {
        let mut words = self.host.first_words().iter();
        words.any(|word| word.to_string_lossy().starts_with("-debug-info-kind="))
    }
}

/// What makes clang's compilation one of the host's half. Device code's attributes are known on the
/// host too, where they mean nothing. The macro tells the headers that this compiler names kernels as
/// the device compilation does.
pub(super) fn host_words(layout: &Layout) -> [OsString; 4] {
    let plugin = layout.clang_plugin().into_os_string();
    let macro_definition = "-D__PLUMBLINE_HOST__=1".into();
    [
        "-fsycl-is-host".into(),
        macro_definition,
        "-load".into(),
        plugin,
    ]
}

/// The level of a source's device code for `target`.
fn device_level(host: &HostCompile, options: &Options, target: &Target) -> Option<OptLevel> {
    let mut words = host.device_words();
    words.extend(own_words(options, target));
    level(&words)
}

/// The words that the command line has for the device compilation for `target` alone.
fn own_words(options: &Options, target: &Target) -> Vec<OsString> {
    let given = options.frontend.iter().filter(|given| given.is_for(target));
    let given = given.flat_map(|given| given.words.iter().map(OsString::from));
    given.chain(options.device_words.iter().cloned()).collect()
}

/// The sources of whose device code a ThinLTO link optimizes nothing, as they are compiled with `-O0`
/// (THIN, "Current limitations": of what "the final version" may do, they come with summaries too).
pub(super) fn unoptimized<'h>(
    host: &'h [HostCompile],
    options: &Options,
    targets: &DeviceTargets,
) -> Vec<&'h HostCompile> {
    let is_unoptimized = |host: &&HostCompile| {
        let mut targets = targets.compiled.iter();
        host.language() == Some("c++")
            && targets.any(|target| device_level(host, options, target) == Some(OptLevel::O0))
    };
    match options.side {
        Side::Host => Vec::new(),
        Side::Both | Side::Device => host.iter().filter(is_unoptimized).collect(),
    }
}

/// The beginnings of file names for `sources`: their own stems, told apart where two are the same.
#[must_use]
pub fn stems<'s>(sources: impl IntoIterator<Item = &'s Path>) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for source in sources {
        let stem = source.file_stem().unwrap_or(OsStr::new("stdin"));
        let stem = stem.to_string_lossy().replace(UNQUOTABLE, "_");
        let mut unique = stem.clone();
        let mut nth = 1;
        while stems.contains(&unique) {
            nth += 1;
            unique = format!("{stem}-{nth}");
        }
        stems.push(unique);
    }
    stems
}

/// The word by which multiplications and additions become one operation wherever they meet, as CUDA's
/// compilers do for the same GPUs; none where the user says how exact arithmetic is.
fn contraction(target: &Target, user: &[OsString]) -> Option<OsString> {
    let says = |word: &OsString| {
        let word = word.to_string_lossy();
        word.starts_with("-ffp-contract=") || word.starts_with("-ffp-model=")
    };
    let as_in_cuda = clang_triple(target) == nvptx::TRIPLE && !user.iter().any(says);
    as_in_cuda.then(|| "-ffp-contract=fast".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_told_apart() {
        let sources = ["a/x.cpp", "b/x.cpp", "y.cpp", "a\"b,\n.cpp"].map(Path::new);
        assert_eq!(stems(sources), ["x", "x-2", "y", "a_b__"]);
    }
}
