//! Programs as source text.

use std::fmt::Write as _;

use crate::graph::{ENTRIES, Function, Program, Step, Unit, has_other_name};

/// Elements of a table.
const TABLE: usize = 4;

/// How deep calls go at most.
const DEPTH: usize = 4;

/// Kernels of one source file.
const KERNELS: usize = 2;

/// What all units of a program include.
pub fn header(program: &Program) -> String {
    let mut text = String::from(PROLOGUE);
    if program.globals > 0 {
        text.push_str("#include <sycl/ext/oneapi/device_global/device_global.hpp>\n");
    }
    for number in 0..program.globals {
        // Host code has no value to read.
        let value = 3 * number + 7;
        let _ = writeln!(
            text,
            "inline sycl::ext::oneapi::experimental::device_global<unsigned> global_{number}{{{value}u}};\n\
             #ifdef __SYCL_DEVICE_ONLY__\n#define of_global_{number} global_{number}.get()\n\
             #else\n#define of_global_{number} {value}u\n#endif"
        );
    }
    for (number, unit) in program.units.iter().enumerate() {
        // Writing to a string does not fail.
        let values = table(number);
        let _ = writeln!(
            text,
            "inline constexpr unsigned table_{number}[{TABLE}] = {{{values}}};"
        );
        for place in 0..unit.functions.len() {
            let name = name(number, place);
            declare(&mut text, &name);
            if has_other_name((number, place)) {
                declare(&mut text, &other_name(number, place));
            }
        }
    }
    for number in 0..program.weak.len() {
        declare(&mut text, &weak_name(number));
    }
    for number in 0..program.shared {
        let _ = writeln!(
            text,
            "inline unsigned shared_{number}(unsigned x) {{\n  static const unsigned by[{TABLE}] = {{{}}};\n  \
             return over<{number}>(x * by[x % {TABLE}]);\n}}",
            table(number + 90)
        );
    }
    text
}

fn declare(text: &mut String, name: &str) {
    let _ = writeln!(
        text,
        "SYCL_EXTERNAL unsigned {name}(unsigned x, unsigned depth);"
    );
}

const PROLOGUE: &str = "\
#pragma once
#ifndef SYCL_EXTERNAL
#if __has_include(<sycl/detail/config.hpp>)
#include <sycl/detail/config.hpp>
#endif
#ifndef SYCL_EXTERNAL
#include <sycl/sycl.hpp>
#endif
#endif
#define inline_hint __attribute__((flatten))
struct Pair {
  unsigned a, b;
  unsigned sum() const { return 3 * a + b; }
};
inline Pair turned(Pair p, unsigned by) { return {p.b ^ by, p.a + by}; }
template <int N> unsigned over(unsigned x) {
  unsigned values[N + 2];
  for (int i = 0; i < N + 2; ++i)
    values[i] = x >> i;
  return values[x % (N + 2)] + values[N + 1];
}
";

fn name(unit: usize, place: usize) -> String {
    format!("f_{unit}_{place}")
}

fn other_name(unit: usize, place: usize) -> String {
    format!("g_{unit}_{place}")
}

fn weak_name(number: usize) -> String {
    format!("weak_{number}")
}

/// The values of a table.
fn table(number: usize) -> String {
    let values = (0..TABLE).map(|place| (number * 37 + place * 101 + 5).to_string());
    values.collect::<Vec<_>>().join(", ")
}

/// The text of a unit.
pub fn unit(program: &Program, number: usize) -> String {
    let mut text = String::from("#include \"program.hpp\"\n");
    let Some(unit) = program.units.get(number) else {
        return text;
    };
    let _ = writeln!(
        text,
        "static const unsigned table[{TABLE}] = {{{}}};",
        table(number + 40)
    );
    for place in 0..unit.own.len() {
        let _ = writeln!(
            text,
            "static unsigned own_{place}(unsigned x, unsigned depth);"
        );
    }
    functions(&mut text, number, unit, program.globals);
    for (entry, called) in program.entries.iter().enumerate() {
        if called.0 == number {
            let _ = writeln!(
                text,
                "SYCL_EXTERNAL unsigned entry_{entry}(unsigned x, unsigned depth) {{\n  return {}(x + {entry}, \
                 depth);\n}}",
                name(called.0, called.1)
            );
        }
    }
    text
}

fn functions(text: &mut String, number: usize, unit: &Unit, globals: usize) {
    for (place, function) in unit.own.iter().enumerate() {
        let head = format!("static {}unsigned own_{place}", function.attribute);
        write_function(text, &head, function, (place + 50, "r"));
    }
    // The last first: a call may be of what the compiler has not seen yet, or of what it has.
    for (place, function) in unit.functions.iter().enumerate().rev() {
        let (attribute, name) = (function.attribute, name(number, place));
        let head = format!("{attribute}SYCL_EXTERNAL unsigned {name}");
        let result = match number.checked_rem(globals) {
            Some(global) if place == 0 => format!("r + of_global_{global}"),
            _ => "r".to_owned(),
        };
        write_function(text, &head, function, (place, &result));
        if has_other_name((number, place)) {
            let (length, other) = (name.len(), other_name(number, place));
            let _ = writeln!(
                text,
                "SYCL_EXTERNAL unsigned {other}(unsigned x, unsigned depth) \
                 __attribute__((alias(\"_Z{length}{name}jj\")));"
            );
        }
    }
    for ((unit, place), function) in &unit.replaced {
        let head = format!("{}unsigned {}", function.attribute, name(*unit, *place));
        write_function(text, &head, function, (number + 70, "r"));
    }
    for (weak, function) in &unit.weak {
        let head = format!("{}unsigned {}", function.attribute, weak_name(*weak));
        write_function(text, &head, function, (number + 80, "r"));
    }
}

