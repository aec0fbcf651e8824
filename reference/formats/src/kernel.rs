//! What device code says of a kernel.

use serde::{Deserialize, Serialize};

/// A kernel as the code of an image describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// The work-group size that it asks for, by dimension; empty when it asks for none.
    pub work_group_size: Vec<u32>,
    /// The sub-group size that it asks for.
    pub sub_group_size: Option<u32>,
    /// The aspects that it uses, by number; only bitcode says.
    pub aspects: Vec<u32>,
}

impl Kernel {
    /// A kernel that asks for nothing.
    pub fn named(name: impl Into<String>) -> Self {
        Kernel {
            name: name.into(),
            ..Kernel::default()
        }
    }
}
