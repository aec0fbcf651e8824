//! An iteration space as CUDA starts it: whole groups, few enough of them in each launch, and what the
//! kernel is told to know its places in the space (ARCHITECTURE.md, "Headers to front end").

use super::program::CudaKernel;
use crate::error::{Error, Kind, Result};
use crate::plugin::Space;
use crate::plugin::work_groups::{self, WorkGroups};

/// Work-items of a group where neither program nor kernel says how many: enough to fill a
/// multiprocessor with some groups.
const PREFERRED_GROUP: usize = 256;

/// The most groups of a launch in each dimension.
const MAX_GROUPS: [u32; 3] = [0x7fff_ffff, 65_535, 65_535];

/// What bounds the groups of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    max_group_size: u32,
    limits: [usize; 3],
    warp: u32,
    required: Option<[usize; 3]>,
}

impl Bounds {
    pub fn of(kernel: &CudaKernel) -> Bounds {
        Bounds {
            max_group_size: kernel.max_group_size,
            limits: kernel.limits.group,
            warp: kernel.limits.warp,
            required: kernel.required_group,
        }
    }
}

/// A space in groups, in the device's order of dimensions.
#[derive(Debug)]
pub(super) struct Division {
    /// The groups; those of a range may reach beyond it.
    pub groups: WorkGroups,
    range: [usize; 3],
    offset: [usize; 3],
    /// The launch that starts all of it, where one can.
    whole: Option<Piece>,
}

/// One launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its groups in each dimension.
    pub count: [u32; 3],
    /// The kernel's last parameter: range, offset, groups of the whole space, first group and first item.
    pub told: [u64; 15],
}

impl Division {
    /// The groups of a space, when the device can run them.
    pub fn of(kernel: Bounds, space: &Space) -> Result<Division> {
        let in_order = |sizes| work_groups::in_device_order(space, sizes);
        let range = in_order(&space.global);
        let groups = match (space.local, kernel.required) {
            (None, None) => rounded_up(range, comfortable(range, kernel))?,
            (_, required) => work_groups::divide(space, |_| Ok(required.unwrap_or([1; 3])))?,
        };
        check(kernel, &groups)?;
        let mut division = Division {
            groups,
            range,
            offset: in_order(&space.offset),
            whole: None,
        };
        let mut counts = groups.count.iter().zip(MAX_GROUPS);
        if counts.all(|(count, most)| (1..=most).contains(count)) {
            division.whole = Some(division.piece([0; 3]));
        }
        Ok(division)
    }

    /// Does something for each launch that makes up the space, up to the first that fails.
    ///
    /// # Errors
    /// As `start` for one of them.
    pub fn try_for_each_piece<E>(
        &self,
        mut start: impl FnMut(&Piece) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if let Some(whole) = &self.whole {
            return start(whole);
        }
        let [x, y, z] = [0, 1, 2].map(|d| self.groups.count[d].div_ceil(MAX_GROUPS[d]));
        for k in 0..z {
            for j in 0..y {
                for i in 0..x {
                    // Within the space, so that the numbers fit.
                    let first = [0, 1, 2].map(|d| [i, j, k][d] * MAX_GROUPS[d]);
                    start(&self.piece(first))?;
                }
            }
        }
        Ok(())
    }

    fn piece(&self, first: [u32; 3]) -> Piece {
        let WorkGroups { size, count: all } = self.groups;
        let [rx, ry, rz] = self.range.map(|n| n as u64);
        let [ox, oy, oz] = self.offset.map(|n| n as u64);
        let [gx, gy, gz] = all.map(u64::from);
        let [fx, fy, fz] = first.map(u64::from);
        let [sx, sy, sz] = size.map(u64::from);
        let item =
            |first: u64, size: u64, offset: u64| first.wrapping_mul(size).wrapping_add(offset);
        let (ix, iy, iz) = (item(fx, sx, ox), item(fy, sy, oy), item(fz, sz, oz));
        Piece {
            count: [0, 1, 2].map(|d| (all[d] - first[d]).min(MAX_GROUPS[d])),
            told: [rx, ry, rz, ox, oy, oz, gx, gy, gz, fx, fy, fz, ix, iy, iz],
        }
    }
}

/// Groups of near the preferred size that reach little beyond the space: a row of several groups is
/// cut evenly, in whole warps.
fn comfortable(range: [usize; 3], kernel: Bounds) -> [usize; 3] {
    let mut left = PREFERRED_GROUP.min(kernel.max_group_size as usize);
    let mut group = [1; 3];
    for (dimension, items) in range.into_iter().enumerate() {
        let most = left.min(kernel.limits[dimension]).max(1);
        // Division takes time at each start.
        if items <= most {
            group[dimension] = items.max(1);
        } else {
            let even = items.div_ceil(items.div_ceil(most));
            group[dimension] = match dimension {
                0 => even.next_multiple_of(kernel.warp.max(1) as usize).min(most),
                _ => even,
            };
        }
        if group[dimension] > 1 {
            left /= group[dimension];
        }
    }
    group
}

/// As many groups of the size as it takes.
fn rounded_up(range: [usize; 3], size: [usize; 3]) -> Result<WorkGroups> {
    let mut groups = WorkGroups {
        size: [1; 3],
        count: [1; 3],
    };
    for (dimension, (items, group)) in range.into_iter().zip(size).enumerate() {
        groups.size[dimension] = work_groups::number(group)?;
        groups.count[dimension] = match items <= group {
            true => u32::from(items > 0),
            false => work_groups::number(items.div_ceil(group))?,
        };
    }
    Ok(groups)
}

