//! `ONEAPI_DEVICE_SELECTOR` as DPC++ reads it: terms `BACKEND:DEVICES`, separated by semicolons.
//!
//! `DEVICES` are types and numbers, separated by commas. A term that begins with `!` hides what it
//! means; with such terms alone all other devices are shown. Parts of devices (`0.1`) are none that
//! the runtime has.

use super::{Choice, Filter};
use crate::error::{Error, Kind, Result};
use crate::plugin::Backend;

/// The variable.
pub(super) const VARIABLE: &str = "ONEAPI_DEVICE_SELECTOR";

/// Backends of DPC++ that the runtime does not have.
const FOREIGN: [&str; 3] = ["hip", "native_cpu", "offload"];

/// The filter of the variable's value, when it has one.
pub(super) fn of(value: Option<&str>) -> Result<Filter> {
    let mut filter = Filter {
        variable: VARIABLE,
        ..Filter::default()
    };
    let text = value.unwrap_or_default().to_ascii_lowercase();
    let terms = text.split(';').map(str::trim);
    for term in terms.filter(|term| !term.is_empty()) {
        let (list, term) = match term.strip_prefix('!') {
            Some(rest) => (&mut filter.hidden, rest),
            None => (&mut filter.items, term),
        };
        let (backend, devices) = term.split_once(':').ok_or_else(|| malformed(term))?;
        let named = Backend::ALL.into_iter().find(|b| b.name() == backend);
        let is_foreign = FOREIGN.contains(&backend);
        if named.is_none() && !is_foreign && backend != "*" {
            return Err(malformed(term));
        }
        for device in devices.split(',').map(str::trim) {
            let choice = choice(device).ok_or_else(|| malformed(term))?;
            list.push((named, if is_foreign { Choice::None } else { choice }));
        }
    }
    if filter.items.is_empty() && !filter.hidden.is_empty() {
        filter.items.push((None, Choice::Any));
    }
    Ok(filter)
}

fn choice(device: &str) -> Option<Choice> {
    // DPC++ knows no makers.
    Choice::parse(device).filter(|choice| !device.is_empty() && !matches!(choice, Choice::Maker(_)))
}

fn malformed(term: &str) -> Error {
    let reason = format!(
        "{VARIABLE}: '{term}' names no devices; write BACKEND:TYPE or BACKEND:NUMBER, as in \
         opencl:cpu or *:gpu; backends are {}; parts of devices (0.1) cannot be chosen",
        Backend::ALL.map(Backend::name).join(", ")
    );
    Error::new(Kind::Invalid, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Candidate;
    use crate::plugin::DeviceType;

    fn shows(value: &str, backend: Backend, kind: DeviceType, number: usize) -> bool {
        let filter = of(Some(value)).unwrap();
        let device = Candidate {
            backend,
            kind,
            number,
            vendor: "Somebody",
            twice: false,
        };
        filter.hides(&device).is_none()
    }

    #[test]
    fn terms_show_and_hide() {
        use Backend::{Cuda, LevelZero, OpenCl};
        use DeviceType::{Accelerator, Cpu, Gpu};
        for (value, seen, hidden) in [
            ("opencl:cpu", (OpenCl, Cpu, 0), (OpenCl, Gpu, 1)),
            ("*:gpu,0", (LevelZero, Gpu, 3), (OpenCl, Cpu, 1)),
            ("!opencl:*", (Cuda, Gpu, 0), (OpenCl, Cpu, 0)),
            (
                "opencl:fpga;cuda:*",
                (OpenCl, Accelerator, 2),
                (LevelZero, Gpu, 0),
            ),
            ("*:*;!*:cpu", (OpenCl, Gpu, 0), (OpenCl, Cpu, 0)),
            ("OpenCL:GPU", (OpenCl, Gpu, 0), (Cuda, Gpu, 0)),
        ] {
            let show = |(backend, kind, number)| shows(value, backend, kind, number);
            assert!(show(seen), "{value}");
            assert!(!show(hidden), "{value}");
        }
        assert!(!shows("hip:*", OpenCl, Cpu, 0));
        assert!(of(None).unwrap().items.is_empty());
    }

    #[test]
    fn what_names_no_device_is_an_error() {
        for wrong in [
            "opencl",
            "vulkan:gpu",
            "opencl:fast",
            "opencl:",
            "opencl:pocl",
            "*:0.1",
        ] {
            let error = of(Some(wrong)).unwrap_err();
            assert!(error.reason.contains("BACKEND:TYPE"), "{wrong}: {error}");
        }
    }
}
