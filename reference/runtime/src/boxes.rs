//! Boxes of bytes within buffers.

use crate::error::{Error, Kind, Result};

/// A box of bytes: planes of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Box3 {
    /// Offset of the first byte.
    pub first: usize,
    /// Bytes from a plane to the next.
    pub plane_stride: usize,
    /// Bytes from a row to the next.
    pub row_stride: usize,
}

/// How many rows, and how many bytes in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Planes.
    pub planes: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Bytes of a row.
    pub row_size: usize,
}

impl Rows {
    /// All bytes.
    #[must_use]
    pub fn size(self) -> usize {
        self.planes * self.rows * self.row_size
    }

    /// Whether there is but one row.
    #[must_use]
    pub fn is_one(self) -> bool {
        self.planes == 1 && self.rows == 1
    }

    /// The box that holds just these rows, from the first byte on.
    #[must_use]
    pub fn packed(self) -> Box3 {
        Box3 {
            first: 0,
            plane_stride: self.rows * self.row_size,
            row_stride: self.row_size,
        }
    }

    /// The same bytes of each box as rows that are as few and as long as can be: what lies one behind
    /// the other in all boxes is one row.
    #[must_use]
    pub fn joined<const N: usize>(mut self, mut boxes: [Box3; N]) -> (Rows, [Box3; N]) {
        for _ in 0..2 {
            if self.rows == 1 {
                self.rows = self.planes;
                self.planes = 1;
                boxes
                    .iter_mut()
                    .for_each(|each| each.row_stride = each.plane_stride);
            }
            if boxes.iter().all(|each| each.row_stride == self.row_size) {
                self.row_size *= self.rows;
                self.rows = 1;
            }
        }
        (self, boxes)
    }
}

impl Box3 {
    /// Where each row begins.
    pub fn rows(self, rows: Rows) -> impl Iterator<Item = usize> {
        (0..rows.planes).flat_map(move |plane| {
            let first = self.first + plane * self.plane_stride;
            (0..rows.rows).map(move |row| first + row * self.row_stride)
        })
    }

    /// Whether a byte belongs to two of the rows, which drivers refuse.
    fn overlaps(self, rows: Rows) -> bool {
        let plane = match rows.rows {
            0 | 1 => rows.row_size,
            _ if self.row_stride < rows.row_size => return rows.size() > 0,
            several => (several - 1) * self.row_stride + rows.row_size,
        };
        rows.size() > 0 && rows.planes > 1 && self.plane_stride < plane
    }

    /// Fails when a row ends after `size`, or rows overlap.
    ///
    /// # Errors
    /// Says by how much the box is too large.
    pub fn check(self, rows: Rows, size: usize) -> Result<()> {
        if self.overlaps(rows) {
            let reason = "the rows of a copy or fill overlap";
            return Err(Error::new(Kind::Invalid, reason));
        }
        let last = self.rows(rows).last();
        let end = last.map_or(0, |last| last + rows.row_size);
        if end <= size {
            return Ok(());
        }
        Err(Error::new(
            Kind::Invalid,
            format!("the copy ends at byte {end} of a buffer of {size} bytes"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(planes: usize, rows: usize, row_size: usize) -> Rows {
        Rows {
            planes,
            rows,
            row_size,
        }
    }

    fn within(first: usize, plane_stride: usize, row_stride: usize) -> Box3 {
        Box3 {
            first,
            plane_stride,
            row_stride,
        }
    }

    #[test]
    fn what_lies_one_behind_the_other_is_one_row() {
        let whole = rows(3, 4, 20);
        assert_eq!(whole.joined([whole.packed()]).0, rows(1, 1, 240));
        // Whole planes of a larger buffer, and a part of its rows.
        assert_eq!(
            whole.joined([within(7, 100, 20)]),
            (rows(1, 3, 80), [within(7, 100, 100)])
        );
        assert_eq!(
            whole.joined([within(7, 200, 50)]),
            (whole, [within(7, 200, 50)])
        );
        // A row of each plane.
        assert_eq!(rows(3, 1, 20).joined([within(0, 40, 20)]).0, rows(1, 3, 20));
        // One side does not let the other's rows be joined.
        let (joined, _) = whole.joined([whole.packed(), within(0, 200, 50)]);
        assert_eq!(joined, whole);
    }

    #[test]
    fn joined_rows_are_the_same_bytes() {
        for (strides, planes, count) in [
            ((80, 20), 3, 4),
            ((100, 20), 3, 4),
            ((200, 50), 3, 4),
            ((20, 20), 5, 1),
        ] {
            let (before, place) = (rows(planes, count, 20), within(3, strides.0, strides.1));
            let bytes = |rows: Rows, place: Box3| {
                let starts = place.rows(rows);
                starts
                    .flat_map(move |start| start..start + rows.row_size)
                    .collect::<Vec<_>>()
            };
            let (after, [joined]) = before.joined([place]);
            assert_eq!(bytes(before, place), bytes(after, joined));
            assert_eq!(before.size(), after.size());
        }
    }

    #[test]
    fn rows_that_leave_their_buffer_are_refused() {
        assert!(within(0, 100, 20).check(rows(1, 5, 20), 100).is_ok());
        let error = within(1, 100, 20).check(rows(1, 5, 20), 100).unwrap_err();
        assert!(
            error.reason.contains("ends at byte 101 of a buffer of 100"),
            "{error}"
        );
    }

    #[test]
    fn rows_that_overlap_are_refused() {
        let check = |place: Box3, rows| place.check(rows, 1000).is_ok();
        assert!(check(within(0, 100, 20), rows(2, 5, 20)));
        assert!(!check(within(0, 100, 19), rows(1, 5, 20)));
        assert!(!check(within(0, 99, 20), rows(2, 5, 20)));
        // One row has no next one, and no bytes overlap none.
        assert!(check(within(0, 0, 0), rows(1, 1, 20)));
        assert!(check(within(0, 0, 0), rows(3, 4, 0)));
    }
}
