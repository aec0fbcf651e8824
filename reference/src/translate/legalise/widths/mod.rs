//! Integers of widths that OpenCL lacks. Optimizers make them: `i24` of three bytes that are copied
//! together, `i65` of the sum that a loop adds up, `i4` of four truth values. SPIR-V writers round
//! them up and forget that their upper bits are not theirs, so that results and neighbours in memory
//! are wrong, or refuse them.
//!
//! Such a number is held in the next wider integer, or above 64 bits in two ([`crate::llvm::widths`]);
//! the bits above its own are zero. Here is what is computed with it, as the text of functions in IR.

mod halves;
mod memory;

use super::Replacement;
use crate::llvm::widths::{Operation, WIDEST};

/// An integer of any width up to [`WIDEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    width: u32,
}

impl Number {
    /// The number of a type in IR.
    fn of(ty: &str) -> Option<Self> {
        let width = ty.strip_prefix('i')?.parse().ok()?;
        (1..=WIDEST).contains(&width).then_some(Number { width })
    }

    /// Whether two integers hold it.
    fn is_pair(self) -> bool {
        self.width > 64
    }

    /// How wide the integer is that holds it, or each of two.
    fn word(self) -> u32 {
        match self.width {
            1 => 1,
            65.. => 64,
            width => width.next_power_of_two().max(8),
        }
    }

    /// The type that holds it.
    fn held(self) -> String {
        match self.is_pair() {
            true => "<2 x i64>".to_owned(),
            false => format!("i{}", self.word()),
        }
    }

    /// How many bits of the integer that holds its upper end are not its own.
    fn spare(self) -> u32 {
        match self.is_pair() {
            true => WIDEST - self.width,
            false => self.word() - self.width,
        }
    }

    /// How many bytes it takes in memory.
    fn bytes(self) -> u32 {
        self.width.div_ceil(8)
    }
}

/// The function that does what an operation does, over what holds its numbers. None where nothing is
/// known for it.
pub(super) fn function(operation: &Operation) -> Option<Replacement> {
    let mut body = Body::default();
    let Operation { name, result, .. } = operation;
    let operands: Vec<&str> = operation.operands.iter().map(String::as_str).collect();
    let made = match (*name, &operands[..]) {
        ("load", [place]) => body.load(operation, Number::of(result)?, place),
        ("store", [number, place]) => {
            body.store(operation, Number::of(number)?, place);
            String::new()
        }
        ("bitcast", [from]) => body.bits(from, result)?,
        ("trunc" | "zext" | "sext", [from]) => {
            body.converted(name, Number::of(from)?, Number::of(result)?)
        }
        ("uitofp" | "sitofp", [from]) => body.as_float(name, Number::of(from)?, result)?,
        ("fptoui" | "fptosi", [from]) => body.of_float(name, from, Number::of(result)?)?,
        (_, [ty, _]) => match name.strip_prefix("icmp ") {
            Some(predicate) => body.compared(predicate, Number::of(ty)?),
            None => body.computed(name, Number::of(ty)?)?,
        },
        _ => return None,
    };
    let parameters: Vec<String> = operands
        .iter()
        .zip(["%x", "%y"])
        .map(|(ty, name)| format!("{} {name}", held(ty)))
        .collect();
    let result = held(result);
    let end = match made.is_empty() {
        true => "ret void".to_owned(),
        false => format!("ret {result} {made}"),
    };
    let symbol = symbol(operation);
    let text = format!(
        "define {result} @{symbol}({}) alwaysinline {{\n{}  {end}\n}}\n",
        parameters.join(", "),
        body.lines
    );
    Some(Replacement::defined(symbol, text))
}

/// The type that holds what a type does.
fn held(ty: &str) -> String {
    Number::of(ty).map_or_else(|| ty.to_owned(), Number::held)
}

/// What the functions are called that extend a number by zeros.
pub(super) const EXTENDS: &str = "plumbline.zext.";

fn symbol(operation: &Operation) -> String {
    let mut words = vec!["plumbline", operation.name];
    words.extend(operation.operands.iter().map(String::as_str));
    words.push(&operation.result);
    let mut symbol = words
        .join(".")
        .replace(' ', ".")
        .replace(['<', '>', '(', ')'], "");
    if operation.alignment > 0 {
        symbol += &format!(".{}", operation.alignment);
    }
    if operation.volatile {
        symbol += ".volatile";
    }
    symbol
}

