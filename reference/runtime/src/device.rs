//! The devices that programs see, and the filter that users set.
//!
//! `PLUMBLINE_DEVICE` is a list, separated by commas, of `BACKEND:TYPE`, `BACKEND:NUMBER`, or
//! either half alone with `*` for the other (`opencl:cpu`, `opencl:0`, `*:gpu`). A device that no
//! item names is hidden. Numbers count the devices of a backend, in the order of `sycl-ls`. A backend
//! that no item can mean is not even loaded, nor is a driver of set-up's whose devices are of other
//! kinds. In the place of a type may stand who made the driver (`opencl:pocl`), which tells two
//! devices of one type apart.
//!
//! `ONEAPI_DEVICE_SELECTOR`, DPC++'s variable, is read where that one is not set: `selector.rs`.
//!
//! A device that two backends show is one device to programs: that of the backend which comes first
//! in [`Backend::ALL`]. An item that names the other backend shows the other one too.

mod selector;

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use offload_formats::aspects;

use crate::abi::codes;
use crate::error::{Error, Kind, Result};
use crate::plugin::partition::Partition;
use crate::plugin::{self, Asked, Backend, DeviceFacts, DeviceType, Peer};
use crate::trace::trace;

/// A platform with at least one visible device.
pub struct Platform {
    /// The driver's own.
    pub driver: Box<dyn plugin::Platform>,
    /// Visible devices.
    pub devices: Vec<Device>,
    /// What they are divided into, and what that is.
    parts: Mutex<Vec<&'static Device>>,
}

/// A visible device, or a part of one. Lives as long as the process.
pub struct Device {
    /// Its platform's place in [`platforms`].
    platform: usize,
    /// Its place in the driver's list.
    pub place: usize,
    /// Its number among the devices of its backend, hidden ones included; a part has its whole's.
    pub number: usize,
    /// What it is a part of, and how that was divided.
    pub whole: Option<(&'static Device, Partition)>,
    /// The driver's own.
    driver: &'static dyn plugin::Device,
}

impl Platform {
    /// Its visible devices, and behind each what comes of it.
    #[must_use]
    pub fn with_parts(&'static self) -> Vec<&'static Device> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        self.devices.iter().chain(parts.iter().copied()).collect()
    }
}

impl Device {
    /// A device that tests name and nobody asks anything.
    #[cfg(test)]
    pub const NOWHERE: Device = Device {
        platform: usize::MAX,
        place: 0,
        number: 0,
        whole: None,
        driver: &plugin::stand_in::NoDevice,
    };

    /// The platform that the device belongs to.
    #[must_use]
    pub fn platform(&self) -> &'static Platform {
        // The filter's errors stop discovery before there is any device.
        match &*DISCOVERED {
            Ok(found) => &found.platforms[self.platform],
            Err(_) => unreachable!("a device of no platform"),
        }
    }

