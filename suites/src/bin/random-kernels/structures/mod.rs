//! Functions of structures: members, arrays, bases, bit-fields, copies, references and pointers to parts of them.

mod definition;

use std::fmt::Write as _;

use suites::generated::Random;

use crate::program::{Function, Program};
use crate::scalar::Scalar;

use definition::{Member, Of, Structure};

/// Structures of a program; an input has one of each.
const STRUCTURES: usize = 7;

/// Functions that are called with structures.
const HELPERS: usize = 4;

/// Functions of a program.
const FUNCTIONS: usize = 8;

/// Variables of a function, at most.
const VALUES: usize = 6;

/// Numbers of an input, which places in arrays and branches follow from.
const NUMBERS: usize = 8;

/// A program of a number.
pub fn program(random: &mut Random) -> Program {
    let mut structures = Vec::new();
    for number in 0..STRUCTURES {
        structures.push(Structure::random(random, number));
    }
    let mut types = String::from("struct In;\n");
    for (number, structure) in structures.iter().enumerate() {
        types.push_str(&structure.text(number));
    }
    let helpers: Vec<Helper> = (0..HELPERS).map(|_| Helper::random(random)).collect();
    let mut input = format!("  std::uint32_t k[{NUMBERS}];\n");
    let mut fill = String::from(
        "    for (auto &value : k)\n      value = std::uint32_t(engine() >> (32 + engine() % 32));\n",
    );
    for number in 0..STRUCTURES {
        // Writing to a string does not fail.
        let _ = writeln!(input, "  S{number} s{number};");
        let _ = writeln!(fill, "    s{number}.fill(engine);");
    }
    let frame = Frame {
        structures: &structures,
        helpers: &helpers,
    };
    let mut definitions = String::new();
    for (number, helper) in helpers.iter().enumerate() {
        definitions.push_str(&helper.text(random, number, frame));
    }
    let functions = (0..FUNCTIONS).map(|_| Body::new(random, frame).function());
    let functions = functions.collect();
    Program {
        types,
        input,
        fill,
        definitions,
        functions,
        values: VALUES,
    }
}

/// A function that changes and returns structures.
#[derive(Debug, Clone)]
struct Helper {
    changed: usize,
    by_reference: bool,
    returned: usize,
    inlined: bool,
}

impl Helper {
    fn random(random: &mut Random) -> Self {
        Helper {
            changed: random.below(STRUCTURES),
            by_reference: random.one_in(2),
            returned: random.below(STRUCTURES),
            inlined: random.one_in(2),
        }
    }

    fn text(&self, random: &mut Random, number: usize, frame: Frame<'_>) -> String {
        let mut body = Body::new(random, frame);
        body.locals = vec![
            Local::one("a", self.changed),
            Local::one("b", self.returned),
        ];
        for _ in 0..3 {
            body.set_member(1);
        }
        let attribute = if self.inlined {
            "inline"
        } else {
            "[[gnu::noinline]] inline"
        };
        let reference = if self.by_reference { "&" } else { "" };
        let (changed, returned) = (self.changed, self.returned);
        format!(
            "\n{attribute} S{returned} helper{number}(S{changed} {reference}a, S{returned} b, const In &in) {{\n{}  return b;\n}}\n",
            body.text
        )
    }
}

/// What functions are written with.
#[derive(Debug, Clone, Copy)]
struct Frame<'p> {
    structures: &'p [Structure],
    helpers: &'p [Helper],
}

/// A variable: a structure or an array of them.
#[derive(Debug, Clone)]
struct Local {
    name: String,
    structure: usize,
    /// Elements of an array; 0 of what is none.
    count: usize,
}

impl Local {
    fn one(name: &str, structure: usize) -> Self {
        Local {
            name: name.to_owned(),
            structure,
            count: 0,
        }
    }
}

/// A part of a variable, as source text.
#[derive(Debug, Clone)]
struct Part {
    text: String,
    scalar: Scalar,
    is_bit_field: bool,
}

/// A function while it is written.
struct Body<'p> {
    random: &'p mut Random,
    frame: Frame<'p>,
    locals: Vec<Local>,
    text: String,
}

impl<'p> Body<'p> {
    fn new(random: &'p mut Random, frame: Frame<'p>) -> Self {
        Body {
            random,
            frame,
            locals: Vec::new(),
            text: String::new(),
        }
    }

