//! `-ccc-print-phases` and `-ccc-print-bindings`: a plan by what is made of what, as clang prints its
//! own. Both are read off the steps that would run.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use components::process::Job;

use super::clang_plan::value_of;
use super::plan::{Action, Node, Step};

/// How a plan is printed instead of being carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanForm {
    /// A numbered line for each input and each step, with the numbers of what it reads.
    Phases,
    /// A line for each step: who reads which files and writes which.
    Bindings,
}

/// A step by its files.
struct Binding {
    target: String,
    tool: String,
    inputs: Vec<OsString>,
    outputs: Vec<OsString>,
}

/// The plan in a form.
#[must_use]
pub fn text(node: &Node, form: PlanForm) -> String {
    let steps = node.steps();
    match form {
        PlanForm::Phases => phases(&steps),
        PlanForm::Bindings => steps.iter().map(|step| binding_line(step)).collect(),
    }
}

fn binding_line(step: &Step) -> String {
    let Binding {
        target,
        tool,
        inputs,
        outputs,
    } = binding(&step.action);
    let (inputs, outputs) = (quoted(&inputs), quoted(&outputs));
    format!("# \"{target}\" - \"{tool}\", inputs: [{inputs}], output: {outputs}\n")
}

fn phases(steps: &[&Step]) -> String {
    let mut text = String::new();
    let mut numbers: HashMap<OsString, usize> = HashMap::new();
    let mut next = 0;
    let mut line = |what: String| {
        text.push_str(&format!("{next}: {what}\n"));
        next += 1;
        next - 1
    };
    for step in steps {
        let binding = binding(&step.action);
        let mut read = Vec::new();
        for input in binding.inputs {
            let number = match numbers.get(&input) {
                Some(number) => *number,
                None => line(format!("input, {}", quoted(std::slice::from_ref(&input)))),
            };
            numbers.insert(input, number);
            read.push(number.to_string());
        }
        let (tool, read, target) = (binding.tool, read.join(", "), binding.target);
        let kind = binding
            .outputs
            .first()
            .map_or("none", |output| kind(output));
        let number = line(format!("{tool}, {{{read}}}, {kind}, ({target})"));
        let outputs = binding.outputs.into_iter();
        numbers.extend(outputs.map(|output| (output, number)));
    }
    text
}

/// What a file is by its name, in clang's words.
fn kind(file: &OsStr) -> &'static str {
    match Path::new(file).extension().and_then(OsStr::to_str) {
        Some("bc" | "ll") => "ir",
        Some("s") => "assembler",
        Some("o") => "object",
        Some("h") => "header",
        Some("i" | "ii") => "cpp-output",
        Some("d") => "dependencies",
        _ => "image",
    }
}

fn quoted(files: &[OsString]) -> String {
    let files = files
        .iter()
        .map(|file| format!("\"{}\"", file.to_string_lossy()));
    files.collect::<Vec<_>>().join(", ")
}

fn binding(action: &Action) -> Binding {
    let own = |tool: &str, inputs: Vec<OsString>, outputs: Vec<OsString>| Binding {
        target: "offload".to_owned(),
        tool: tool.to_owned(),
        inputs,
        outputs,
    };
    match action {
        Action::Run(job) => of_job(job),
        Action::Lower(lower) => {
            let header = lower.header.iter().map(|header| header.as_os_str().into());
            let outputs = std::iter::once(lower.module.as_os_str().into()).chain(header);
            own(
                "sycl-lower",
                vec![lower.raw.clone().into()],
                outputs.collect(),
            )
        }
        Action::Split(split) => own(
            "sycl-post-link",
            vec![split.module.clone().into()],
            vec![split.table.clone().into()],
        ),
        Action::Package(package) => {
            let images = package.images.iter().map(|image| image.file.clone().into());
            let output = package.output.clone().into();
            own("clang-offload-packager", images.collect(), vec![output])
        }
        Action::Embed(embed) => own(
            "llvm-objcopy",
            vec![embed.object.clone().into(), embed.package.clone().into()],
            vec![embed.output.clone().into()],
        ),
        Action::Bundle(bundle) => {
            let images = bundle.images.iter().map(|image| image.file.clone().into());
            let inputs = std::iter::once(bundle.object.clone().into()).chain(images);
            let output = bundle.output.clone().into();
            own("clang-offload-bundler", inputs.collect(), vec![output])
        }
        Action::Dependencies(dependencies) => of_job(&dependencies.job()),
        Action::DeviceTexts(texts) => of_job(&texts.job()),
        Action::LinkerWrapper(words) => {
            let at = words.iter().position(|word| word == "--").unwrap_or(0);
            let line = words.get(at..).unwrap_or_default();
            let files = line.iter().filter(|word| is_linked(word)).cloned();
            let output = value_of(line, "-o").map(OsStr::to_owned);
            let mut binding = own("clang-linker-wrapper", files.collect(), Vec::new());
            binding.outputs.extend(output);
            binding
        }
        Action::SyclLinker(words) => {
            let output = value_of(words, "-o").map(OsStr::to_owned);
            let files = words.iter().filter(|word| {
                !word.as_encoded_bytes().starts_with(b"-") && Some(*word) != output.as_ref()
            });
            own(
                "clang-sycl-linker",
                files.cloned().collect(),
                output.iter().cloned().collect(),
            )
        }
    }
}

/// The source of a compilation stands behind its language, or else last.
fn of_job(job: &Job) -> Binding {
    let tool = job.program.file_name().unwrap_or_default();
    let target = value_of(&job.args, "-triple").unwrap_or(OsStr::new("host"));
    let language = job.args.iter().rposition(|word| word == "-x");
    let source = match language {
        Some(at) => job.args.get(at + 2),
        None => job.args.last(),
    };
    let mut inputs: Vec<OsString> = source.cloned().into_iter().collect();
    let embedded = job.args.iter().filter_map(|word| {
        let package = word.to_str()?.strip_prefix("-fembed-offload-object=")?;
        Some(OsString::from(package))
    });
    inputs.extend(embedded);
    inputs.extend(value_of(&job.args, "-include").map(OsStr::to_owned));
    Binding {
        target: target.to_string_lossy().into_owned(),
        tool: tool.to_string_lossy().into_owned(),
        inputs,
        outputs: value_of(&job.args, "-o")
            .map(OsStr::to_owned)
            .into_iter()
            .collect(),
    }
}

/// Whether a word of a linker's line is an object, an archive or a shared library, other than what
/// begins and ends every program.
fn is_linked(word: &OsStr) -> bool {
    let path = Path::new(word);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let starts_programs = name
        .trim_start_matches(['S', 'g', 'r', 'M'])
        .starts_with("crt");
    !word.as_encoded_bytes().starts_with(b"-")
        && matches!(
            path.extension().and_then(OsStr::to_str),
            Some("o" | "a" | "so")
        )
        && !starts_programs
}
