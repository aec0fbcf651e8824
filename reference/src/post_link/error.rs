//! How the post-link stage fails, and what it warns of.

use std::fmt;

use offload_formats::aspects;

use crate::llvm::LlvmError;
use crate::llvm::demangle::{demangled, function_name};
use crate::tool::Failure;

/// The post-link stage can't go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostLinkError {
    /// LLVM refuses a module.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// Metadata or an attribute that does not have the shape or the values that it must have.
    #[error("'{origin}': '{}': {what}: {reason}", demangled(symbol))]
    Malformed {
        /// The module.
        origin: String,
        /// The function or variable that carries it.
        symbol: String,
        /// Its name, such as `!reqd_work_group_size`.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A variable that each image has for itself, in two images.
    #[error(
        "'{origin}': device_global variable '{}' with property \"device_image_scope\" is used in more than one \
         device image: in image {} with '{}' and in image {} with '{}'",
        demangled(variable), first.0, demangled(&first.1), second.0, demangled(&second.1)
    )]
    ScopedGlobalTwice {
        /// The module.
        origin: String,
        /// The variable's symbol.
        variable: String,
        /// The number of the first image, and its first entry point.
        first: (usize, String),
        /// The number of the other image, and its first entry point.
        second: (usize, String),
    },
    /// A specialization constant that can't be lowered.
    #[error("'{origin}': function '{}': {reason}", demangled(function))]
    SpecConstant {
        /// The module.
        origin: String,
        /// The function that asks for it.
        function: String,
        /// Why.
        reason: String,
    },
    /// A fixed target that no target architecture is known by.
    #[error(
        "'{origin}': function '{}': unknown fixed target '{target}'",
        demangled(function)
    )]
    UnknownFixedTarget {
        /// The module.
        origin: String,
        /// The function that carries it.
        function: String,
        /// The name that is not known.
        target: String,
    },
}

impl From<PostLinkError> for Failure {
    fn from(error: PostLinkError) -> Self {
        Failure::job(error)
    }
}

/// What the user should know although an output is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A function uses an aspect that its kernel does not list (FEAT, "Error checking for
    /// `SYCL_EXTERNAL` functions").
    Aspect {
        /// The function's symbol.
        function: String,
        /// The aspect.
        aspect: u32,
    },
    /// A function requires a sub-group size that is not its kernel's (the same section).
    SubGroup {
        /// The function's symbol.
        function: String,
        /// The size that it requires.
        size: u32,
    },
    /// A function was compiled for other fixed targets than its kernel (the same section).
    FixedTargets {
        /// The function's symbol.
        function: String,
    },
    /// A kernel without a body: no image can hold it.
    DeclaredKernel {
        /// The kernel's symbol.
        kernel: String,
    },
    /// Fixed targets put kernels of several optimization levels into one image.
    MixedOptLevels {
        /// The image's entry points with the lowest and the highest level.
        entries: [String; 2],
        /// The level that the image gets: the lowest of all.
        level: u32,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Aspect { function, aspect } => write!(
                f,
                "function '{}' uses aspect '{}' not expected by its calling kernel. \
                 Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?",
                function_name(function),
                aspects::display_name(*aspect)
            ),
            Warning::SubGroup { function, size } => write!(
                f,
                "function '{}' has required sub-group size '{size}' that does not match its \
                 calling kernel. Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL \
                 function?",
                function_name(function)
            ),
            Warning::FixedTargets { function } => write!(
                f,
                "function '{}' compiled with a different `-fsycl-fixed-targets` switch than its \
                 calling kernel.",
                function_name(function)
            ),
            Warning::DeclaredKernel { kernel } => write!(
                f,
                "kernel '{}' is declared but not defined: no device image holds it",
                demangled(kernel)
            ),
            Warning::MixedOptLevels { entries, level } => write!(
                f,
                "'{}' and '{}' are compiled with different optimization levels, or one without, and come \
                 into one device image all the same, by fixed targets or by ThinLTO: it is built with -O{level}",
                demangled(&entries[0]),
                demangled(&entries[1])
            ),
        }
    }
}
