//! The compiler driver: a clang++-like command line becomes a plan, the plan is printed or run.
//!
//! [`options`] reads the command line; [`clang_plan`] asks clang what it would do for the host;
//! [`unit`] and [`link_line`] plan one source and the link; [`plan`] holds and prints steps;
//! [`execute`] runs them. Planning starts nothing but clang's `-###` and writes nothing.

mod asked;
mod auto_pch;
pub mod clang_plan;
mod clang_words;
mod combinations;
mod compilation_database;
mod compile_cache;
pub mod dependencies;
mod dependency_list;
pub mod device_libraries;
pub mod device_target;
mod device_text;
pub mod diagnostics;
mod elsewhere;
pub mod execute;
mod halves;
mod help;
mod host_compiler;
mod host_words;
mod implied;
mod level;
pub mod link_line;
mod option_table;
pub mod options;
mod options_error;
mod phases;
pub mod plan;
mod precompiled;
mod questions;
mod runtime_library;
pub mod save_temps;
mod stages;
mod stdin;
pub mod target_words;
pub mod unit;
mod warnings;
mod working_directory;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use components::Components;
use components::process::{Job, JobError};

use self::auto_pch::AutoPch;
use self::clang_plan::{ClangPlan, ClangPlanError};
use self::compile_cache::CompileCache;
use self::device_target::DeviceTargets;
use self::elsewhere::Elsewhere;
use self::execute::Executor;
use self::options::{Note, Options, OptionsError, Phase, Side};
use self::plan::{Action, Node};
use self::unit::{Shared, Unit};
use self::warnings::warn;
use crate::frontend::diagnostics::{Warning, is_own_word};
use crate::layout::Layout;
use crate::response;
use crate::temporary::Temporary;
use crate::tool::{self, Failure, say};

/// The tool's name in messages.
const TOOL: &str = "sycl-clang++";

/// Runs the driver on a command line without the tool's own name.
pub fn main(words: Vec<OsString>) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    let outcome = tool::run(TOOL, || {
        if let Some(code) = drive(words)? {
            status = code;
        }
        Ok(())
    });
    if outcome == ExitCode::SUCCESS {
        status
    } else {
        outcome
    }
}

/// The work of [`main`]; a status that is not this driver's own when clang did everything.
fn drive(words: Vec<OsString>) -> Result<Option<ExitCode>, Failure> {
    let start = Instant::now();
    let words = response::expand(words).map_err(Failure::job)?;
    if words.iter().any(|word| word == "--help" || word == "-help") {
        return tool::write_whole(Path::new("-"), help::text().as_bytes()).map(|()| None);
    }
    let options = Options::parse(&words).map_err(Failure::usage)?;
    let layout = Layout::here().map_err(Failure::job)?;
    let components = Components::here().map_err(Failure::job)?;
    say_notes(&options)?;
    if let Some(tools) = options.help_of_tools {
        return tools.show(&components).map(|()| None);
    }
    let clang = components.clang().map_err(Failure::job)?;
    if options.verbose {
        let program = clang.program.display();
        say(&format!("clang: {program} ({})\n", clang.why));
    }
    if options.sycl_link {
        let node = link_line::sycl_link(&options).map_err(Failure::usage)?;
        return carry_out(&node, &options, &layout, start).map(|()| None);
    }
    let host_text = options.side != Side::Device && options.preprocesses_text();
    if !options.sycl || host_text || options.asks_clang() || options.acts_on_host() {
        let status = only_clang(&clang.program, &options, &layout)?;
        let tells = options.sycl && host_text && options.side == options::Side::Both;
        if tells && status == ExitCode::SUCCESS && !options.asks_clang() {
            tell_of_device_texts(&clang.program, &options, &layout, start)?;
        }
        return Ok(Some(status));
    }
    if options.inputs.is_empty() && !options.links_words() {
        return Err(Failure::usage(OptionsError::NoInputs(options.taken)));
    }
    compile_and_link(&clang.program, &options, &layout, start).map(|()| None)
}

/// Says what the user should know of single words.
fn say_notes(options: &Options) -> Result<(), Failure> {
    for note in &options.notes {
        match note {
            Note::WithoutEffect { word, because } if options.verbose => {
                say(&format!(
                    "{TOOL}: note: '{word}' changes nothing: {because}\n"
                ));
            }
            Note::WithoutEffect { .. } => {}
            Note::Warning(text) => warn(options, Warning::Unused, text)?,
        }
    }
    Ok(())
}

