//! Device code out of the host link's inputs, by target: what archives give, and what shared libraries
//! would have for images that lack it.

pub mod archives;
pub mod collect;
pub(super) mod expected;
pub(super) mod force;
pub mod group;
pub(super) mod host_object;
pub mod host_symbols;
pub(super) mod shared_libraries;
