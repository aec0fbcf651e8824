//! Every wire format of the SYCL offloading toolchain. Knows no LLVM, starts no process.
//!
//! | module | form |
//! |---|---|
//! | [`offload_binary`] | OffloadBinary, versions 1 to 3 |
//! | [`bundle`] | the old format: bundles and their sections |
//! | [`archive`] | static archives, written |
//! | [`container`] | ELF, COFF, PE, archives, bare files: identify, extract, embed |
//! | [`device_input`] | what extraction yields, and where it came from |
//! | [`property_set`] | property sets of a device image, text form |
//! | [`file_table`] | the table of a split: code, properties, symbols |
//! | [`symbols`] | entry-point names of one device image |
//! | [`kernel`], [`spirv`], [`ptx`], [`cubin`] | what device code says of its kernels |
//! | [`mod@spirv::check`] | whether a SPIR-V module is whole |
//! | [`spirv::linkage`], [`spirv::reach`] | by which symbols SPIR-V modules are linked, and who needs them |
//! | [`unit_name`] | names that belong to one translation unit |
//! | [`demangle`] | symbols as people write them |
//! | [`targets`] | target triples and their aliases |
//! | [`aspects`] | aspects by name and number |
//! | [`device_config`] | what each target architecture supports |
//! | [`yaml`] | YAML files; the only module that knows a YAML reader |
//! | [`syclbin`] | what DPC++'s run-time compiler gives |
//! | [`registration`] | the descriptor through which a program registers its images |
//!
//! Two kinds of error serve all of them: [`Malformed`] for bytes, [`TextError`] for text. Readers
//! never panic and never allocate more than a small multiple of their input.

pub mod archive;
pub mod aspects;
pub mod bundle;
pub mod container;
pub mod cubin;
pub mod demangle;
pub mod device_config;
pub mod device_input;
mod error;
pub mod file_table;
pub mod fuzz;
pub mod kernel;
pub mod kernel_functor;
mod le;
pub mod offload_binary;
pub mod property_set;
pub mod ptx;
pub mod registration;
pub mod spirv;
pub mod syclbin;
pub mod symbols;
pub mod targets;
pub mod unit_name;
pub mod yaml;

pub use bytes::Bytes;
pub use error::{Malformed, TextError};

/// How many bytes `size` compressed bytes may give at most. What a stream says of its size is
/// believed up to here, so that a small file cannot ask for much memory.
fn inflate_limit(size: u64) -> u64 {
    const RATIO: u64 = 1024;
    const ALLOWANCE: u64 = 16 << 20;
    size.saturating_mul(RATIO).max(ALLOWANCE)
}
