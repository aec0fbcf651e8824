//! The numbers of specialization constants, and what an image says of those that it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use offload_formats::property_set::{
    PropertySets, PropertyValue, SPECIALIZATION_CONSTANTS, SPECIALIZATION_CONSTANTS_DEFAULTS,
};

use super::layout::Scalar;
use crate::post_link::options::SpecConstants;

/// The number that stands for padding.
const PADDING: u32 = u32::MAX;

/// A specialization constant, apart from its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its scalars, in memory order.
    pub scalars: Vec<Scalar>,
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in bytes.
    pub alignment: u32,
    /// Its default value in memory.
    pub default: Vec<u8>,
}

/// All specialization constants of a linked module. A constant has the same numbers in every image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    constants: BTreeMap<String, Constant>,
}

/// One record of the property set: a scalar, or padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The number, or all ones for padding.
    pub id: u32,
    /// The offset in the constant.
    pub offset: u32,
    /// The size in bytes.
    pub size: u32,
}

impl Table {
    /// Adds a constant; one that is there already must be the same.
    ///
    /// # Errors
    /// When it differs.
    pub fn add(&mut self, name: &str, constant: Constant) -> Result<(), String> {
        let known = self
            .constants
            .entry(name.to_owned())
            .or_insert_with(|| constant.clone());
        match *known == constant {
            true => Ok(()),
            false => Err(format!(
                "specialization constant '{name}' has another type or default value elsewhere"
            )),
        }
    }

    /// The constant of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Constant> {
        self.constants.get(name)
    }

    /// The number of a constant's first scalar; the others follow. Numbers are given in the order
    /// of the names.
    #[must_use]
    pub fn first_id(&self, name: &str) -> u32 {
        let before = self.constants.range::<str, _>((Unbounded, Excluded(name)));
        let scalars: usize = before.map(|(_, constant)| constant.scalars.len()).sum();
        u32::try_from(scalars).unwrap_or(PADDING)
    }

    /// Where each constant of an image lies in the buffer of emulated values.
    #[must_use]
    pub fn offsets<'n>(&self, names: &'n BTreeSet<String>) -> BTreeMap<&'n str, u32> {
        let mut end = 0u32;
        let mut offsets = BTreeMap::new();
        for name in names {
            let Some(constant) = self.get(name) else {
                continue;
            };
            let offset = end.next_multiple_of(constant.alignment.max(1));
            offsets.insert(name.as_str(), offset);
            end = offset.saturating_add(constant.size);
        }
        offsets
    }

    /// Writes the property sets of an image that uses these constants.
    pub fn describe(&self, names: &BTreeSet<String>, mode: SpecConstants, sets: &mut PropertySets) {
        let mut defaults = Vec::new();
        let offsets = self.offsets(names);
        let mut names = names.iter().peekable();
        while let Some(name) = names.next() {
            let Some(constant) = self.get(name) else {
                continue;
            };
            defaults.extend(&constant.default);
            let mut records = self.records(name, constant, mode);
            if mode == SpecConstants::Emulation
                && let Some(&next) = names.peek().and_then(|next| offsets.get(next.as_str()))
            {
                // The gap before the next constant counts as this one's.
                let end = u32::try_from(defaults.len()).unwrap_or(next);
                records.extend(padding(constant.size, next.saturating_sub(end)));
                defaults.resize(next as usize, 0);
            }
            let words: Vec<u32> = records
                .iter()
                .flat_map(|r| [r.id, r.offset, r.size])
                .collect();
            let value = PropertyValue::u32_array(&words);
            sets.insert(SPECIALIZATION_CONSTANTS, name, value);
        }
        if !defaults.is_empty() {
            let value = PropertyValue::Bytes(defaults);
            sets.insert(SPECIALIZATION_CONSTANTS_DEFAULTS, "all", value);
        }
    }

    /// The records of a constant: of each scalar when they can be set one by one, else of the
    /// whole.
    fn records(&self, name: &str, constant: &Constant, mode: SpecConstants) -> Vec<Record> {
        let first = self.first_id(name);
        if mode == SpecConstants::Emulation {
            return vec![Record {
                id: first,
                offset: 0,
                size: constant.size,
            }];
        }
        let mut records: Vec<_> = (first..)
            .zip(&constant.scalars)
            .map(|(id, scalar)| Record {
                id,
                offset: scalar.offset,
                size: scalar.size,
            })
            .collect();
        let end = records.last().map_or(0, |last| last.offset + last.size);
        records.extend(padding(end, constant.size.saturating_sub(end)));
        records
    }
}

fn padding(offset: u32, size: u32) -> Option<Record> {
    (size != 0).then_some(Record {
        id: PADDING,
        offset,
        size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(scalars: &[(u32, u32)], size: u32, alignment: u32) -> Constant {
        let scalars = scalars
            .iter()
            .map(|&(offset, size)| Scalar { offset, size });
        Constant {
            scalars: scalars.collect(),
            size,
            alignment,
            default: vec![7; size as usize],
        }
    }

    fn table() -> Table {
        let mut table = Table::default();
        // struct { int a; char b; } and a double.
        table
            .add("a_pair", constant(&[(0, 4), (4, 1)], 8, 4))
            .unwrap();
        table.add("b_char", constant(&[(0, 1)], 1, 1)).unwrap();
        table.add("c_double", constant(&[(0, 8)], 8, 8)).unwrap();
        table
    }

    fn records(names: &[&str], mode: SpecConstants) -> Vec<Vec<u32>> {
        let names: BTreeSet<_> = names.iter().map(|n| (*n).to_owned()).collect();
        let mut sets = PropertySets::new();
        table().describe(&names, mode, &mut sets);
        let set = sets.set(SPECIALIZATION_CONSTANTS).unwrap();
        set.values()
            .map(|value| value.as_u32_array().unwrap())
            .collect()
    }

    #[test]
    fn native_constants_are_numbered_scalar_by_scalar() {
        assert_eq!(
            records(&["a_pair", "b_char", "c_double"], SpecConstants::Native),
            [
                vec![0, 0, 4, 1, 4, 1, PADDING, 5, 3],
                vec![2, 0, 1],
                vec![3, 0, 8]
            ]
        );
        // The numbers do not depend on what else an image uses.
        assert_eq!(records(&["c_double"], SpecConstants::Native), [[3, 0, 8]]);
    }

    #[test]
    fn emulated_constants_lie_aligned_in_one_buffer() {
        assert_eq!(
            records(&["a_pair", "b_char", "c_double"], SpecConstants::Emulation),
            [vec![0, 0, 8], vec![2, 0, 1, PADDING, 1, 7], vec![3, 0, 8]]
        );
        let names = ["b_char", "c_double"].map(str::to_owned).into();
        let offsets = table().offsets(&names);
        assert_eq!(offsets.into_values().collect::<Vec<_>>(), [0, 8]);
        let mut sets = PropertySets::new();
        table().describe(&names, SpecConstants::Emulation, &mut sets);
        let all = sets.get(SPECIALIZATION_CONSTANTS_DEFAULTS, "all").unwrap();
        assert_eq!(
            all.as_bytes().unwrap(),
            [7, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7]
        );
    }

    #[test]
    fn one_name_is_one_constant() {
        let mut table = table();
        let error = table.add("b_char", constant(&[(0, 4)], 4, 4)).unwrap_err();
        assert!(error.contains("'b_char'"), "{error}");
    }
}
