//! Ahead-of-time compilation: SPIR-V or PTX in, the code of one device out, by an outside compiler
//! (`MODEL`, "Ahead Of Time Compilation").

pub mod opencl;
mod tool;

pub use tool::{AotTool, FpgaTool, fpga_tool, is_for_hardware, with_build_options};

use components::process::{Job, JobError};
use offload_formats::Bytes;

use crate::temporary::Temporary;

/// The name under which a compiler writes the image.
const IMAGE: &str = "image.bin";
/// The name that it has where the compiler adds a suffix of its own, as ocloc does since 2026, asked not to
/// or not.
const SUFFIXED_IMAGE: &str = "image.bin.bin";

/// One compilation.
#[derive(Debug, Clone)]
pub struct AotRequest<'a> {
    /// The compiler.
    pub tool: &'a AotTool,
    /// The module.
    pub code: &'a [u8],
    /// The name that the compiler sees it under, by which it knows SPIR-V from other forms.
    pub input: &'a str,
    /// Further files that the options name, beside the module.
    pub files: &'a [(String, Bytes)],
    /// Options for the compiler, the device among them.
    pub options: &'a [String],
    /// Which module it is, for messages.
    pub origin: &'a str,
    /// The kernels in it, for messages.
    pub kernels: &'a [String],
}

/// A device image could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum AotError {
    /// The compiler refused the module.
    #[error("{tool} cannot compile {origin} (kernels: {}): {reason}{}", .kernels.join(", "), on_own_lines(.said))]
    Refused {
        /// The compiler.
        tool: &'static str,
        /// Which module.
        origin: String,
        /// The kernels in it, demangled.
        kernels: Vec<String>,
        /// How the compiler ended, and a line that repeats it.
        reason: String,
        /// What it wrote.
        said: String,
    },
    /// A file on the way to or from the compiler could not be written or read.
    #[error("cannot pass {origin} to {tool}: {reason}")]
    Files {
        /// The compiler.
        tool: &'static str,
        /// Which module.
        origin: String,
        /// What the system says.
        reason: std::io::Error,
    },
}

fn on_own_lines(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("\n{said}"),
    }
}

impl AotRequest<'_> {
    /// The start of the compiler, in a folder that holds the module.
    #[must_use]
    pub fn job(&self) -> Job {
        self.tool.job(self.options, self.input, IMAGE)
    }

    /// Compiles. The compiler's own output is in the error when it fails, and nowhere else.
    ///
    /// # Errors
    /// When the compiler cannot be started, fails, or writes no image.
    pub fn compile(&self) -> Result<Vec<u8>, AotError> {
        let folder = Temporary::folder("plumbline-aot-").map_err(|e| self.cannot_pass(e))?;
        let module = (self.input.to_owned(), Bytes::copy_from_slice(self.code));
        for (name, bytes) in self.files.iter().chain([&module]) {
            std::fs::write(folder.path().join(name), bytes).map_err(|e| self.cannot_pass(e))?;
        }
        let output = self.job().dir(folder.path()).capture(b"");
        let output = output.map_err(|e| self.refused(e))?;
        let read = |name| std::fs::read(folder.path().join(name));
        let image = read(IMAGE).or_else(|_| read(SUFFIXED_IMAGE));
        image.map_err(|_| AotError::Refused {
            tool: self.tool.name(),
            origin: self.origin.to_owned(),
            kernels: self.demangled_kernels(),
            reason: format!("it wrote no image; it was started as {}", self.job()),
            said: text_of(&output),
        })
    }

    fn cannot_pass(&self, reason: std::io::Error) -> AotError {
        AotError::Files {
            tool: self.tool.name(),
            origin: self.origin.to_owned(),
            reason,
        }
    }

    fn refused(&self, error: JobError) -> AotError {
        // The folder of this compilation is gone when the message is read: no line with it.
        let reason = match &error {
            JobError::Failed {
                program, status, ..
            } => format!(
                "'{}' failed ({status}); to repeat over the module, which --save-temps keeps: {}",
                program.display(),
                self.job(),
            ),
            _ => error.to_string(),
        };
        let said = match &error {
            JobError::Failed {
                output: Some(output),
                ..
            } => text_of(output),
            _ => String::new(),
        };
        AotError::Refused {
            tool: self.tool.name(),
            origin: self.origin.to_owned(),
            kernels: self.demangled_kernels(),
            reason,
            said,
        }
    }

    fn demangled_kernels(&self) -> Vec<String> {
        let names = self.kernels.iter();
        names
            .map(|name| crate::llvm::demangle::demangled(name))
            .collect()
    }
}

/// What a program wrote, both streams.
fn text_of(output: &components::process::Output) -> String {
    let streams = [&output.stdout, &output.stderr];
    let texts = streams.map(|bytes| String::from_utf8_lossy(bytes).trim_end().to_owned());
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}