/// Refuses groups that kernel or device cannot have.
fn check(kernel: Bounds, groups: &WorkGroups) -> Result<()> {
    let size = groups.size.map(|n| n as usize);
    if let Some(required) = kernel.required.filter(|required| size != *required) {
        let shown = |[x, y, z]: [usize; 3]| format!("{x} x {y} x {z}");
        return Err(Error::new(
            Kind::NdRange,
            format!(
                "work-groups of {} work-items, but the kernel requires {}",
                shown(size),
                shown(required)
            ),
        ));
    }
    let items = groups.size.iter().map(|n| u64::from(*n)).product::<u64>();
    let too_long = size.iter().zip(kernel.limits).any(|(n, limit)| *n > limit);
    if items > u64::from(kernel.max_group_size) || too_long {
        let ([x, y, z], most) = (size, kernel.max_group_size);
        return Err(Error::new(
            Kind::NdRange,
            format!(
                "work-groups of {x} x {y} x {z} work-items are more than the {most} that \
                 the kernel's can have, or longer than the device's"
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: Bounds = Bounds {
        max_group_size: 1024,
        limits: [1024, 1024, 64],
        warp: 32,
        required: None,
    };

    fn space(global: [usize; 3], local: Option<[usize; 3]>) -> Space {
        Space {
            dimensions: 3,
            global,
            local,
            offset: [0; 3],
        }
    }

    fn pieces(division: &Division) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let all = division.try_for_each_piece(|piece| {
            pieces.push(piece.clone());
            Ok::<_, Error>(())
        });
        all.map(|()| pieces).unwrap()
    }

    fn groups(kernel: Bounds, space: &Space) -> WorkGroups {
        Division::of(kernel, space).unwrap().groups
    }

    #[test]
    fn a_group_is_as_large_as_the_program_says_else_as_the_device_likes() {
        let chosen = groups(KERNEL, &space([1, 1, 4096], Some([1, 1, 64])));
        assert_eq!((chosen.size, chosen.count), ([64, 1, 1], [64, 1, 1]));
        let free = groups(KERNEL, &space([1, 1, 4096], None));
        assert_eq!((free.size, free.count), ([256, 1, 1], [16, 1, 1]));
    }

    #[test]
    fn groups_cover_any_range_and_reach_little_beyond() {
        for (range, size, count) in [
            ([1, 1, 1009], [256, 1, 1], [4, 1, 1]),
            ([1, 1, 10], [10, 1, 1], [1, 1, 1]),
            // Not 256 and 44 of 256.
            ([1, 7, 300], [160, 1, 1], [2, 7, 1]),
            ([1, 1_000_003, 3], [3, 85, 1], [1, 11765, 1]),
            ([101, 1, 1], [1, 1, 51], [1, 1, 2]),
            ([5, 6, 40], [40, 6, 1], [1, 1, 5]),
        ] {
            let groups = groups(KERNEL, &space(range, None));
            assert_eq!((groups.size, groups.count), (size, count), "{range:?}");
        }
        let small = Bounds {
            max_group_size: 40,
            ..KERNEL
        };
        let groups = groups(small, &space([1, 1, 1009], None));
        assert_eq!((groups.size, groups.count), ([40, 1, 1], [26, 1, 1]));
    }

    #[test]
    fn a_space_of_many_groups_is_started_in_pieces_that_know_their_place() {
        let mut many = space([2, 70_000, 4], Some([1, 1, 2]));
        many.offset = [7, 8, 9];
        let division = Division::of(KERNEL, &many).unwrap();
        let told = |first: u64| {
            [
                4,
                70_000,
                2,
                9,
                8,
                7,
                2,
                70_000,
                2,
                0,
                first,
                0,
                9,
                8 + first,
                7,
            ]
        };
        let piece = |rows, first| Piece {
            count: [2, rows, 2],
            told: told(first),
        };
        assert_eq!(pieces(&division), [piece(65_535, 0), piece(4465, 65_535)]);
        let long = Division::of(KERNEL, &space([1, 1, 3 << 30], Some([1, 1, 1]))).unwrap();
        let counts: Vec<_> = pieces(&long).iter().map(|piece| piece.count[0]).collect();
        assert_eq!(counts, [0x7fff_ffff, 0x4000_0001]);
        let few = Division::of(KERNEL, &space([1, 1, 64], None)).unwrap();
        assert_eq!(pieces(&few).len(), 1);
    }

    #[test]
    fn a_required_group_is_taken_and_no_other() {
        let kernel = Bounds {
            required: Some([8, 4, 1]),
            ..KERNEL
        };
        let free = groups(kernel, &space([2, 8, 16], None));
        assert_eq!((free.size, free.count), ([8, 4, 1], [2, 2, 2]));
        let same = groups(kernel, &space([2, 8, 16], Some([1, 4, 8])));
        assert_eq!(same.size, [8, 4, 1]);
        let other = Division::of(kernel, &space([2, 8, 16], Some([1, 8, 4]))).unwrap_err();
        assert_eq!(other.kind, Kind::NdRange);
        assert!(
            other
                .reason
                .ends_with("4 x 8 x 1 work-items, but the kernel requires 8 x 4 x 1"),
            "{}",
            other.reason
        );
    }

    #[test]
    fn what_the_device_cannot_start_is_an_error_of_the_division() {
        let large = space([1, 1, 4096], Some([1, 1, 2048]));
        let deep = space([128, 1, 1], Some([128, 1, 1]));
        let uneven = space([1, 1, 10], Some([1, 1, 3]));
        let endless = space([1, 1, usize::MAX], None);
        for wrong in [large, deep, uneven, endless] {
            let error = Division::of(KERNEL, &wrong).unwrap_err();
            assert_eq!(error.kind, Kind::NdRange);
        }
    }
}