    /// The driver's own.
    #[must_use]
    pub fn driver(&self) -> &'static dyn plugin::Device {
        self.driver
    }

    /// Whether it is the other one, or comes of it by division.
    #[must_use]
    pub fn comes_of(&self, other: &Device) -> bool {
        let is_part = |(whole, _): &(&'static Device, Partition)| whole.comes_of(other);
        std::ptr::eq(self, other) || self.whole.as_ref().is_some_and(is_part)
    }

    /// The parts that it is divided into: the same ones each time it is divided so.
    ///
    /// # Errors
    /// `FeatureNotSupported` where it is not divided that way, `Invalid` where it has not as many
    /// compute units or parts, or what the driver refuses.
    pub fn divided(&'static self, how: &Partition) -> Result<Vec<&'static Device>> {
        how.check(self.facts())?;
        let platform = self.platform();
        let mut all = platform
            .parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_known = |part: &&'static Device| {
            let whole = part.whole.as_ref();
            whole.is_some_and(|(whole, by)| std::ptr::eq(*whole, self) && by == how)
        };
        let known: Vec<&'static Device> = all.iter().copied().filter(is_known).collect();
        if !known.is_empty() || *how == Partition::ByCounts(Vec::new()) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        for place in platform.driver.divide(self.place, how)? {
            parts.push(&*Box::leak(Box::new(Device {
                platform: self.platform,
                place,
                number: self.number,
                whole: Some((self, how.clone())),
                driver: platform.driver.device(place)?,
            })));
        }
        all.extend(&parts);
        Ok(parts)
    }

    /// What the device says of itself.
    #[must_use]
    pub fn facts(&self) -> &'static DeviceFacts {
        self.driver().facts()
    }

    /// Bytes of the device's memory that are free now, where its driver tells.
    #[must_use]
    pub fn free_memory(&self) -> Option<u64> {
        self.driver().free_memory()
    }

    /// What it can do in the memory of another device; nothing in its own, which is no other's.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn peer(&self, other: &Device) -> Result<Peer> {
        self.driver().peer(other.driver())
    }

    /// Lets its kernels and copies reach the other one's memory, or no longer.
    ///
    /// # Errors
    /// As [`plugin::Device::reach_peer`].
    pub fn reach_peer(&self, other: &Device, may: bool) -> Result<()> {
        self.driver().reach_peer(other.driver(), may)
    }

    /// Whether the device has the aspect.
    #[must_use]
    pub fn has(&self, aspect: u32) -> bool {
        self.facts().aspects.contains(&aspects::current(aspect))
    }
}

/// What looking for devices brought.
struct Discovered {
    platforms: Vec<Platform>,
    /// What each backend said, a line each.
    told: Vec<String>,
    /// What to do when there is no device.
    help: &'static str,
}

static DISCOVERED: LazyLock<Result<Discovered>> = LazyLock::new(discover);

fn discovered() -> Result<&'static Discovered> {
    DISCOVERED.as_ref().map_err(Error::clone)
}

/// All platforms that have a visible device.
///
/// # Errors
/// When `PLUMBLINE_DEVICE` cannot be read.
pub fn platforms() -> Result<&'static [Platform]> {
    Ok(&discovered()?.platforms)
}

/// That there is a visible device.
///
/// # Errors
/// What was looked for and what each backend said, when there is none.
pub fn require_one() -> Result<()> {
    let found = discovered()?;
    if !found.platforms.is_empty() {
        return Ok(());
    }
    let set = |variable: &&str| std::env::var(variable).is_ok_and(|text| !text.trim().is_empty());
    let looked_for = match [FILTER, selector::VARIABLE].iter().find(|each| set(each)) {
        Some(variable) => {
            let filter = std::env::var(variable).unwrap_or_default();
            format!(" that {variable}={filter} shows")
        }
        None => String::new(),
    };
    let told = found.told.join("\n");
    let help = found.help;
    Err(Error::new(
        Kind::Runtime,
        format!("no SYCL device found{looked_for}\n{told}\n{help}"),
    ))
}

/// Shows every device, whatever the variables say, if nobody has asked for devices yet.
pub fn ignore_selectors() {
    IGNORED.store(true, Ordering::Relaxed);
}

static IGNORED: AtomicBool = AtomicBool::new(false);

/// The variable that holds the filter.
const FILTER: &str = "PLUMBLINE_DEVICE";

