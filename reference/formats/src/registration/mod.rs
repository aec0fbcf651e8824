//! The descriptor through which a built program registers its device images.
//!
//! The program's constructor hands a [`Binaries`] to `__sycl_register_lib`. The layout is the one
//! of DPC++, so that the same program body runs under our runtime or that one. The wrapper builds
//! these structures as constants of the host object; the runtime reads them with [`read`],
//! tools that look into files with [`read_file`]. Upstream's wrapper has its constructor hand over
//! OffloadBinaries instead ([`read_offload_binaries`]).

mod compressed;
mod file;
mod layout;
mod memory;
mod upstream;

pub use compressed::{decompress, format_of, head_inside};
pub use file::{DESCRIPTOR_SYMBOL, StoredImage, read_file};
pub use layout::*;
pub use memory::{RegisteredImage, RegistrationError, read};
pub use upstream::{is_offload_binary, read_offload_binaries};
