//! What a context remembers of its unified shared memory, for interfaces whose drivers do not answer
//! all that SYCL asks of a pointer.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

use super::UsmKind;

/// An allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usm {
    /// Bytes, at least one.
    pub size: usize,
    /// Where it lives.
    pub kind: UsmKind,
    /// The place of its device, which host memory has none of.
    pub device: Option<usize>,
}

/// The allocations of a context, by their addresses.
#[derive(Debug, Default)]
pub(super) struct UsmTable(Mutex<BTreeMap<usize, Usm>>);

impl UsmTable {
    /// Remembers an allocation.
    pub fn add(&self, pointer: *mut c_void, usm: Usm) {
        self.lock().insert(pointer as usize, usm);
    }

    /// Forgets the allocation that begins there.
    pub fn remove(&self, pointer: *mut c_void) -> Option<Usm> {
        self.lock().remove(&(pointer as usize))
    }

    /// The allocation that a pointer is into.
    pub fn find(&self, pointer: *const c_void) -> Option<Usm> {
        let address = pointer as usize;
        let table = self.lock();
        let (start, usm) = table.range(..=address).next_back()?;
        (address - start < usm.size).then_some(*usm)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Usm>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_into_an_allocation_are_found() {
        let at = |address: usize| address as *mut c_void;
        let table = UsmTable::default();
        let usm = Usm {
            size: 16,
            kind: UsmKind::Shared,
            device: Some(1),
        };
        table.add(at(0x1000), usm);
        assert_eq!(table.find(at(0x1000)), Some(usm));
        assert_eq!(table.find(at(0x100f)), Some(usm));
        assert_eq!(table.find(at(0x1010)), None);
        assert_eq!(table.find(at(0xfff)), None);
        assert_eq!(table.remove(at(0x1008)), None);
        assert_eq!(table.remove(at(0x1000)), Some(usm));
        assert_eq!(table.find(at(0x1000)), None);
    }
}
