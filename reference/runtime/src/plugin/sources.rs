//! What drivers build kernels from while a program runs (`sycl_ext_oneapi_kernel_compiler`).

/// Languages that drivers build kernels from, with the numbers of `plsycl_source_language`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceLanguage {
    /// OpenCL C.
    OpenClC = 0,
    /// A module of SPIR-V.
    SpirV = 1,
}

/// What a driver is to build kernels from (`sycl_ext_oneapi_kernel_compiler`).
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What `code` is written in.
    pub language: SourceLanguage,
    /// The text or the module.
    pub code: &'a [u8],
    /// Options in the driver's own spelling.
    pub options: &'a str,
}

/// What a device may be asked of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenClC {
    /// Versions of the language.
    Versions,
    /// Its features, by their macros.
    Features,
    /// Extensions.
    Extensions,
}

/// What a device builds kernels from.
pub trait Compiler {
    /// Whether from sources in the language.
    fn builds(&self, language: SourceLanguage) -> bool;
    /// What it says of OpenCL C, each with its version as OpenCL packs it.
    fn opencl_c(&self, what: OpenClC) -> Vec<(String, u32)>;
}
