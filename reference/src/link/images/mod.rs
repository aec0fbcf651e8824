//! From linked modules to device images: post-link, SPIR-V or PTX, compilation ahead of time.

pub mod maker;
pub(super) mod ready;
pub mod split;
mod united;
pub mod variant;
pub(super) mod writers;
