//! Kernels whose work-items work together: functions and algorithms of work-groups and sub-groups, local memory and
//! atomic operations, in loops and branches that all of a group take.

use std::fmt::Write as _;

use suites::generated::Random;

use crate::program::{GROUPS_NAME, main_function};
use crate::scalar::{Scalar, integers};

/// Kernels of a program.
const KERNELS: usize = 6;

/// Values that a work-item has.
const VALUES: usize = 4;

/// Sizes of work-groups, some of which leave sub-groups over.
const SIZES: [&str; 7] = [
    "sycl::range<1>(16)",
    "sycl::range<1>(64)",
    "sycl::range<1>(33)",
    "sycl::range<1>(100)",
    "sycl::range<2>(4, 16)",
    "sycl::range<2>(3, 20)",
    "sycl::range<3>(2, 3, 8)",
];

/// The source of a number's program.
pub fn text(random: &mut Random, number: u64) -> String {
    let mut text = format!("#include \"{GROUPS_NAME}\"\n");
    let mut checks = String::new();
    for kernel in 0..KERNELS {
        let mut body = Body {
            random: &mut *random,
            text: String::new(),
        };
        for _ in 0..4 {
            body.steps(1, Scope::Whole);
        }
        let Body { text: body, .. } = body;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "\nstruct F{kernel} {{\n  static constexpr const char *name = \"f{kernel}\";\n  \
             template <typename Steps> void operator()(Steps &steps) const;\n}};\n\
             template <typename Steps> void F{kernel}::operator()(Steps &steps) const {{\n{body}}}"
        );
        let (size, seed) = (random.one_of(&SIZES), number + kernel as u64);
        let _ = writeln!(
            checks,
            "  different += differences<F{kernel}>(queue, {size}, {seed});"
        );
    }
    text.push_str(&main_function(&checks));
    text
}

/// Who does a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Whole,
    /// Some sub-groups: the others are elsewhere.
    Part,
}

/// A kernel while it is written.
struct Body<'r> {
    random: &'r mut Random,
    text: String,
}