/// The lines of a function of `%x` and `%y`.
#[derive(Default)]
struct Body {
    lines: String,
    values: u32,
}

impl Body {
    /// Has a value computed, and gives its name.
    fn set(&mut self, instruction: &str) -> String {
        let name = format!("%v{}", self.values);
        self.values += 1;
        self.lines += &format!("  {name} = {instruction}\n");
        name
    }

    fn masked(&mut self, value: &str, number: Number) -> String {
        match number.spare() {
            0 => value.to_owned(),
            spare => {
                let word = number.word();
                let mask = (u64::MAX >> (64 - word)) >> spare;
                self.set(&format!("and i{word} {value}, {mask}"))
            }
        }
    }

    /// The upper end of a number with its sign in the bits above it.
    fn signed(&mut self, value: &str, number: Number) -> String {
        match (number.spare(), number.word()) {
            (0, _) => value.to_owned(),
            (spare, word) => {
                let up = self.set(&format!("shl i{word} {value}, {spare}"));
                self.set(&format!("ashr i{word} {up}, {spare}"))
            }
        }
    }

    fn computed(&mut self, name: &str, number: Number) -> Option<String> {
        if number.is_pair() {
            return self.computed_in_halves(name, number);
        }
        let word = number.word();
        let (x, y) = match name {
            "sdiv" | "srem" => (self.signed("%x", number), self.signed("%y", number)),
            "ashr" => (self.signed("%x", number), "%y".to_owned()),
            _ => ("%x".to_owned(), "%y".to_owned()),
        };
        let whole = self.set(&format!("{name} i{word} {x}, {y}"));
        Some(match name {
            "and" | "or" | "xor" | "udiv" | "urem" | "lshr" => whole,
            _ => self.masked(&whole, number),
        })
    }

    fn compared(&mut self, predicate: &str, number: Number) -> String {
        let is_signed = predicate.starts_with('s');
        if !number.is_pair() {
            let [x, y] = ["%x", "%y"].map(|value| match is_signed {
                true => self.signed(value, number),
                false => value.to_owned(),
            });
            return self.set(&format!("icmp {predicate} i{} {x}, {y}", number.word()));
        }
        let [x0, x1] = self.halves("%x");
        let [y0, y1] = self.halves("%y");
        let [x1, y1] = [x1, y1].map(|half| match is_signed {
            true => self.signed(&half, number),
            false => half,
        });
        // The upper halves decide unless they are equal.
        let equal = self.set(&format!("icmp eq i64 {x1}, {y1}"));
        let upper = self.set(&format!("icmp {predicate} i64 {x1}, {y1}"));
        let unsigned = predicate.replace('s', "u");
        let lower = match predicate {
            "eq" | "ne" => self.set(&format!("icmp {predicate} i64 {x0}, {y0}")),
            _ => self.set(&format!("icmp {unsigned} i64 {x0}, {y0}")),
        };
        self.set(&format!("select i1 {equal}, i1 {lower}, i1 {upper}"))
    }

    fn converted(&mut self, name: &str, from: Number, to: Number) -> String {
        let source = match from.is_pair() {
            true => self.halves("%x"),
            false => ["%x".to_owned(), String::new()],
        };
        let [low, high] = source;
        if !to.is_pair() {
            // No wider than the source, or both in one word.
            let (low, held) = match from.is_pair() {
                true => (low, 64),
                false if name == "sext" => (self.signed(&low, from), from.word()),
                false => (low, from.word()),
            };
            let word = self.resized(name, &low, held, to.word());
            return self.masked(&word, to);
        }
        let (low, high) = match (from.is_pair(), name) {
            (true, "sext") => (low, self.signed(&high, from)),
            (true, _) => (low, high),
            (false, "sext") => {
                let low = self.signed(&low, from);
                let low = self.resized(name, &low, from.word(), 64);
                let sign = self.set(&format!("ashr i64 {low}, 63"));
                (low, sign)
            }
            (false, _) => (self.resized(name, &low, from.word(), 64), "0".to_owned()),
        };
        self.pair([&low, &high], to)
    }