/// Everything by clang: no SYCL asked for, a question, the host's half alone, or preprocessing, which
/// is the host's unless `-fsycl-device-only` asks for the text that the device compilation reads.
fn only_clang(clang: &Path, options: &Options, layout: &Layout) -> Result<ExitCode, Failure> {
    let mut job = Job::new(clang);
    let other = options.host_compiler.as_ref();
    if let Some(compiler) = other.filter(|_| options.preprocesses_text()) {
        return host_compiler::preprocess(compiler, options, layout);
    }
    if options.sycl {
        let targets = DeviceTargets::of(options).map_err(Failure::usage)?;
        let macros = targets.compiled.iter().copied();
        job = job
            .args(words_of_clang(options))
            .args(include_words(options, layout))
            .args(macros.flat_map(device_target::macro_definitions));
    } else {
        job = job.args(runtime_library::without_names(&options.clang));
        if options.names_runtime() {
            // Some of what counts as a link ends before it (--analyze).
            job = job
                .arg("--start-no-unused-arguments")
                .args(runtime_library::words(layout))
                .arg("--end-no-unused-arguments");
        }
    }
    if options.sycl && options.acts_on_host() {
        let words = unit::host_words(layout);
        job = job.args(words.into_iter().flat_map(|w| ["-Xclang".into(), w]));
    }
    if options.print_only {
        job = job.arg("-###");
    }
    if let Some(kept) = options.save_temps {
        job = job.arg(kept.word());
    }
    if options.asks_version() {
        let answer = job.output(b"").map_err(Failure::job)?;
        say(&String::from_utf8_lossy(&answer.stderr));
        let text = String::from_utf8_lossy(&answer.stdout);
        let text = questions::with_own_version(&text);
        tool::write_whole(Path::new("-"), text.as_bytes())?;
        let code = answer
            .status
            .code()
            .and_then(|code| u8::try_from(code).ok());
        return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
    }
    status_of(job.run())
}

/// Tells of what device compilations would read, behind the host's text.
fn tell_of_device_texts(
    clang: &Path,
    options: &Options,
    layout: &Layout,
    start: Instant,
) -> Result<(), Failure> {
    let targets = DeviceTargets::of(options).map_err(Failure::usage)?;
    let scratch = Scratch::new(options)?;
    let shared = Shared {
        options,
        targets: &targets,
        layout,
        work: &scratch.folder,
        prefix: &scratch.prefix,
    };
    let host = ask(clang, &clang_words(options, layout))?;
    match device_text::steps(&shared, host) {
        Some(node) => carry_out(&node, options, layout, start),
        None => Ok(()),
    }
}

/// The exit status of a compiler that took over.
fn status_of(done: Result<(), JobError>) -> Result<ExitCode, Failure> {
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // It has said why.
        Err(JobError::Failed { status, .. }) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            Ok(ExitCode::from(code.unwrap_or(1)))
        }
        Err(error) => Err(Failure::job(error)),
    }
}

/// The SYCL flow.
fn compile_and_link(
    clang: &Path,
    options: &Options,
    layout: &Layout,
    start: Instant,
) -> Result<(), Failure> {
    let targets = DeviceTargets::of(options).map_err(Failure::usage)?;
    target_words::check(options, &targets)?;
    if let Some(warning) = &targets.warning {
        warn(options, Warning::Target, warning)?;
    }
    let words = clang_words(options, layout);
    let mut host = ask(clang, &words)?;
    say(&host.notes);
    if let Some(words) = halves::without_host_words(&words) {
        halves::follow(&mut host, ask(clang, &words)?);
    }
    link_line::check_fpga_archive(options, &targets, &host).map_err(Failure::usage)?;
    warn_of_lost_halves(options, &host)?;
    refuse_lost_headers(options, &host)?;
    if options.thin_lto && options.verbose {
        for compile in unit::unoptimized(&host.compiles, options, &targets) {
            say(&format!(
                "{TOOL}: note: '-foffload-lto=thin' optimizes nothing of '{}' in the link: its device code is \
                 compiled with -O0\n",
                compile.source().display()
            ));
        }
    }
    let scratch = Scratch::new(options)?;
    if !options.only_prints() {
        compilation_database::write(options, &host, layout)?;
        for compile in &mut host.compiles {
            stdin::spool(compile, &scratch.folder)?;
        }
    }
    let elsewhere = match options.only_prints() {
        true => None,
        false => Elsewhere::of(options, &mut host)?,
    };
    let shared = Shared {
        options,
        targets: &targets,
        layout,
        work: &scratch.folder,
        prefix: &scratch.prefix,
    };
    if let Some(folder) = scratch.temporary.as_ref().filter(|_| options.verbose) {
        // The steps can be pasted when it has gone.
        let job = Job::new("mkdir").arg("-p").arg(folder.path());
        say(&format!(" {job}\n"));
    }
    let node = plan_all(&shared, host);
    carry_out(&node, options, layout, start)?;
    elsewhere.map_or(Ok(()), Elsewhere::bring)
}

