//! The shared library that programs built by the reference link against.
//!
//! Programs reach it through the SYCL headers, over the C interface of [`abi`]; their constructors
//! hand it device images through [`registry`]. It knows no LLVM. See ARCHITECTURE.md for how the
//! pieces stand to each other.

pub mod abi;
mod assertions;
mod binary;
pub mod boxes;
pub mod bundle;
mod cache;
mod clock;
pub mod command;
pub mod context;
pub mod device;
mod device_globals;
mod ending;
pub mod error;
pub mod event;
pub mod foreign;
pub mod guard;
mod host_bytes;
mod imports;
pub mod later;
pub mod launch;
pub mod memory;
mod names;
mod order;
pub mod plugin;
mod pool;
pub mod queue;
pub mod registry;
pub mod requirements;
pub mod select;
mod source;
mod trace;
mod transfer;
