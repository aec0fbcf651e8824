//! What a queue knows of the kernels that it has started.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::arguments::Plan;
use super::larger::Larger;
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
    /// The code that asked for it.
    pub origin: Origin,
    /// The image that it is in.
    pub image: Arc<Image>,
    /// How its functor becomes its arguments.
    pub plan: Plan,
    /// The driver's.
    pub kernel: Arc<dyn plugin::Kernel>,
    /// The work-group size that it requires, as [`plugin::Kernel::required_group`] has it.
    pub required_group: Option<[usize; 3]>,
    /// It for larger work-groups.
    pub larger: Larger,
}

impl Chosen {
    /// Whether nothing was registered since.
    pub fn holds(&self) -> bool {
        self.changes == registry::changes()
    }

    /// Whether code that asks for the name still comes to it.
    fn is_named(&self, name: &CStr) -> bool {
        self.holds() && self.asked.as_bytes() == name.to_bytes()
    }
}

/// So many kernels a queue remembers: more than programs have, unless their names move about.
const MOST_KNOWN: usize = 4096;

/// What a queue knows of the kernels that it has started: as long as nothing else is registered, code at
/// the same place that asks for the same name starts the same one.
#[derive(Default)]
pub struct Known(RwLock<BTreeMap<(usize, usize), Arc<Chosen>>>);

impl Known {
    /// The kernel that was started before by the same code under the same name.
    pub fn find(&self, asked: Asked, name: &CStr) -> Option<Arc<Chosen>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let chosen = known.get(&asked.key())?;
        chosen.is_named(name).then(|| Arc::clone(chosen))
    }

    /// Notes what code asked for and came to.
    pub fn remember(&self, asked: Asked, chosen: &Arc<Chosen>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // What holds no more would keep the programs of binaries that are gone.
        known.retain(|_, each| each.changes == chosen.changes);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(asked.key(), Arc::clone(chosen));
    }
}

/// Kernels that a queue knows and has started of late, for who has the right to start the next one: nobody else
/// need be kept out to look.
#[derive(Default)]
pub struct Recent(FxHashMap<(usize, usize), Arc<Chosen>>);

impl Recent {
    /// Does something with what the queue [knows](Known::find) of the kernel.
    pub fn with<T>(
        &mut self,
        known: &Known,
        asked: Asked,
        name: &CStr,
        action: impl FnOnce(&Chosen) -> T,
    ) -> Option<T> {
        let recent = self.0.get(&asked.key());
        if let Some(chosen) = recent.filter(|chosen| chosen.is_named(name)) {
            return Some(action(chosen));
        }
        let found = known.find(asked, name)?;
        self.0.retain(|_, each| each.holds());
        if self.0.len() >= MOST_KNOWN {
            self.0.clear();
        }
        let done = action(&found);
        self.0.insert(asked.key(), found);
        Some(done)
    }
}

/// How code says which kernel it starts.
#[derive(Clone, Copy)]
pub enum Which<'a> {
    /// What it was told of it.
    Known(&'a Arc<Chosen>),
    /// By its name.
    Named(Asked, &'a CStr),
}
