//! What a queue knows of the kernels that it has started.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::plugin;
use crate::registry::{self, Image, KernelInfo, Origin};

/// How code asks for a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The code that starts it.
    pub origin: Origin,
    /// Where its name stands in memory. The same place need not always have the same name.
    pub place: usize,
}

impl Asked {
    fn key(self) -> (usize, usize) {
        (self.origin.0 as usize, self.place)
    }
}

/// What a launch comes to by name alone.
pub struct Chosen {
    /// The state of the registry that it was found in.
    pub changes: u64,
    /// The name that was asked for.
    pub asked: String,
    /// The name of the entry point.
    pub name: Arc<str>,
    /// What the integration header says of it.
    pub info: Arc<KernelInfo>,
    /// The image that it is in.
    pub image: Arc<Image>,
    /// For each parameter that the functor comes to, whether this image's kernel lacks it; those behind the
    /// last are there.
    pub omitted: Vec<bool>,
    /// The driver's.
    pub kernel: Arc<dyn plugin::Kernel>,
}

impl Chosen {
    /// Whether nothing was registered since.
    pub fn holds(&self) -> bool {
        self.changes == registry::changes()
    }
}

/// So many kernels a queue remembers: more than programs have, unless their names move about.
const MOST_KNOWN: usize = 4096;

/// What a queue knows of the kernels that it has started: as long as nothing else is registered, code at
/// the same place that asks for the same name starts the same one.
#[derive(Default)]
pub struct Known(Mutex<BTreeMap<(usize, usize), Arc<Chosen>>>);

impl Known {
    /// The kernel that was started before by the same code under the same name.
    pub fn find(&self, asked: Asked, name: &CStr) -> Option<Arc<Chosen>> {
        let known = self.lock();
        let chosen = known.get(&asked.key())?;
        let is_same = chosen.holds() && chosen.asked.as_bytes() == name.to_bytes();
        is_same.then(|| Arc::clone(chosen))
    }

    /// Notes what code asked for and came to.
    pub fn remember(&self, asked: Asked, chosen: &Arc<Chosen>) {
        let mut known = self.lock();
        // What holds no more would keep the programs of binaries that are gone.
        known.retain(|_, each| each.changes == chosen.changes);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(asked.key(), Arc::clone(chosen));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<(usize, usize), Arc<Chosen>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
