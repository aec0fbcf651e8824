//! The link of an offloading program: `clang-linker-wrapper`'s stages in one process (`MODEL`,
//! "Clang Linker Wrapper"; `OFF`, "Linking stage").
//!
//! | stage | file | from → to |
//! |---|---|---|
//! | read the line | [`linker_line`] | words → inputs |
//! | collect | [`collect`] | inputs → [`DeviceInput`](offload_formats::device_input::DeviceInput)s |
//! | group | [`group`] | → [`group::LinkGroup`] a target |
//! | device link | [`device`] | → linked bitcode |
//! | and of SPIR-V | `spirv_link` | → modules in which nothing stays open |
//! | or, with ThinLTO, both for each module | `thin` | → linked modules, optimized |
//! | post-link | [`split`] | → [`SplitModule`](crate::post_link::SplitModule)s |
//! | make images | [`images`] | → [`DeviceImage`]s |
//! | wrap | [`crate::wrap`] | → host object |
//! | host link | [`host`] | → program |

pub mod collect;
pub mod cuda;
mod dependency_list;
pub mod device;
pub mod device_words;
mod error;
mod expected;
mod force;
pub mod fpga;
pub mod group;
pub mod host;
mod host_object;
pub mod host_symbols;
pub mod images;
pub mod libdevice;
mod library_folders;
pub mod linker_line;
mod linker_script;
mod options;
mod pieces;
pub mod plan;
mod ready;
mod same_kernels;
mod shared_libraries;
mod spirv_link;
pub mod split;
pub mod sycl_link;
pub mod symbol_options;
mod target;
mod thin;
mod tools;
mod trace;
mod undefined;
mod united;
pub mod variant;
mod widths;
mod writers;

pub use error::LinkError;
pub use options::{BitcodeLibrary, FpgaLinkType, Words, WrapperOptions};
pub use target::DeviceTarget;
pub use tools::ASSERT_FALLBACK;

use std::path::Path;

use components::Missing;
use components::process::Job;
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;
use rayon::prelude::*;

use crate::llvm::{self, write};
use crate::temporary::Temporary;
use crate::wrap::{DeviceImage, HostTarget, WrapAhead};
use fpga::FpgaInputs;
use group::LinkGroup;
use images::ImageMaker;
use linker_line::LinkerLine;
use shared_libraries::SharedLibraries;
use tools::Tools;
use trace::Trace;
use writers::Writers;

/// Links a program as the options say.
///
/// # Errors
/// When an input is bad, a tool is missing or fails, or the output cannot be written. Nothing is
/// left under the output's name then.
pub fn run(options: &WrapperOptions) -> Result<(), LinkError> {
    let line = LinkerLine::parse(options.linker.clone());
    if line.nameless {
        let reason = "the linker's line ends with '-o', which names no file";
        return Err(LinkError::Usage(reason.to_owned()));
    }
    if !options.dry_run {
        trace::check(&line.output)?;
    }
    let trace = Trace::of(options, &line);
    let mut host_link = host::HostLink {
        program: &options.linker_path,
        line: &line,
        before: None,
        left_out: Vec::new(),
    };
    if line.relocatable {
        collect::say_that_code_stays(&line);
        return plain(&host_link, options, &trace);
    }
    let tools = Tools::new(options)?;
    let pool = pool(options.jobs())?;
    let writers = Writers::new(options, &tools);
    let mut collected = pool.install(|| collect::collect(&line, |image| writers.seen(image)))?;
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
    trace.left_out(&fpga.give_back_unexpected(&groups, options));
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
    if groups.is_empty() {
        return plain(&host_link, options, &trace);
    }
    let shared = SharedLibraries::of(&line, options.sycl_allow_device_image_dependencies);
    if options.dry_run {
        return dry_run(&groups, (&fpga, &shared), options, &host_link);
    }
    let host = host_target(options);
    let ahead = WrapAhead::new(host.clone());
    let set_up = || ahead.set_up();
    let inputs = (&*groups, &fpga, &shared);
    let images = pool.install(|| images(inputs, options, &tools, &trace, &set_up))?;
    if let Some(kind) = options.fpga_link_type {
        return fpga::write_archive(kind, images, (&line, &host), &tools, &trace);
    }
    // While other programs work: many files are mapped for it.
    pool.spawn(move || drop(groups));
    let object = wrapped(images, ahead, options, &trace)?;
    let file = Temporary::file("plumbline-images-", ".o")
        .map_err(|e| LinkError::Write(format!("cannot write the wrapper object: {e}")))?;
    trace::write(file.path(), &object)?;
    host_link.run(Some(file.path()), &trace)
}