/// What clang would do; its own words when it would do nothing.
fn ask(clang: &Path, words: &[OsString]) -> Result<ClangPlan, Failure> {
    match ClangPlan::ask(clang, words) {
        Ok(plan) => Ok(plan),
        Err(ClangPlanError::Refused(said)) => {
            say(&format!("{said}\n"));
            Err(Failure::Reported)
        }
        Err(ClangPlanError::Start(error)) => Err(Failure::job(error)),
    }
}

/// Says of which sources the device code is lost; that is an error where it alone is asked for.
fn warn_of_lost_halves(options: &Options, host: &ClangPlan) -> Result<(), Failure> {
    let lost = host.compiles.iter();
    let lost = lost.filter(|compile| precompiled::is_host_half(compile.language()));
    for compile in lost {
        let source = compile.source();
        let what = format!(
            "no device code can be made of '{}': preprocessed text and modules are the host's half",
            source.display()
        );
        match options.side {
            Side::Device => return Err(Failure::Job(what)),
            Side::Both => warn(options, Warning::HostHalf, &what)?,
            Side::Host => {}
        }
    }
    Ok(())
}

/// Fails when device compilations would lack what a precompiled header declares.
fn refuse_lost_headers(options: &Options, host: &ClangPlan) -> Result<(), Failure> {
    let mut compiles = host.compiles.iter().filter(|_| options.side != Side::Host);
    let lost = compiles.find_map(|compile| {
        let is_read = compile.language() == Some("c++");
        let words = compile.first_words();
        is_read.then(|| precompiled::without_text(words, options))?
    });
    match lost {
        Some(header) => Err(Failure::Job(format!(
            "device compilations cannot read the precompiled header '{}', and its name does not say \
             where the text is: name the header by '-include' besides",
            Path::new(header).display()
        ))),
        None => Ok(()),
    }
}

/// Prints the plan, or runs it.
fn carry_out(
    node: &Node,
    options: &Options,
    layout: &Layout,
    start: Instant,
) -> Result<(), Failure> {
    let tools = layout.tools();
    if let Some(form) = options.print_form {
        return tool::write_whole(Path::new("-"), phases::text(node, form).as_bytes());
    }
    if options.print_only {
        execute::print(node, &tools);
        return Ok(());
    }
    let linked =
        (options.phase == Phase::Link && options.side != Side::Device).then(default_output);
    let compiled = |output: &PathBuf| match options.phase {
        Phase::Link => output.clone(),
        _ => options.placed(output),
    };
    if let Some(output) = options.output.as_ref().map(compiled).or(linked) {
        tool::check_output(&output)?;
    }
    let auto_pch = AutoPch::of(options.auto_pch.as_deref(), layout);
    // A folder that takes nothing is no reason to fail.
    let cache = CompileCache::of(options.compile_cache.as_deref()).unwrap_or_else(|error| {
        if options.verbose {
            say(&format!("{TOOL}: note: {error}\n"));
        }
        None
    });
    let executor = Executor::new(tools, options.verbose, auto_pch, cache);
    let result = executor.run(node);
    if options.timing {
        say(&execute::timing_table(&executor.times(), start.elapsed()));
    }
    result
}

/// The steps of all sources, then the link.
fn plan_all(shared: &Shared<'_>, host: ClangPlan) -> Node {
    let sources: Vec<PathBuf> = host
        .compiles
        .iter()
        .map(|compile| compile.source())
        .collect();
    let stems = unit::stems(sources.iter().map(PathBuf::as_path));
    let stems = stems
        .into_iter()
        .map(|stem| format!("{}{stem}", shared.prefix));
    let mut linker = host.link;
    let mut nodes = Vec::new();
    for (index, (mut compile, stem)) in host.compiles.into_iter().zip(stems).enumerate() {
        if let Some(linker) = &mut linker {
            let object = shared.work.join(format!("{stem}.o"));
            for word in linker
                .args
                .iter_mut()
                .filter(|w| Some(w.as_os_str()) == compile.output())
            {
                *word = object.clone().into();
            }
            compile.set_output(&object);
        }
        nodes.push(Unit::new(shared, index, stem, compile).plan());
    }
    // What goes to standard output goes there in the order of the sources.
    let mut sequence = match shared.options.phase {
        Phase::Preprocess => nodes,
        _ => vec![Node::Together(nodes)],
    };
    if let Some(linker) = linker.filter(|_| shared.options.side != options::Side::Device) {
        let Shared {
            options,
            targets,
            layout,
            ..
        } = shared;
        let action = if questions::asks_linker(&linker.args) {
            Action::Run(linker)
        } else {
            let words = link_line::wrapper_words(options, targets, layout, &host.target, &linker);
            Action::LinkerWrapper(words)
        };
        sequence.push(Node::step(action, "link", usize::MAX));
    }
    Node::Sequence(sequence)
}

