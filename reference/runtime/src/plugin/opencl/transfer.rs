//! Copies and fills of rows of bytes.

use std::ffi::c_void;
use std::sync::Arc;

use opencl3::command_queue::{
    enqueue_copy_buffer, enqueue_copy_buffer_rect, enqueue_fill_buffer, enqueue_read_buffer,
    enqueue_read_buffer_rect, enqueue_write_buffer, enqueue_write_buffer_rect,
};
use opencl3::event::Event as ClEvent;
use opencl3::memory::ClMem as _;
use opencl3::types::{cl_event, cl_int, cl_mem};

use super::context::OpenClAllocation;
use super::queue::{LONGEST_PATTERN, OpenClQueue, keeping, list};
use super::refused;
use crate::boxes::{Box3, Rows};
use crate::error::Result;
use crate::plugin::{After, Allocation, Event, Place, Repeated, Side, Transfer, downcast};

/// A box as OpenCL takes it: its first byte, row and plane, from row to row, from plane to plane.
#[derive(Debug, PartialEq, Eq)]
struct Pitched {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl Pitched {
    /// The box of the rows, which are several.
    fn of(bounds: Box3, rows: Rows) -> Pitched {
        let row = bounds.row_stride;
        let slice = match rows.planes {
            // The least that is allowed for what is not stepped over, which the first byte may lie behind.
            1 => row * (rows.rows + bounds.first / row),
            _ => bounds.plane_stride,
        };
        let (z, in_plane) = (bounds.first / slice, bounds.first % slice);
        let origin = [in_plane % row, in_plane / row, z];
        Pitched { origin, row, slice }
    }
}

/// The driver's own handle of a buffer, which stays alive with it.
fn handle(memory: &Arc<dyn Allocation>) -> Result<cl_mem> {
    Ok(downcast::<OpenClAllocation>(memory.as_any())?.buffer.get())
}

impl Transfer for OpenClQueue {
    unsafe fn copy_box(
        &self,
        to: &Side,
        from: &Side,
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let after = self.waits(after)?;
        let (rows, [to_bounds, from_bounds]) = rows.joined([to.bounds, from.bounds]);
        if rows.is_one() {
            // SAFETY: as the caller says.
            return unsafe { self.copy_row((to, to_bounds), (from, from_bounds), rows, &after) };
        }
        let region = [rows.row_size, rows.rows, rows.planes];
        let region = region.as_ptr();
        let (count, first) = list(&after);
        let (target, source) = (Pitched::of(to_bounds, rows), Pitched::of(from_bounds, rows));
        let (target_origin, source_origin) = (target.origin.as_ptr(), source.origin.as_ptr());
        let queue = self.handle();
        // SAFETY: the caller vouches for what is a pointer until the command is done; buffers stay as long
        // as commands use them; the driver checks its own; the arrays outlive the calls.
        let submitted = unsafe {
            match (&to.place, &from.place) {
                (Place::Memory(to), Place::Memory(from)) => enqueue_copy_buffer_rect(
                    queue,
                    handle(from)?,
                    handle(to)?,
                    source_origin,
                    target_origin,
                    region,
                    source.row,
                    source.slice,
                    target.row,
                    target.slice,
                    count,
                    first,
                ),
                (Place::Memory(to), Place::Pointer(from)) => enqueue_write_buffer_rect(
                    queue,
                    handle(to)?,
                    0,
                    target_origin,
                    source_origin,
                    region,
                    target.row,
                    target.slice,
                    source.row,
                    source.slice,
                    *from,
                    count,
                    first,
                ),
                (Place::Pointer(to), Place::Memory(from)) => enqueue_read_buffer_rect(
                    queue,
                    handle(from)?,
                    0,
                    source_origin,
                    target_origin,
                    region,
                    source.row,
                    source.slice,
                    target.row,
                    target.slice,
                    *to,
                    count,
                    first,
                ),
                (Place::Pointer(to), Place::Pointer(from)) => {
                    return self.copy_rows((*to, to_bounds), (*from, from_bounds), rows, &after);
                }
            }
        };
        let event = submitted.map_err(|e| refused("copy a buffer")(e.into()))?;
        self.submitted(0, event, "copy a buffer")
    }

