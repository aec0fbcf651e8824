//! The devices of a platform: those that the driver lists, and behind them the parts that the program
//! divided them into.

use std::sync::{PoisonError, RwLock};

use super::Device;
use crate::error::{Error, Kind, Result};

/// Devices by their place, which stays theirs. Each lives as long as the process: programs hold parts
/// by handles that nobody counts, and the same division is made once only.
pub(super) struct Devices<Own: 'static> {
    all: RwLock<Vec<&'static Own>>,
    /// How many the driver lists.
    listed: usize,
}

impl<Own: Device + 'static> Devices<Own> {
    /// What a driver lists.
    pub fn new(listed: impl IntoIterator<Item = Own>) -> Devices<Own> {
        let all: Vec<&'static Own> = listed.into_iter().map(keep).collect();
        Devices {
            listed: all.len(),
            all: RwLock::new(all),
        }
    }

    /// All of them, parts too.
    pub fn all(&self) -> Vec<&'static Own> {
        let all = self.all.read();
        all.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Those that the driver lists.
    pub fn listed(&self) -> Vec<&'static dyn Device> {
        let all = self.all().into_iter().take(self.listed);
        all.map(|device| device as &dyn Device).collect()
    }

    /// The device at a place.
    ///
    /// # Errors
    /// `Invalid` where there is none.
    pub fn at(&self, place: usize) -> Result<&'static Own> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.get(place)
            .copied()
            .ok_or_else(|| Error::new(Kind::Invalid, "the device is not one of the platform"))
    }

    /// Where the first device is that `is_meant` knows.
    pub fn place(&self, is_meant: impl FnMut(&&'static Own) -> bool) -> Option<usize> {
        self.all().iter().position(is_meant)
    }

    /// Puts a part behind the others.
    pub fn add(&self, part: Own) -> usize {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.push(keep(part));
        all.len() - 1
    }
}

fn keep<Own>(device: Own) -> &'static Own {
    Box::leak(Box::new(device))
}
