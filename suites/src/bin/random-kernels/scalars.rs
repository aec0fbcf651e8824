//! Functions of scalars: expressions of all operations and built-in functions whose results are exact, in loops and
//! branches.

use std::fmt::Write as _;

use suites::generated::Random;

use crate::program::{Function, Program};
use crate::scalar::{ALL, Scalar, integers};

/// What a function has of each type in its input.
const OF_EACH: usize = 3;

/// Functions of a program.
const FUNCTIONS: usize = 8;

/// Values of a function that are compared; what it has fewer is 0, of more the first.
const VALUES: usize = 24;

/// A program of a number.
pub fn program(random: &mut Random) -> Program {
    let mut input = String::new();
    let mut fill = String::new();
    for (number, scalar) in ALL.into_iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(input, "  {} v{number}[{OF_EACH}];", scalar.name());
        let _ = writeln!(
            fill,
            "    for (auto &value : v{number}) ::fill(value, engine);"
        );
    }
    let functions = (0..FUNCTIONS).map(|_| Body::new(random).function());
    Program {
        types: String::new(),
        input,
        fill,
        definitions: String::new(),
        functions: functions.collect(),
        values: VALUES,
    }
}

/// A value that expressions may name.
#[derive(Debug, Clone)]
struct Variable {
    text: String,
    scalar: Scalar,
}

/// A function while it is written.
struct Body<'r> {
    random: &'r mut Random,
    text: String,
    known: Vec<Variable>,
    declared: usize,
}

impl<'r> Body<'r> {
    fn new(random: &'r mut Random) -> Self {
        let inputs = ALL.into_iter().enumerate().flat_map(|(number, scalar)| {
            (0..OF_EACH).map(move |place| Variable {
                text: format!("in.v{number}[{place}]"),
                scalar,
            })
        });
        Body {
            random,
            text: String::new(),
            known: inputs.collect(),
            declared: 0,
        }
    }

