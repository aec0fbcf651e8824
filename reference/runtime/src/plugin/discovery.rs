//! Asking the interfaces for their platforms.
//!
//! Only those are loaded that the user's choice leaves open, side by side: on a machine without one
//! of them it costs the failed search for a library.

use std::fmt::Display;
use std::thread;

use super::{Backend, DeviceType, Platform, cuda, level_zero, opencl};
use crate::error::{Error, Kind, Result};
use crate::trace::trace;

/// The platforms of an interface, or why it has none.
pub type Answer = std::result::Result<Vec<Box<dyn Platform>>, String>;

/// What one interface said.
pub struct Asked {
    /// The interface.
    pub backend: Backend,
    /// What it said; `None` when it was not asked.
    pub answer: Option<Answer>,
}

/// Asks every interface of which any device, or one of a kind, is `wanted`, and tells of all of them in
/// the order in which devices are preferred.
#[must_use]
pub fn ask(wanted: impl Fn(Backend, Option<DeviceType>) -> bool + Sync) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Backend::ALL
        .iter()
        .map(|backend| Asked {
            backend: *backend,
            answer: None,
        })
        .collect();
    let platforms = |backend| platforms(backend, |kind| wanted(backend, Some(kind)));
    thread::scope(|scope| {
        let mut open: Vec<&mut Asked> = asked
            .iter_mut()
            .filter(|a| wanted(a.backend, None))
            .collect();
        // One of them can use this thread.
        let last = open.pop();
        for one in open {
            scope.spawn(|| one.answer = Some(platforms(one.backend)));
        }
        if let Some(one) = last {
            one.answer = Some(platforms(one.backend));
        }
    });
    asked
}

fn platforms(backend: Backend, wanted: impl Fn(DeviceType) -> bool) -> Answer {
    match backend {
        Backend::OpenCl => opencl::platforms(wanted),
        Backend::LevelZero => level_zero::platforms(),
        Backend::Cuda => cuda::platforms(),
    }
}

/// Opens drivers or devices, and leaves out those that do not open: a broken one hides no other.
///
/// # Errors
/// Why none opens, when there are some.
pub(super) fn all_that_open<I: Display + Copy, T>(
    what: &str,
    numbers: impl IntoIterator<Item = I>,
    mut open: impl FnMut(I) -> Result<T>,
) -> Result<Vec<T>> {
    let mut opened = Vec::new();
    let mut refused = Vec::new();
    for number in numbers {
        match open(number) {
            Ok(one) => opened.push(one),
            Err(error) => {
                trace(|| format!("{what} {number} is left out: {error}"));
                refused.push(format!("{what} {number}: {error}"));
            }
        }
    }
    match opened.is_empty() && !refused.is_empty() {
        true => Err(Error::new(Kind::Runtime, refused.join("; "))),
        false => Ok(opened),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(number: i32) -> Result<i32> {
        match number {
            1 => Err(Error::new(Kind::Runtime, "lost")),
            _ => Ok(number),
        }
    }

    #[test]
    fn a_device_that_does_not_open_hides_no_other() {
        assert_eq!(all_that_open("device", 0..3, open), Ok(vec![0, 2]));
        assert_eq!(all_that_open("device", 0..0, open), Ok(Vec::new()));
        let error = all_that_open("device", 1..2, open).unwrap_err();
        assert_eq!(error.reason, "device 1: lost");
    }
}
