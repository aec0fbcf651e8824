//! How a device link fails.

use std::path::PathBuf;

use components::Missing;
use components::process::JobError;
use offload_formats::container::ContainerError;
use offload_formats::device_input::Origin;

use crate::aot::AotError;
use crate::llvm::LlvmError;
use crate::post_link::PostLinkError;
use crate::tool::Failure;
use crate::translate::TranslateError;
use crate::wrap::WrapError;

/// A device link failed; every variant names the input it failed over.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// A file cannot be read.
    #[error("cannot read '{}': {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{0}")]
    Write(String),
    /// A container is broken.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// LLVM refuses a module.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// Device code that this tool does not link.
    #[error(
        "{origin}: device code of kind '{kind}' for '{triple}' cannot be linked here: {reason}"
    )]
    Foreign {
        /// Where it is.
        origin: Box<Origin>,
        /// The programming model that made it.
        kind: String,
        /// Its target.
        triple: String,
        /// Why not.
        reason: &'static str,
    },
    /// Device code for ThinLTO in an ordinary link: where it is, and where some is that is not for ThinLTO.
    #[error(
        "{}: device code that was compiled for ThinLTO{}; link with -foffload-lto=thin too",
        .0.0,
        .0.1.as_ref().map_or_else(String::new, |other| format!(", and that of {other} was not"))
    )]
    Thin(Box<(Origin, Option<Origin>)>),
    /// One symbol is defined in two inputs.
    #[error("device symbol {symbol} is defined twice for {target}: in {first} and in {second}")]
    Duplicate {
        /// The symbol, demangled, with its mangled form in brackets when that differs.
        symbol: String,
        /// The target.
        target: String,
        /// The input that came first.
        first: String,
        /// The other input.
        second: String,
    },
    /// Two inputs have kernels of one name that are not the same.
    #[error("different kernels have the name {kernel} for {target}: {first}, and {second}")]
    DifferentKernels {
        /// The kernel, demangled, with its symbol.
        kernel: String,
        /// The target.
        target: String,
        /// The place in the source and the input of the one.
        first: String,
        /// Those of the other.
        second: String,
    },
    /// Symbols that no input defines.
    #[error("undefined device symbols for {target}:\n{}", undefined_lines(.symbols, .hints))]
    Undefined {
        /// The target.
        target: String,
        /// Each of them once.
        symbols: Vec<UndefinedSymbol>,
        /// What may help, a line each.
        hints: Vec<String>,
    },
    /// SPIR-V modules cannot become one.
    #[error("SPIR-V modules for {target} cannot be linked into one: {reason}; they are {}{said}", .modules.join(" and "))]
    SpirvLink {
        /// The target.
        target: String,
        /// Where the modules are.
        modules: Vec<String>,
        /// Why not.
        reason: String,
        /// What the linker wrote, on lines of its own.
        said: String,
    },
    /// An outside tool is not there.
    #[error("cannot build the image for {target}: {missing}")]
    MissingTool {
        /// The target that needs it.
        target: String,
        /// What is missing and how to get it.
        missing: Box<Missing>,
    },
    /// A device library is not there.
    #[error("device library '{}' is not in '{}'", name.display(), folder.display())]
    MissingLibrary {
        /// The library as it was asked for.
        name: PathBuf,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// An option that is none.
    #[error("{0}")]
    Usage(String),
    /// An option's value does not fit the inputs.
    #[error("{0}")]
    Option(String),
    /// The post-link stage failed.
    #[error(transparent)]
    PostLink(#[from] PostLinkError),
    /// Translation failed.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// Ahead-of-time compilation failed.
    #[error(transparent)]
    Aot(#[from] AotError),
    /// Wrapping failed.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// An outside program could not be started.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The host linker failed and said why.
    #[error("the host linker failed")]
    HostLink,
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Usage(reason) => Failure::Usage(reason),
            error => Failure::job(error),
        }
    }
}

/// A symbol that no input defines.
#[derive(Debug)]
pub struct UndefinedSymbol {
    /// The symbol, as messages name it.
    pub symbol: String,
    /// What is said of it: the kernel that needs it, and the input that refers to it.
    pub said: String,
    /// Whether that names a kernel that needs it.
    pub has_kernel: bool,
}

/// The lines of a message on undefined symbols.
fn undefined_lines(symbols: &[UndefinedSymbol], hints: &[String]) -> String {
    let lines = symbols
        .iter()
        .map(|UndefinedSymbol { symbol, said, .. }| format!("  {symbol}{said}"));
    let lines: Vec<String> = lines.chain(hints.iter().cloned()).collect();
    lines.join("\n")
}