    /// A word in another size, with its sign when `name` is `sext`.
    fn resized(&mut self, name: &str, value: &str, from: u32, to: u32) -> String {
        let extension = if name == "sext" { "sext" } else { "zext" };
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value.to_owned(),
            std::cmp::Ordering::Less => self.set(&format!("{extension} i{from} {value} to i{to}")),
            std::cmp::Ordering::Greater => self.set(&format!("trunc i{from} {value} to i{to}")),
        }
    }

    fn as_float(&mut self, name: &str, from: Number, to: &str) -> Option<String> {
        if from.is_pair() {
            return None;
        }
        let value = match name {
            "sitofp" => self.signed("%x", from),
            _ => "%x".to_owned(),
        };
        Some(self.set(&format!("{name} i{} {value} to {to}", from.word())))
    }

    fn of_float(&mut self, name: &str, from: &str, to: Number) -> Option<String> {
        if to.is_pair() {
            return None;
        }
        let whole = self.set(&format!("{name} {from} %x to i{}", to.word()));
        Some(self.masked(&whole, to))
    }

    /// The bits of a vector as a number, and the other way round.
    fn bits(&mut self, from: &str, to: &str) -> Option<String> {
        match (Number::of(from), Number::of(to)) {
            (None, Some(to)) => {
                let (lanes, lane) = lanes(from)?;
                if to.is_pair() {
                    return None;
                }
                let word = to.word();
                let mut whole = "0".to_owned();
                for n in 0..lanes {
                    let part = self.set(&format!("extractelement {from} %x, i32 {n}"));
                    let part = self.resized("zext", &part, lane, word);
                    let part = self.set(&format!("shl i{word} {part}, {}", n * lane));
                    whole = self.set(&format!("or i{word} {whole}, {part}"));
                }
                Some(whole)
            }
            (Some(from), None) => {
                let (lanes, lane) = lanes(to)?;
                if from.is_pair() {
                    return None;
                }
                let word = from.word();
                let mut whole = "zeroinitializer".to_owned();
                for n in 0..lanes {
                    let part = self.set(&format!("lshr i{word} %x, {}", n * lane));
                    let part = self.resized("trunc", &part, word, lane);
                    whole = self.set(&format!(
                        "insertelement {to} {whole}, i{lane} {part}, i32 {n}"
                    ));
                }
                Some(whole)
            }
            _ => None,
        }
    }
}

