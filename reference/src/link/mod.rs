//! The link of an offloading program: `clang-linker-wrapper`'s stages in one process (`MODEL`,
//! "Clang Linker Wrapper"; `OFF`, "Linking stage").
//!
//! | stage | room | from → to |
//! |---|---|---|
//! | read the line | [`line`] | words → inputs, options |
//! | collect and group | [`inputs`] | inputs → [`DeviceInput`](offload_formats::device_input::DeviceInput)s → a [`LinkGroup`] a target |
//! | device link | [`device_link`] | → linked modules |
//! | make images | [`images`] | → [`SplitModule`](crate::post_link::SplitModule)s → [`DeviceImage`]s |
//! | wrap | [`crate::wrap`] | → host object |
//! | host link | [`host_link`] | → program |
//!
//! Beside them: what is kept for later links ([`cache`]), what a link says and keeps (`trace`), what it needs from outside (`tools`), the
//! binaries of FPGA compilations ([`fpga`]), and what the line asks for of one target (`wishes`).

pub mod cache;
pub mod cuda;
pub mod device_link;
mod error;
pub mod fpga;
mod heaps;
pub mod host_link;
pub mod images;
pub mod inputs;
pub mod line;
pub mod plan;
pub mod sycl_link;
mod target;
mod tools;
mod trace;
mod wishes;

pub use error::LinkError;
pub use line::options::{BitcodeLibrary, COMPRESSION_LEVELS, FpgaLinkType, Words, WrapperOptions};
pub use target::DeviceTarget;
pub use tools::ASSERT_FALLBACK;

use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::container::map_file;
use offload_formats::targets::Kind;
use rayon::prelude::*;

use crate::llvm::{self, cache::Policy};
use crate::temporary::Temporary;
use crate::wrap::{DeviceImage, HostTarget, WrapAhead};
use cache::Cache;
use device_link::spirv_link;
use device_link::thin::distributed;
use fpga::FpgaInputs;
use host_link::host;
use images::maker::ImageMaker;
use images::ready;
use images::writers::Writers;
use inputs::archives::Archives;
use inputs::group::{self, LinkGroup};
use inputs::shared_libraries::SharedLibraries;
use inputs::{collect, expected, force};
use line::linker_line::LinkerLine;
use tools::Tools;
use trace::Trace;
use wishes::Wishes;

/// Links a program as the options say.
///
/// # Errors
/// When an input is bad, a tool is missing or fails, or the output cannot be written. Nothing is
/// left under the output's name then.
pub fn run(options: &WrapperOptions) -> Result<(), LinkError> {
    let thinlto = &options.thinlto;
    if options.sycl_thin_lto || thinlto.optimize.is_some() || thinlto.images.is_some() {
        llvm::read::believe_own();
    }
    if let Some(unit) = &options.thinlto.optimize {
        return distributed::optimize(unit);
    }
    let line = LinkerLine::parse(options.linker.clone());
    if let Some(unit) = &options.thinlto.images {
        return unit_images(unit, options, &line);
    }
    if line.nameless {
        let reason = "the linker's line ends with '-o', which names no file";
        return Err(LinkError::Usage(reason.to_owned()));
    }
    if !options.stages.dry_run {
        trace::check(&line.output)?;
    }
    let trace = Trace::of(options, &line);
    let mut host_link = host::HostLink {
        program: &options.linker_path,
        line: &line,
        before: None,
        left_out: Vec::new(),
    };
    check_thin(options)?;
    say_without_effect(options, &line, &trace);
    if line.relocatable && options.thinlto.index_only {
        let reason = "-r joins objects and leaves their device code as it is: --thinlto-index-only has nothing to \
                      write";
        return Err(LinkError::Usage(reason.to_owned()));
    }
    if line.relocatable {
        collect::say_that_code_stays(&line);
        return plain(&host_link, options, &trace);
    }
    let tools = Tools::new(options)?;
    let pool = pool(options.jobs())?;
    let writers = Writers::new(options, &tools);
    let archives = Archives::of_linker(&options.linker_path, &line.words);
    let mut collected =
        pool.install(|| collect::collect(&line, archives, |image| writers.seen(image)))?;
    host_link.before = collected.first_word;
    host_link.left_out = std::mem::take(&mut collected.bare);
    if let Some(from) = options.sycl_force_target {
        force::retarget(&mut collected, from, &options.sycl_expected_targets)?;
    }
    let mut fpga = FpgaInputs::take(&mut collected);
    let group::Grouped {
        mut groups,
        left_out,
        of_other_kinds,
    } = group::group(collected)?;
    trace.left_out(&left_out);
    group::warn_of_other_kinds(&of_other_kinds);
    trace.left_out(&fpga.give_back_unexpected(&groups, options.names_fpga()));
    trace.left_out(&fpga.leave_out_compiled(&mut groups, &tools.fpga_options())?);
    if !fpga.has_no_images() {
        group::ensure(
            &mut groups,
            DeviceTarget::new("spir64_fpga-unknown-unknown", ""),
        );
    }
    expected::warn(
        &options.sycl_expected_targets,
        &groups,
        options.sycl_target_warning,
    )?;
    trace.found(&groups);
    if options.fpga_link_type.is_some() {
        fpga::check_groups(&groups)?;
    }
    if groups.is_empty() && !options.thinlto.index_only {
        return plain(&host_link, options, &trace);
    }
    let shared = SharedLibraries::of(&line, options.sycl_allow_device_image_dependencies);
    if options.stages.dry_run {
        return dry_run(&groups, (&fpga, &shared), options, &host_link);
    }
    if options.thinlto.index_only {
        let around = (&tools, &shared, &trace);
        let index = || distributed::index(&groups, options, around, &line.output);
        return pool.install(index);
    }
    let host = host_target(options);
    let ahead = WrapAhead::new(host.clone());
    let set_up = || ahead.set_up();
    let inputs = (&*groups, &fpga, &shared);
    let cache = open_cache(options, &line, &trace)?;
    let around = (&tools, &trace, cache.as_ref());
    let images = pool.install(|| images(inputs, options, around, &set_up))?;
    // Another thread goes on, in whose heap little of that is.
    llvm::return_memory();
    if let Some(cache) = cache {
        let said = cache.close();
        trace.stage(|| said);
    }
    if let Some(kind) = options.fpga_link_type {
        return fpga::write_archive(kind, images, (&line, &host), &tools, &trace);
    }
    // While other programs work: many files are mapped for it.
    pool.spawn(move || drop(groups));
    let file = Temporary::file("plumbline-images-", ".o")
        .map_err(|e| LinkError::Write(format!("cannot write the wrapper object: {e}")))?;
    wrapped(images, ahead, options, (file.path(), &trace))?;
    host_link.run(Some(file.path()), &trace)
}