    unsafe fn fill_box(
        &self,
        to: &Side,
        pattern: &[u8],
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let (joined, [bounds]) = rows.joined([to.bounds]);
        let first = match &to.place {
            Place::Memory(_) => bounds.first,
            Place::Pointer(pointer) => (*pointer as usize).wrapping_add(bounds.first),
        };
        if !is_fillable(Box3 { first, ..bounds }, pattern.len(), joined) {
            // What the device cannot repeat is repeated here.
            let repeated = Repeated::new(pattern, rows);
            // SAFETY: as the caller says; the bytes are kept until the copy has ended.
            let event = unsafe { self.copy_box(to, &repeated.side(), rows, after) }?;
            return keeping(event, repeated.into_bytes());
        }
        let after = self.waits(after)?;
        let memory = match &to.place {
            Place::Memory(memory) => handle(memory)?,
            // SAFETY: as the caller says.
            Place::Pointer(to) => unsafe {
                return self.fill_rows((*to, bounds), pattern, joined, &after);
            },
        };
        let (count, first) = list(&after);
        let fill = |row: usize| {
            // SAFETY: the driver checks the span and copies the pattern in the call; the list outlives it.
            let filled = unsafe {
                enqueue_fill_buffer(
                    self.handle(),
                    memory,
                    pattern.as_ptr().cast(),
                    pattern.len(),
                    row,
                    joined.row_size,
                    count,
                    first,
                )
            };
            filled.map(ClEvent::new)
        };
        let filled: std::result::Result<Vec<ClEvent>, _> = bounds.rows(joined).map(fill).collect();
        let filled = filled.map_err(|e| refused("fill a buffer")(e.into()))?;
        self.whole(filled)
    }
}

impl OpenClQueue {
    /// Copies rows between pointers, each by a command of its own: OpenCL's copies of several take a buffer.
    ///
    /// # Safety
    /// As for [`Transfer::copy_box`].
    unsafe fn copy_rows(
        &self,
        (to, to_bounds): (*mut c_void, Box3),
        (from, from_bounds): (*mut c_void, Box3),
        rows: Rows,
        after: &[cl_event],
    ) -> Result<Arc<dyn Event>> {
        let (copy, size) = (self.usm()?.copy, rows.row_size);
        let _list = self.usm()?.list.read();
        let (count, first) = list(after);
        let places = to_bounds.rows(rows).zip(from_bounds.rows(rows));
        let copied = places.map(|(target, source)| {
            let to = to.wrapping_byte_add(target);
            let from = from.wrapping_byte_add(source);
            part("copy rows", |event| {
                // SAFETY: the caller vouches for both spans; the list outlives the call.
                unsafe { copy(self.handle(), 0, to, from, size, count, first, event) }
            })
        });
        self.whole(copied.collect::<Result<_>>()?)
    }

    /// Fills rows at a pointer.
    ///
    /// # Safety
    /// As for [`Transfer::fill_box`].
    unsafe fn fill_rows(
        &self,
        (to, bounds): (*mut c_void, Box3),
        pattern: &[u8],
        rows: Rows,
        after: &[cl_event],
    ) -> Result<Arc<dyn Event>> {
        let (fill, size) = (self.usm()?.fill, rows.row_size);
        let _list = self.usm()?.list.read();
        let (bytes, length) = (pattern.as_ptr().cast(), pattern.len());
        let (count, first) = list(after);
        let filled = bounds.rows(rows).map(|row| {
            let to = to.wrapping_byte_add(row);
            part("fill rows", |event| {
                // SAFETY: the caller vouches for the span; the driver copies the pattern in the call.
                unsafe { fill(self.handle(), to, bytes, length, size, count, first, event) }
            })
        });
        self.whole(filled.collect::<Result<_>>()?)
    }

