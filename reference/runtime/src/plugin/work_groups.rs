//! How an iteration space is divided into work-groups: as the kernel requires, and for interfaces that
//! are told the number of groups rather than the number of work-items.

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

/// Sizes of [`Space`] in the device's order, unused dimensions last; and the other way round.
pub(super) fn in_device_order(space: &Space, sizes: &[usize; 3]) -> [usize; 3] {
    let [x, y, z] = *sizes;
    match space.dimensions {
        1 => [x, y, z],
        2 => [y, x, z],
        _ => [z, y, x],
    }
}

/// The space with the work-groups that a kernel requires, given in device order. Where the program
/// leaves their size open and they do not divide the space, it stays open: some devices know how.
///
/// # Errors
/// Says which size the kernel requires, when the program chose another.
pub fn with_required(space: &Space, required: [usize; 3]) -> Result<Space> {
    if let Some(local) = &space.local {
        return match in_device_order(space, local) == required {
            true => Ok(*space),
            false => Err(Error::new(
                Kind::NdRange,
                format!(
                    "it requires work-groups of {}, but is started with work-groups of {}",
                    shown(space, required),
                    shown(space, in_device_order(space, local)),
                ),
            )),
        };
    }
    let global = in_device_order(space, &space.global);
    let divides = global
        .iter()
        .zip(required)
        .all(|(items, group)| items % group.max(1) == 0);
    Ok(Space {
        local: divides.then(|| in_device_order(space, &required)),
        ..*space
    })
}

/// Why work-groups of the required size, in device order, may not be what a device can make of a space.
#[must_use]
pub fn uneven(space: &Space, required: [usize; 3]) -> String {
    format!(
        "it requires work-groups of {}, which do not divide its range of {} evenly",
        shown(space, required),
        shown(space, in_device_order(space, &space.global)),
    )
}

/// Why a device may refuse work-groups that a program chose for a space, in its order of dimensions, when a
/// group has at most so many work-items.
#[must_use]
pub fn refusal(space: &Space, local: &[usize; 3], most: Option<u64>) -> Option<String> {
    let used = |sizes: &[usize; 3]| shown(space, in_device_order(space, sizes));
    let groups = format!("its work-groups of {}", used(local));
    let size = (local.iter()).try_fold(1_usize, |size, length| size.checked_mul(*length));
    let is_over = |most: u64| size.is_none_or(|size| size as u64 > most);
    if let Some(most) = most.filter(|most| is_over(*most)) {
        return Some(format!("{groups} have more than {most} work-items"));
    }
    let mut dimensions = space.global.iter().zip(local);
    let divides = dimensions.all(|(items, length)| items.checked_rem(*length) == Some(0));
    (!divides).then(|| {
        format!(
            "{groups} do not divide its range of {} evenly",
            used(&space.global)
        )
    })
}

/// Sizes in device order as a program writes them.
fn shown(space: &Space, sizes: [usize; 3]) -> String {
    let used = sizes.iter().rposition(|size| *size != 1);
    let used = used.map_or(1, |last| last + 1).max(space.dimensions);
    let words: Vec<String> = sizes[..used].iter().rev().map(usize::to_string).collect();
    words.join(" x ")
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
    fn a_kernel_gets_the_groups_that_it_requires() {
        let open = space(2, [4, 16, 1], None);
        let local = with_required(&open, [8, 2, 1]).unwrap().local;
        assert_eq!(local, Some([2, 8, 1]));
        let uneven_space = space(1, [40, 1, 1], None);
        assert_eq!(
            with_required(&uneven_space, [16, 1, 1]).unwrap().local,
            None
        );
        assert_eq!(with_required(&uneven_space, [8, 2, 1]).unwrap().local, None);
        assert!(
            uneven(&uneven_space, [16, 1, 1])
                .contains("of 16, which do not divide its range of 40")
        );
        let chosen = space(3, [2, 6, 40], Some([1, 3, 8]));
        assert_eq!(with_required(&chosen, [8, 3, 1]).unwrap(), chosen);
        let error = with_required(&chosen, [8, 1, 3]).unwrap_err();
        assert_eq!(error.kind, Kind::NdRange);
        assert_eq!(
            error.reason,
            "it requires work-groups of 3 x 1 x 8, but is started with work-groups of 1 x 3 x 8"
        );
    }

    #[test]
    fn what_is_wrong_with_groups_is_told() {
        let wide = space(2, [1000, 500, 1], None);
        let why = |local, most| refusal(&wide, &local, most);
        assert_eq!(
            why([500, 500, 1], Some(8192)).unwrap(),
            "its work-groups of 500 x 500 have more than 8192 work-items"
        );
        assert_eq!(
            why([20, 16, 1], Some(8192)).unwrap(),
            "its work-groups of 20 x 16 do not divide its range of 1000 x 500 evenly"
        );
        assert!(why([0, 4, 1], None).unwrap().contains("evenly"));
        assert_eq!(why([20, 5, 1], Some(8192)), None);
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
