//! What can go wrong with the images that a built program registers: how a runtime looks that does
//! not heed a part of them.

use std::collections::BTreeMap;

use offload_formats::property_set::PropertyValue;
use serde::{Deserialize, Serialize};

use super::Pattern;
use super::list::ListEdit;

/// The variable that tells the preloaded library where the faulty tree is.
pub const VARIABLE: &str = "PLUMBLINE_FAULTY_TREE";

/// The variable by which a case changes what images say: the file of a [`Required`].
pub const REQUIRED: &str = "PLUMBLINE_IMAGES_REQUIRE";

/// What the properties of a kernel's images are to say, whatever their own compiler wrote there: so any
/// toolchain's runtime can be asked what it does with properties that its compiler writes of no kernel here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Required {
    /// A part of the kernel's name; images with none such stay as they are.
    pub kernel: String,
    /// The set that is changed.
    #[serde(default = "requirements")]
    pub set: String,
    /// Properties of the set, in the place of those of the same names.
    #[serde(default)]
    pub properties: BTreeMap<String, Requirement>,
    /// Names of properties that it does not have.
    #[serde(default)]
    pub without: Vec<String>,
    /// What stands in the place of the device code.
    #[serde(default)]
    pub code: Option<String>,
}

fn requirements() -> String {
    "SYCL/device requirements".to_owned()
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Requirement {
    /// A number.
    Number(u32),
    /// Bytes: numbers of 32 bits.
    Numbers(Vec<u32>),
}

impl Requirement {
    /// As property sets hold it.
    #[must_use]
    pub fn value(&self) -> PropertyValue {
        match self {
            Requirement::Number(number) => PropertyValue::U32(*number),
            Requirement::Numbers(numbers) => PropertyValue::u32_array(numbers),
        }
    }
}

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