    fn function(mut self) -> Function {
        for place in 0..3 + self.random.below(VALUES - 2) {
            self.declare(place);
        }
        for _ in 0..6 + self.random.below(10) {
            self.statement();
        }
        let locals = std::mem::take(&mut self.locals);
        for (place, Local { name, count, .. }) in locals.iter().enumerate() {
            match count {
                0 => self.line(1, &format!("values[{place}] += {name}.hash(1);")),
                _ => {
                    self.line(1, &format!("for (const auto &one : {name})"));
                    self.line(2, &format!("values[{place}] = one.hash(values[{place}]);"));
                }
            }
        }
        Function { body: self.text }
    }

    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    fn declare(&mut self, place: usize) {
        let structure = self.random.below(STRUCTURES);
        let count = self.random.one_of(&[0, 0, 2, 3]);
        let name = format!("v{place}");
        let from_input = self.random.one_in(2);
        let line = match (count, from_input) {
            (0, true) => format!("S{structure} {name} = in.s{structure};"),
            (0, false) => format!("S{structure} {name}{{}};"),
            (_, true) => format!(
                "S{structure} {name}[{count}];\n  for (auto &one : {name})\n    one = in.s{structure};"
            ),
            (_, false) => format!("S{structure} {name}[{count}] = {{}};"),
        };
        self.line(1, &line);
        self.locals.push(Local {
            name,
            structure,
            count,
        });
    }

    /// A place in an array.
    fn place(&mut self, count: usize) -> String {
        match self.random.one_in(2) {
            true => self.random.below(count).to_string(),
            false => format!("{} % {count}u", self.number()),
        }
    }

    /// A number of the input.
    fn number(&mut self) -> String {
        format!("in.k[{}]", self.random.below(NUMBERS))
    }

    /// An object of a variable, with its structure.
    fn object(&mut self) -> (String, usize) {
        let Some(local) = self.random.of_these(&self.locals).cloned() else {
            return self.input();
        };
        (self.element(&local), local.structure)
    }

    fn element(&mut self, local: &Local) -> String {
        match local.count {
            0 => local.name.clone(),
            count => format!("{}[{}]", local.name, self.place(count)),
        }
    }

    /// A structure of the input.
    fn input(&mut self) -> (String, usize) {
        let structure = self.random.below(STRUCTURES);
        (format!("in.s{structure}"), structure)
    }

    /// An object of a structure, a variable where there is one.
    fn object_of(&mut self, structure: usize) -> String {
        self.variable_of(structure)
            .unwrap_or_else(|| format!("in.s{structure}"))
    }

    fn variable_of(&mut self, structure: usize) -> Option<String> {
        let of_this = self
            .locals
            .iter()
            .filter(|local| local.structure == structure);
        let of_this: Vec<Local> = of_this.cloned().collect();
        let local = self.random.of_these(&of_this)?;
        Some(self.element(local))
    }

    /// A scalar somewhere within an object.
    fn part(&mut self, (object, structure): (String, usize)) -> Part {
        let (mut text, mut structure) = (object, structure);
        loop {
            let Structure { base, members } = &self.frame.structures[structure];
            if let Some(base) = base
                && self.random.one_in(3)
            {
                structure = *base;
                continue;
            }
            let Member {
                name,
                of,
                count,
                bits,
            } = &members[self.random.below(members.len())];
            text = format!("{text}.{name}");
            if *count > 0 {
                text = format!("{text}[{}]", self.place(*count));
            }
            match of {
                Of::Structure(number) => structure = *number,
                Of::Scalar(scalar) => {
                    return Part {
                        text,
                        scalar: *scalar,
                        is_bit_field: *bits > 0,
                    };
                }
            }
        }
    }

    /// A value without operands.
    fn leaf(&mut self, to: Scalar) -> String {
        let (text, from) = match self.random.below(4) {
            0 => return to.literal(self.random),
            1 => (self.number(), Scalar::Unsigned),
            _ => {
                let object = match self.random.one_in(3) {
                    true => self.input(),
                    false => self.object(),
                };
                let part = self.part(object);
                (part.text, part.scalar)
            }
        };
        match from.is_floating() && !to.is_floating() && to != Scalar::Bool {
            true => format!("whole<{}>({text})", to.name()),
            false => format!("{}({text})", to.name()),
        }
    }

