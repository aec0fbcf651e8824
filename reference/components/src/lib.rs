//! Where the outside compilers and device runtimes are, and how they are started.
//!
//! [`process`] is the only module of the project that starts processes.

pub mod process;
