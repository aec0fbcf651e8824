//! When commands were submitted, began and ended.

use cl3::device::get_device_and_host_timer;
use opencl3::event::Event as ClEvent;

use super::device::{Id, OpenClDevice};
use crate::clock::Times;
use crate::error::{Error, Result};
use crate::plugin::Device as _;

/// The clock by which a driver tells the times of a device's commands.
#[derive(Clone, Copy)]
pub(super) struct Clock(Id);

impl Clock {
    /// The device's clock, where it can be read.
    pub fn of(device: &OpenClDevice) -> Option<Clock> {
        // A loader calls what the driver of an older device does not have.
        is_since_2_1(&device.facts().version).then(|| Clock(device.id()))
    }

    /// Nanoseconds; `None` where the driver refuses, as one may.
    pub fn now(self) -> Option<u64> {
        let [device, _host] = get_device_and_host_timer(self.0.0).ok()?;
        Some(device)
    }
}

/// Whether a device's version, "OpenCL 3.0" and the driver's own words, is 2.1 or later.
fn is_since_2_1(version: &str) -> bool {
    let number = version.split_whitespace().nth(1);
    let parts = number.and_then(|number| number.split_once('.'));
    parts.is_some_and(|(major, minor)| match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => (major, minor) >= (2u32, 1u32),
        _ => false,
    })
}

/// The times of a command that has ended; `noted` is when it was submitted, where that was noted.
///
/// # Errors
/// When the queue does not profile.
pub(super) fn of(command: &ClEvent, noted: Option<u64>) -> Result<Times> {
    let started = command.profiling_command_start();
    let ended = command.profiling_command_end();
    let (Ok(started), Ok(ended)) = (started, ended) else {
        return Err(Error::not_measured());
    };
    // SYCL's submission is what OpenCL calls queueing. OpenCL's own may come as late as when all has ended
    // that the command waits for.
    let queued = command.profiling_command_queued().ok();
    let submitted = command.profiling_command_submit().ok();
    Ok(ordered([noted, queued, submitted], started, ended))
}

/// The times of a command that was submitted at the first time which is told: Intel's drivers say of
/// markers that they were at 0.
fn ordered(submitted: [Option<u64>; 3], started: u64, ended: u64) -> Times {
    let submitted = submitted.into_iter().flatten().find(|time| *time != 0);
    Times {
        submitted: submitted.map_or(started, |time| time.min(started)),
        started,
        ended: ended.max(started),
    }
}

/// The times of two commands as those of one.
pub(super) fn together(one: Times, other: Times) -> Times {
    Times {
        submitted: one.submitted.min(other.submitted),
        started: one.started.min(other.started),
        ended: one.ended.max(other.ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(submitted: u64, started: u64, ended: u64) -> Times {
        Times {
            submitted,
            started,
            ended,
        }
    }

    #[test]
    fn clocks_are_read_of_devices_that_have_them() {
        assert!(is_since_2_1("OpenCL 3.0 (Build 0)") && is_since_2_1("OpenCL 2.1"));
        assert!(is_since_2_1("OpenCL 10.0"));
        for older in ["OpenCL 1.2 FPGA 1.0", "OpenCL 2.0", "OpenCL 3", "", "3.0"] {
            assert!(!is_since_2_1(older), "{older}");
        }
    }

    #[test]
    fn a_command_is_submitted_then_begins_then_ends() {
        // A kernel that waits is queued long before the driver gives it to the device.
        assert_eq!(ordered([None, Some(3), Some(7)], 8, 9), times(3, 8, 9));
        // A marker: the driver tells nothing, or not all.
        assert_eq!(ordered([Some(4), Some(0), Some(0)], 8, 9), times(4, 8, 9));
        assert_eq!(ordered([None, Some(0), Some(6)], 8, 9), times(6, 8, 9));
        assert_eq!(ordered([None, Some(0), None], 8, 9), times(8, 8, 9));
        assert_eq!(ordered([Some(9), None, None], 8, 7), times(8, 8, 8));
    }

    #[test]
    fn several_commands_last_from_the_first_to_the_last() {
        assert_eq!(together(times(2, 5, 6), times(3, 4, 9)), times(2, 4, 9));
        assert_eq!(together(times(3, 4, 9), times(2, 5, 6)), times(2, 4, 9));
    }
}
