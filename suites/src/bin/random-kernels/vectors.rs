//! Functions of vectors: operators, swizzles, conversions and built-in functions of `sycl::vec` of all types and
//! widths.

use std::fmt::Write as _;

use suites::generated::Random;

use crate::program::{Function, Program};
use crate::scalar::{ALL, Scalar};

/// How many elements vectors have.
const WIDTHS: [usize; 5] = [2, 3, 4, 8, 16];

/// Functions of a program.
const FUNCTIONS: usize = 8;

/// Variables of a function.
const VALUES: usize = 12;

/// A program of a number.
pub fn program(random: &mut Random) -> Program {
    let mut input = String::new();
    let mut fill = String::new();
    for (number, shape) in shapes().iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(input, "  {} v{number};", shape.name());
        let _ = writeln!(fill, "    ::fill(v{number}, engine);");
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

/// A type of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Shape {
    element: Scalar,
    width: usize,
}

impl Shape {
    fn name(self) -> String {
        format!("sycl::vec<{}, {}>", self.element.name(), self.width)
    }

    fn of(self, element: Scalar) -> Self {
        Shape { element, ..self }
    }
}

/// The types of elements.
fn elements() -> impl Iterator<Item = Scalar> {
    ALL.into_iter().filter(|element| *element != Scalar::Bool)
}

/// The types of elements that have a width.
fn elements_of(width: u32) -> Vec<Scalar> {
    elements()
        .filter(|element| element.width() == width)
        .collect()
}

fn shapes() -> Vec<Shape> {
    let all = elements().flat_map(|element| WIDTHS.map(|width| Shape { element, width }));
    all.collect()
}

/// A function while it is written.
struct Body<'r> {
    random: &'r mut Random,
    text: String,
    known: Vec<(String, Shape)>,
}

impl<'r> Body<'r> {
    fn new(random: &'r mut Random) -> Self {
        let inputs = shapes().into_iter().enumerate();
        Body {
            random,
            text: String::new(),
            known: inputs
                .map(|(number, shape)| (format!("in.v{number}"), shape))
                .collect(),
        }
    }

