//! Kernels that units share by name are one kernel, which C++ lets several units define as long as
//! they define it alike (`MODEL`, "Device Linking"): one of them stays, so others must not differ.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use inkwell::module::Module;
use offload_formats::kernel_functor;

use crate::frontend::kernels::FUNCTOR;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::{attributes, demangle, values};

/// What the kernels of a link's inputs were made of, as far as the front end says.
#[derive(Debug, Default)]
pub struct SameKernels {
    seen: Mutex<HashMap<String, Seen>>,
}

#[derive(Debug, Clone)]
struct Seen {
    functor: String,
    /// Which input it is, and where that comes from.
    input: (usize, String),
}

impl SameKernels {
    /// Looks at the kernels of the input with this number.
    ///
    /// # Errors
    /// When another input has another kernel of the same name.
    pub fn check(
        &self,
        target: &DeviceTarget,
        module: &Module<'_>,
        input: (usize, String),
    ) -> Result<(), LinkError> {
        for kernel in values::defined_functions(module).filter(|&f| values::is_kernel(f)) {
            let Some(functor) = attributes::of_function(kernel, FUNCTOR) else {
                continue;
            };
            let symbol = values::function_name(kernel);
            let own = Seen {
                functor,
                input: input.clone(),
            };
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            match seen.entry(symbol) {
                Entry::Vacant(place) => {
                    place.insert(own);
                }
                Entry::Occupied(place) if place.get().functor != own.functor => {
                    let other = place.get().clone();
                    let (first, second) = match other.input.0 < own.input.0 {
                        true => (other, own),
                        false => (own, other),
                    };
                    return Err(LinkError::DifferentKernels {
                        kernel: demangle::named(place.key()),
                        target: target.to_string(),
                        first: first.shown(),
                        second: second.shown(),
                    });
                }
                Entry::Occupied(_) => {}
            }
        }
        Ok(())
    }
}

impl Seen {
    /// The place in the source, and the input.
    fn shown(&self) -> String {
        // What it was made of stands before the symbol.
        let (made_of, _) = self.functor.rsplit_once(' ').unwrap_or_default();
        let place = kernel_functor::place(made_of).unwrap_or_default();
        format!("{place} in {}", self.input.1)
    }
}
