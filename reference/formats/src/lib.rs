//! Every wire format of the SYCL offloading toolchain. Knows no LLVM, starts no process.

pub mod aspects;
pub mod targets;
pub mod yaml;
