//! The report as plain data: what `--json` prints, and what the text is made of.

use std::collections::BTreeMap;

use offload_formats::aspects;
use offload_formats::container::Format;
use offload_formats::demangle;
use offload_formats::property_set::{
    ASPECT_ORIGINS, DEVICE_REQUIREMENTS, FALLBACK_LIBRARIES, KERNEL_PARAM_OPT, PROPERTY_SETS,
    PropertySets, PropertyValue,
};
use offload_formats::registration::{ImageFormat, StoredImage};
use serde::Serialize;
use serde_json::Value;

use super::{Found, kernels};

/// How the names of the property sets begin that only this toolchain writes.
const OUR_SETS: &str = "Plumbline/";

/// What a file holds.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The file.
    pub file: String,
    /// What it is: `elf`, `coff`, `pe`, `archive`, `file-table`, …
    pub format: &'static str,
    /// Its device images, in order.
    pub images: Vec<ImageReport>,
}

/// What carries an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Carrier {
    /// An OffloadBinary.
    Embedded,
    /// A bundle of the old format.
    Bundled,
    /// A descriptor that a program registers.
    Registered,
    /// Nothing: the file is the image.
    Bare,
    /// A file table, whose row names the image's file.
    Listed,
}

/// One device image.
#[derive(Debug, Clone, Serialize)]
pub struct ImageReport {
    /// What carries it.
    pub carrier: Carrier,
    /// The members of archives that it is in, outermost first.
    pub members: Vec<String>,
    /// The section that it is in.
    pub section: Option<String>,
    /// Bytes from the start of the section, member or file to what carries it.
    pub offset: u64,
    /// The programming model.
    pub kind: &'static str,
    /// The target triple.
    pub triple: String,
    /// The architecture within the triple.
    pub arch: String,
    /// What the bytes are: `bitcode`, `spirv`, `ptx`, `object`, …
    pub image_kind: String,
    /// The size of the image in bytes.
    pub size: usize,
    /// How many bytes it takes in its file, when it is compressed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compressed_size: Option<usize>,
    /// What else its carrier says of it: options among them.
    pub properties: BTreeMap<String, String>,
    /// The property sets among them, as those of a [`Registration`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub property_sets: PropertyReport,
    /// Its kernels; none for code that cannot be looked into.
    pub kernels: Option<Vec<KernelReport>>,
    /// Why its kernels cannot be told, or nothing of a compressed image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// What the program registers with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<Registration>,
}

/// A kernel and what it requires.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    /// Its symbol.
    pub name: String,
    /// The symbol as C++ spells it.
    pub demangled: String,
    /// The work-group size that it asks for, by dimension; empty for none.
    pub work_group_size: Vec<u32>,
    /// The sub-group size that it asks for.
    pub sub_group_size: Option<u32>,
    /// The aspects that it uses, by name.
    pub aspects: Vec<String>,
}

/// Properties by set and name: numbers, lists of numbers or aspects, texts, the lines of a
/// chain of calls, and other bytes in hexadecimal.
pub type PropertyReport = BTreeMap<String, BTreeMap<String, Value>>;

/// What a program registers with an image.
#[derive(Debug, Clone, Serialize)]
pub struct Registration {
    /// Options for compiling it at run time.
    pub compile_options: String,
    /// Options for linking it at run time.
    pub link_options: String,
    /// Names of its entry points.
    pub entries: Vec<String>,
    /// Its properties.
    pub properties: PropertyReport,
}

impl ImageReport {
    /// The report on one image.
    #[must_use]
    pub fn of(found: &Found) -> Self {
        let input = &found.input;
        let (kernels, unreadable) = match kernels::of(input.image_kind, &input.bytes) {
            Some(Ok(kernels)) => (Some(kernels), None),
            Some(Err(reason)) => (None, Some(reason)),
            None => (None, found.broken.clone()),
        };
        let compressed = (found.stored.as_ref()).filter(|s| s.format == ImageFormat::Compressed);
        let properties = input.properties.iter();
        let sets = input.properties.get(PROPERTY_SETS);
        let sets = sets.and_then(|text| PropertySets::parse(text).ok());
        ImageReport {
            carrier: found.carrier,
            members: input.origin.members.clone(),
            section: input.origin.section.clone(),
            offset: input.origin.offset,
            kind: input.kind.name(),
            triple: input.triple.clone(),
            arch: input.arch.clone(),
            image_kind: input.image_kind.to_string(),
            size: input.bytes.len(),
            compressed_size: compressed.map(|stored| stored.bytes.len()),
            properties: properties.map(|(k, v)| (k.clone(), v.clone())).collect(),
            property_sets: sets.as_ref().map(property_values).unwrap_or_default(),
            kernels: kernels.map(|kernels| kernels.into_iter().map(KernelReport::of).collect()),
            unreadable,
            registered: found.stored.as_ref().map(Registration::of),
        }
    }
}

