//! How an iteration space is divided into work-groups, for interfaces that are told the number of
//! groups rather than the number of work-items.

use super::Space;
use crate::error::{Error, Kind, Result};

/// A division, in the device's order of dimensions: the one that varies fastest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkGroups {
    /// Work-items of a group.
    pub size: [u32; 3],
    /// Groups.
    pub count: [u32; 3],
}

/// Sizes of [`Space`] in the device's order, unused dimensions last.
pub(super) fn in_device_order(space: &Space, sizes: &[usize; 3]) -> [usize; 3] {
    let [x, y, z] = *sizes;
    match space.dimensions {
        1 => [x, y, z],
        2 => [y, x, z],
        _ => [z, y, x],
    }
}

/// Divides the space into groups of the program's choice, else of `suggested` for the numbers of
/// work-items in device order.
///
/// # Errors
/// When a group does not divide the space evenly or a number is more than devices have.
pub(super) fn divide(
    space: &Space,
    suggested: impl FnOnce([usize; 3]) -> Result<[usize; 3]>,
) -> Result<WorkGroups> {
    let global = in_device_order(space, &space.global);
    let local = match &space.local {
        Some(local) => in_device_order(space, local),
        None => suggested(global)?,
    };
    let mut groups = WorkGroups {
        size: [1; 3],
        count: [1; 3],
    };
    for (dimension, (items, group)) in global.into_iter().zip(local).enumerate() {
        if group == 0 || items % group != 0 {
            return Err(Error::new(
                Kind::NdRange,
                format!("work-groups of {group} do not divide {items} work-items evenly"),
            ));
        }
        groups.size[dimension] = number(group)?;
        groups.count[dimension] = number(items / group)?;
    }
    Ok(groups)
}

/// A number of work-groups or of their work-items in one dimension, as devices take it.
///
/// # Errors
/// When it is more.
pub(super) fn number(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| {
        let reason = format!("{n} work-groups in one dimension are more than devices take");
        Error::new(Kind::NdRange, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(dimensions: usize, global: [usize; 3], local: Option<[usize; 3]>) -> Space {
        Space {
            dimensions,
            global,
            local,
            offset: [0; 3],
        }
    }

    #[test]
    fn the_last_dimension_of_a_space_is_the_first_of_a_device() {
        let one = space(3, [2, 6, 40], Some([1, 3, 8]));
        let groups = divide(&one, |_| unreachable!()).unwrap();
        assert_eq!((groups.size, groups.count), ([8, 3, 1], [5, 2, 2]));
        let two = space(2, [6, 40, 1], Some([3, 8, 1]));
        let groups = divide(&two, |_| unreachable!()).unwrap();
        assert_eq!((groups.size, groups.count), ([8, 3, 1], [5, 2, 1]));
    }

    #[test]
    fn a_group_that_does_not_fit_is_an_error() {
        for local in [[3, 1, 1], [0, 1, 1]] {
            let error = divide(&space(1, [10, 1, 1], Some(local)), Ok).unwrap_err();
            assert_eq!(error.kind, Kind::NdRange);
        }
        let endless = space(1, [usize::MAX, 1, 1], None);
        assert!(divide(&endless, |_| Ok([1, 1, 1])).is_err());
    }
}