    fn function(mut self) -> Function {
        for place in 0..VALUES {
            let shape = self.random.one_of(&shapes());
            let deep = 1 + self.random.below(3);
            let value = self.of(shape, deep);
            let variable = format!("x{place}");
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "  {} {variable} = {value};", shape.name());
            if self.random.one_in(3) {
                let (first, value) = (self.random.below(shape.width), self.pair(shape));
                let other = (first + 1) % shape.width;
                let places = format!("{first}, {other}");
                let _ = writeln!(
                    self.text,
                    "  {variable}.template swizzle<{places}>() = {value};"
                );
            }
            if self.random.one_in(5) {
                let (condition, value) = (self.truth(), self.of(shape, 1));
                let _ = writeln!(self.text, "  if ({condition}) {variable} = {value};");
            }
            let _ = writeln!(self.text, "  values[{place}] = bits({variable});");
            self.known.push((variable, shape));
        }
        Function { body: self.text }
    }

    fn pair(&mut self, shape: Shape) -> String {
        self.of(Shape { width: 2, ..shape }, 1)
    }

    /// Whether any or all elements of a vector are set.
    fn truth(&mut self) -> String {
        let shape = Shape {
            element: self.random.one_of(&elements().collect::<Vec<_>>()).mask(),
            width: self.random.one_of(&WIDTHS),
        };
        let function = self.random.one_of(&["any", "all"]);
        format!("sycl::{function}({})", self.of(shape, 2))
    }

    fn leaf(&mut self, shape: Shape) -> String {
        let of_this = self.known.iter().filter(|(_, s)| *s == shape);
        let of_this: Vec<&str> = of_this.map(|(text, _)| &**text).collect();
        if !self.random.one_in(4) && !of_this.is_empty() {
            return self.random.one_of(&of_this).to_owned();
        }
        let similar = self
            .known
            .iter()
            .filter(|(_, s)| s.element == shape.element);
        let similar: Vec<(String, Shape)> = similar.map(|(text, s)| (text.clone(), *s)).collect();
        let (from, of) = self.random.of_these(&similar).cloned().unwrap_or_default();
        match self.random.one_in(3) {
            true => format!("{}({})", shape.name(), shape.element.literal(self.random)),
            false => self.swizzle(shape, &from, of.width),
        }
    }

    /// A vector of elements of another, which has `width` of them.
    fn swizzle(&mut self, shape: Shape, from: &str, width: usize) -> String {
        let places = (0..shape.width).map(|_| self.random.below(width).to_string());
        let places = places.collect::<Vec<_>>().join(", ");
        format!("{}({from}.template swizzle<{places}>())", shape.name())
    }

    /// An expression of a type, at most `deep` operations deep.
    fn of(&mut self, shape: Shape, deep: usize) -> String {
        if deep == 0 {
            return self.leaf(shape);
        }
        let deep = deep - 1;
        let name = shape.name();
        match self.random.below(16) {
            0 => format!("{name}({})", shape.element.literal(self.random)),
            1 => {
                let of_its_width = elements_of(shape.element.width());
                let from = shape.of(self.random.one_of(&of_its_width));
                // What bits of integers are as floating-point values may be another not-a-number on the way.
                match shape.element.is_floating() {
                    true => self.floating(shape, deep),
                    false => format!("known({}).template as<{name}>()", self.of(from, deep)),
                }
            }
            2 => {
                let from = shape.of(self.random.one_of(&elements().collect::<Vec<_>>()));
                let value = self.of(from, deep);
                match from.element.is_floating() && !shape.element.is_floating() {
                    true => format!("whole<{name}>({value})"),
                    false => format!("{value}.template convert<{}>()", shape.element.name()),
                }
            }
            3 => {
                let (a, b) = self.two(shape, deep);
                let mask = self.of(shape.of(shape.element.mask()), deep);
                format!("sycl::select({a}, {b}, {mask})")
            }
            4 if shape.width <= 8 && shape.width != 3 => {
                let part = self.random.one_of(&["lo", "hi", "even", "odd"]);
                let twice = Shape {
                    width: 2 * shape.width,
                    ..shape
                };
                format!("{name}({}.{part}())", self.of(twice, deep))
            }
            5 if shape.width >= 4 => {
                let half = Shape {
                    width: shape.width / 2,
                    ..shape
                };
                let (a, b) = self.two(half, deep);
                format!("{name}({a}, {b})")
            }
            6 => {
                let width = self.random.one_of(&WIDTHS);
                let from = self.of(Shape { width, ..shape }, deep);
                self.swizzle(shape, &from, width)
            }
            _ if shape.element.is_floating() => self.floating(shape, deep),
            _ => self.integer(shape, deep),
        }
    }

    fn two(&mut self, shape: Shape, deep: usize) -> (String, String) {
        (self.of(shape, deep), self.of(shape, deep))
    }

    fn comparison(&mut self, shape: Shape, deep: usize) -> String {
        let (a, b) = self.two(shape, deep);
        let operation = self.random.one_of(&["<", ">", "<=", ">=", "==", "!="]);
        format!("({a} {operation} {b})")
    }

    fn floating(&mut self, shape: Shape, deep: usize) -> String {
        let (name, element) = (shape.name(), shape.element.name());
        match self.random.below(8) {
            0 => format!("(-{})", self.of(shape, deep)),
            1 => {
                let compared = self.comparison(shape, deep);
                format!("{compared}.template convert<{element}>()")
            }
            2 => {
                let function = self
                    .random
                    .one_of(&["fabs", "floor", "trunc", "ceil", "rint"]);
                format!("sycl::{function}({})", self.of(shape, deep))
            }
            3 => {
                let (a, b) = self.two(shape, deep);
                let function = self.random.one_of(&["fmin", "fmax", "step", "max", "min"]);
                // Of two zeros either may be the smaller one.
                format!("(sycl::{function}(known({a}), known({b})) + {name}({element}(0)))")
            }
            _ => {
                let (a, b) = self.two(shape, deep);
                format!("({a} {} {b})", self.random.one_of(&["+", "-", "*"]))
            }
        }
    }

    fn integer(&mut self, shape: Shape, deep: usize) -> String {
        const OF_ONE: [&str; 3] = ["popcount", "clz", "ctz"];
        const OF_TWO: [&str; 9] = [
            "max", "min", "add_sat", "sub_sat", "mul_hi", "hadd", "rhadd", "rotate", "abs_diff",
        ];
        let (name, element) = (shape.name(), shape.element);
        match self.random.below(10) {
            0 if element == element.mask() => {
                let of_its_width = elements_of(element.width());
                let from = self.random.one_of(&of_its_width);
                self.comparison(shape.of(from), deep)
            }
            1 => {
                let function = self.random.one_of(&OF_ONE);
                format!("sycl::{function}({})", self.of(shape, deep))
            }
            2 => {
                let (a, b) = self.two(shape, deep);
                let function = self.random.one_of(&OF_TWO);
                format!("{name}(sycl::{function}({a}, {b}))")
            }
            3 => {
                let (a, by) = self.two(shape, deep);
                let shift = self.random.one_of(&["<<", ">>"]);
                let last = element.width() - 1;
                // Negative values are not shifted to the left.
                let unsigned = shape.of(element.unsigned()).name();
                let a = match shift {
                    "<<" => format!("{a}.template as<{unsigned}>()"),
                    _ => a,
                };
                let by = format!("({by} & {name}({}({last})))", element.name());
                match shift {
                    "<<" => {
                        format!("({a} << {by}.template as<{unsigned}>()).template as<{name}>()")
                    }
                    _ => format!("({a} >> {by})"),
                }
            }
            4 => format!("(~{})", self.of(shape, deep)),
            5 | 6 => {
                let (a, b) = self.two(shape, deep);
                format!("({a} {} {b})", self.random.one_of(&["^", "&", "|"]))
            }
            7 => {
                let scalar = element.literal(self.random);
                let operation = self.random.one_of(&["^", "&", "|"]);
                format!("({} {operation} {scalar})", self.of(shape, deep))
            }
            // Signed types overflow, unsigned ones do not.
            _ => {
                let unsigned = shape.of(element.unsigned());
                let (a, b) = self.two(unsigned, deep);
                let operation = self.random.one_of(&["+", "-", "*"]);
                format!("({a} {operation} {b}).template as<{name}>()")
            }
        }
    }
}
