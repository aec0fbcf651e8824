//! What copies and fills of buffers move, in the words of the drivers.

use std::sync::Arc;

use crate::command::Region;
use crate::error::{Error, Kind, Result};
use crate::memory::{Brought, Memory};
use crate::plugin::{Allocation, Place, Side};

/// Buffers of a command, and where each is for it.
type Places<T> = [(*const Memory, T)];

/// One side of a copy, or what is filled: the region's buffer in the queue's context or, where it is read there, on the
/// host; or the program's own memory.
///
/// # Errors
/// When the command has a buffer that it does not require.
pub fn side(
    region: &Region,
    allocations: &[Brought<'_>],
    on_host: &Places<*mut u8>,
) -> Result<Side> {
    let host = match &region.memory {
        None => Some(region.pointer),
        Some(memory) => of(memory, on_host).copied(),
    };
    let place = match host {
        Some(pointer) => Place::Pointer(pointer.cast()),
        None => Place::Memory(allocation(region, allocations)?),
    };
    let bounds = region.bounds;
    Ok(Side { place, bounds })
}

/// The memory of the queue's context that the region's buffer is in.
fn allocation(region: &Region, allocations: &[Brought<'_>]) -> Result<Arc<dyn Allocation>> {
    let memory = region.memory.as_ref();
    let found = memory.and_then(|memory| {
        let mut each = allocations.iter();
        each.find(|((handle, _), _)| *handle == Arc::as_ptr(memory))
    });
    found.map(|(_, found)| Arc::clone(found)).ok_or_else(|| {
        let reason = "a copy or fill uses an accessor that its command group does not require";
        Error::new(Kind::Invalid, reason)
    })
}

fn of<'a, T>(memory: &Arc<Memory>, places: &'a Places<T>) -> Option<&'a T> {
    let mut places = places.iter();
    let own = places.find(|(other, _)| *other == Arc::as_ptr(memory));
    own.map(|(_, place)| place)
}
