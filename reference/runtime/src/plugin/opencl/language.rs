//! What OpenCL C the driver of a device compiles.

use std::ffi::CStr;

use opencl3::device::Device as ClDevice;

use crate::plugin::DeviceFacts;
use crate::plugin::sources::OpenClC;

/// The name of the language in the list of its versions.
const OPENCL_C: &str = "OpenCL C";

/// Names, each with its version as OpenCL packs it (`CL_MAKE_VERSION`).
pub(super) fn told(device: &ClDevice, facts: &DeviceFacts, what: OpenClC) -> Vec<(String, u32)> {
    let told = match what {
        OpenClC::Versions => device.opencl_c_all_versions(),
        OpenClC::Features => device.opencl_c_features(),
        OpenClC::Extensions => device.extensions_with_version(),
    };
    let told = told.unwrap_or_default();
    // Before OpenCL 3.0 a device says the newest version, and names of extensions alone.
    match what {
        OpenClC::Versions if told.is_empty() => versions_up_to(&facts.opencl_c_version),
        OpenClC::Extensions if told.is_empty() => {
            let names = facts.extensions.split_whitespace();
            names.map(|name| (name.to_owned(), 0)).collect()
        }
        _ => told
            .iter()
            .map(|each| {
                let name = CStr::from_bytes_until_nul(&each.name).unwrap_or_default();
                (name.to_string_lossy().into_owned(), each.version)
            })
            .collect(),
    }
}

/// The versions up to what a device says (`OpenCL C 1.2 …`): each takes what the ones before do.
fn versions_up_to(said: &str) -> Vec<(String, u32)> {
    let number = said.strip_prefix(OPENCL_C).unwrap_or_default();
    let number = number.split_whitespace().next().unwrap_or_default();
    let parts = number.split_once('.');
    let newest = parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let known: [(u32, u32); 4] = [(1, 0), (1, 1), (1, 2), (2, 0)];
    let taken = known.into_iter().filter(|version| Some(*version) <= newest);
    taken
        .map(|(major, minor)| (OPENCL_C.to_owned(), major << 22 | minor << 12))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_takes_all_versions_up_to_the_one_that_it_says() {
        let numbers = |said| {
            let versions = versions_up_to(said).into_iter();
            let parts = |(_, packed): (String, u32)| (packed >> 22, packed >> 12 & 0x3ff);
            versions.map(parts).collect::<Vec<_>>()
        };
        assert_eq!(numbers("OpenCL C 1.2 "), [(1, 0), (1, 1), (1, 2)]);
        assert_eq!(numbers("OpenCL C 2.0 pocl").len(), 4);
        assert!(numbers("").is_empty());
        assert!(numbers("OpenCL C").is_empty());
    }
}
