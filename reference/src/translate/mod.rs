//! From a split device module to what a device runtime takes: SPIR-V through an outside writer,
//! or PTX through LLVM's own back end.

pub mod ptx;
pub mod spirv;
mod spirv_words;

pub use spirv::{SpirvOptions, SpirvWriter, WriterChoice};

use components::process::{JobError, Output};

/// A module could not be translated.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// The outside writer could not be started or refused the module.
    #[error("{writer} cannot translate {origin}: {reason}{}", indented(.said))]
    Writer {
        /// The writer's name.
        writer: &'static str,
        /// Which module.
        origin: String,
        /// How the start or the program failed.
        reason: Box<JobError>,
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
    fn writer(writer: &'static str, origin: &str, reason: JobError) -> Self {
        let said = match &reason {
            JobError::Failed {
                output: Some(output),
                ..
            } => stderr_text(output),
            _ => String::new(),
        };
        TranslateError::Writer {
            writer,
            origin: origin.to_owned(),
            reason: Box::new(reason),
            said,
        }
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