fn discover() -> Result<Discovered> {
    let filter = match std::env::var_os(FILTER) {
        _ if IGNORED.load(Ordering::Relaxed) => Filter::default(),
        Some(value) => Filter::of(Some(&value))?,
        None => selector::of(std::env::var(selector::VARIABLE).ok().as_deref())?,
    };
    let mut found = Discovered {
        platforms: Vec::new(),
        told: Vec::new(),
        help: filter.help(),
    };
    let mut shown: Vec<DeviceFacts> = Vec::new();
    for Asked { backend, answer } in plugin::ask(|backend, kind| filter.may_show(backend, kind)) {
        let title = backend.title();
        let drivers = match answer {
            None => {
                let why = format!("{} names none of its devices", filter.variable);
                found.told.push(format!("  {title}: not asked, {why}"));
                continue;
            }
            Some(Err(reason)) => {
                trace(|| format!("no device through {title}: {reason}"));
                found.told.push(format!("  {title}: {reason}"));
                continue;
            }
            Some(Ok(drivers)) => drivers,
        };
        let mut number = 0;
        for driver in drivers {
            let vendor = driver.text(codes::PLATFORM_VENDOR).unwrap_or_default();
            let mut devices = Vec::new();
            for (place, device) in driver.devices().into_iter().enumerate() {
                let twice = shown
                    .iter()
                    .any(|other| other.is_same_device(device.facts()));
                let hidden = filter.hides(&Candidate {
                    backend,
                    kind: device.kind(),
                    number,
                    vendor: &vendor,
                    twice,
                });
                trace(|| describe(backend, number, device, hidden));
                if hidden.is_none() {
                    devices.push(Device {
                        platform: found.platforms.len(),
                        place,
                        number,
                        whole: None,
                        driver: device,
                    });
                }
                number += 1;
            }
            if !devices.is_empty() {
                found.platforms.push(Platform {
                    driver,
                    devices,
                    parts: Mutex::default(),
                });
            }
        }
        let by = filter.variable;
        found
            .told
            .push(format!("  {title}: devices, but {by} hides them"));
        let own = found
            .platforms
            .iter()
            .filter(|p| p.driver.backend() == backend);
        for platform in own {
            let devices = platform.devices.iter();
            shown.extend(devices.map(|device| device.driver.facts().clone()));
        }
    }
    Ok(found)
}

fn describe(
    backend: Backend,
    number: usize,
    device: &dyn plugin::Device,
    hidden: Option<&str>,
) -> String {
    let facts = device.facts();
    let hidden = hidden.map_or_else(String::new, |why| format!(" (hidden by {why})"));
    format!(
        "device {}:{number} ({}): {}, driver {}{hidden}",
        backend.name(),
        device.kind().name(),
        facts.name,
        facts.driver_version
    )
}

/// What a variable says; an empty filter shows everything.
#[derive(Debug, Default, PartialEq, Eq)]
struct Filter {
    variable: &'static str,
    items: Vec<(Option<Backend>, Choice)>,
    /// Those that are hidden although an item shows them.
    hidden: Vec<(Option<Backend>, Choice)>,
}

/// What the filter judges by.
struct Candidate<'a> {
    backend: Backend,
    kind: DeviceType,
    /// Among the devices of its backend.
    number: usize,
    /// Of its platform.
    vendor: &'a str,
    /// Whether another backend shows it already.
    twice: bool,
}

