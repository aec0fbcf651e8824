//! Numbers that are random and always the same (splitmix64).

/// A row of numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The row of a number.
    pub fn of(number: u64) -> Self {
        let mut random = Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.next() % limit).unwrap_or_default()
    }

    /// Whether something happens that does so in one of `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several.
    pub fn of_these<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// One of several values; the default of their kind where there is none.
    pub fn one_of<T: Copy + Default>(&mut self, all: &[T]) -> T {
        self.of_these(all).copied().unwrap_or_default()
    }

    /// All bits of a number.
    pub fn bits(&mut self) -> u64 {
        self.next()
    }
}
