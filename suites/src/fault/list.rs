//! What can go wrong with a list: of a table's rows, of a file's images, of a descriptor's.

use serde::{Deserialize, Serialize};

/// A wrong list in the place of a right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListEdit {
    /// The last one alone.
    KeepLast,
    /// All but the last.
    DropLast,
    /// All but the first.
    DropFirst,
    /// Backwards.
    Reverse,
    /// The last one twice.
    RepeatLast,
}

impl ListEdit {
    /// The wrong list; a list of one stays as it is, but for what drops or repeats it.
    #[must_use]
    pub fn apply<T: Clone>(self, mut list: Vec<T>) -> Vec<T> {
        match self {
            ListEdit::KeepLast => {
                list.drain(..list.len().saturating_sub(1));
            }
            ListEdit::DropLast => {
                list.pop();
            }
            ListEdit::DropFirst => {
                list.drain(..list.len().min(1));
            }
            ListEdit::Reverse => list.reverse(),
            ListEdit::RepeatLast => list.extend(list.last().cloned()),
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::ListEdit::{DropFirst, DropLast, KeepLast, RepeatLast, Reverse};

    #[test]
    fn each_does_what_it_says() {
        for (edit, expected) in [
            (KeepLast, vec![3]),
            (DropLast, vec![1, 2]),
            (DropFirst, vec![2, 3]),
            (Reverse, vec![3, 2, 1]),
            (RepeatLast, vec![1, 2, 3, 3]),
        ] {
            assert_eq!(edit.apply(vec![1, 2, 3]), expected, "{edit:?}");
            assert!(edit.apply(Vec::<u8>::new()).is_empty(), "{edit:?}");
        }
    }
}
