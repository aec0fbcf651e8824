//! A program of kernels as source text.

use std::fmt::Write as _;

/// What all programs include.
pub const HEADER: &str = include_str!("kernels.hpp");

/// The name of that file.
pub const HEADER_NAME: &str = "kernels.hpp";

/// What programs of groups include besides.
pub const GROUPS: &str = include_str!("groups.hpp");

/// The name of that file.
pub const GROUPS_NAME: &str = "groups.hpp";

/// A program's end: it is right where no check counts a difference.
pub fn main_function(checks: &str) -> String {
    format!(
        "\nint main() {{\n  sycl::queue queue;\n  int different = 0;\n{checks}  \
         return different == 0 ? 42 : 1;\n}}\n"
    )
}

/// Functions of one input, each of which has a kernel.
#[derive(Debug, Clone)]
pub struct Program {
    /// Types that inputs have members of.
    pub types: String,
    /// The members of an input.
    pub input: String,
    /// Statements that give them values, out of `engine`.
    pub fill: String,
    /// Functions that those of the kernels call.
    pub definitions: String,
    /// The functions of the kernels.
    pub functions: Vec<Function>,
    /// How many values each gives.
    pub values: usize,
}

/// Statements that set elements of `values` by `in`.
#[derive(Debug, Clone)]
pub struct Function {
    /// The statements.
    pub body: String,
}

impl Program {
    /// The whole source; its inputs follow from a number.
    pub fn text(&self, number: u64) -> String {
        let Program {
            types,
            input,
            fill,
            definitions,
            ..
        } = self;
        let mut text = format!(
            "#include \"{HEADER_NAME}\"\n\n{types}\nstruct In {{\n{input}\n  void fill(Engine &engine) {{\n{fill}  }}\n}};\n{definitions}"
        );
        let mut checks = format!("  In *in = inputs<In>(queue, {number});\n");
        for (number, Function { body }) in self.functions.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "\nstruct F{number} {{\n  static constexpr const char *name = \"f{number}\";\n  \
                 void operator()(const In &in, std::uint64_t *values) const;\n}};\n\
                 inline void F{number}::operator()(const In &in, std::uint64_t *values) const {{\n{body}}}"
            );
            let values = self.values;
            let _ = writeln!(
                checks,
                "  different += differences<F{number}, In, {values}>(queue, in);"
            );
        }
        checks.push_str("  sycl::free(in, queue);\n");
        text.push_str(&main_function(&checks));
        text
    }
}
