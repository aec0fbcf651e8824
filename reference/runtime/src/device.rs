//! The devices that programs see, and the filter that users set.
//!
//! `PLUMBLINE_DEVICE` is a list, separated by commas, of `BACKEND:TYPE`, `BACKEND:NUMBER`, or
//! either half alone with `*` for the other (`opencl:cpu`, `opencl:0`, `*:gpu`). A device that no
//! item names is hidden. Numbers count the devices of a backend, in the order of `cargo xtask
//! doctor`.

use std::sync::LazyLock;

use crate::error::{Error, Kind, Result};
use crate::plugin::{self, DeviceFacts, DeviceType};
use crate::trace::trace;

/// A platform with at least one visible device.
pub struct Platform {
    /// The driver's own.
    pub driver: Box<dyn plugin::Platform>,
    /// Visible devices.
    pub devices: Vec<Device>,
}

/// A visible device. Lives as long as the process.
pub struct Device {
    /// Its platform's place in [`platforms`].
    platform: usize,
    /// Its place in the driver's list.
    pub place: usize,
}

impl Platform {
    /// The device's driver object.
    fn driver_device(&self, place: usize) -> &dyn plugin::Device {
        self.driver.devices()[place].as_ref()
    }
}

impl Device {
    /// The platform that the device belongs to.
    #[must_use]
    pub fn platform(&self) -> &'static Platform {
        // The filter's errors stop discovery before there is any device.
        match &*PLATFORMS {
            Ok(all) => &all[self.platform],
            Err(_) => unreachable!("a device of no platform"),
        }
    }

    /// The driver's own.
    #[must_use]
    pub fn driver(&self) -> &'static dyn plugin::Device {
        self.platform().driver_device(self.place)
    }

    /// What the device says of itself.
    #[must_use]
    pub fn facts(&self) -> &'static DeviceFacts {
        self.driver().facts()
    }

    /// Whether the device has the aspect.
    #[must_use]
    pub fn has(&self, aspect: u32) -> bool {
        self.facts().aspects.contains(&aspect)
    }
}

static PLATFORMS: LazyLock<Result<Vec<Platform>>> = LazyLock::new(discover);

/// All platforms that have a visible device.
///
/// # Errors
/// When `PLUMBLINE_DEVICE` cannot be read.
pub fn platforms() -> Result<&'static [Platform]> {
    match &*PLATFORMS {
        Ok(all) => Ok(all),
        Err(error) => Err(error.clone()),
    }
}

fn discover() -> Result<Vec<Platform>> {
    let filter = match std::env::var("PLUMBLINE_DEVICE") {
        Ok(text) => Filter::parse(&text)?,
        Err(_) => Filter::default(),
    };
    let mut platforms = Vec::new();
    let mut counts = std::collections::HashMap::new();
    for driver in plugin::platforms() {
        let backend = driver.backend().name();
        let mut devices = Vec::new();
        for (place, device) in driver.devices().iter().enumerate() {
            let count = counts.entry(backend).or_insert(0usize);
            let number = std::mem::replace(count, *count + 1);
            let shown = filter.shows(backend, device.kind(), number);
            trace(|| describe(backend, number, device.as_ref(), shown));
            if shown {
                devices.push(Device {
                    platform: platforms.len(),
                    place,
                });
            }
        }
        if !devices.is_empty() {
            platforms.push(Platform { driver, devices });
        }
    }
    Ok(platforms)
}

fn describe(backend: &str, number: usize, device: &dyn plugin::Device, shown: bool) -> String {
    let facts = device.facts();
    let hidden = if shown {
        ""
    } else {
        " (hidden by PLUMBLINE_DEVICE)"
    };
    format!(
        "device {backend}:{number} ({}): {}, driver {}{hidden}",
        device.kind().name(),
        facts.name,
        facts.driver_version
    )
}

/// What `PLUMBLINE_DEVICE` says; an empty filter shows everything.
#[derive(Debug, Default, PartialEq, Eq)]
struct Filter {
    items: Vec<(Option<String>, Choice)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Any,
    Type(&'static str),
    Number(usize),
}

impl Filter {
    fn parse(text: &str) -> Result<Filter> {
        let words = text
            .split([',', '|'])
            .map(str::trim)
            .filter(|w| !w.is_empty());
        let items = words.map(Self::item).collect::<Result<_>>()?;
        Ok(Filter { items })
    }

    fn item(word: &str) -> Result<(Option<String>, Choice)> {
        let (backend, choice) = match word.split_once(':') {
            Some((backend, choice)) => (backend, choice),
            None if Choice::parse(word).is_some() && word != "*" => ("*", word),
            None => (word, "*"),
        };
        let known = ["opencl", "level_zero", "cuda", "*"];
        match (known.contains(&backend), Choice::parse(choice)) {
            (true, Some(choice)) => Ok(((backend != "*").then(|| backend.to_owned()), choice)),
            _ => Err(Error::new(
                Kind::Invalid,
                format!(
                    "PLUMBLINE_DEVICE: '{word}' is no device; write BACKEND:TYPE or \
                     BACKEND:NUMBER, as in opencl:cpu or opencl:0"
                ),
            )),
        }
    }

    fn shows(&self, backend: &str, kind: DeviceType, number: usize) -> bool {
        let names = |(wanted, choice): &(Option<String>, Choice)| {
            wanted.as_deref().is_none_or(|wanted| wanted == backend)
                && match choice {
                    Choice::Any => true,
                    Choice::Type(name) => *name == kind.name(),
                    Choice::Number(wanted) => *wanted == number,
                }
        };
        self.items.is_empty() || self.items.iter().any(names)
    }
}

impl Choice {
    fn parse(word: &str) -> Option<Choice> {
        let kinds = [
            DeviceType::Cpu,
            DeviceType::Gpu,
            DeviceType::Accelerator,
            DeviceType::Custom,
        ];
        if word == "*" {
            return Some(Choice::Any);
        }
        let named = kinds
            .iter()
            .map(|kind| kind.name())
            .find(|name| *name == word);
        named
            .map(Choice::Type)
            .or_else(|| word.parse().ok().map(Choice::Number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_names_backends_types_and_numbers() {
        let filter = Filter::parse("opencl:cpu, cuda:1").unwrap();
        assert!(filter.shows("opencl", DeviceType::Cpu, 3));
        assert!(!filter.shows("opencl", DeviceType::Gpu, 1));
        assert!(filter.shows("cuda", DeviceType::Gpu, 1));
        for all in ["", "*", "*:*"] {
            let filter = Filter::parse(all).unwrap();
            assert!(filter.shows("opencl", DeviceType::Custom, 7), "{all}");
        }
        assert!(
            Filter::parse("gpu")
                .unwrap()
                .shows("cuda", DeviceType::Gpu, 0)
        );
        assert!(
            !Filter::parse("opencl")
                .unwrap()
                .shows("cuda", DeviceType::Gpu, 0)
        );
    }

    #[test]
    fn an_unknown_device_is_an_error_that_shows_the_form() {
        for wrong in ["opencl:fast", "vulkan:gpu", "fast"] {
            let error = Filter::parse(wrong).unwrap_err();
            assert!(error.reason.contains("BACKEND:TYPE"), "{wrong}: {error}");
        }
    }
}
