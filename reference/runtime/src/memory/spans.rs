//! What holds for the bytes of a buffer, from span to span.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

/// Bytes of a buffer, from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub begin: usize,
    /// The one behind the last; what is behind the buffer's does not count.
    pub end: usize,
}

impl Span {
    /// All bytes of any buffer, none of one without bytes.
    pub const ALL: Span = Span {
        begin: 0,
        end: usize::MAX,
    };

    /// Whether all bytes of the other are among its own.
    #[must_use]
    pub fn covers(self, other: Span) -> bool {
        self.begin <= other.begin && other.end <= self.end
    }

    /// Whether they share a byte, or the other lies within it.
    #[must_use]
    pub fn meets(self, other: Span) -> bool {
        self.covers(other) || (self.begin < other.end && other.begin < self.end)
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.begin >= self.end
    }

    /// Its bytes among those of a buffer, as a range.
    #[must_use]
    pub fn of(self, bytes: usize) -> Range<usize> {
        self.begin.min(bytes)..self.end.min(bytes)
    }
}

/// A value for each byte of a buffer, kept once for neighbours that were told it together. A buffer without
/// bytes has one too, which is that of [`Span::ALL`].
pub struct BySpan<T> {
    bytes: usize,
    /// Where each begins, in order; the first one at 0.
    values: SmallVec<[(usize, T); 1]>,
}

impl<T: Clone> BySpan<T> {
    /// One value for all bytes.
    pub fn new(bytes: usize, value: T) -> BySpan<T> {
        let values = smallvec![(0, value)];
        BySpan { bytes, values }
    }

    /// The values of a span, each with the bytes of the span that have it.
    pub fn over(&self, span: Span) -> impl Iterator<Item = (Span, &T)> {
        let places = self.places(span);
        places.map(move |place| {
            let (begin, value) = &self.values[place];
            let part = Span {
                begin: span.begin.max(*begin),
                end: span.end.min(self.end(place)),
            };
            (part, value)
        })
    }

    /// The values of a span's bytes alone.
    pub fn over_mut(&mut self, span: Span) -> impl Iterator<Item = &mut T> {
        let places = self.cut(span);
        self.values[places].iter_mut().map(|(_, value)| value)
    }

    /// Gives the bytes of a span one value.
    pub fn fill(&mut self, span: Span, value: T) {
        let places = self.cut(span);
        if !places.is_empty() {
            self.values[places.start].1 = value;
        }
        if places.len() > 1 {
            self.values.drain(places.start + 1..places.end);
        }
    }

    /// Where the value at a place ends.
    fn end(&self, place: usize) -> usize {
        let next = self.values.get(place + 1);
        next.map_or(self.bytes, |(begin, _)| *begin)
    }

    /// Whether the span is the buffer, as most are.
    fn is_whole(&self, span: Span) -> bool {
        span.begin == 0 && span.end >= self.bytes
    }

    /// The places of the values that a span's bytes have.
    fn places(&self, span: Span) -> Range<usize> {
        if self.is_whole(span) {
            return 0..self.values.len();
        }
        if span.of(self.bytes).is_empty() {
            return 0..0;
        }
        let up_to = |byte: usize| self.values.partition_point(|(begin, _)| *begin < byte);
        up_to(span.begin + 1) - 1..up_to(span.end)
    }

    /// The same, when no other bytes share them.
    fn cut(&mut self, span: Span) -> Range<usize> {
        let within = span.of(self.bytes);
        if !self.is_whole(span) && !within.is_empty() {
            for byte in [within.start, within.end] {
                let place = self.values.partition_point(|(begin, _)| *begin < byte);
                let begins = self.values.get(place).map(|(begin, _)| *begin);
                if begins != Some(byte) && byte < self.bytes {
                    let value = self.values[place - 1].1.clone();
                    self.values.insert(place, (byte, value));
                }
            }
        }
        self.places(span)
    }
}

impl<T: PartialEq> BySpan<T> {
    /// Keeps once what neighbours have in common.
    pub fn join(&mut self) {
        self.values.dedup_by(|(_, next), (_, last)| next == last);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(begin: usize, end: usize) -> Span {
        Span { begin, end }
    }

    #[test]
    fn a_buffer_without_bytes_has_one_value() {
        let mut values = BySpan::new(0, 'a');
        values.fill(Span::ALL, 'b');
        values.fill(span(0, 0), 'c');
        let all: Vec<char> = values.over(Span::ALL).map(|(_, value)| *value).collect();
        assert_eq!(all, ['c']);
    }

    proptest! {
        #[test]
        fn each_byte_has_what_it_was_told_last(
            told in proptest::collection::vec((0usize..20, 0usize..24, 0u8..4, any::<bool>()), 0..12),
            asked in (0usize..20, 0usize..24),
        ) {
            let mut values = BySpan::new(16, 9u8);
            let mut bytes = [9u8; 16];
            for (begin, end, value, all_at_once) in told {
                let told = span(begin, end);
                match all_at_once {
                    true => values.fill(told, value),
                    false => values.over_mut(told).for_each(|each| *each = value),
                }
                values.join();
                for byte in told.of(16) {
                    bytes[byte] = value;
                }
            }
            let asked = span(asked.0, asked.1);
            let parts: Vec<(Span, u8)> = values.over(asked).map(|(part, v)| (part, *v)).collect();
            let found = parts.iter().flat_map(|(part, v)| part.of(16).map(|byte| (byte, *v)));
            let expected: Vec<(usize, u8)> = asked.of(16).map(|byte| (byte, bytes[byte])).collect();
            prop_assert_eq!(found.collect::<Vec<_>>(), expected);
            prop_assert!(parts.windows(2).all(|pair| pair[0].1 != pair[1].1));
        }
    }
}
