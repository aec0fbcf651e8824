//! The device configuration file: what each target architecture supports (FEAT, "Device
//! configuration file"). A top-level key is an architecture or an alias of one; aspects stand by
//! number or by name.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::aspects;
use crate::targets::{self, Target};
use crate::yaml::{self, YamlError};

/// The file that is shipped, for tools that find no other.
const DEFAULT: &str = include_str!("../device-config.yaml");

/// What the targets support.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceConfig {
    entries: BTreeMap<String, DeviceEntry>,
}

/// What one target supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceEntry {
    /// Its aspects, with the one that stands for the architecture itself.
    pub aspects: Vec<u32>,
    /// Its sub-group sizes.
    pub sub_group_sizes: Vec<u32>,
    /// The most work-items that a work-group can have; unknown when absent.
    pub max_work_group_size: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawEntry {
    aspects: Vec<RawAspect>,
    sub_group_sizes: Vec<u32>,
    #[serde(default)]
    max_work_group_size: Option<u64>,
}

/// An aspect by number or by name.
#[derive(Clone, Copy)]
struct RawAspect(u32);

impl<'de> Deserialize<'de> for RawAspect {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = RawAspect;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an aspect's name or number")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<RawAspect, E> {
                let number = u32::try_from(number).ok();
                number.map(RawAspect).ok_or_else(|| {
                    E::invalid_value(serde::de::Unexpected::Other("a larger number"), &self)
                })
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<RawAspect, E> {
                aspects::number(name)
                    .map(RawAspect)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(name), &self))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl DeviceConfig {
    /// Reads a file's text; `file` is named in errors.
    ///
    /// # Errors
    /// With file, line and what was expected.
    pub fn parse(text: &str, file: &Path) -> Result<Self, YamlError> {
        let raw: BTreeMap<String, RawEntry> = yaml::from_str(text, file)?;
        let entries = raw.into_iter().map(|(name, raw)| {
            let own = targets::find(&name).map(Target::aspect);
            let entry = DeviceEntry {
                aspects: raw
                    .aspects
                    .iter()
                    .map(|aspect| aspect.0)
                    .chain(own)
                    .collect(),
                sub_group_sizes: raw.sub_group_sizes,
                max_work_group_size: raw.max_work_group_size,
            };
            (name, entry)
        });
        Ok(DeviceConfig {
            entries: entries.collect(),
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, and as [`DeviceConfig::parse`].
    pub fn read(file: &Path) -> Result<Self, YamlError> {
        let text = std::fs::read_to_string(file).map_err(|error| YamlError {
            file: file.to_owned(),
            line: 0,
            column: 0,
            reason: error.to_string(),
        })?;
        Self::parse(&text, file)
    }

    /// The configuration that is shipped.
    ///
    /// # Errors
    /// Never, as a test shows; the signature is that of the other readers.
    pub fn shipped() -> Result<Self, YamlError> {
        Self::parse(DEFAULT, Path::new("device-config.yaml"))
    }

    /// The entry of an architecture, by whatever name it stands in the file.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&DeviceEntry> {
        if let Some(entry) = self.entries.get(name) {
            return Some(entry);
        }
        let target = targets::find(name)?;
        std::iter::once(&target.name)
            .chain(target.aliases)
            .find_map(|name| self.entries.get(*name))
    }

    /// The names in the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Whether a target has an aspect. One that the file does not know has none.
    #[must_use]
    pub fn has_aspect(&self, target: &Target, aspect: u32) -> bool {
        let entry = self.find(target.name);
        entry.is_some_and(|entry| entry.aspects.contains(&aspect))
    }

    /// Whether a target has a sub-group size.
    #[must_use]
    pub fn has_sub_group_size(&self, target: &Target, size: u32) -> bool {
        let entry = self.find(target.name);
        entry.is_some_and(|entry| entry.sub_group_sizes.contains(&size))
    }

    /// Whether a target takes work-groups of so many work-items, as far as the file says.
    #[must_use]
    pub fn has_work_group_size(&self, target: &Target, items: u64) -> bool {
        let limit = self.find(target.name).and_then(|e| e.max_work_group_size);
        limit.is_none_or(|limit| items <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DeviceConfig, YamlError> {
        DeviceConfig::parse(text, Path::new("d.yaml"))
    }

    #[test]
    fn aspects_stand_by_number_or_by_name() {
        let config = read(
            "intel_gpu_icl:\n  aspects: [2, fp16]\n  sub-group-sizes: [8, 16]\n\
             x86_64_avx512:\n  aspects: [1]\n  sub-group-sizes: []\n",
        )
        .unwrap();
        let icl = targets::find("intel_gpu_icllp").unwrap();
        assert!(config.has_aspect(icl, 2) && config.has_aspect(icl, aspects::FP16));
        assert!(!config.has_aspect(icl, aspects::FP64));
        assert!(config.has_aspect(icl, icl.aspect()), "its own");
        assert!(config.has_sub_group_size(icl, 16) && !config.has_sub_group_size(icl, 32));
        assert!(config.has_work_group_size(icl, 1 << 20), "unknown");
        assert_eq!(config.find("intel_gpu_11_0"), config.find("intel_gpu_icl"));
        assert!(config.find("intel_gpu_pvc").is_none());
    }

    #[test]
    fn bad_files_say_where_and_what_was_expected() {
        let cases = [
            (
                "a:\n  aspects: [fp17]\n  sub-group-sizes: []\n",
                2,
                "an aspect's name or number",
            ),
            (
                "a:\n  aspects: [1]\n  sub-group-size: []\n",
                3,
                "unknown field `sub-group-size`",
            ),
            (
                "a:\n  aspects: [1]\n  sub-group-sizes: [x]\n",
                3,
                "expected u32",
            ),
            ("a:\n  aspects: [1]\n", 2, "missing field `sub-group-sizes`"),
            ("- a\n- b\n", 1, "expected a map"),
        ];
        for (text, line, expected) in cases {
            let error = read(text).unwrap_err();
            assert!(error.reason.contains(expected), "{error}");
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().starts_with("d.yaml:"), "{error}");
        }
    }

    #[test]
    fn the_shipped_file_has_every_target() {
        let config = DeviceConfig::shipped().unwrap();
        for target in targets::all() {
            assert!(config.find(target.name).is_some(), "{}", target.name);
        }
        for name in config.names() {
            assert!(targets::find(name).is_some(), "{name}");
        }
    }
}
