//! Copies and fills of rows of bytes.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_driver_sys as sys;
use cuda_driver_sys::{CUdeviceptr, CUmemorytype, CUresult, CUstream};

use super::context::CudaAllocation;
use super::driver::{Api, refusal};
use super::queue::CudaQueue;
use crate::boxes::{Box3, Rows};
use crate::error::Result;
use crate::plugin::{After, Allocation, Event, Place, Side, Transfer, downcast};

/// The most bytes from row to row of a copy of several, `CU_DEVICE_ATTRIBUTE_MAX_PITCH` of all GPUs.
const LONGEST_PITCH: usize = i32::MAX as usize;

/// Where one side of a copy begins, and what it is.
#[derive(Clone, Copy)]
struct Start {
    address: CUdeviceptr,
    kind: CUmemorytype,
}

impl Start {
    fn of(api: Api, side: &Side) -> Result<Start> {
        let first = side.bounds.first as u64;
        Ok(match &side.place {
            Place::Memory(memory) => Start {
                address: address(memory)? + first,
                kind: sys::CU_MEMORYTYPE_DEVICE,
            },
            Place::Pointer(pointer) => Start {
                address: *pointer as u64 + first,
                kind: kind(api, *pointer as u64)?,
            },
        })
    }

    /// The address, for memory of the host.
    fn pointer(self) -> *mut c_void {
        self.address as *mut c_void
    }
}

/// What a pointer of the program's points to. The driver knows nothing of the host's memory but what was
/// allocated through it. Only in a context does it answer.
fn kind(api: Api, pointer: CUdeviceptr) -> Result<CUmemorytype> {
    let mut found: CUmemorytype = 0;
    let place = (&raw mut found).cast();
    let what = sys::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: a place for a number of this size; the pointer is only looked up.
    match unsafe { (api.pointer_get_attribute)(place, what, pointer) } {
        sys::CUDA_SUCCESS => Ok(sys::CU_MEMORYTYPE_UNIFIED),
        sys::CUDA_ERROR_INVALID_VALUE => Ok(sys::CU_MEMORYTYPE_HOST),
        other => Err(refusal(api, "look up a pointer", other)),
    }
}

fn address(memory: &Arc<dyn Allocation>) -> Result<CUdeviceptr> {
    Ok(downcast::<CudaAllocation>(memory.as_any())?.address)
}

impl Transfer for CudaQueue {
    unsafe fn copy_box(
        &self,
        to: &Side,
        from: &Side,
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let api = self.api();
        let (rows, [to_bounds, from_bounds]) = rows.joined([to.bounds, from.bounds]);
        let (target, source) = {
            let _entered = self.enter()?;
            (Start::of(api, to)?, Start::of(api, from)?)
        };
        self.submit("copy a buffer", after, |stream| {
            if rows.is_one() {
                // SAFETY: the caller vouches for pointers, and the rows lie within buffers.
                return unsafe {
                    (api.memcpy_async)(target.address, source.address, rows.row_size, stream)
                };
            }
            if to_bounds.row_stride.max(from_bounds.row_stride) > LONGEST_PITCH {
                let from_first = |bounds: Box3| Box3 { first: 0, ..bounds }.rows(rows);
                return from_first(to_bounds)
                    .zip(from_first(from_bounds))
                    .map(|(to, from)| {
                        let (to, from) = (target.address + to as u64, source.address + from as u64);
                        // SAFETY: as above.
                        unsafe { (api.memcpy_async)(to, from, rows.row_size, stream) }
                    })
                    .find(|result| *result != sys::CUDA_SUCCESS)
                    .unwrap_or(sys::CUDA_SUCCESS);
            }
            (0..rows.planes)
                .map(|plane| {
                    let description =
                        plane_copy((target, to_bounds), (source, from_bounds), rows, plane);
                    // SAFETY: as above.
                    unsafe { (api.memcpy_3d_async)(&raw const description, stream) }
                })
                .find(|result| *result != sys::CUDA_SUCCESS)
                .unwrap_or(sys::CUDA_SUCCESS)
        })
    }

    unsafe fn fill_box(
        &self,
        to: &Side,
        pattern: &[u8],
        rows: Rows,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let api = self.api();
        let (rows, [bounds]) = rows.joined([to.bounds]);
        let first = {
            let _entered = self.enter()?;
            Start::of(api, to)?.address
        };
        self.submit("fill a buffer", after, |stream| {
            let fill = |row: usize| {
                // SAFETY: the caller says that the rows lie within the memory, which stays.
                unsafe { fill(api, first + row as u64, pattern, rows.row_size, stream) }
            };
            let from_first = Box3 { first: 0, ..bounds };
            let mut results = from_first.rows(rows).map(fill);
            results
                .find(|result| *result != sys::CUDA_SUCCESS)
                .unwrap_or(sys::CUDA_SUCCESS)
        })
    }
}

