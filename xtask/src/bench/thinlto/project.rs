//! Generated projects: units of 5 kernels and 50 functions each that call functions of other units.

use std::fmt::Write as _;

/// Functions of a unit. They come in groups, of which the first function is visible to other units, and
/// each calls the next one.
const FUNCTIONS: usize = 50;
const GROUP: usize = 5;
const KERNELS: usize = 5;

/// The groups of a unit that end in calls of other units.
const CALLING: usize = 3;

/// Units of one deep chain.
const DEPTH: usize = 20;

/// How functions of different units call each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Three functions of a unit call functions of others, which call no other unit.
    Shallow,
    /// Three functions of a unit call the next one's, and so on through [`DEPTH`] units.
    Deep,
}

/// What units are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Ir,
    Cpp,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::Ir => "IR",
            Language::Cpp => "C++",
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Language::Ir => "ll",
            Language::Cpp => "cpp",
        }
    }
}

impl Shape {
    pub fn name(self) -> &'static str {
        match self {
            Shape::Shallow => "shallow",
            Shape::Deep => "deep",
        }
    }

    /// The function of another unit that a group of a unit ends in.
    fn callee(self, unit: usize, group: usize, units: usize) -> Option<String> {
        if group >= CALLING {
            return None;
        }
        match self {
            Shape::Shallow => {
                let other = (unit + 1 + group) % units;
                (other != unit).then(|| name(other, (KERNELS + group) * GROUP))
            }
            Shape::Deep => {
                let next = unit + 1;
                (next < units && next % DEPTH != 0).then(|| name(next, group * GROUP))
            }
        }
    }
}

fn name(unit: usize, function: usize) -> String {
    format!("u{unit}_f{function}")
}

/// The text of a unit of a project with so many.
pub fn unit((shape, language): (Shape, Language), unit: usize, units: usize) -> String {
    match language {
        Language::Ir => ir(shape, unit, units),
        Language::Cpp => cpp(shape, unit, units),
    }
}

/// The text of the first unit, which has changed.
pub fn changed(project: (Shape, Language), units: usize) -> String {
    let (old, new) = match project.1 {
        Language::Ir => ("add i32", "sub i32"),
        Language::Cpp => ("mixed +", "mixed -"),
    };
    unit(project, 0, units).replacen(old, new, 1)
}

/// What a function calls last.
fn last_call(shape: Shape, unit: usize, function: usize, units: usize) -> Option<String> {
    match function % GROUP + 1 == GROUP {
        true => shape.callee(unit, function / GROUP, units),
        false => Some(name(unit, function + 1)),
    }
}

/// A unit in C++: the same functions and kernels.
fn cpp(shape: Shape, unit: usize, units: usize) -> String {
    let mut text = "#include <sycl/sycl.hpp>\n".to_owned();
    let calls = |function| last_call(shape, unit, function, units);
    for function in (0..FUNCTIONS).rev() {
        let is_last = function % GROUP + 1 == GROUP;
        let number = unit * FUNCTIONS + function;
        let called = calls(function);
        let last = called
            .as_ref()
            .map_or("old".to_owned(), |called| format!("{called}(p, old)"));
        if let (true, Some(called)) = (is_last, &called) {
            let _ = writeln!(text, "SYCL_EXTERNAL int {called}(int *p, int x);");
        }
        let linkage = if function % GROUP == 0 {
            "SYCL_EXTERNAL"
        } else {
            "static"
        };
        let _ = write!(
            text,
            "{linkage} int {}(int *p, int x) {{\n\
             \x20 unsigned old = x * {};\n  int k = 0;\n  do {{\n\
             \x20   unsigned mixed = old ^ p[k];\n    old = ((mixed + {number}) >> {}) + mixed;\n\
             \x20 }} while (unsigned(++k) < unsigned(x));\n  return {last};\n}}\n",
            name(unit, function),
            2 * function + 3,
            function % 7 + 1,
        );
    }
    let _ = writeln!(text, "void start{unit}(sycl::queue &q, int *p) {{");
    for kernel in 0..KERNELS {
        let (own, other) = (
            name(unit, kernel * GROUP),
            name(unit, (KERNELS + kernel) * GROUP),
        );
        let _ = writeln!(
            text,
            "  q.parallel_for<class K{unit}_{kernel}>(sycl::range<1>{{64}}, [=](sycl::id<1> i) {{\n\
             \x20   p[i] = {other}(p, {own}(p, int(i[0])));\n  }});"
        );
    }
    text.push_str("}\n");
    text
}

