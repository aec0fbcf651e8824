//! Copies and fills of rows of bytes.

use std::ffi::c_void;
use std::sync::Arc;

use level_zero_sys::ze_copy_region_t;

use super::context::LevelZeroAllocation;
use super::queue::LevelZeroQueue;
use crate::boxes::{Box3, Rows};
use crate::error::{Error, Kind, Result};
use crate::plugin::in_flight::Kept;
use crate::plugin::{After, Allocation, Event, Place, Repeated, Side, Transfer, downcast};

fn pointer(memory: &Arc<dyn Allocation>) -> Result<*mut c_void> {
    Ok(downcast::<LevelZeroAllocation>(memory.as_any())?.pointer)
}

/// Where the side's box begins.
fn start(side: &Side) -> Result<*mut c_void> {
    let whole = match &side.place {
        Place::Memory(memory) => pointer(memory)?,
        Place::Pointer(pointer) => *pointer,
    };
    Ok(whole.wrapping_byte_add(side.bounds.first))
}

/// The numbers of a copy of a box, which the interface takes in 32 bits.
struct Numbers {
    region: ze_copy_region_t,
    to: (u32, u32),
    from: (u32, u32),
}

impl Numbers {
    fn of(to: Box3, from: Box3, rows: Rows) -> Result<Numbers> {
        let number = |size: usize| {
            u32::try_from(size).map_err(|_| {
                let reason = format!("Level Zero copies no box with a side of {size} bytes");
                Error::new(Kind::FeatureNotSupported, reason)
            })
        };
        // What is not stepped over does not count.
        let pitches = |bounds: Box3| match rows.planes {
            1 => Ok((number(bounds.row_stride)?, 0)),
            _ => Ok((number(bounds.row_stride)?, number(bounds.plane_stride)?)),
        };
        Ok(Numbers {
            region: ze_copy_region_t {
                width: number(rows.row_size)?,
                height: number(rows.rows)?,
                depth: match rows.planes {
                    1 => 0,
                    planes => number(planes)?,
                },
                ..ze_copy_region_t::default()
            },
            to: pitches(to)?,
            from: pitches(from)?,
        })
    }
}

impl LevelZeroQueue {
    /// Copies rows, and keeps the bytes until the copy has ended.
    ///
    /// # Safety
    /// As for [`Transfer::copy_box`].
    unsafe fn copy_keeping(
        &self,
        to: &Side,
        from: &Side,
        rows: Rows,
        after: After<'_>,
        bytes: Vec<u8>,
    ) -> Result<Arc<dyn Event>> {
        let kept = Kept::default().with_bytes(bytes);
        let (target, source) = (start(to)?, start(from)?);
        let (rows, [to, from]) = rows.joined([to.bounds, from.bounds]);
        if rows.is_one() {
            // SAFETY: the caller vouches for pointers, and the rows lie within buffers.
            return unsafe { self.copy(target, source, rows.row_size, after, kept) };
        }
        let numbers = Numbers::of(to, from, rows)?;
        let region = &raw const numbers.region;
        let append = self.api().command_list_append_memory_copy_region;
        self.submit("copy a buffer", after, kept, |list, signal, n, waits| {
            let ((row, plane), (from_row, from_plane)) = (numbers.to, numbers.from);
            // SAFETY: as above; the regions outlive the call, and list and events are alive.
            unsafe {
                append(
                    list, target, region, row, plane, source, region, from_row, from_plane, signal,
                    n, waits,
                )
            }
        })
    }
}

impl Transfer for LevelZeroQueue {
    unsafe fn copy_box(
        &self,
        to: &Side,
        from: &Side,
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        // SAFETY: as the caller says.
        unsafe { self.copy_keeping(to, from, rows, after, Vec::new()) }
    }

    unsafe fn fill_box(
        &self,
        to: &Side,
        pattern: &[u8],
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let (joined, _) = rows.joined([to.bounds]);
        if joined.is_one() {
            let kept = Kept::default();
            // SAFETY: the caller says that the row lies within the memory, which stays.
            return unsafe { self.fill(start(to)?, pattern, joined.row_size, after, kept) };
        }
        // One command fills one row; all of them together are one copy.
        let repeated = Repeated::new(pattern, rows);
        let from = repeated.side();
        // SAFETY: as above; the bytes are kept with the command.
        unsafe { self.copy_keeping(to, &from, rows, after, repeated.into_bytes()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_one_plane_has_no_depth() {
        let bounds = Box3 {
            first: 0,
            plane_stride: 1 << 40,
            row_stride: 64,
        };
        let rows = |planes| Rows {
            planes,
            rows: 5,
            row_size: 40,
        };
        let numbers = Numbers::of(bounds, bounds, rows(1)).unwrap();
        assert_eq!((numbers.region.depth, numbers.to), (0, (64, 0)));
        let error = Numbers::of(bounds, bounds, rows(2)).err().unwrap();
        assert!(error.reason.contains("1099511627776 bytes"), "{error}");
    }
}
