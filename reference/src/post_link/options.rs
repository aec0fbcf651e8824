//! What a caller can ask of the post-link stage.

/// How entry points are grouped before the filter of FEAT is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SplitMode {
    /// One group of everything (`off`, in the tool `none`).
    #[default]
    Off,
    /// A group for each translation unit (`per_source`, in the tool `source`).
    PerSource,
    /// A group for each kernel and each exported function (`per_kernel`, in the tool `kernel`).
    PerKernel,
    /// Whatever is thought best: today the same as [`SplitMode::PerSource`].
    Auto,
}

impl SplitMode {
    /// The mode of a name, as the driver or as the tool spells it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "off" | "none" => Some(SplitMode::Off),
            "per_source" | "source" => Some(SplitMode::PerSource),
            "per_kernel" | "kernel" => Some(SplitMode::PerKernel),
            "auto" => Some(SplitMode::Auto),
            _ => None,
        }
    }
}

/// Whose names and layouts the properties have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Those of the design documents.
    #[default]
    Documents,
    /// Those that today's DPC++ runtime reads.
    Dpcpp,
}

impl Dialect {
    /// The dialect of a name on the command line.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "documents" => Some(Dialect::Documents),
            "dpcpp" => Some(Dialect::Dpcpp),
            _ => None,
        }
    }
}

/// The form of the modules that come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// LLVM bitcode.
    #[default]
    Bitcode,
    /// Textual IR.
    Text,
    /// LLVM bitcode with a summary, for a ThinLTO link (THIN, "Device code compilation time
    /// changes"). What the link works out again once all is known is left to it: such a module
    /// keeps the notes on aspects, and nothing is warned of.
    ThinLto,
}

/// What becomes of specialization constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecConstants {
    /// SPIR-V's own, set when the module is compiled on the user's machine.
    Native,
    /// Loads from a buffer that the runtime passes to the kernel: for images compiled ahead of
    /// time.
    Emulation,
}

/// What a caller asks for.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a switch of the command line.
pub struct Options {
    /// How entry points are grouped.
    pub split: SplitMode,
    /// Whose property names to write.
    pub dialect: Dialect,
    /// The form of the modules.
    pub form: Form,
    /// Make one module of everything, whatever its entry points need of a device.
    pub whole: bool,
    /// What becomes of specialization constants; `None` leaves their calls alone.
    pub spec_constants: Option<SpecConstants>,
    /// For each image with specialization constants, a second one with their defaults built in.
    pub default_spec_constant_images: bool,
    /// Exported device functions are no entry points.
    pub only_kernels_as_entry_points: bool,
    /// The most workers, where there are more threads; each of several holds the outline of the whole
    /// input, about a seventh of the input itself, and one module.
    pub max_workers: Option<usize>,
    /// A function that one image exports is not copied into the others that call it: they import it.
    pub image_dependencies: bool,
    /// Write facts of single kernels and device globals.
    pub program_metadata: bool,
    /// Write the names of the kernels.
    pub kernel_names: bool,
    /// Write the symbols that other images may import.
    pub exported_symbols: bool,
    /// Write the symbols that another image must give.
    pub imported_symbols: bool,
    /// Write and check device globals.
    pub device_globals: bool,
    /// Leave in the modules nothing that a SPIR-V writer cannot take
    /// ([`crate::translate::legalise`]).
    pub for_spirv_writer: bool,
}
