//! Where the outside compilers and device runtimes are, and how they are started.
//!
//! [`catalog`] says which components there are, what each is for and what brings it; [`home`] is
//! the folder where `cargo xtask setup` puts the ones that are no system packages; [`discover`]
//! finds them; [`emulator`] is what one of them has to be told; [`process`] is the only module of the project that starts processes; [`ahead`]
//! keeps those that it started before their input was there, and [`dialogue`] those that are told line
//! by line what to do. [`bounded`] holds them to limits, [`descendants`] are what they started, and
//! [`children`] tells those that a process started from those that came to it.

pub mod ahead;
pub mod bounded;
pub mod catalog;
pub mod children;
pub mod descendants;
pub mod dialogue;
pub mod discover;
pub mod emulator;
pub mod home;
pub mod process;

pub use catalog::Component;
pub use discover::{Clang, Components, DpcppRuntime, Found, Missing, OpenClRuntime, Options};
