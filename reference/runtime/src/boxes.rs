//! Boxes of bytes within buffers.

use crate::error::{Error, Kind, Result};

/// A box of bytes within `size` bytes: planes of rows.
#[derive(Debug, Clone, Copy)]
pub struct Box3 {
    /// Offset of the first byte.
    pub first: usize,
    /// Bytes from a plane to the next.
    pub plane_stride: usize,
    /// Bytes from a row to the next.
    pub row_stride: usize,
}

impl Box3 {
    /// Where each row begins.
    pub fn rows(self, planes: usize, rows: usize) -> impl Iterator<Item = usize> {
        (0..planes).flat_map(move |plane| {
            (0..rows).map(move |row| self.first + plane * self.plane_stride + row * self.row_stride)
        })
    }

    /// Fails when a row of `row_size` bytes ends after `size`.
    ///
    /// # Errors
    /// Says by how much the box is too large.
    pub fn check(self, planes: usize, rows: usize, row_size: usize, size: usize) -> Result<()> {
        let end = self
            .rows(planes, rows)
            .last()
            .map_or(0, |last| last + row_size);
        if end <= size {
            return Ok(());
        }
        Err(Error::new(
            Kind::Invalid,
            format!("the copy ends at byte {end} of a buffer of {size} bytes"),
        ))
    }
}