/// Makers of drivers, as the vendors of their platforms have them in whatever case.
const MAKERS: [&str; 3] = ["intel", "nvidia", "pocl"];

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Any,
    Type(&'static str),
    /// One of [`MAKERS`].
    Maker(&'static str),
    Number(usize),
    /// A device of a backend that the runtime does not have.
    None,
}

impl Filter {
    /// The filter of the variable's value, when it has one.
    fn of(value: Option<&OsStr>) -> Result<Filter> {
        match value.map(|value| value.to_str().ok_or(value)) {
            None => Ok(Filter::default()),
            Some(Ok(text)) => Filter::parse(text),
            Some(Err(value)) => Err(malformed(&value.to_string_lossy())),
        }
    }

    fn parse(text: &str) -> Result<Filter> {
        let words = text
            .split([',', '|'])
            .map(str::trim)
            .filter(|w| !w.is_empty());
        let items = words.map(Self::item).collect::<Result<_>>()?;
        Ok(Filter {
            variable: FILTER,
            items,
            hidden: Vec::new(),
        })
    }

    fn item(word: &str) -> Result<(Option<Backend>, Choice)> {
        let (backend, choice) = match word.split_once(':') {
            Some((backend, choice)) => (backend, choice),
            None if Choice::parse(word).is_some() && word != "*" => ("*", word),
            None => (word, "*"),
        };
        let named = Backend::ALL.into_iter().find(|b| b.name() == backend);
        match Choice::parse(choice) {
            Some(choice) if named.is_some() || backend == "*" => Ok((named, choice)),
            _ => Err(malformed(word)),
        }
    }

    /// What to do when the filter shows no device.
    fn help(&self) -> &'static str {
        match self.may_show(Backend::OpenCl, None) {
            true => {
                "'cargo xtask setup' brings a CPU device, 'cargo xtask doctor' lists what there is"
            }
            false => "'cargo xtask doctor' lists what there is",
        }
    }

    /// Whether some device of the backend, of one kind or of any, may be shown.
    fn may_show(&self, backend: Backend, kind: Option<DeviceType>) -> bool {
        let means = |(wanted, choice): &(Option<Backend>, Choice)| {
            let of_kind = match choice {
                Choice::Type(name) => kind.is_none_or(|kind| kind.name() == *name),
                Choice::None => false,
                Choice::Any | Choice::Maker(_) | Choice::Number(_) => true,
            };
            of_kind && wanted.is_none_or(|w| w == backend)
        };
        self.items.is_empty() || self.items.iter().any(means)
    }

    /// Why the device is hidden, when it is.
    fn hides(&self, device: &Candidate<'_>) -> Option<&'static str> {
        let chosen = |choice: &Choice| match choice {
            Choice::Any => true,
            Choice::Type(name) => *name == device.kind.name(),
            Choice::Maker(name) => device.vendor.to_ascii_lowercase().contains(name),
            Choice::Number(wanted) => *wanted == device.number,
            Choice::None => false,
        };
        let of_backend = |wanted: &Option<Backend>| wanted.is_none_or(|w| w == device.backend);
        let mut hidden = self.hidden.iter();
        if hidden.any(|(wanted, choice)| of_backend(wanted) && chosen(choice)) {
            return Some(self.variable);
        }
        let mut named = self
            .items
            .iter()
            .filter(|(wanted, _)| *wanted == Some(device.backend));
        if named.any(|(_, choice)| chosen(choice)) {
            return None;
        }
        let mut any = self.items.iter().filter(|(wanted, _)| wanted.is_none());
        match self.items.is_empty() || any.any(|(_, choice)| chosen(choice)) {
            false => Some(self.variable),
            true if device.twice => Some("another backend, which shows it already"),
            true => None,
        }
    }
}

fn malformed(word: &str) -> Error {
    Error::new(
        Kind::Invalid,
        format!(
            "{FILTER}: '{word}' is no device; write BACKEND:TYPE, BACKEND:MAKER or BACKEND:NUMBER, as \
             in opencl:cpu, opencl:pocl or opencl:0; backends are {}, makers of drivers {}",
            Backend::ALL.map(Backend::name).join(", "),
            MAKERS.join(", ")
        ),
    )
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
        let named = match word {
            // As DPC++ has it, and `sycl-ls` lists them.
            "fpga" | "acc" => Some(DeviceType::Accelerator.name()),
            _ => kinds
                .map(DeviceType::name)
                .into_iter()
                .find(|name| *name == word),
        };
        let maker = MAKERS.into_iter().find(|name| *name == word);
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = || word.parse().ok().filter(|_| is_number);
        named
            .map(Choice::Type)
            .or_else(|| maker.map(Choice::Maker))
            .or_else(|| number().map(Choice::Number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(backend: Backend, kind: DeviceType, number: usize) -> Candidate<'static> {
        Candidate {
            backend,
            kind,
            number,
            vendor: "Somebody",
            twice: false,
        }
    }

    fn shows(filter: &str, backend: Backend, kind: DeviceType, number: usize) -> bool {
        let filter = Filter::parse(filter).unwrap();
        filter.hides(&candidate(backend, kind, number)).is_none()
    }

    #[test]
    fn devices_of_one_type_are_told_apart_by_who_made_their_drivers() {
        use Backend::OpenCl;
        use DeviceType::Cpu;
        let shows = |filter: &str, vendor| {
            let filter = Filter::parse(filter).unwrap();
            let device = Candidate {
                vendor,
                ..candidate(OpenCl, Cpu, 2)
            };
            filter.hides(&device).is_none()
        };
        for pocl in ["opencl:pocl", "pocl", "*:pocl", "opencl:cpu"] {
            assert!(shows(pocl, "The pocl project"), "{pocl}");
        }
        for other in ["opencl:intel", "level_zero:pocl", "cuda:pocl"] {
            assert!(!shows(other, "The pocl project"), "{other}");
        }
        assert!(shows("opencl:intel", "Intel(R) Corporation"));
        assert!(!shows("pocl", "Intel(R) Corporation"));
    }

    #[test]
    fn the_filter_names_backends_types_and_numbers() {
        use Backend::{LevelZero, OpenCl};
        use DeviceType::{Cpu, Custom, Gpu};
        let two = "opencl:cpu, level_zero:1";
        assert!(shows(two, OpenCl, Cpu, 3));
        assert!(!shows(two, OpenCl, Gpu, 1));
        assert!(shows(two, LevelZero, Gpu, 1));
        assert!(!shows(two, LevelZero, Gpu, 0));
        for all in ["", "*", "*:*"] {
            assert!(shows(all, OpenCl, Custom, 7), "{all}");
        }
        assert!(shows("gpu", LevelZero, Gpu, 0));
        assert!(!shows("opencl", LevelZero, Gpu, 0));
    }

    #[test]
    fn only_backends_that_can_be_meant_are_loaded() {
        let may_show = |filter: &str| {
            let filter = Filter::parse(filter).unwrap();
            let backends = Backend::ALL.into_iter();
            backends
                .filter(|b| filter.may_show(*b, None))
                .collect::<Vec<_>>()
        };
        for all in ["", "*", "gpu", "opencl:cpu,*:0"] {
            assert_eq!(may_show(all), Backend::ALL, "{all}");
        }
        assert_eq!(may_show("opencl:cpu"), [Backend::OpenCl]);
        let any = |filter: &str, kind| {
            Filter::parse(filter)
                .unwrap()
                .may_show(Backend::OpenCl, Some(kind))
        };
        for (filter, cpu, accelerator) in [
            ("opencl:cpu", true, false),
            ("accelerator", false, true),
            ("opencl:fpga", false, true),
            ("acc", false, true),
            ("opencl:1", true, true),
            ("opencl:intel,cuda:gpu", true, true),
            ("cuda:accelerator", false, false),
            ("", true, true),
        ] {
            assert_eq!(any(filter, DeviceType::Cpu), cpu, "{filter}");
            assert_eq!(
                any(filter, DeviceType::Accelerator),
                accelerator,
                "{filter}"
            );
        }
    }

    #[test]
    fn a_device_is_shown_twice_only_when_its_second_backend_is_named() {
        let hides = |filter: &str| {
            let filter = Filter::parse(filter).unwrap();
            let device = Candidate {
                twice: true,
                ..candidate(Backend::OpenCl, DeviceType::Gpu, 0)
            };
            filter.hides(&device).is_some()
        };
        for once in ["", "*", "gpu", "*:0", "level_zero:gpu,gpu"] {
            assert!(hides(once), "{once}");
        }
        for named in ["opencl", "opencl:gpu", "opencl:0", "gpu,opencl:*"] {
            assert!(!hides(named), "{named}");
        }
    }

    #[test]
    fn an_unknown_device_is_an_error_that_shows_the_form() {
        for wrong in [
            "opencl:fast",
            "vulkan:gpu",
            "fast",
            "opencl:+0",
            "+0",
            "opencl:",
        ] {
            let error = Filter::parse(wrong).unwrap_err();
            assert!(error.reason.contains("BACKEND:TYPE"), "{wrong}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_no_text_is_no_choice_of_all() {
        use std::os::unix::ffi::OsStrExt;
        let error = Filter::of(Some(OsStr::from_bytes(b"opencl:cpu\xff"))).unwrap_err();
        assert!(error.reason.contains("'opencl:cpu\u{fffd}'"), "{error}");
        assert_eq!(Filter::of(None), Ok(Filter::default()));
    }

    #[test]
    fn set_up_is_named_only_where_its_device_may_be_shown() {
        for (filter, named) in [
            ("", true),
            ("cpu", true),
            ("cuda", false),
            ("cuda:0,level_zero", false),
        ] {
            let help = Filter::parse(filter).unwrap().help();
            assert_eq!(help.contains("setup"), named, "{filter}");
            assert!(help.contains("doctor"), "{filter}");
        }
    }
}
