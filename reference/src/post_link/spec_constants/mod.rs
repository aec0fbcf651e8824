//! Specialization constants (OFF, "Specialization constant lowering"): calls that ask for a
//! constant by name become SPIR-V specialization constants or loads from a buffer, and the image
//! says which number, place and default each has.

pub(crate) mod calls;
mod layout;
pub(super) mod lower;
pub(super) mod readers;
pub mod table;

pub(super) use layout::Layout;
pub use table::Table;