/// Colours where somebody reads, unless the words have chosen already.
fn default_colours(words: &[OsString]) -> Option<OsString> {
    let chosen = words.iter().any(|word| {
        let word = word.to_string_lossy();
        word.ends_with("color-diagnostics") || word.contains("diagnostics-color")
    });
    (std::io::stderr().is_terminal() && !chosen).then(|| "-fcolor-diagnostics".into())
}

/// The words that clang plans the host half with.
fn clang_words(options: &Options, layout: &Layout) -> Vec<OsString> {
    let mut words = words_of_clang(options);
    if options.fpga {
        // In front: what the user says of debug information counts.
        words.insert(0, "-g".into());
    }
    words.extend(include_words(options, layout));
    words.extend(default_colours(&words));
    if options.links_runtime() {
        words.extend(runtime_library::words(layout));
    }
    words
}

/// The command line's words for clang, less the warnings that are not clang's to know, and less the runtime
/// library by another's name ([`Options::links_runtime`]).
fn words_of_clang(options: &Options) -> Vec<OsString> {
    let own = |word: &OsString| word.to_str().is_some_and(is_own_word);
    let mut words = runtime_library::without_names(&options.clang);
    words.retain(|word| !own(word));
    words
}

/// The macro by which sources know SYCL, before they include any header (SYCL 2020, "Preprocessor
/// directives and macros").
const LANGUAGE_MACRO: [&str; 2] = [
    // clang's own is of an older draft.
    "-USYCL_LANGUAGE_VERSION",
    "-DSYCL_LANGUAGE_VERSION=202012L",
];

/// The macro by which libraries know that kernels need no names, as DPC++ defines it: oneDPL asks for it.
/// Where another compiler makes the host's half, neither half has it, there as here.
const UNNAMED_LAMBDA_MACRO: &str = "-D__SYCL_UNNAMED_LAMBDA__=1";

/// The headers' folder and the language's macros, of which clang does not say that an assembler file has
/// no use for them.
fn include_words(options: &Options, layout: &Layout) -> Vec<OsString> {
    let mut words = vec![OsString::from("--start-no-unused-arguments")];
    words.extend(LANGUAGE_MACRO.map(OsString::from));
    let is_clangs = options.host_compiler.is_none();
    words.extend(is_clangs.then(|| UNNAMED_LAMBDA_MACRO.into()));
    words.extend(["-isystem".into(), layout.include().into_os_string()]);
    words.push("--end-no-unused-arguments".into());
    words
}

/// What a link writes that is told no name.
fn default_output() -> PathBuf {
    "a.out".into()
}

/// Where results that are no output go, and what becomes of them.
struct Scratch {
    folder: PathBuf,
    /// What the names of files there begin with.
    prefix: String,
    /// Dropped, and the folder with it, when the command ends.
    temporary: Option<Temporary>,
}

impl Scratch {
    fn new(options: &Options) -> Result<Scratch, Failure> {
        if let Some(kept) = options.save_temps {
            return Ok(Scratch {
                folder: options.placed(&kept.folder(options.output.as_deref())),
                prefix: String::new(),
                temporary: None,
            });
        }
        if options.only_prints() {
            // The folder is there, so that the steps can be pasted; others share it.
            let unique = RandomState::new().build_hasher().finish();
            return Ok(Scratch {
                folder: std::env::temp_dir(),
                prefix: format!("sycl-clang-{unique:016x}-"),
                temporary: None,
            });
        }
        let temporary = Temporary::folder("sycl-clang-")
            .map_err(|error| Failure::Job(format!("cannot make a temporary folder: {error}")))?;
        Ok(Scratch {
            folder: temporary.path().to_owned(),
            prefix: String::new(),
            temporary: Some(temporary),
        })
    }
}
