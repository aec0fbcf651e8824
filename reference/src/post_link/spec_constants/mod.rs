//! Specialization constants (OFF, "Specialization constant lowering"): calls that ask for a
//! constant by name become SPIR-V specialization constants or loads from a buffer, and the image
//! says which number, place and default each has.

pub mod calls;
mod layout;
pub mod lower;
pub mod table;

pub use layout::Layout;
pub use table::Table;