    /// Copies one row.
    ///
    /// # Safety
    /// As for [`Transfer::copy_box`].
    unsafe fn copy_row(
        &self,
        (to, to_bounds): (&Side, Box3),
        (from, from_bounds): (&Side, Box3),
        rows: Rows,
        after: &[cl_event],
    ) -> Result<Arc<dyn Event>> {
        let (size, target, source) = (rows.row_size, to_bounds.first, from_bounds.first);
        let (count, first) = list(after);
        let queue = self.handle();
        // SAFETY: as for several rows.
        let submitted = unsafe {
            match (&to.place, &from.place) {
                (Place::Memory(to), Place::Memory(from)) => {
                    let (to, from) = (handle(to)?, handle(from)?);
                    enqueue_copy_buffer(queue, from, to, source, target, size, count, first)
                }
                (Place::Memory(to), Place::Pointer(from)) => {
                    let from = from.wrapping_byte_add(source);
                    enqueue_write_buffer(queue, handle(to)?, 0, target, size, from, count, first)
                }
                (Place::Pointer(to), Place::Memory(from)) => {
                    let to = to.wrapping_byte_add(target);
                    enqueue_read_buffer(queue, handle(from)?, 0, source, size, to, count, first)
                }
                (Place::Pointer(to), Place::Pointer(from)) => {
                    return self.copy_rows((*to, to_bounds), (*from, from_bounds), rows, after);
                }
            }
        };
        let event = submitted.map_err(|e| refused("copy a buffer")(e.into()))?;
        self.submitted(0, event, "copy a buffer")
    }
}

/// The event of one of several commands of the driver's.
fn part(what: &str, submit: impl FnOnce(*mut cl_event) -> cl_int) -> Result<ClEvent> {
    let mut event = std::ptr::null_mut();
    match submit(&raw mut event) {
        0 => Ok(ClEvent::new(event)),
        status => Err(refused(what)(status.into())),
    }
}

/// Whether OpenCL fills such rows: only from a multiple of the pattern on, whose length is that of one of
/// its types.
fn is_fillable(bounds: Box3, pattern: usize, rows: Rows) -> bool {
    let starts = [
        bounds.first,
        if rows.rows > 1 { bounds.row_stride } else { 0 },
        if rows.planes > 1 {
            bounds.plane_stride
        } else {
            0
        },
    ];
    pattern.is_power_of_two()
        && pattern <= LONGEST_PATTERN
        && starts.iter().all(|start| start % pattern == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_begins_in_its_own_row_and_plane() {
        let bounds = Box3 {
            first: 2 * 60 + 3 * 20 + 4,
            plane_stride: 60,
            row_stride: 20,
        };
        let rows = |planes| Rows {
            planes,
            rows: 2,
            row_size: 8,
        };
        let several = Pitched::of(bounds, rows(2));
        assert_eq!((several.origin, several.slice), ([4, 0, 3], 60));
        // Of one plane the pitch is a multiple of the row's and holds what comes before.
        let one = Pitched::of(bounds, rows(1));
        assert_eq!((one.origin, one.row, one.slice), ([4, 9, 0], 20, 220));
    }

    #[test]
    fn patterns_are_filled_where_they_are_aligned() {
        let rows = |rows| Rows {
            planes: 1,
            rows,
            row_size: 16,
        };
        let bounds = |first| Box3 {
            first,
            plane_stride: 200,
            row_stride: 20,
        };
        assert!(is_fillable(bounds(8), 8, rows(1)));
        assert!(is_fillable(bounds(8), 4, rows(3)));
        assert!(!is_fillable(bounds(8), 8, rows(3)));
        assert!(!is_fillable(bounds(2), 4, rows(1)));
        assert!(!is_fillable(bounds(0), 12, rows(1)));
        assert!(!is_fillable(bounds(0), 256, rows(1)));
    }
}
