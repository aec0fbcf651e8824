//! The first step: units and indexes as files, and the commands of all that is left to do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use components::process::quoted;
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;
use serde::Serialize;

use super::optimize::OptimizePlan;
use super::plan::{
    Command, File, Unit, UnitPlan, images_of, imports_of, index_of, json, name_of,
    optimize_plan_of, optimized_of, plan_of, read, shared_files, text, unit_of, versions,
    write_changed,
};
use crate::layout::own_tool;
use crate::link::cache::WRAPPER;
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::thin::summarized::Summarized;
use crate::link::device_link::thin::units::Units;
use crate::link::device_link::whole::is_one_of;
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::Tools;
use crate::link::trace::{Trace, with_suffix};
use crate::link::wishes::Wishes;
use crate::link::{LinkError, WrapperOptions};
use crate::shelf::Shelf;
use crate::store::Key;
use crate::temporary::Temporary;

/// All commands, as JSON.
#[derive(Serialize)]
struct Commands {
    version: u32,
    commands: Vec<Command>,
}

/// Writes what other processes need for the links of `groups`, and says what they have to do.
///
/// # Errors
/// When an input is one that is not worked on elsewhere, or a file cannot be written; and what a link
/// refuses before it makes anything.
pub(in crate::link) fn index(
    groups: &[LinkGroup],
    options: &WrapperOptions,
    (tools, shared, trace): (&Tools<'_>, &SharedLibraries, &Trace),
    output: &Path,
) -> Result<(), LinkError> {
    let folder = options.thinlto.place(&with_suffix(output, "thinlto"));
    let shared_files = shared_files(shared)?;
    let (mut commands, mut of_images) = (Vec::new(), Vec::new());
    for group in groups.iter().filter(|group| !group.bitcode.is_empty()) {
        let step = Step {
            group,
            options,
            folder: folder.join(group.target.file_name()),
            shared: &shared_files,
        };
        let made = step.run(tools)?;
        trace.stage(|| {
            let (target, count) = (&group.target, made.optimize.len() + made.images.len());
            format!("ThinLTO for {target}: {count} commands are left to other processes")
        });
        commands.extend(made.optimize);
        of_images.extend(made.images);
    }
    // One after the other they can be run too: images are made of several optimized units.
    commands.extend(of_images);
    make(&folder)?;
    let line = |command: &Command| {
        let words = command.command.iter().map(|word| quoted(word.as_ref()));
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    let lines: String = commands.iter().map(line).collect();
    write_changed(&folder.join("commands.txt"), lines.as_bytes())?;
    let commands = Commands {
        version: 1,
        commands,
    };
    write_changed(&folder.join("commands.json"), &json(&commands)?)
}

/// The commands that one target leaves.
#[derive(Default)]
struct Left {
    optimize: Vec<Command>,
    /// Those that read what the others write.
    images: Vec<Command>,
}

/// The step for one target.
struct Step<'a> {
    group: &'a LinkGroup,
    options: &'a WrapperOptions,
    folder: PathBuf,
    /// The shared libraries that have device code.
    shared: &'a [File],
}

impl Step<'_> {
    fn run(&self, tools: &Tools<'_>) -> Result<Left, LinkError> {
        let (group, target) = (self.group, &self.group.target);
        if target.kind() == Some(Kind::Fpga) {
            let reason = "--thinlto-index-only: device code for FPGAs is linked in one process";
            return Err(LinkError::Option(format!(
                "{reason}, and so is that for {target}"
            )));
        }
        let libraries = tools.device_libraries(target)?;
        let summarized = Summarized::of(group, &libraries)?;
        if let Some(plain) = summarized.plain.first() {
            return Err(LinkError::Option(format!(
                "{}: --thinlto-index-only takes device code that was compiled with -foffload-lto=thin; this \
                 was not",
                plain.origin
            )));
        }
        let kernels = SameKernels::default();
        let units = Units::read(
            &summarized.indexed,
            (summarized.modules, &summarized.order),
            (target, &kernels),
            &Shelf::new(),
        )?;
        make(&self.folder)?;
        for (number, bitcode) in units.bitcode.iter().enumerate() {
            write_changed(&unit_of(&self.folder, number), bitcode)?;
        }
        self.write_indexes(&summarized, &units)?;
        let common = UnitPlan {
            lazy: self.write_inputs("lazy", summarized.lazy.iter().copied())?,
            left_out: summarized
                .lazy
                .iter()
                .filter(|input| is_one_of(&group.lazy, input))
                .count(),
            whole: self.write_inputs("whole", libraries.whole.iter())?,
            spirv: self.write_inputs("spirv", group.spirv.iter())?,
            shared: self.shared.to_vec(),
            named: self.named(tools)?,
            tools: versions(group, &Wishes::of(group, self.options)?, tools),
            ..UnitPlan::new(group, &self.options.thinlto.image_words)
        };
        let files = summarized.indexed.iter().zip(&units.bitcode).enumerate();
        let files = files.map(|(number, (input, bitcode))| {
            let name = text(&unit_of(&self.folder, number))?;
            Ok(File::of(name, input.origin.to_string(), bitcode))
        });
        let files: Vec<File> = files.collect::<Result<_, LinkError>>()?;
        let imports = (0..files.len()).map(|number| self.imports(number, &files));
        let imports: Vec<OptimizePlan> = imports.collect::<Result<_, _>>()?;
        let known = files.iter().zip(&imports).zip(&summarized.indexed);
        let known = known
            .enumerate()
            .map(|(number, ((file, imports), input))| Unit {
                number,
                file: file.clone(),
                digest: Key::of(&input.bytes).to_string(),
                made_of: imports.made_of(),
                has_images: number < summarized.modules,
            });
        let known: Vec<Unit> = known.collect();
        let mut wanted = BTreeSet::new();
        let mut plans = Vec::new();
        for number in 0..summarized.modules {
            let near = units.compiled.near(number);
            wanted.extend(near.iter().copied());
            plans.push((number, near));
        }
        // Of libraries, what is wanted.
        let of_libraries = wanted
            .into_iter()
            .filter(|number| *number >= summarized.modules);
        plans.extend(of_libraries.map(|number| (number, vec![number])));
        let mut left = Left::default();
        for (number, near) in plans {
            let unit = unit_of(&self.folder, number);
            let label = format!("{}_{number}", target.file_name());
            if let Some(plan) = imports.get(number) {
                write_changed(&optimize_plan_of(&unit), &plan.to_bytes()?)?;
                left.optimize.push(optimize_command(plan, &unit, &label)?);
            }
            if number >= summarized.modules {
                continue;
            }
            let near = near.into_iter().filter_map(|near| known.get(near).cloned());
            let plan = UnitPlan {
                label,
                number,
                near: near.collect(),
                not_imported: units.not_imported(number, &summarized),
                ..common.clone()
            };
            write_changed(&plan_of(&unit), &plan.to_bytes()?)?;
            left.images.push(self.images_command(&plan, &unit)?);
        }
        Ok(left)
    }

    /// The files that LLVM's link writes for each unit, beside it. LLVM knows units by the names of their
    /// files alone: it writes beside what it takes for their paths.
    fn write_indexes(&self, summarized: &Summarized<'_>, units: &Units) -> Result<(), LinkError> {
        let fail = |e: std::io::Error| LinkError::Write(format!("cannot make a folder: {e}"));
        let work = Temporary::folder("plumbline-index-").map_err(fail)?;
        let link = summarized.link(units, &self.group.target, |number, _| name_of(number))?;
        link.write_indexes(&text(work.path())?)?;
        for number in 0..summarized.indexed.len() {
            let (unit, made) = (unit_of(&self.folder, number), unit_of(work.path(), number));
            write_changed(&index_of(&unit), &read(&index_of(&made))?)?;
            let list = read(&imports_of(&made))?;
            let paths = String::from_utf8_lossy(&list);
            let paths = paths.lines().map(|name| text(&self.folder.join(name)));
            let paths = paths.map(|path| Ok(path? + "\n"));
            let paths: String = paths.collect::<Result<_, LinkError>>()?;
            write_changed(&imports_of(&unit), paths.as_bytes())?;
        }
        Ok(())
    }

    /// What one is optimized with: the units that it imports from, itself first, and its index.
    fn imports(&self, number: usize, units: &[File]) -> Result<OptimizePlan, LinkError> {
        let unit = unit_of(&self.folder, number);
        let list = read(&imports_of(&unit))?;
        let list = String::from_utf8_lossy(&list);
        let own = units.get(number).into_iter();
        // LLVM names the units that it was given; another one would be lost to the build.
        let others = list.lines().map(|path| {
            let known = units.iter().find(|unit| unit.file == path);
            known.ok_or_else(|| {
                let list = imports_of(&unit);
                LinkError::Option(format!(
                    "'{}': '{path}' is no unit of this link",
                    list.display()
                ))
            })
        });
        let imports = own.map(Ok).chain(others).map(|unit| unit.cloned());
        let imports = imports.collect::<Result<_, LinkError>>()?;
        let index = File::at(&index_of(&unit))?;
        Ok(OptimizePlan::new(&self.group.target, imports, index))
    }

    /// The files that options name, and that the commands read under these names.
    fn named(&self, tools: &Tools<'_>) -> Result<Vec<File>, LinkError> {
        let named = tools.files_of_images(&self.group.target)?;
        named.iter().map(|path| File::at(path)).collect()
    }

    fn write_inputs<'i>(
        &self,
        what: &str,
        inputs: impl Iterator<Item = &'i DeviceInput>,
    ) -> Result<Vec<File>, LinkError> {
        let file = |(number, input): (usize, &DeviceInput)| {
            let path = self.folder.join(format!("{what}-{number:03}"));
            write_changed(&path, &input.bytes)?;
            Ok(File::of(
                text(&path)?,
                input.origin.to_string(),
                &input.bytes,
            ))
        };
        inputs.enumerate().map(file).collect()
    }

    /// The command that makes a unit's images.
    fn images_command(&self, plan: &UnitPlan, unit: &Path) -> Result<Command, LinkError> {
        let shared = || self.shared.iter().map(|library| library.file.clone());
        let mut command = vec![text(&own_tool(WRAPPER))?];
        for word in &self.options.thinlto.image_words {
            command.push(text(Path::new(word))?);
        }
        command.extend([format!("--thinlto-images={}", text(unit)?), "--".to_owned()]);
        command.extend(shared());
        let mut inputs = vec![text(&plan_of(unit))?];
        for near in &plan.near {
            inputs.push(near.file.file.clone());
            inputs.push(text(&optimized_of(Path::new(&near.file.file)))?);
        }
        let others = plan.lazy.iter().chain(&plan.whole).chain(&plan.spirv);
        inputs.extend(others.map(|file| file.file.clone()));
        inputs.extend(shared());
        inputs.extend(plan.named.iter().map(|file| file.file.clone()));
        Ok(Command {
            description: format!("images of {}", plan.label),
            command,
            inputs,
            outputs: vec![text(&images_of(unit))?],
        })
    }
}

/// The command that optimizes a unit.
fn optimize_command(plan: &OptimizePlan, unit: &Path, label: &str) -> Result<Command, LinkError> {
    let own = [text(&optimize_plan_of(unit))?, text(&index_of(unit))?];
    Ok(Command {
        description: format!("optimize {label}"),
        command: vec![
            text(&own_tool(WRAPPER))?,
            format!("--thinlto-optimize={}", text(unit)?),
        ],
        inputs: own
            .into_iter()
            .chain(plan.imports.iter().map(|unit| unit.file.clone()))
            .collect(),
        outputs: vec![text(&optimized_of(unit))?],
    })
}

fn make(folder: &Path) -> Result<(), LinkError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        LinkError::Write(format!(
            "cannot make the folder '{}': {error}",
            folder.display()
        ))
    })
}
