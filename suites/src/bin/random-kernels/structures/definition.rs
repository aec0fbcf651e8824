//! Definitions of random structures.

use std::fmt::Write as _;

use suites::generated::Random;

use crate::scalar::{ALL, Scalar};

/// What a member is.
#[derive(Debug, Clone, Copy)]
pub enum Of {
    Scalar(Scalar),
    /// That of the number.
    Structure(usize),
}

/// A member of a structure.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: String,
    pub of: Of,
    /// Elements of an array; 0 of what is none.
    pub count: usize,
    /// Bits of a bit-field; 0 of what is none.
    pub bits: usize,
}

/// A structure, which the program knows by a number.
#[derive(Debug, Clone)]
pub struct Structure {
    /// The number of the structure that it derives from.
    pub base: Option<usize>,
    pub members: Vec<Member>,
}

impl Structure {
    /// A structure of those with smaller numbers.
    pub fn random(random: &mut Random, number: usize) -> Self {
        let base = (number > 2 && random.one_in(3)).then(|| random.below(number));
        let member = |place| {
            let name = format!("m{number}_{place}");
            if number > 0 && random.one_in(3) {
                return Member {
                    name,
                    of: Of::Structure(random.below(number)),
                    count: random.one_of(&[0, 0, 2, 3]),
                    bits: 0,
                };
            }
            let scalar = random.one_of(&ALL);
            let width = scalar.width() as usize;
            let may = !scalar.is_floating() && scalar != Scalar::Bool;
            let bits = match may && random.one_in(6) {
                true => 1 + random.below(width),
                false => 0,
            };
            let count = random.one_of(&[0, 0, 0, 2, 3, 5]);
            Member {
                name,
                of: Of::Scalar(scalar),
                count: if bits == 0 { count } else { 0 },
                bits,
            }
        };
        let count = 1 + number % 5;
        Structure {
            base,
            members: (0..count).map(member).collect(),
        }
    }

    /// Its definition under a number.
    pub fn text(&self, number: usize) -> String {
        let base = self.base.map(|base| format!(" : S{base}"));
        let base_is = |call: &str| {
            self.base
                .map(|base| format!("    {}\n", call.replace("BASE", &format!("S{base}"))))
        };
        let (mut members, mut hash, mut fill) = (
            String::new(),
            base_is("all = BASE::hash(all);").unwrap_or_default(),
            base_is("BASE::fill(engine);").unwrap_or_default(),
        );
        for Member {
            name,
            of,
            count,
            bits,
        } in &self.members
        {
            let array = (*count > 0).then(|| format!("[{count}]"));
            let field = (*bits > 0).then(|| format!(" : {bits}"));
            let (array, field) = (array.unwrap_or_default(), field.unwrap_or_default());
            // Writing to a string does not fail.
            let _ = writeln!(members, "  {} {name}{array}{field};", of.name());
            let (each, one) = match count {
                0 => ("", &**name),
                _ => (&*format!("for (auto &one : {name})\n      "), "one"),
            };
            let (hashed, filled) = match of {
                Of::Structure(_) => (
                    format!("all = {one}.hash(all);"),
                    format!("{one}.fill(engine);"),
                ),
                Of::Scalar(scalar) => (
                    format!("all = all * 31 + bits({}({one}));", scalar.name()),
                    format!("{one} = some<{}>(engine);", scalar.name()),
                ),
            };
            let _ = writeln!(hash, "    {each}{hashed}");
            let _ = writeln!(fill, "    {each}{filled}");
        }
        format!(
            "struct S{number}{} {{\n{members}\n  std::uint64_t hash(std::uint64_t all) const {{\n{hash}    return all;\n  }}\n  \
             void fill(Engine &engine) {{\n{fill}  }}\n}};\n",
            base.unwrap_or_default()
        )
    }
}

impl Of {
    /// The type in C++.
    pub fn name(self) -> String {
        match self {
            Of::Scalar(scalar) => scalar.name().to_owned(),
            Of::Structure(number) => format!("S{number}"),
        }
    }
}