/// What of a link with ThinLTO is the work of this process: the images of one unit.
fn unit_images(unit: &Path, options: &WrapperOptions, line: &LinkerLine) -> Result<(), LinkError> {
    let tools = Tools::new(options)?;
    let shared = SharedLibraries::of(line, options.sycl_allow_device_image_dependencies);
    let trace = Trace::of(options, line);
    let around = (&tools, &shared, &trace);
    pool(options.jobs())?.install(|| distributed::images(unit, options, around))
}

/// A host link with no device code to link.
fn plain(
    host_link: &host::HostLink<'_>,
    options: &WrapperOptions,
    trace: &Trace,
) -> Result<(), LinkError> {
    if options.stages.dry_run {
        let job = host_link.job(None, &host_link.line.output);
        return trace::print(&job);
    }
    host_link.run(None, trace)
}

/// Prints what a link would do.
fn dry_run(
    groups: &[LinkGroup],
    (fpga, shared): (&FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    host_link: &host::HostLink<'_>,
) -> Result<(), LinkError> {
    let output = &host_link.line.output;
    let tools = Tools::new(options)?;
    plan::print((groups, fpga, shared), options, &tools, output)?;
    if options.fpga_link_type.is_some() {
        let jobs = fpga::archive_jobs(host_link.line, &tools)?;
        return jobs.iter().try_for_each(trace::print);
    }
    let object = trace::with_suffix(output, "wrapper.o");
    let wrapper = Job::new("clang-offload-wrapper").arg("-kind=sycl");
    trace::print(&wrapper.arg("-o").arg(&object))?;
    trace::print(&host_link.job(Some(&object), output))
}

/// The device images of all groups, in the order of the groups. `idle` is called when outside tools
/// have got work.
fn images(
    (groups, fpga, shared): (&[LinkGroup], &FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    around: (&Tools<'_>, &Trace, Option<&Cache>),
    idle: &(dyn Fn() + Sync),
) -> Result<Vec<DeviceImage>, LinkError> {
    // Of several failures the first group's is told, whichever came first.
    let images: Vec<Result<Vec<DeviceImage>, LinkError>> = groups
        .par_iter()
        .map(|group| group_images((group, fpga, shared), options, around, idle))
        .collect();
    let images: Vec<_> = images.into_iter().collect::<Result<_, _>>()?;
    Ok(images.into_iter().flatten().collect())
}

fn group_images(
    (group, fpga, shared): (&LinkGroup, &FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    around: (&Tools<'_>, &Trace, Option<&Cache>),
    idle: &(dyn Fn() + Sync),
) -> Result<Vec<DeviceImage>, LinkError> {
    let wishes = Wishes::of(group, options)?;
    let (tools, trace, cache) = around;
    let maker = ImageMaker {
        target: &group.target,
        wishes: &wishes,
        tools,
        shared,
        fpga,
        trace,
        cache,
        idle,
    };
    let parts = spirv_link::parts(group, tools, shared)?;
    let mut images = device_link::images(group, &maker)?;
    for part in &parts {
        images.extend(ready::spirv_images(&maker, part)?);
    }
    for input in &group.native {
        images.push(ready::native_image(&maker, input)?);
    }
    if group.target.kind() == Some(Kind::Fpga) {
        images.extend(fpga.images(&maker)?);
    }
    Ok(images)
}

/// Holds the words of distributed links to what they stand with.
fn check_thin(options: &WrapperOptions) -> Result<(), LinkError> {
    let given = [
        (options.thinlto.index_only, "--thinlto-index-only"),
        (options.thinlto.from.is_some(), "--thinlto-from="),
    ];
    let first = given.iter().find(|(given, _)| *given);
    if let (Some((_, option)), false) = (first, options.sycl_thin_lto) {
        return Err(LinkError::Usage(format!("{option} needs --sycl-thin-lto")));
    }
    match given.iter().all(|(given, _)| *given) {
        true => Err(LinkError::Usage(
            "--thinlto-index-only and --thinlto-from= are two steps of a link, one after the other"
                .to_owned(),
        )),
        false => Ok(()),
    }
}

/// Says which words of ThinLTO change nothing, as they stand beside others that they do not belong to.
fn say_without_effect(options: &WrapperOptions, line: &LinkerLine, trace: &Trace) {
    let thinlto = &options.thinlto;
    let caches = thinlto.cache_dir.is_some() || line.value("--thinlto-cache-dir=").is_some();
    let index = "--thinlto-index-only";
    let makes_no_images = thinlto.index_only || thinlto.from.is_some();
    let words = [
        (
            thinlto.cache_policy.is_some() && !caches,
            "--thinlto-cache-policy=",
            "--thinlto-cache-dir=",
        ),
        (
            caches && makes_no_images,
            "--thinlto-cache-dir=",
            "a link that makes images itself",
        ),
        (
            thinlto.emit_imports_files && !thinlto.index_only,
            "--thinlto-emit-imports-files",
            index,
        ),
        (
            thinlto.prefix_replace.is_some() && !thinlto.index_only,
            "--thinlto-prefix-replace=",
            index,
        ),
    ];
    for (_, word, place) in words.into_iter().filter(|(given, ..)| *given) {
        trace.stage(|| format!("{word} changes nothing: it is for {place}"));
    }
}

/// The cache that the line names, by the wrapper's words or by its linker's. Only links with ThinLTO have
/// one.
fn open_cache(
    options: &WrapperOptions,
    line: &LinkerLine,
    trace: &Trace,
) -> Result<Option<Cache>, LinkError> {
    let of_linker = |option| line.value(option);
    let folder = options.thinlto.cache_dir.clone();
    let folder = folder.or_else(|| of_linker("--thinlto-cache-dir=").map(PathBuf::from));
    let Some(folder) = folder else {
        return Ok(None);
    };
    if !options.sycl_thin_lto {
        trace.stage(|| {
            let folder = folder.display();
            format!(
                "--thinlto-cache-dir={folder} changes nothing: it is for links with --sycl-thin-lto"
            )
        });
        return Ok(None);
    }
    let policy = match (
        &options.thinlto.cache_policy,
        of_linker("--thinlto-cache-policy="),
    ) {
        (Some(policy), _) => policy.clone(),
        (None, Some(text)) => text.parse::<Policy>().map_err(|reason| {
            LinkError::Usage(format!("--thinlto-cache-policy={text}: {reason}"))
        })?,
        (None, None) => Policy::default(),
    };
    Cache::open(folder, policy).map(Some)
}

/// The machine that the wrapped images are emitted for.
fn host_target(options: &WrapperOptions) -> HostTarget {
    match &options.host_triple {
        Some(triple) => HostTarget {
            triple: triple.clone(),
        },
        None => HostTarget::default(),
    }
}

/// Wraps images into an object at `to`.
fn wrapped(
    images: Vec<DeviceImage>,
    ahead: WrapAhead,
    options: &WrapperOptions,
    (to, trace): (&Path, &Trace),
) -> Result<(), LinkError> {
    let text = options.print_wrapped_module || options.stages.save_temps;
    trace.stage(|| format!("wrap: {} images into a host object", images.len()));
    if let Some(text) = ahead.wrap(images, text, to)? {
        trace.keep("wrapper.ll", text.as_bytes())?;
        if options.print_wrapped_module {
            trace::write(Path::new("-"), text.as_bytes())?;
        }
    }
    if trace.temps.is_some() {
        let object = map_file(to).map_err(|reason| LinkError::Read {
            path: to.to_owned(),
            reason,
        })?;
        trace.keep("wrapper.o", &object)?;
    }
    Ok(())
}

/// The threads of a link, of which this one is the first: it has not to wait for others to wake up.
fn pool(jobs: usize) -> Result<rayon::ThreadPool, LinkError> {
    heaps::limit(jobs);
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .use_current_thread()
        .build()
        .map_err(|e| LinkError::Option(format!("cannot start {jobs} threads: {e}")))
}