impl KernelReport {
    fn of(kernel: offload_formats::kernel::Kernel) -> Self {
        let aspects = kernel.aspects.iter();
        KernelReport {
            demangled: demangle::demangled(&kernel.name),
            work_group_size: kernel.work_group_size,
            sub_group_size: kernel.sub_group_size,
            aspects: aspects
                .map(|aspect| aspects::display_name(*aspect))
                .collect(),
            name: kernel.name,
        }
    }
}

impl Registration {
    fn of(stored: &StoredImage) -> Self {
        Registration {
            compile_options: stored.compile_options.clone(),
            link_options: stored.link_options.clone(),
            entries: stored.entries.clone(),
            properties: property_values(&stored.properties),
        }
    }
}

fn property_values(sets: &PropertySets) -> PropertyReport {
    let value = |set: &str, key: &str, value: &PropertyValue| match value {
        PropertyValue::U32(number) => Value::from(*number),
        PropertyValue::Bytes(bytes) | PropertyValue::Bits { bytes, .. } => {
            match (text(set, key, bytes), value.as_u32_array()) {
                (Some(chain), _) if set == ASPECT_ORIGINS => Value::from_iter(chain.lines()),
                (Some(text), _) => Value::from(text),
                (None, Some(numbers)) if set == DEVICE_REQUIREMENTS => requirement(key, &numbers),
                _ if set == FALLBACK_LIBRARIES => {
                    Value::from(format!("SPIR-V, {} bytes", bytes.len()))
                }
                _ if set == KERNEL_PARAM_OPT => Value::from(omitted_parameters(value)),
                _ => Value::from(hexadecimal(bytes)),
            }
        }
    };
    let sets = sets.iter().map(|(name, set)| {
        let properties = set.iter().map(|(k, v)| (k.clone(), value(name, k, v)));
        (name.to_owned(), properties.collect())
    });
    sets.collect()
}

/// The text that the bytes of a property are, where they are one: the name of the architecture that
/// an image was compiled for, and what this toolchain notes for people.
fn text<'a>(set: &str, key: &str, bytes: &'a [u8]) -> Option<&'a str> {
    let is_text =
        (set, key) == (DEVICE_REQUIREMENTS, "compile_target") || set.starts_with(OUR_SETS);
    let text = std::str::from_utf8(bytes).ok().filter(|_| is_text)?;
    let text = text.trim_end_matches('\0');
    let plain = |c: char| c == '\n' || !c.is_control();
    text.chars().all(plain).then_some(text)
}

/// The numbers of the parameters that a kernel lacks, counted from 0.
fn omitted_parameters(flags: &PropertyValue) -> Vec<usize> {
    let flags = flags.as_bits().into_iter().enumerate();
    let omitted = flags.filter(|(_, omitted)| *omitted);
    omitted.map(|(number, _)| number).collect()
}

/// Aspects and fixed targets by name, sizes as numbers.
fn requirement(key: &str, numbers: &[u32]) -> Value {
    match key {
        "aspect" | "aspects" | "fixed_target" => {
            let names = numbers.iter().map(|number| aspects::display_name(*number));
            Value::from(names.collect::<Vec<_>>())
        }
        _ => Value::from(numbers),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a file's format in reports.
pub fn format_name(format: Format) -> &'static str {
    match format {
        Format::Elf => "elf",
        Format::Coff => "coff",
        Format::Pe => "pe",
        Format::Archive => "archive",
        Format::Bitcode => "bitcode",
        Format::OffloadBinary => "offload-binary",
        Format::Bundle => "bundle",
        Format::SpirV => "spirv",
        Format::Ptx => "ptx",
        Format::Other => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_text_whatever_its_length_and_other_bytes_are_not() {
        let mut sets = PropertySets::new();
        let bytes = |text: &str| PropertyValue::Bytes(text.as_bytes().to_vec());
        // Sixteen bytes could be four numbers as well.
        sets.insert(
            DEVICE_REQUIREMENTS,
            "compile_target",
            bytes("intel_gpu_dg2g10"),
        );
        sets.insert(DEVICE_REQUIREMENTS, "other", bytes("abcd"));
        sets.insert("Plumbline/aspect origins", "fp64", bytes("main\nf\n"));
        sets.insert("SYCL/kernels", "k", bytes("AB"));
        let omitted = PropertyValue::bits(&[false, true, true]);
        sets.insert(KERNEL_PARAM_OPT, "k", omitted);
        let values = property_values(&sets);
        assert_eq!(
            values[DEVICE_REQUIREMENTS]["compile_target"],
            "intel_gpu_dg2g10"
        );
        assert!(values[DEVICE_REQUIREMENTS]["other"].is_array());
        assert_eq!(values["Plumbline/aspect origins"]["fp64"][1], "f");
        assert_eq!(values["SYCL/kernels"]["k"], "4142");
        assert_eq!(values[KERNEL_PARAM_OPT]["k"], Value::from(vec![1, 2]));
    }
}
