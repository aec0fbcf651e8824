//! Devices of this machine, and the tier of tests that runs programs on them (`tests/tier.rs`).
//!
//! [`probe`] asks the back ends in this process; [`discover()`] has the `probe-devices` program do
//! so in processes of their own, each with the environment that its back end needs, so that a
//! driver which crashes takes nothing along.

pub mod cuda;
pub mod device;
pub mod discover;
pub mod probe;

pub use device::{Backend, Device, Kind, Mode};
pub use discover::{Discovered, discover, find};