/// The copy of one plane.
fn plane_copy(
    (target, to): (Start, Box3),
    (source, from): (Start, Box3),
    rows: Rows,
    plane: usize,
) -> sys::CUDA_MEMCPY3D {
    let at = |start: Start, bounds: Box3| Start {
        address: start.address + (plane * bounds.plane_stride) as u64,
        ..start
    };
    let (target, source) = (at(target, to), at(source, from));
    sys::CUDA_MEMCPY3D {
        src_memory_type: source.kind,
        src_host: source.pointer(),
        src_device: source.address,
        src_pitch: from.row_stride,
        src_height: rows.rows,
        dst_memory_type: target.kind,
        dst_host: target.pointer(),
        dst_device: target.address,
        dst_pitch: to.row_stride,
        dst_height: rows.rows,
        width_in_bytes: rows.row_size,
        height: rows.rows,
        depth: 1,
        ..sys::CUDA_MEMCPY3D::default()
    }
}

/// Fills `size` bytes, a multiple of the pattern's, from `first` on.
///
/// # Safety
/// The span must be memory of the device until the stream's commands have ended.
pub(super) unsafe fn fill(
    api: Api,
    first: CUdeviceptr,
    pattern: &[u8],
    size: usize,
    stream: CUstream,
) -> CUresult {
    let Some(count) = size.checked_div(pattern.len()).filter(|count| *count > 0) else {
        return sys::CUDA_SUCCESS;
    };
    let unit = unit_of(pattern.len(), first);
    // A pattern of one unit is one row of it, any other a column for each of its units.
    let (pitch, width, height) = match pattern.len() == unit {
        true => (size, count, 1),
        false => (pattern.len(), 1, count),
    };
    let columns = (first..).step_by(unit).zip(pattern.chunks_exact(unit));
    let mut results = columns.map(|(address, unit)| {
        // SAFETY: the caller vouches for the span, which the columns do not leave.
        unsafe {
            match *unit {
                [a, b, c, d] => {
                    let value = u32::from_ne_bytes([a, b, c, d]);
                    (api.memset_2d_32_async)(address, pitch, value, width, height, stream)
                }
                [a, b] => {
                    let value = u16::from_ne_bytes([a, b]);
                    (api.memset_2d_16_async)(address, pitch, value, width, height, stream)
                }
                [value] => (api.memset_2d_8_async)(address, pitch, value, width, height, stream),
                _ => sys::CUDA_ERROR_INVALID_VALUE,
            }
        }
    });
    results
        .find(|result| *result != sys::CUDA_SUCCESS)
        .unwrap_or(sys::CUDA_SUCCESS)
}

/// The longest unit that the device fills with, of which pattern and address are multiples.
fn unit_of(pattern: usize, address: u64) -> usize {
    let fits = |unit: &usize| pattern % unit == 0 && address % *unit as u64 == 0;
    [4, 2].into_iter().find(fits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_taken_in_units_that_the_device_knows() {
        assert_eq!(unit_of(12, 0x1000), 4);
        assert_eq!(unit_of(12, 0x1002), 2);
        assert_eq!(unit_of(6, 0x1000), 2);
        assert_eq!(unit_of(3, 0x1000), 1);
    }

    #[test]
    fn a_plane_begins_where_its_box_says() {
        let bounds = |plane_stride| Box3 {
            first: 0,
            plane_stride,
            row_stride: 64,
        };
        let start = |address, kind| Start { address, kind };
        let rows = Rows {
            planes: 3,
            rows: 5,
            row_size: 40,
        };
        let copy = plane_copy(
            (start(0x1000, sys::CU_MEMORYTYPE_DEVICE), bounds(640)),
            (start(0x9000, sys::CU_MEMORYTYPE_HOST), bounds(320)),
            rows,
            2,
        );
        assert_eq!((copy.dst_device, copy.dst_pitch), (0x1000 + 1280, 64));
        assert_eq!((copy.src_host as usize, copy.src_pitch), (0x9000 + 640, 64));
        assert_eq!((copy.width_in_bytes, copy.height, copy.depth), (40, 5, 1));
    }
}