/// Writes a function that gives `result`; what it begins with depends on `place`.
fn write_function(
    text: &mut String,
    head: &str,
    function: &Function,
    (place, result): (usize, &str),
) {
    let _ = writeln!(
        text,
        "{head}(unsigned x, unsigned depth) {{\n  unsigned r = x * {} + depth;",
        2 * place + 3
    );
    for step in &function.steps {
        let call = |(unit, place): (usize, usize)| format!("{}(r, depth - 1)", name(unit, place));
        let line = match step {
            Step::Mix(by) => format!("r = (r ^ {by}u) * 2654435761u;"),
            Step::Table(Some(unit)) => format!("r += table_{unit}[r % {TABLE}];"),
            Step::Table(None) => format!("r ^= table[r % {TABLE}];"),
            Step::Double(by) => {
                format!("r += static_cast<unsigned>(static_cast<double>(r % 256) * 1.5 + {by}.25);")
            }
            Step::Loop(by) => {
                format!("for (unsigned i = 0; i < x % 7; ++i) r = r * 31 + i + {by}u;")
            }
            Step::Pair(by) => format!("r = turned(turned({{r, x}}, {by}u), depth).sum();"),
            Step::Shared(number) => format!("r += shared_{number}(r);"),
            Step::Call(unit, place) => format!("if (depth > 0) r += {};", call((*unit, *place))),
            Step::ByOtherName(unit, place) => {
                let other = other_name(*unit, *place);
                format!("if (depth > 0) r += {other}(r, depth - 1);")
            }
            Step::Weak(number) => format!("r += {}(r, depth);", weak_name(*number)),
            Step::Own(place) => format!("if (depth > 0) r -= own_{place}(r, depth - 1);"),
            Step::Either(one, other) => {
                let (one, other) = (call(*one), call(*other));
                format!("if (depth > 0) r ^= r % 3 == 0 ? {one} : {other};")
            }
        };
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "  return {result};\n}}");
}

/// The source files with kernels, which all programs have in common, by their names: they are compiled once.
pub fn kernels() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let (mut declared, mut started) = (String::new(), String::new());
    for entry in 0..ENTRIES {
        let _ = writeln!(
            declared,
            "SYCL_EXTERNAL unsigned entry_{entry}(unsigned x, unsigned depth);"
        );
        let _ = writeln!(
            declared,
            "void start_{entry}(sycl::queue &q, unsigned *results);"
        );
        let _ = writeln!(
            started,
            "  right += compare({entry}, start_{entry}, entry_{entry});"
        );
    }
    for file in 0..ENTRIES / KERNELS {
        let mut text = format!("#include <sycl/sycl.hpp>\n{declared}");
        for entry in file * KERNELS..(file + 1) * KERNELS {
            let _ = write!(
                text,
                "void start_{entry}(sycl::queue &q, unsigned *results) {{\n\
                 \x20 sycl::buffer<unsigned, 1> b{{results, sycl::range<1>{{8}}}};\n\
                 \x20 q.submit([&](sycl::handler &h) {{\n\
                 \x20   sycl::accessor a{{b, h, sycl::write_only}};\n\
                 \x20   h.parallel_for<class Kernel{entry}>(sycl::range<1>{{8}}, [=](sycl::id<1> i) {{\n\
                 \x20     a[i] = entry_{entry}(static_cast<unsigned>(i[0]) * 77, {DEPTH});\n\
                 \x20   }});\n  }});\n}}\n"
            );
        }
        files.push((format!("kernels{file}.cpp"), text));
    }
    let main = format!(
        "#include <cstdio>\n#include <sycl/sycl.hpp>\n{declared}\
         static sycl::queue q;\n\
         static int compare(int entry, void start(sycl::queue &, unsigned *), unsigned host(unsigned, unsigned)) {{\n\
         \x20 unsigned results[8] = {{}};\n  start(q, results);\n  int right = 0;\n\
         \x20 for (unsigned i = 0; i < 8; ++i) {{\n\
         \x20   if (results[i] == host(i * 77, {DEPTH}))\n      ++right;\n\
         \x20   else\n      std::printf(\"WRONG: kernel %d, item %u: %u, on the host %u\\n\", entry, i, results[i], \
         host(i * 77, {DEPTH}));\n  }}\n  return right;\n}}\n\
         int main() {{\n  int right = 0;\n{started}  std::printf(\"right: %d\\n\", right);\n  return right == {} ? 42 : 1;\n}}\n",
        8 * ENTRIES
    );
    files.push(("main.cpp".to_owned(), main));
    files
}