impl Body<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    /// The number of a value.
    fn value(&mut self) -> usize {
        self.random.below(VALUES)
    }

    fn steps(&mut self, depth: usize, scope: Scope) {
        for _ in 0..2 + self.random.below(3) {
            match self.random.below(12) {
                0..3 => self.each(depth),
                3..8 => self.together(depth, scope),
                8..10 => self.between_lanes(depth),
                10 if scope == Scope::Whole => self.through_memory(depth),
                _ if depth < 3 => self.nested(depth, scope),
                _ => self.each(depth),
            }
        }
    }

    /// Each work-item changes a value by itself.
    fn each(&mut self, depth: usize) {
        let (to, value) = (self.value(), self.number(3));
        let change = match self.random.below(3) {
            0 => format!("s.v[{to}] = {value};"),
            1 => {
                let (condition, other) = (self.number(1), self.number(2));
                format!("s.v[{to}] = {condition} % 3 == 0 ? {value} : {other};")
            }
            _ => {
                let times = self.number(1);
                format!(
                    "for (std::uint64_t i = 0, n = {times} % 5; i < n; ++i)\n{:1$}s.v[{to}] ^= {value} + i;",
                    "",
                    2 * depth + 4
                )
            }
        };
        self.line(depth, &format!("steps.each([](State &s) {{ {change} }});"));
    }

    /// An expression of a work-item's values.
    fn number(&mut self, deep: usize) -> String {
        if deep == 0 || self.random.one_in(5) {
            return match self.random.below(6) {
                0 => "s.id".to_owned(),
                1 => format!("{}u", self.random.bits() >> self.random.below(64)),
                _ => format!("s.v[{}]", self.value()),
            };
        }
        let (a, b) = (self.number(deep - 1), self.number(deep - 1));
        match self.random.below(7) {
            0 => format!("(std::uint64_t({a}) >> {})", self.random.below(64)),
            1 => format!("({a} < {b})"),
            _ => format!(
                "({a} {} {b})",
                self.random.one_of(&["+", "-", "*", "^", "&", "|"])
            ),
        }
    }

    /// The type of what is handed about.
    fn scalar(&mut self) -> Scalar {
        match self.random.one_in(4) {
            true => self.random.one_of(&[Scalar::Float, Scalar::Double]),
            false => self.random.one_of(&integers()),
        }
    }

    fn operation(&mut self, scalar: Scalar) -> String {
        const ALL: [&str; 6] = ["plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"];
        // Of floating-point values the first three.
        let count = if scalar.is_floating() { 3 } else { ALL.len() };
        format!(
            "sycl::{}<{}>()",
            self.random.one_of(&ALL[..count]),
            scalar.name()
        )
    }

    /// Who does one step of those that `scope` does.
    fn scope(&mut self, scope: Scope) -> &'static str {
        match scope == Scope::Whole && self.random.one_in(2) {
            true => "Whole()",
            false => "Part()",
        }
    }

    /// A function of a group.
    fn together(&mut self, depth: usize, scope: Scope) {
        let (from, to, scalar) = (self.value(), self.value(), self.scalar());
        let (who, name) = (self.scope(scope), scalar.name());
        let line = match self.random.below(8) {
            0..2 => {
                let operation = self.operation(scalar);
                format!("template reduce<{name}>({who}, {from}, {to}, {operation});")
            }
            2..4 => {
                let operation = self.operation(scalar);
                format!("template inclusive<{name}>({who}, {from}, {to}, {operation});")
            }
            4 => {
                let (operation, first) = (self.operation(scalar), self.random.below(9));
                format!("template exclusive<{name}>({who}, {from}, {to}, {operation}, {first});")
            }
            5 => {
                let place = self.random.below(64);
                format!("template broadcast<{name}>({who}, {from}, {to}, {place});")
            }
            6 => format!("any({who}, {from}, {to});"),
            _ => format!("all({who}, {from}, {to});"),
        };
        self.line(depth, &format!("steps.{line}"));
    }

    /// A value goes from one work-item of a sub-group to another.
    fn between_lanes(&mut self, depth: usize) {
        let (from, to, by) = (self.value(), self.value(), self.random.below(7));
        let name = self.scalar().name();
        let line = match self.random.below(4) {
            0 => format!("template shift_left<{name}>({from}, {to}, {by});"),
            1 => format!("template shift_right<{name}>({from}, {to}, {by});"),
            2 => format!("template permute<{name}>({from}, {to}, {by});"),
            _ => format!("template select<{name}>({from}, {to}, {});", self.value()),
        };
        self.line(depth, &format!("steps.{line}"));
    }

    /// Local memory, and what all change there.
    fn through_memory(&mut self, depth: usize) {
        let (from, to) = (self.value(), self.value());
        let line = match self.random.below(3) {
            0 => {
                let (times, offset) = (1 + self.random.below(5), self.random.below(40));
                format!("exchange({from}, {to}, {times}, {offset});")
            }
            1 => {
                let operation = self.operation(Scalar::UnsignedLong);
                let (who, count) = (self.scope(Scope::Whole), self.random.below(40));
                format!("joint({who}, {from}, {to}, {operation}, {count});")
            }
            _ => {
                let change =
                    self.random
                        .one_of(&["fetch_add", "fetch_xor", "fetch_or", "fetch_max"]);
                format!(
                    "count({from}, {to}, [](const auto &shared, std::uint32_t own) {{ shared.{change}(own); }});"
                )
            }
        };
        self.line(depth, &format!("steps.{line}"));
    }

    /// Steps that all of a group do several times, or not at all, or that some sub-groups do.
    fn nested(&mut self, depth: usize, scope: Scope) {
        let (value, choice) = (self.value(), self.random.below(3));
        let (head, end, within) = match (scope, choice) {
            (Scope::Whole, 0) => (
                format!("if (steps.number({value}) % 3 != 0) {{"),
                "}",
                Scope::Whole,
            ),
            (Scope::Whole, 1) => (
                format!("for (std::uint64_t i = 0, n = steps.number({value}) % 4; i < n; ++i) {{"),
                "}",
                Scope::Whole,
            ),
            _ => (
                format!("steps.in_parts({choice}, [](auto &steps) {{"),
                "});",
                Scope::Part,
            ),
        };
        self.line(depth, &head);
        self.steps(depth + 1, within);
        self.line(depth, end);
    }
}
