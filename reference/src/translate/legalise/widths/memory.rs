//! Such numbers in memory: as many bytes as they take and no more.

use super::{Body, Number};
use crate::llvm::widths::Operation;

impl Body {
    /// A number from its bytes, in pieces that are as large as integers in memory.
    pub(super) fn load(&mut self, operation: &Operation, number: Number, place: &str) -> String {
        let word = number.word();
        let mut halves = ["0".to_owned(), "0".to_owned()];
        for (offset, size) in pieces(number.bytes()) {
            let (bits, align) = (8 * size, aligned(operation.alignment, offset));
            let from = self.set(&format!("getelementptr i8, {place} %x, i64 {offset}"));
            let part = self.set(&format!(
                "load{} i{bits}, {place} {from}, align {align}",
                volatile(operation)
            ));
            let part = self.resized("zext", &part, bits, word);
            let part = self.set(&format!("shl i{word} {part}, {}", 8 * (offset % 8)));
            let half = &mut halves[(offset / 8) as usize];
            *half = self.set(&format!("or i{word} {half}, {part}"));
        }
        match number.is_pair() {
            true => self.pair([&halves[0], &halves[1]], number),
            false => self.masked(&halves[0], number),
        }
    }

    pub(super) fn store(&mut self, operation: &Operation, number: Number, place: &str) {
        let word = number.word();
        let halves = match number.is_pair() {
            true => self.halves("%x"),
            false => ["%x".to_owned(), String::new()],
        };
        for (offset, size) in pieces(number.bytes()) {
            let (bits, align) = (8 * size, aligned(operation.alignment, offset));
            let half = &halves[(offset / 8) as usize];
            let part = self.set(&format!("lshr i{word} {half}, {}", 8 * (offset % 8)));
            let part = self.resized("trunc", &part, word, bits);
            let to = self.set(&format!("getelementptr i8, {place} %y, i64 {offset}"));
            self.lines += &format!(
                "  store{} i{bits} {part}, {place} {to}, align {align}\n",
                volatile(operation)
            );
        }
    }
}

fn volatile(operation: &Operation) -> &'static str {
    if operation.volatile { " volatile" } else { "" }
}

/// Offsets and sizes of the integers that so many bytes consist of, the largest first.
fn pieces(bytes: u32) -> Vec<(u32, u32)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    for size in [8, 8, 4, 2, 1] {
        if bytes - offset >= size {
            pieces.push((offset, size));
            offset += size;
        }
    }
    pieces
}

/// The alignment of what lies behind an aligned place.
fn aligned(place: u32, offset: u32) -> u32 {
    match offset {
        0 => place,
        _ => place.min(1 << offset.trailing_zeros()),
    }
}
