//! The device configuration file: which aspects and sub-group sizes each target architecture
//! supports (`FEAT`, "Device configuration file").
//!
//! ```yaml
//! intel_gpu_skl:
//!   aspects: [gpu, fp64, 22]
//!   sub-group-sizes: [8, 16, 32]
//! ```

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::yaml::{self, YamlError};
use crate::{aspects, targets};

/// What one target architecture supports.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceEntry {
    /// The numbers of its aspects, that of the architecture itself among them.
    #[serde(deserialize_with = "aspect_numbers")]
    pub aspects: Vec<u32>,
    /// Its sub-group sizes, in work-items.
    #[serde(rename = "sub-group-sizes")]
    pub sub_group_sizes: Vec<u32>,
}

/// The entries of a device configuration file, by the names that the file has for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceConfig {
    entries: IndexMap<String, DeviceEntry>,
}

impl DeviceConfig {
    /// Reads the file's text; `file` stands in errors.
    ///
    /// # Errors
    /// With the line: text that is no such file, an aspect that has no such name, a key that is
    /// unknown or missing.
    pub fn parse(text: &str, file: &Path) -> Result<Self, YamlError> {
        let entries = yaml::from_str(text, file)?;
        Ok(DeviceConfig { entries })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`DeviceConfig::parse`], and when the file cannot be read.
    pub fn read(file: &Path) -> Result<Self, YamlError> {
        let entries = yaml::from_file(file)?;
        Ok(DeviceConfig { entries })
    }

    /// The entry of an architecture, under its own name or an alias.
    #[must_use]
    pub fn find(&self, architecture: &str) -> Option<&DeviceEntry> {
        let same = |name: &str| {
            let known = targets::find(name);
            known.is_some() && known == targets::find(architecture)
        };
        self.entries.get(architecture).or_else(|| {
            let mut aliases = self.entries.iter().filter(|(name, _)| same(name));
            aliases.next().map(|(_, entry)| entry)
        })
    }

    /// The names of the entries, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}

/// An aspect as the file may write it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Aspect {
    Number(u32),
    Name(String),
}

fn aspect_numbers<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Vec<u32>, D::Error> {
    let listed = Vec::<Aspect>::deserialize(reader)?;
    let number = |aspect| match aspect {
        Aspect::Number(number) => Ok(number),
        Aspect::Name(name) => aspects::number(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("no aspect is named '{name}'"))),
    };
    listed.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DeviceConfig, YamlError> {
        DeviceConfig::parse(text, Path::new("devices.yaml"))
    }

    #[test]
    fn aspects_are_numbers_or_names_and_architectures_have_aliases() {
        let text =
            "intel_gpu_12_0:\n  aspects: [gpu, 6, aspect::fp16]\n  sub-group-sizes: [8, 16]\n";
        let config = parse(text).unwrap();
        let entry = config.find("intel_gpu_tgllp").unwrap();
        assert_eq!(entry.aspects, [2, 6, 5]);
        assert_eq!(entry.sub_group_sizes, [8, 16]);
        assert_eq!(config.find("intel_gpu_tgl"), Some(entry));
        assert_eq!(config.find("intel_gpu_skl"), None);
    }

    #[test]
    fn mistakes_name_the_file_and_the_line() {
        for (text, reason) in [
            ("a:\n  aspects: [fp63]\n  sub-group-sizes: []\n", "fp63"),
            ("a:\n  aspects: []\n", "sub-group-sizes"),
            (
                "a:\n  aspects: []\n  sub-group-sizes: []\n  extra: 1\n",
                "extra",
            ),
            ("- a\n", "map"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(
                error.contains("devices.yaml:") && error.contains(reason),
                "{error}"
            );
        }
    }
}
