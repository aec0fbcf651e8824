//! What can go wrong with the images that a built program registers: how a runtime looks that does
//! not heed a part of them.

use serde::{Deserialize, Serialize};

use super::Pattern;
use super::list::ListEdit;

/// The variable that tells the preloaded library where the faulty tree is.
pub const VARIABLE: &str = "PLUMBLINE_FAULTY_TREE";

/// Changes of the images, in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RegistrationEdit {
    /// What happens to the list of images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<ListEdit>,
    /// Images for these targets are not registered; matches whole names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop_target: Option<Pattern>,
    /// Properties are not there: matches `set/name` as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop_property: Option<Pattern>,
    /// Numbers among the properties are others: matches `set/name` as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_number: Option<SetNumber>,
    /// Options for compiling at run time are lost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_compile_options: bool,
    /// Every image has this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A number in the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetNumber {
    /// Which properties: matches `set/name` as a whole.
    pub property: Pattern,
    /// The number.
    pub to: u32,
}
