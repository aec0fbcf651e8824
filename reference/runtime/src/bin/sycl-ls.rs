//! `sycl-ls`: the devices that programs see, a line each, in the form that users of DPC++ know.
//!
//! The words in brackets are those that `ONEAPI_DEVICE_SELECTOR` and `PLUMBLINE_DEVICE` take; a number
//! counts the devices of its backend, those that the variables hide included.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use offload_formats::aspects;
use plumbline_sycl::abi::codes;
use plumbline_sycl::device::{self, Device, Platform};
use plumbline_sycl::plugin::DeviceType;
use serde_json::{Value, json};

/// Lists the devices that SYCL programs see.
#[derive(Parser)]
#[command(name = "sycl-ls", version)]
struct CommandLine {
    /// Say more of each platform and device, their aspects among it
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// List the devices that PLUMBLINE_DEVICE and ONEAPI_DEVICE_SELECTOR hide as well
    #[arg(long)]
    ignore_device_selectors: bool,
}

fn main() -> ExitCode {
    let options = CommandLine::parse();
    if options.ignore_device_selectors {
        device::ignore_selectors();
    }
    let platforms = match device::platforms() {
        Ok(platforms) => platforms,
        Err(error) => {
            eprintln!("sycl-ls: error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let text = match (options.json, options.verbose) {
        (true, _) => format!("{:#}\n", Value::from_iter(platforms.iter().map(as_json))),
        (false, true) => list(platforms) + "\n" + &at_length(platforms),
        (false, false) => list(platforms),
    };
    if let Some(hint) = hint(platforms) {
        eprintln!("sycl-ls: {hint}");
    }
    // A reader that goes away has seen enough.
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// Why no device is listed, where none is.
fn hint(platforms: &[Platform]) -> Option<String> {
    match platforms {
        [] => device::require_one().err().map(|why| why.to_string()),
        _ => None,
    }
}

/// A line a device.
fn list(platforms: &[Platform]) -> String {
    let devices = platforms.iter().flat_map(|platform| &platform.devices);
    let line = |device: &Device| {
        let backend = device.platform().driver.backend().name();
        let facts = device.facts();
        format!(
            "[{backend}:{}][{backend}:{}] {}, {} {} [{}]\n",
            kind(device),
            device.number,
            platform_text(device.platform(), codes::PLATFORM_NAME),
            facts.name,
            facts.version,
            facts.driver_version
        )
    };
    devices.map(line).collect()
}

/// The type in the words of `ONEAPI_DEVICE_SELECTOR`.
fn kind(device: &Device) -> &'static str {
    match device.driver().kind() {
        DeviceType::Accelerator => "fpga",
        other => other.name(),
    }
}

fn platform_text(platform: &Platform, what: u32) -> String {
    platform.driver.text(what).unwrap_or_default()
}

/// Every platform with its devices, a line a fact.
fn at_length(platforms: &[Platform]) -> String {
    let mut text = format!("Platforms: {}\n", platforms.len());
    for (number, platform) in platforms.iter().enumerate() {
        text += &format!(
            "Platform [#{}]:\n    Version  : {}\n    Name     : {}\n    Vendor   : {}\n    Devices  : {}\n",
            number + 1,
            platform_text(platform, codes::PLATFORM_VERSION),
            platform_text(platform, codes::PLATFORM_NAME),
            platform_text(platform, codes::PLATFORM_VENDOR),
            platform.devices.len()
        );
        for device in &platform.devices {
            text += &format!("        Device [#{}]:\n", device.number);
            for (name, value) in facts(device) {
                text += &format!("        {name:<9}: {value}\n");
            }
        }
    }
    text
}

/// What a device says of itself: names as DPC++'s tool has them, and values.
fn facts(device: &Device) -> Vec<(&'static str, String)> {
    let facts = device.facts();
    let listed = |numbers: &[u32]| {
        let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
        words.join(" ")
    };
    let mut all = vec![
        ("Type", kind(device).to_owned()),
        ("Version", facts.version.clone()),
        ("Name", facts.name.clone()),
        ("Vendor", facts.vendor.clone()),
        ("Driver", facts.driver_version.clone()),
    ];
    let uuid = facts.uuid.map(|bytes| bytes.map(|b| format!("{b:02x}")));
    all.extend(uuid.map(|digits| ("UUID", digits.concat())));
    for (name, code) in [
        ("Units", codes::DEVICE_MAX_COMPUTE_UNITS),
        ("Memory", codes::DEVICE_GLOBAL_MEM_SIZE),
    ] {
        all.extend(facts.number(code).map(|value| (name, value.to_string())));
    }
    all.push(("Groups", facts.max_work_group_size.to_string()));
    all.push(("SubGroups", listed(&facts.sub_group_sizes)));
    all.push(("Aspects", aspects_of(device).join(" ")));
    all
}

fn aspects_of(device: &Device) -> Vec<String> {
    let named = |aspect: &u32| aspects::name(*aspect).map_or(aspect.to_string(), str::to_owned);
    device.facts().aspects.iter().map(named).collect()
}

fn as_json(platform: &Platform) -> Value {
    let device = |device: &Device| {
        let facts = device.facts();
        json!({
            "type": kind(device),
            "number": device.number,
            "name": facts.name,
            "vendor": facts.vendor,
            "version": facts.version,
            "driver": facts.driver_version,
            "compute-units": facts.number(codes::DEVICE_MAX_COMPUTE_UNITS),
            "global-memory": facts.number(codes::DEVICE_GLOBAL_MEM_SIZE),
            "max-work-group-size": facts.max_work_group_size,
            "sub-group-sizes": facts.sub_group_sizes,
            "aspects": aspects_of(device),
        })
    };
    json!({
        "backend": platform.driver.backend().name(),
        "name": platform_text(platform, codes::PLATFORM_NAME),
        "vendor": platform_text(platform, codes::PLATFORM_VENDOR),
        "version": platform_text(platform, codes::PLATFORM_VERSION),
        "devices": platform.devices.iter().map(device).collect::<Vec<_>>(),
    })
}
