//! `--help`.

use std::path::Path;
use std::str::FromStr;

use components::process::{Job, JobError, Output};
use components::{Component, Components};

use super::option_table::{OPTIONS, Shape, without_effect};
use super::options::OptionsError;
use crate::layout::own_tool;
use crate::tool::{Failure, say, write_whole};

/// The offline compilers whose options `-fsycl-help=` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolHelp {
    /// `opencl-aot`.
    Cpu,
    /// `aoc`.
    Fpga,
    /// `ocloc`.
    Gpu,
    /// All of them.
    All,
}

impl FromStr for ToolHelp {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        match text {
            "x86_64" => Ok(ToolHelp::Cpu),
            "fpga" => Ok(ToolHelp::Fpga),
            "gen" => Ok(ToolHelp::Gpu),
            "all" => Ok(ToolHelp::All),
            _ => Err(OptionsError::UnknownValue {
                option: "-fsycl-help=",
                value: text.to_owned(),
                expected: &["x86_64", "fpga", "gen", "all"],
            }),
        }
    }
}

impl ToolHelp {
    /// Has the offline compilers say what they know; one of all that is not there is passed over. Some
    /// end as if they had failed once they have said it.
    ///
    /// # Errors
    /// When the one asked for is not there, or one fails and says nothing.
    pub(super) fn show(self, components: &Components) -> Result<(), Failure> {
        let find = |component| components.find(component).map(|found| found.path);
        let cpu = || Ok(Job::new(own_tool("opencl-aot")).arg("--help"));
        let fpga = || Ok(Job::new(find(Component::Aoc)?).args(["-help", "-sycl"]));
        let gpu = || Ok(Job::new(find(Component::Ocloc)?).args(["compile", "--help"]));
        type Start<'a> = &'a dyn Fn() -> Result<Job, components::Missing>;
        let tools: [(ToolHelp, Start<'_>); 3] = [
            (ToolHelp::Gpu, &gpu),
            (ToolHelp::Fpga, &fpga),
            (ToolHelp::Cpu, &cpu),
        ];
        for (tool, job) in tools {
            if self != tool && self != ToolHelp::All {
                continue;
            }
            match job() {
                Ok(job) => {
                    let said = what_it_says(&job)?;
                    say(&String::from_utf8_lossy(&said.stderr));
                    write_whole(Path::new("-"), &said.stdout)?;
                }
                Err(missing) if self == ToolHelp::All => say(&format!("{missing}\n")),
                Err(missing) => return Err(Failure::job(missing)),
            }
        }
        Ok(())
    }
}

/// What a tool asked for its help writes.
fn what_it_says(job: &Job) -> Result<Output, Failure> {
    match job.capture(b"") {
        Err(JobError::Failed {
            output: Some(said), ..
        }) if !said.stdout.is_empty() => Ok(said),
        said => said.map_err(Failure::job),
    }
}

/// What the driver knows itself; clang's own options are described by clang.
pub(super) fn text() -> String {
    let mut text = String::from(
        "usage: sycl-clang++ [options] file...\n\nOptions of this driver; all others go to clang \
         unchanged (clang++ --help lists them):\n",
    );
    for option in OPTIONS.iter().copied().flatten() {
        let spelling = match option.shape {
            Shape::Flag => option.name.to_owned(),
            Shape::Joined => format!("{}{}", option.name, option.value),
            Shape::Separate => format!("{} {}", option.name, option.value),
            Shape::ForTarget => format!("{}[=<T>] {}", option.name, option.value),
        };
        text.push_str(&format!("  {spelling:<42} {}\n", option.help));
    }
    text.push_str(&without_effect::help());
    text
}