/// A host link with no device code to link.
fn plain(
    host_link: &host::HostLink<'_>,
    options: &WrapperOptions,
    trace: &Trace,
) -> Result<(), LinkError> {
    if options.dry_run {
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
    tools: &Tools<'_>,
    trace: &Trace,
    idle: &(dyn Fn() + Sync),
) -> Result<Vec<DeviceImage>, LinkError> {
    // Of several failures the first group's is told, whichever came first.
    let images: Vec<Result<Vec<DeviceImage>, LinkError>> = groups
        .par_iter()
        .map(|group| group_images((group, fpga, shared), options, tools, trace, idle))
        .collect();
    let images: Vec<_> = images.into_iter().collect::<Result<_, _>>()?;
    Ok(images.concat())
}

fn group_images(
    (group, fpga, shared): (&LinkGroup, &FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    tools: &Tools<'_>,
    trace: &Trace,
    idle: &(dyn Fn() + Sync),
) -> Result<Vec<DeviceImage>, LinkError> {
    let variants = variant::variants(group, options)?;
    let spirv = options.spirv_options(&group.target)?;
    let maker = ImageMaker {
        target: &group.target,
        variants: &variants,
        tools,
        spirv: &spirv,
        compile_options: &options.run_time_compile_words(&group.target),
        link_options: &options.run_time_link_words(&group.target),
        shared,
        fpga,
        compression: options.compress.then_some(options.compression_level),
        trace,
        idle,
    };
    let parts = spirv_link::parts(group, tools, shared)?;
    let mut images = linked_images(group, options, &maker)?;
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

/// The images of a group's bitcode: the device link, then the post-link stage, whose modules
/// become images as they come.
fn linked_images(
    group: &LinkGroup,
    options: &WrapperOptions,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    if group.bitcode.is_empty() {
        return Ok(Vec::new());
    }
    if options.sycl_thin_lto {
        return thin::images(group, options, maker);
    }
    thin::refuse(group)?;
    let libraries = maker.tools.device_libraries(&group.target)?;
    let inputs = WholeLink {
        whole: group.bitcode.iter().chain(&libraries.whole).collect(),
        lazy: group.lazy.iter().chain(&libraries.lazy).collect(),
        libdevice: libraries.libdevice.as_ref(),
        finish: &|_| Ok(()),
    };
    inputs.images(group, options, maker)
}

/// What becomes one module.
struct WholeLink<'a> {
    /// Bitcode that is linked whole.
    whole: Vec<&'a DeviceInput>,
    /// Bitcode that is linked as far as it is needed.
    lazy: Vec<&'a DeviceInput>,
    /// What would bring a library of mathematics that is not there.
    libdevice: Option<&'a Missing>,
    /// What is left to do with the module.
    finish: &'a dyn Fn(&inkwell::module::Module<'_>) -> Result<(), LinkError>,
}

impl WholeLink<'_> {
    /// The images of the module.
    fn images(
        self,
        group: &LinkGroup,
        options: &WrapperOptions,
        maker: &ImageMaker<'_>,
    ) -> Result<Vec<DeviceImage>, LinkError> {
        let link = device::DeviceLink {
            target: &group.target,
            whole: self.whole,
            lazy: self.lazy,
            imported: &[],
            spirv: &group.spirv,
            shared: maker.shared,
            brings_assert: maker.tools.compiler_brings_assert(&group.target),
            aoco: maker.aoco(),
            libdevice: self.libdevice,
        };
        maker.trace.stage(|| {
            let (target, whole, lazy) = (&group.target, link.whole.len(), link.lazy.len());
            format!(
                "device link for {target}: {whole} modules, {lazy} more as far as they are needed"
            )
        });
        let context = llvm::context_without_names();
        let linked = link.run(&context)?;
        (self.finish)(&linked)?;
        let post_link = || format!("post-link of the module for {}", group.target);
        maker.trace.stage(post_link);
        if maker.trace.temps.is_some() {
            let name = format!("{}.linked.bc", group.target.file_name());
            maker.trace.keep(&name, &write::bitcode(&linked))?;
        }
        split::images(linked, maker, &options.post_link_words(&group.target))
    }
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

fn wrapped(
    images: Vec<DeviceImage>,
    ahead: WrapAhead,
    options: &WrapperOptions,
    trace: &Trace,
) -> Result<Vec<u8>, LinkError> {
    let text = options.print_wrapped_module || options.save_temps;
    trace.stage(|| format!("wrap: {} images into a host object", images.len()));
    let wrapped = ahead.wrap(images, text)?;
    if let Some(text) = &wrapped.text {
        trace.keep("wrapper.ll", text.as_bytes())?;
        if options.print_wrapped_module {
            trace::write(Path::new("-"), text.as_bytes())?;
        }
    }
    trace.keep("wrapper.o", &wrapped.object)?;
    Ok(wrapped.object)
}

/// The threads of a link, of which this one is the first: it has not to wait for others to wake up.
fn pool(jobs: usize) -> Result<rayon::ThreadPool, LinkError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .use_current_thread()
        .build()
        .map_err(|e| LinkError::Option(format!("cannot start {jobs} threads: {e}")))
}
