//! Small sets of aspects.

use std::collections::HashMap;

/// How many different aspects one module may speak of.
pub const CAPACITY: usize = 256;

/// A set of aspects, by the numbers that [`Aspects`] gave them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AspectSet([u64; CAPACITY / 64]);

impl AspectSet {
    /// The set of one aspect.
    #[must_use]
    pub fn of(index: u8) -> Self {
        let mut set = AspectSet::default();
        set.insert(index);
        set
    }

    /// Adds one aspect.
    pub fn insert(&mut self, index: u8) {
        if let Some(word) = self.0.get_mut(usize::from(index / 64)) {
            *word |= 1 << (index % 64);
        }
    }

    /// Adds all aspects of another set; whether that changed anything.
    pub fn join(&mut self, other: &AspectSet) -> bool {
        let before = *self;
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
        *self != before
    }

    /// The aspects that are in either set.
    #[must_use]
    pub fn united(&self, other: &AspectSet) -> AspectSet {
        let mut all = *self;
        all.join(other);
        all
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; CAPACITY / 64]
    }

    /// Whether an aspect is in it.
    #[must_use]
    pub fn contains(&self, index: u8) -> bool {
        let word = self.0.get(usize::from(index / 64)).copied();
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The aspects that are in this set and not in the other.
    #[must_use]
    pub fn without(&self, other: &AspectSet) -> AspectSet {
        let mut rest = *self;
        for (word, less) in rest.0.iter_mut().zip(other.0) {
            *word &= !less;
        }
        rest
    }

    /// The aspects that are in both sets.
    #[must_use]
    pub fn shared(&self, other: &AspectSet) -> AspectSet {
        self.without(&self.without(other))
    }

    /// Its members, ascending.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        [0, 64, 128, 192]
            .into_iter()
            .zip(self.0)
            .flat_map(|(first, word)| {
                let rest = |word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
                let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
                words.map(move |word| first | word.trailing_zeros() as u8)
            })
    }
}

/// The aspects that a module speaks of, numbered densely.
#[derive(Debug, Default)]
pub struct Aspects {
    numbers: Vec<u32>,
    indices: HashMap<u32, u8>,
}

/// A module speaks of more aspects than there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("more than {CAPACITY} different aspects in one module")]
pub struct TooManyAspects;

impl Aspects {
    /// The index of an aspect, a new one if need be.
    ///
    /// # Errors
    /// When there is no more room.
    pub fn index(&mut self, aspect: u32) -> Result<u8, TooManyAspects> {
        if let Some(&index) = self.indices.get(&aspect) {
            return Ok(index);
        }
        let index = u8::try_from(self.numbers.len()).map_err(|_| TooManyAspects)?;
        self.numbers.push(aspect);
        self.indices.insert(aspect, index);
        Ok(index)
    }

    /// The set of these aspects.
    ///
    /// # Errors
    /// When there is no more room.
    pub fn set(&mut self, aspects: &[u32]) -> Result<AspectSet, TooManyAspects> {
        let mut set = AspectSet::default();
        for &aspect in aspects {
            set.insert(self.index(aspect)?);
        }
        Ok(set)
    }

    /// The aspect of an index.
    #[must_use]
    pub fn number(&self, index: u8) -> u32 {
        self.numbers.get(usize::from(index)).copied().unwrap_or(0)
    }

    /// The aspects of a set, ascending.
    #[must_use]
    pub fn numbers(&self, set: &AspectSet) -> Vec<u32> {
        let mut numbers: Vec<_> = set.iter().map(|index| self.number(index)).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::AspectSet;

    #[test]
    fn a_set_lists_its_members_in_order_and_each_once() {
        assert_eq!(AspectSet::default().iter().count(), 0);
        let members = [0, 1, 5, 63, 64, 127, 128, 191, 192, 254, 255];
        let mut set = AspectSet::default();
        for &member in members.iter().rev() {
            set.insert(member);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), members);
    }
}