    /// An expression of a type, at most `deep` operations deep.
    fn of(&mut self, scalar: Scalar, deep: usize) -> String {
        if deep == 0 || self.random.one_in(3) {
            return self.leaf(scalar);
        }
        let (a, b) = (self.of(scalar, deep - 1), self.of(scalar, deep - 1));
        let name = scalar.name();
        match scalar {
            Scalar::Bool => format!("({a} {} {b})", self.random.one_of(&["&&", "||", "!="])),
            Scalar::Float | Scalar::Double => {
                format!("({a} {} {b})", self.random.one_of(&["+", "-", "*"]))
            }
            _ if self.random.one_in(2) => {
                format!("{name}({a} {} {b})", self.random.one_of(&["&", "|", "^"]))
            }
            _ => {
                let function = self.random.one_of(&["sum", "difference", "product"]);
                format!("{function}<{name}>({a}, {b})")
            }
        }
    }

    /// A scalar within an object gets a value.
    fn setting(&mut self, object: (String, usize)) -> String {
        let part = self.part(object);
        let value = self.of(part.scalar, 2);
        format!("{} = {value};", part.text)
    }

    fn set_member(&mut self, depth: usize) {
        let object = self.object();
        let line = self.setting(object);
        self.line(depth, &line);
    }

    fn statement(&mut self) {
        let object = self.object();
        let (text, structure) = object.clone();
        match self.random.below(10) {
            0..3 => self.set_member(1),
            3 => {
                let from = self.object_of(structure);
                self.line(1, &format!("{text} = {from};"));
            }
            4 => {
                let part = self.part(object);
                if !part.is_bit_field {
                    let value = self.of(part.scalar, 2);
                    let (name, place) = (part.scalar.name(), part.text);
                    self.line(
                        1,
                        &format!("{{\n    {name} *p = &{place};\n    *p = {value};\n  }}"),
                    );
                }
            }
            5 => {
                let number = self.number();
                self.line(
                    1,
                    &format!("for (std::uint32_t i = 0; i < ({number} & 7u); ++i) {{"),
                );
                self.set_member(2);
                let condition = self.of(Scalar::Bool, 2);
                self.line(2, &format!("if ({condition})"));
                self.set_member(3);
                self.line(1, "}");
            }
            6 => self.call(),
            7 => {
                let number = self.number();
                self.line(1, &format!("switch ({number} & 7u) {{"));
                self.line(1, "case 0:");
                self.set_member(2);
                self.line(2, "break;");
                self.line(1, "case 1:\n  case 5:");
                self.set_member(2);
                self.line(2, "[[fallthrough]];");
                self.line(
                    1,
                    &format!("case 6:\n    {text} = in.s{structure};\n    break;"),
                );
                self.line(1, "default:");
                self.set_member(2);
                self.line(1, "}");
            }
            8 => {
                let (number, other) = (self.number(), self.variable_of(structure));
                let other = other.unwrap_or_else(|| text.clone());
                let part = self.part(("(*p)".to_owned(), structure)).text;
                self.line(1, "{");
                self.line(
                    2,
                    &format!("S{structure} *p = {number} & 1u ? &{text} : &{other};"),
                );
                self.line(2, &format!("{part} = {{}};"));
                self.line(1, "}");
            }
            _ => {
                let part = self.part(("copy".to_owned(), structure)).text;
                self.line(1, "{");
                self.line(2, &format!("S{structure} copy;"));
                self.line(2, &format!("std::memcpy(&copy, &{text}, sizeof(copy));"));
                self.line(2, &format!("{part} = {{}};"));
                self.line(2, &format!("const auto of_both = [=](const S{structure} &one) {{ return one.hash(7) + copy.hash(3); }};"));
                self.line(2, &format!("values[0] += of_both({text});"));
                self.line(1, "}");
            }
        }
    }

    /// A helper is called with variables and what the input has.
    fn call(&mut self) {
        let number = self.random.below(HELPERS);
        let Some(helper) = self.frame.helpers.get(number) else {
            return;
        };
        let (changed, to) = (
            self.variable_of(helper.changed),
            self.variable_of(helper.returned),
        );
        if let (Some(changed), Some(to)) = (changed, to) {
            let from = self.object_of(helper.returned);
            self.line(1, &format!("{to} = helper{number}({changed}, {from}, in);"));
        }
    }
}
