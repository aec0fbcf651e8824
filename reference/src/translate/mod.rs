//! From a split device module to what a device runtime takes: SPIR-V through an outside writer,
//! or LLVM's own back end where it has one, or PTX through LLVM's own back end.

pub mod builtins;
mod internal;
mod iteration_space;
pub mod legalise;
mod opencl_names;
pub mod ptx;
pub mod spirv;
mod spirv_words;
mod wrapped_kernels;

pub use spirv::{SpirvOptions, SpirvWriter, WriterChoice};

use components::process::{JobError, Output};

use crate::llvm::demangle::demangled;

/// A module could not be translated.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// The writer could not be started or refused the module.
    #[error("{writer} cannot translate {origin}{}: {reason}{}", in_brackets(.kernels), indented(.said))]
    Writer {
        /// The writer's name.
        writer: &'static str,
        /// Which module.
        origin: String,
        /// The kernels in it, demangled.
        kernels: Vec<String>,
        /// How the start or the program failed, and a line that repeats it.
        reason: String,
        /// What the program wrote on standard error.
        said: String,
    },
    /// The writer ended well and wrote something that is no SPIR-V.
    #[error("{writer} wrote no SPIR-V for {origin}: {reason}")]
    NotSpirv {
        /// The writer's name.
        writer: &'static str,
        /// Which module.
        origin: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An option for the writer that it does not have.
    #[error("unknown SPIR-V writer option '{0}'")]
    Option(String),
    /// LLVM's PTX back end refused the module.
    #[error("the PTX back end cannot translate {origin} for {arch}: {reason}")]
    Ptx {
        /// Which module.
        origin: String,
        /// The architecture asked for, such as `sm_52`.
        arch: String,
        /// LLVM's message.
        reason: String,
    },
}

impl TranslateError {
    /// A writer failed, for a reason and after what it said.
    fn of_writer(
        writer: &'static str,
        origin: &str,
        kernels: &[String],
        (reason, said): (String, String),
    ) -> Self {
        let kernels = kernels.iter().map(|name| demangled(name));
        TranslateError::Writer {
            writer,
            origin: origin.to_owned(),
            kernels: kernels.collect(),
            reason,
            said,
        }
    }

    /// A writer in this program failed.
    fn inside(writer: &'static str, origin: &str, kernels: &[String], reason: String) -> Self {
        Self::of_writer(writer, origin, kernels, (reason, String::new()))
    }

    fn writer(writer: &'static str, origin: &str, kernels: &[String], error: &JobError) -> Self {
        let told = match error {
            JobError::Failed {
                program,
                status,
                command_line,
                output,
            } => (
                // The writer reads the module from its standard input: no line names it.
                format!(
                    "'{}' failed ({status}); to repeat over the module, which --save-temps keeps: \
                     {command_line}",
                    program.display()
                ),
                output.as_ref().map(stderr_text).unwrap_or_default(),
            ),
            _ => (error.to_string(), String::new()),
        };
        Self::of_writer(writer, origin, kernels, told)
    }
}

fn in_brackets(kernels: &[String]) -> String {
    match kernels {
        [] => String::new(),
        kernels => format!(" (kernels: {})", kernels.join(", ")),
    }
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned()
}

fn indented(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("\n{text}"),
    }
}
