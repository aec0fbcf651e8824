//! What a link would do, printed and not done (`--dry-run`): a line a stage, as the tool that does
//! the same would be started. What a split gives is known only by doing it, so its modules stand as
//! one, numbered `0`.

use std::path::Path;

use components::process::Job;
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;

use crate::link::device_link::spirv_link;
use crate::link::fpga::FpgaInputs;
use crate::link::images::variant::{AheadOfTime, Step, Variant};
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::Tools;
use crate::link::trace::{self, with_suffix};
use crate::link::wishes::Wishes;
use crate::link::{LinkError, WrapperOptions};

/// Prints the stages that make the images of `groups`; files are named as `--save-temps` keeps
/// them beside `output`.
///
/// # Errors
/// When an option does not fit a target, or a tool is missing.
pub fn print(
    (groups, fpga, shared): (&[LinkGroup], &FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    tools: &Tools<'_>,
    output: &Path,
) -> Result<(), LinkError> {
    for group in groups {
        for job in stages((group, fpga, shared), options, tools, output)? {
            trace::print(&job)?;
        }
    }
    Ok(())
}

fn stages(
    (group, fpga, shared): (&LinkGroup, &FpgaInputs, &SharedLibraries),
    options: &WrapperOptions,
    tools: &Tools<'_>,
    output: &Path,
) -> Result<Vec<Job>, LinkError> {
    let name = |suffix: &str| with_suffix(output, &format!("{}{suffix}", group.target.file_name()));
    let mut jobs = Vec::new();
    let wishes = Wishes::of(group, options)?;
    if !group.bitcode.is_empty() && wishes.thin {
        jobs.extend(thin_link(group, tools, &name)?);
    } else if !group.bitcode.is_empty() {
        let libraries = tools.device_libraries(&group.target)?;
        let whole = group.bitcode.iter().chain(&libraries.whole);
        let whole = whole.map(|input| input.origin.to_string());
        let linked = name(".linked.bc");
        jobs.push(Job::new("llvm-link").args(whole).arg("-o").arg(&linked));
        let lazy = group.lazy.iter().chain(&libraries.lazy);
        let lazy: Vec<String> = lazy.map(|input| input.origin.to_string()).collect();
        if !lazy.is_empty() {
            let job = Job::new("llvm-link").arg("--only-needed").arg(&linked);
            jobs.push(job.args(lazy).arg("-o").arg(&linked));
        }
    }
    if !group.bitcode.is_empty() {
        let words = wishes.post_link.iter().flat_map(|words| words.0.clone());
        let job = Job::new("sycl-post-link").args(words);
        jobs.push(job.arg(name(".linked.bc")).arg("-o").arg(name(".table")));
    }
    for part in spirv_link::parts(group, tools, shared)? {
        if part.is_joined() {
            let linked = name(&format!("_{}.spv", part.name()));
            let inputs = part.inputs().map(|input| input.origin.to_string());
            jobs.push(spirv_link::job(tools, &group.target, inputs, &linked)?);
        }
    }
    if group.target.kind() == Some(Kind::Fpga) {
        jobs.extend(finishing(fpga, group, tools, &name)?);
    }
    if group.bitcode.is_empty() && group.spirv.is_empty() {
        return Ok(jobs);
    }
    for variant in &wishes.variants {
        if let (Some(device), Some(file)) = (variant.device, tools.device_config_file()) {
            let job = Job::new("sycl-aspect-filter").arg(format!("-target={}", device.name));
            let job = job.arg(format!("-device-config-file={}", file.display()));
            jobs.push(
                job.arg(name(".table"))
                    .arg("-o")
                    .arg(name(".filtered.table")),
            );
        }
        if !matches!(variant.step, Step::Ptx(..)) && !group.bitcode.is_empty() {
            let writer = tools.spirv_writer(&group.target)?;
            jobs.push(writer.job(&variant.spirv_options(&wishes.spirv)));
        }
        jobs.extend(last_stage(group, fpga, variant, tools, &name)?);
    }
    Ok(jobs)
}

/// The index over all modules, and the import into one of them.
fn thin_link(
    group: &LinkGroup,
    tools: &Tools<'_>,
    name: &impl Fn(&str) -> std::path::PathBuf,
) -> Result<[Job; 2], LinkError> {
    let libraries = tools.device_libraries(&group.target)?;
    let inputs = group.bitcode.iter().chain(&group.lazy);
    let inputs = inputs.chain(&libraries.lazy);
    let inputs: Vec<String> = inputs.map(|input| input.origin.to_string()).collect();
    let index = name(".thinlto.bc");
    let first = inputs.first().cloned().unwrap_or_default();
    let link = Job::new("llvm-lto").arg("-thinlto-action=thinlink");
    let import = Job::new("llvm-lto")
        .args(["-thinlto-action=import", "-force-import-all"])
        .arg(format!("-thinlto-index={}", index.display()));
    Ok([
        link.args(inputs).arg("-o").arg(&index),
        import.arg(first).arg("-o").arg(name(".linked.bc")),
    ])
}

/// `aoc` over each half-finished FPGA binary.
fn finishing(
    fpga: &FpgaInputs,
    group: &LinkGroup,
    tools: &Tools<'_>,
    name: &impl Fn(&str) -> std::path::PathBuf,
) -> Result<Vec<Job>, LinkError> {
    let image = name("_aocr.bin");
    let given = tools.fpga_options();
    let options = [given.clone(), fpga.side_files(&given).0].concat();
    let job = |input: &DeviceInput| {
        let (input, image) = (input.origin.to_string(), image.to_string_lossy());
        Ok(tools.aoc(&group.target)?.job(&options, &input, &image))
    };
    fpga.aocr.iter().map(job).collect()
}

fn last_stage(
    group: &LinkGroup,
    fpga: &FpgaInputs,
    variant: &Variant,
    tools: &Tools<'_>,
    name: &impl Fn(&str) -> std::path::PathBuf,
) -> Result<Vec<Job>, LinkError> {
    Ok(match &variant.step {
        Step::Spirv => Vec::new(),
        Step::Ptx(arch, words) => {
            let (module, ptx) = (name("_0.bc"), name("_0.s"));
            let job = Job::new("llc").arg(format!("-mcpu={arch}")).arg(module);
            let mut jobs = vec![job.arg("-o").arg(&ptx)];
            if let (Some(words), Some(tool)) = (words, tools.ptxas(&group.target)?) {
                let cubin = name("_0.cubin");
                jobs.push(tool.job(words, &ptx.to_string_lossy(), &cubin.to_string_lossy()));
            }
            jobs
        }
        Step::Aot(step, words) => {
            let (input, image) = (name("_0.spv"), name("_0.bin"));
            let tool = tools.aot(*step, &group.target)?;
            let more = match step {
                AheadOfTime::Fpga => fpga.side_files(words).0,
                _ => Vec::new(),
            };
            let words = [words.as_slice(), &more].concat();
            vec![tool.job(&words, &input.to_string_lossy(), &image.to_string_lossy())]
        }
    })
}