/// How many lanes a vector of integers has, and how wide they are.
fn lanes(ty: &str) -> Option<(u32, u32)> {
    let (lanes, lane) = ty
        .strip_prefix('<')?
        .strip_suffix('>')?
        .split_once(" x i")?;
    Some((lanes.parse().ok()?, lane.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{legal, refused};

    /// Whether a text has integers of a width that OpenCL lacks.
    fn has_odd(text: &str) -> bool {
        let code = text
            .lines()
            .filter(|line| !line.contains("; ") || line.contains('='));
        let code: Vec<&str> = code.collect();
        let words = code
            .iter()
            .flat_map(|line| line.split([' ', ',', '(', ')', '{', '}', '<', '>']));
        words
            .filter_map(|word| word.strip_prefix('i')?.parse::<u32>().ok())
            .any(crate::llvm::widths::is_odd)
    }

    #[test]
    fn three_bytes_are_read_and_written_as_three() {
        let after = legal(
            "define i32 @f(ptr addrspace(4) %p, ptr addrspace(4) %q) {\n\
               %x = load i24, ptr addrspace(4) %p, align 2\n\
               %w = zext i24 %x to i32\n\
               store i24 %x, ptr addrspace(4) %q, align 1\n\
               store i24 -2, ptr addrspace(4) %q, align 1\n\
               ret i32 %w\n}\n",
        );
        assert!(!has_odd(&after), "{after}");
        assert!(after.contains("load i16, ptr addrspace(4) %"), "{after}");
        assert!(after.contains("load i8, ptr addrspace(4) %"), "{after}");
        assert!(after.contains("i32 16777214"), "{after}");
    }

    #[test]
    fn the_closed_form_of_a_sum_takes_two_words() {
        let after = legal(
            "define i64 @f(i64 %n) {\n\
               %a = zext i64 %n to i65\n\
               %b = add i65 %a, -1\n\
               %p = mul i65 %a, %b\n\
               %h = lshr i65 %p, 1\n\
               %r = trunc i65 %h to i64\n\
               ret i64 %r\n}\n",
        );
        assert!(!has_odd(&after), "{after}");
        assert!(after.contains("<2 x i64> <i64 -1, i64 1>"), "{after}");
    }

    #[test]
    fn numbers_go_through_blocks_and_structures() {
        let after = legal(
            "declare { i33, i1 } @llvm.sadd.with.overflow.i33(i33, i33)\n\
             declare i40 @llvm.umin.i40(i40, i40)\n\
             define i1 @f(i32 %x, i32 %y, i1 %c, ptr %p) {\n\
             entry:\n\
               %place = alloca i40, align 8\n\
               %a = sext i32 %x to i33\n\
               %b = zext i32 %y to i33\n\
               %r = call { i33, i1 } @llvm.sadd.with.overflow.i33(i33 %a, i33 %b)\n\
               %o = extractvalue { i33, i1 } %r, 1\n\
               %v = extractvalue { i33, i1 } %r, 0\n\
               br i1 %c, label %left, label %join\n\
             left:\n\
               %w = sub i33 0, %v\n\
               br label %join\n\
             join:\n\
               %m = phi i33 [ %v, %entry ], [ %w, %left ]\n\
               %f = freeze i33 %m\n\
               %g = zext i33 %f to i40\n\
               store i40 %g, ptr %place\n\
               %h = load i40, ptr %place\n\
               %k = call i40 @llvm.umin.i40(i40 %h, i40 7)\n\
               switch i40 %k, label %done [ i40 3, label %left2\n i40 -4, label %left2 ]\n\
             left2:\n\
               store i40 %k, ptr %p\n\
               br label %done\n\
             done:\n\
               %s = icmp slt i33 %m, -5\n\
               %t = xor i1 %s, %o\n\
               ret i1 %t\n}\n",
        );
        assert!(!has_odd(&after), "{after}");
        assert!(after.contains("i64 1099511627772, label"), "{after}");
    }

    #[test]
    fn arrays_hold_what_their_elements_became() {
        let after = legal(
            "define i32 @f([2 x i32] %x, i32 %y) {\n\
               %place = alloca [2 x i24], align 4\n\
               %a = trunc i32 %y to i24\n\
               %b = insertvalue [2 x i24] poison, i24 %a, 1\n\
               %c = extractvalue [2 x i24] %b, 1\n\
               %r = zext i24 %c to i32\n\
               ret i32 %r\n}\n",
        );
        assert!(!has_odd(&after), "{after}");
        assert!(after.contains("alloca [2 x i32]"), "{after}");
    }

    #[test]
    fn functions_that_take_such_numbers_are_inlined() {
        let after = legal(
            "define internal i24 @twice(i24 %x) noinline optnone {\n\
               %r = shl i24 %x, 1\n\
               ret i24 %r\n}\n\
             define i32 @f(i32 %x) {\n\
               %a = trunc i32 %x to i24\n\
               %b = call i24 @twice(i24 %a)\n\
               %r = sext i24 %b to i32\n\
               ret i32 %r\n}\n",
        );
        assert!(!has_odd(&after), "{after}");
    }

    #[test]
    fn truth_values_are_gathered_into_a_number() {
        let after = legal(
            "define i1 @f(<4 x i1> %x) {\n\
               %a = bitcast <4 x i1> %x to i4\n\
               %r = icmp ne i4 %a, 0\n\
               ret i1 %r\n}\n\
             define <8 x i1> @g(i8 %x) {\n\
               %r = bitcast i8 %x to <8 x i1>\n\
               ret <8 x i1> %r\n}\n",
        );
        assert!(!has_odd(&after) && !after.contains("= bitcast"), "{after}");
    }

    #[test]
    fn what_nothing_is_known_for_is_told() {
        for (text, what) in [
            (
                "define i65 @f(i65 %x, i65 %y) {\n  %r = udiv i65 %x, %y\n  ret i65 %r\n}\n",
                "udiv of i65, i65",
            ),
            (
                "define <2 x i24> @f(<2 x i24> %x) {\n  %r = add <2 x i24> %x, %x\n\
                 ret <2 x i24> %r\n}\n",
                "<2 x i24>",
            ),
            (
                "define i256 @f(i256 %x) {\n  %r = add i256 %x, %x\n  ret i256 %r\n}\n",
                "i256",
            ),
        ] {
            let error = refused(text);
            assert!(error.contains(what) && error.contains("'f'"), "{error}");
        }
    }
}