fn ir(shape: Shape, unit: usize, units: usize) -> String {
    let mut text = format!(
        "source_filename = \"unit-{unit}.cpp\"\n\
         target triple = \"spir64-unknown-unknown\"\n\
         declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)\n"
    );
    let mut declared = Vec::new();
    for function in 0..FUNCTIONS {
        let place = function % GROUP;
        let callee = last_call(shape, unit, function, units);
        if place + 1 == GROUP {
            declared.extend(callee.clone());
        }
        let linkage = if place == 0 { "" } else { "internal " };
        let (number, symbol) = (unit * FUNCTIONS + function, name(unit, function));
        let (last, result) = match callee {
            Some(callee) => (
                format!("  %s = call spir_func i32 @{callee}(ptr addrspace(1) %p, i32 %r)\n"),
                "%s",
            ),
            None => (String::new(), "%r"),
        };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "define {linkage}spir_func i32 @{symbol}(ptr addrspace(1) %p, i32 %x) #0 {{\n\
             entry:\n  %first = mul i32 %x, {}\n  br label %loop\n\
             loop:\n  %k = phi i32 [ 0, %entry ], [ %next, %loop ]\n\
             \x20 %old = phi i32 [ %first, %entry ], [ %new, %loop ]\n\
             \x20 %at = getelementptr i32, ptr addrspace(1) %p, i32 %k\n\
             \x20 %read = load i32, ptr addrspace(1) %at\n\
             \x20 %mixed = xor i32 %old, %read\n\
             \x20 %more = add i32 %mixed, {number}\n\
             \x20 %less = lshr i32 %more, {}\n\
             \x20 %new = add i32 %less, %mixed\n\
             \x20 %next = add i32 %k, 1\n\
             \x20 %again = icmp ult i32 %next, %x\n\
             \x20 br i1 %again, label %loop, label %done\n\
             done:\n  %r = phi i32 [ %new, %loop ]\n{last}  ret i32 {result}\n}}\n",
            2 * function + 3,
            function % 7 + 1,
        );
    }
    for kernel in 0..KERNELS {
        let (own, other) = (
            name(unit, kernel * GROUP),
            name(unit, (KERNELS + kernel) * GROUP),
        );
        let _ = write!(
            text,
            "define spir_kernel void @u{unit}_k{kernel}(ptr addrspace(1) %p) #0 {{\n\
             \x20 %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n\
             \x20 %x = trunc i64 %i to i32\n\
             \x20 %at = getelementptr i32, ptr addrspace(1) %p, i64 %i\n\
             \x20 %a = call spir_func i32 @{own}(ptr addrspace(1) %p, i32 %x)\n\
             \x20 %b = call spir_func i32 @{other}(ptr addrspace(1) %p, i32 %a)\n\
             \x20 store i32 %b, ptr addrspace(1) %at\n  ret void\n}}\n"
        );
    }
    for symbol in declared {
        let _ = writeln!(
            text,
            "declare spir_func i32 @{symbol}(ptr addrspace(1), i32)"
        );
    }
    let _ = writeln!(
        text,
        "attributes #0 = {{ convergent nounwind \"sycl-module-id\"=\"unit-{unit}.cpp\" }}"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_that_a_unit_declares_is_defined_visibly_by_another() {
        let lines = [
            (
                Language::Ir,
                "declare spir_func i32",
                "define spir_func i32 @",
                "(",
            ),
            (
                Language::Cpp,
                "SYCL_EXTERNAL",
                "SYCL_EXTERNAL int ",
                "(int *p, int x) {",
            ),
        ];
        for shape in [Shape::Shallow, Shape::Deep] {
            for (language, begin, definition, end) in lines {
                let project = (shape, language);
                let texts: Vec<String> = (0..25).map(|number| unit(project, number, 25)).collect();
                let whole = texts.concat();
                let is_declaration = |line: &&str| line.starts_with(begin) && !line.ends_with('{');
                let mut calls = 0;
                for line in whole.lines().filter(is_declaration) {
                    let head = line.split('(').next().unwrap_or_default();
                    let symbol = head.rsplit([' ', '@']).next().unwrap_or_default();
                    let defined = format!("{definition}{symbol}{end}");
                    assert_eq!(whole.matches(&defined).count(), 1, "{shape:?}: {symbol}");
                    calls += 1;
                }
                assert!(calls > 50, "{shape:?}: {calls}");
                assert_ne!(changed(project, 25), texts[0]);
            }
        }
    }
}