    fn function(mut self) -> Function {
        let inputs = self.known.len();
        for _ in 0..3 {
            self.statements(1);
        }
        let own = self.known.split_off(inputs);
        for (place, variable) in own.iter().take(VALUES).enumerate() {
            let _ = writeln!(self.text, "  values[{place}] = bits({});", variable.text);
        }
        Function { body: self.text }
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    /// A variable of a random type, with a value.
    fn declare(
        &mut self,
        depth: usize,
        value: impl FnOnce(&mut Self, Scalar) -> String,
    ) -> Variable {
        let scalar = self.random.one_of(&ALL);
        let value = value(self, scalar);
        let text = format!("x{}", self.declared);
        self.declared += 1;
        self.line(depth, &format!("{} {text} = {value};", scalar.name()));
        Variable { text, scalar }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.random.below(3) {
            match self.random.below(20) {
                0..11 => {
                    let deep = 2 + self.random.below(3);
                    let variable = self.declare(depth, |body, scalar| body.of(scalar, deep));
                    self.known.push(variable);
                }
                _ if depth > 2 => {}
                11..16 => self.repeat(depth),
                _ => self.branch(depth),
            }
        }
    }

    /// A loop that changes a variable.
    fn repeat(&mut self, depth: usize) {
        let changed = self.declare(depth, |body, scalar| scalar.literal(body.random));
        let counter = format!("i{}", self.declared);
        self.declared += 1;
        let most = self.random.one_of(&[1, 3, 7, 15, 31]);
        let times = self.of(Scalar::Unsigned, 2);
        let head = format!(
            "for (std::int32_t {counter} = 0; {counter} < std::int32_t({times} & {most}u); ++{counter}) {{"
        );
        self.line(depth, &head);
        let before = self.known.len();
        self.known.push(changed.clone());
        self.known.push(Variable {
            text: counter,
            scalar: Scalar::Int,
        });
        self.statements(depth + 1);
        self.assign(depth + 1, &changed);
        if self.random.one_in(3) {
            let condition = self.of(Scalar::Bool, 2);
            let jump = self.random.one_of(&["break", "continue"]);
            self.line(depth + 1, &format!("if ({condition}) {jump};"));
        }
        self.line(depth, "}");
        self.known.truncate(before);
        self.known.push(changed);
    }

    /// Two ways to a variable's value.
    fn branch(&mut self, depth: usize) {
        let changed = self.declare(depth, |body, scalar| scalar.literal(body.random));
        let condition = self.of(Scalar::Bool, 3);
        self.line(depth, &format!("if ({condition}) {{"));
        let before = self.known.len();
        self.statements(depth + 1);
        self.assign(depth + 1, &changed);
        self.known.truncate(before);
        self.line(depth, "} else {");
        self.assign(depth + 1, &changed);
        self.line(depth, "}");
        self.known.push(changed);
    }

    fn assign(&mut self, depth: usize, to: &Variable) {
        let value = self.of(to.scalar, 3);
        self.line(depth, &format!("{} = {value};", to.text));
    }

    /// A value without operands.
    fn leaf(&mut self, scalar: Scalar) -> String {
        let same = |variable: &&Variable| variable.scalar == scalar;
        let of_this: Vec<&Variable> = self.known.iter().filter(same).collect();
        if !self.random.one_in(4)
            && let Some(variable) = self.random.of_these(&of_this)
        {
            return variable.text.clone();
        }
        let whole: Vec<&Variable> = self
            .known
            .iter()
            .filter(|v| !v.scalar.is_floating())
            .collect();
        match self.random.of_these(&whole) {
            Some(variable) if !scalar.is_floating() && self.random.one_in(2) => {
                format!("{}({})", scalar.name(), variable.text)
            }
            _ => scalar.literal(self.random),
        }
    }

    /// An expression of a type, at most `deep` operations deep.
    fn of(&mut self, scalar: Scalar, deep: usize) -> String {
        if deep == 0 || self.random.one_in(12) {
            return self.leaf(scalar);
        }
        let deep = deep - 1;
        if self.random.one_in(8) {
            let (condition, yes, no) = (
                self.of(Scalar::Bool, deep),
                self.of(scalar, deep),
                self.of(scalar, deep),
            );
            return format!("({condition} ? {yes} : {no})");
        }
        match scalar {
            Scalar::Bool => self.truth(deep),
            Scalar::Float | Scalar::Double => self.floating(scalar, deep),
            _ => self.integer(scalar, deep),
        }
    }

    fn two(&mut self, scalar: Scalar, deep: usize) -> (String, String) {
        (self.of(scalar, deep), self.of(scalar, deep))
    }

    fn truth(&mut self, deep: usize) -> String {
        const COMPARISONS: [&str; 6] = ["<", ">", "<=", ">=", "==", "!="];
        match self.random.below(5) {
            0 => format!("(!{})", self.of(Scalar::Bool, deep)),
            1 => {
                let (a, b) = self.two(Scalar::Bool, deep);
                format!("({a} {} {b})", self.random.one_of(&["&&", "||"]))
            }
            2 => {
                let (a, b) = self.two(Scalar::Bool, deep);
                let operation = self.random.one_of(&["&", "|", "^", "==", "!=", "<", ">"]);
                format!("bool({a} {operation} {b})")
            }
            _ => {
                let scalar = self.random.one_of(&ALL);
                let (a, b) = self.two(scalar, deep);
                format!("({a} {} {b})", self.random.one_of(&COMPARISONS))
            }
        }
    }

    fn floating(&mut self, scalar: Scalar, deep: usize) -> String {
        let name = scalar.name();
        match self.random.below(8) {
            // Division of `float` is not exact everywhere.
            0..4 => {
                let (a, b) = self.two(scalar, deep);
                let all = ["+", "-", "*", "/"];
                let exact = if scalar == Scalar::Double { 4 } else { 3 };
                format!("({a} {} {b})", all[self.random.below(exact)])
            }
            4 => format!("(-{})", self.of(scalar, deep)),
            5 => {
                let from = self.random.one_of(&ALL);
                format!("{name}({})", self.of(from, deep))
            }
            6 => {
                let truth = self.of(Scalar::Bool, deep);
                match self.random.one_in(2) {
                    true => format!("{name}(-std::int32_t({truth}))"),
                    false => format!("{name}({truth} ? -1 : 0)"),
                }
            }
            _ if self.random.one_in(2) => {
                let function = self
                    .random
                    .one_of(&["fabs", "floor", "ceil", "trunc", "rint"]);
                format!("sycl::{function}({})", self.of(scalar, deep))
            }
            _ => {
                let (a, b) = self.two(scalar, deep);
                let function = self.random.one_of(&["fmin", "fmax", "copysign"]);
                // Of two zeros either may be the smaller one.
                format!("(sycl::{function}({a}, known({b})) + {name}(0))")
            }
        }
    }

    fn integer(&mut self, scalar: Scalar, deep: usize) -> String {
        let name = scalar.name();
        let last = scalar.width() - 1;
        match self.random.below(14) {
            0..4 => {
                let (a, b) = self.two(scalar, deep);
                let function = self.random.one_of(&["sum", "difference", "product"]);
                format!("{function}<{name}>({a}, {b})")
            }
            4 => {
                let (a, b) = self.two(scalar, deep);
                format!("{name}({a} {} {b})", self.random.one_of(&["&", "|", "^"]))
            }
            5 => {
                let (a, by) = (self.of(scalar, deep), self.of(Scalar::Unsigned, deep));
                format!("{name}(std::uint64_t({a}) << ({by} & {last}u))")
            }
            6 => {
                let (a, by) = (self.of(scalar, deep), self.of(Scalar::Unsigned, deep));
                format!("{name}({a} >> ({by} & {last}u))")
            }
            7 | 8 => {
                let (a, b) = self.two(scalar, deep);
                let function = self.random.one_of(&["quotient", "modulo"]);
                format!("{function}<{name}>({a}, {b})")
            }
            9 => {
                let from = self.random.one_of(&integers());
                format!("{name}({})", self.of(from, deep))
            }
            10 => {
                let from = self.random.one_of(&[Scalar::Float, Scalar::Double]);
                format!("whole<{name}>({})", self.of(from, deep))
            }
            11 => match self.random.one_in(2) {
                true => format!("{name}(~{})", self.of(scalar, deep)),
                false => format!("difference<{name}>(0, {})", self.of(scalar, deep)),
            },
            12 => self.built_in(scalar, deep),
            _ => {
                let (a, b) = self.two(Scalar::Bool, deep);
                let times = self.random.one_of(&["1", "-1", "3"]);
                format!("{name}(({a} + {b}) * {times})")
            }
        }
    }

    fn built_in(&mut self, scalar: Scalar, deep: usize) -> String {
        const OF_ONE: [&str; 3] = ["popcount", "clz", "ctz"];
        const OF_TWO: [&str; 9] = [
            "max", "min", "rotate", "add_sat", "sub_sat", "mul_hi", "hadd", "rhadd", "abs_diff",
        ];
        let name = scalar.name();
        if self.random.one_in(4) {
            let function = self.random.one_of(&OF_ONE);
            return format!("{name}(sycl::{function}({}))", self.of(scalar, deep));
        }
        let (a, b) = self.two(scalar, deep);
        let function = self.random.one_of(&OF_TWO);
        format!("{name}(sycl::{function}({a}, {b}))")
    }
}
