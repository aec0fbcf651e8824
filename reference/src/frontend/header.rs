//! The integration header: what the host compilation learns about a translation unit's kernels
//! (OFF, "Integration header"; ARCHITECTURE.md, "Front end to headers").

use std::fmt::Write as _;

use super::device_globals::DeviceGlobal;
use super::kernels::Kernel;

/// The line that every integration header begins with.
pub const FIRST_LINE: &str =
    "// Written by the device compilation for the host compilation of the same source.\n";

/// Before what registers the unit's kernels and variables: no object of a program may come earlier.
const EARLY: &str = "__attribute__((init_priority(101)))";

/// The text of the integration header; `tag` is that of a unit that has names of its own.
#[must_use]
pub fn text(kernels: &[Kernel<'_>], globals: &[DeviceGlobal], tag: Option<&str>) -> String {
    let mut text = String::from(FIRST_LINE);
    text.push_str(
        "#pragma once\n\
         // What warnings say of it is no matter of the source's.\n\
         #pragma GCC system_header\n\
         #include <sycl/detail/kernel_info.hpp>\n",
    );
    if let Some(tag) = tag {
        let _ = write!(
            text,
            "\nnamespace sycl::detail {{\ntemplate <typename Type> struct type_tag;\n\
             template <typename Type> static const char *unit_tag(type_tag<Type> *) {{\n  \
             return \"{tag}\";\n}}\n\
             }} // namespace sycl::detail\n"
        );
    }
    if kernels.is_empty() && globals.is_empty() {
        return text;
    }
    if !globals.is_empty() {
        write_table(&mut text, globals);
    }
    text.push_str("\nnamespace {\nnamespace plumbline_integration {\n");
    if !globals.is_empty() {
        write_globals(&mut text, globals);
    }
    if !kernels.is_empty() {
        write_kernels(&mut text, kernels);
    }
    text.push_str("\n} // namespace plumbline_integration\n} // namespace\n");
    text
}

fn write_kernels(text: &mut String, kernels: &[Kernel<'_>]) {
    for (index, kernel) in kernels.iter().enumerate() {
        write_parameters(text, index, kernel);
    }
    text.push_str("\nconst sycl::detail::kernel_info kernels[] = {\n");
    for (index, kernel) in kernels.iter().enumerate() {
        let made_of = quoted(&kernel.made_of);
        let _ = write!(
            text,
            "    {{\"{}\", {}, {made_of}",
            kernel.name, kernel.functor_size
        );
        if has_rows(kernel) {
            let _ = write!(text, ", parameters_{index}");
        }
        text.push_str("},\n");
    }
    let _ = write!(
        text,
        "}};\n\n// Before the unit's own static objects, inline ones too: they may start kernels.\n\
         {EARLY}\nconst sycl::detail::kernel_registration registration(kernels);\n"
    );
}

/// The header comes before the variables, whose names are out of its reach where they are the unit's own;
/// to the assembler they are symbols like others. One that the compiler leaves out is null.
fn write_table(text: &mut String, globals: &[DeviceGlobal]) {
    text.push_str(
        "\n__asm__(\n    \".pushsection .data.rel.plumbline_device_globals,\\\"aw\\\"\\n\"\n",
    );
    for (index, global) in globals.iter().enumerate() {
        let _ = writeln!(
            text,
            "    \".weakref .Lplumbline_device_global_{index}, {}\\n\"",
            global.host_symbol
        );
    }
    text.push_str("    \".p2align 3\\n\"\n    \"plumbline_device_globals:\\n\"\n");
    for index in 0..globals.len() {
        let _ = writeln!(text, "    \".quad .Lplumbline_device_global_{index}\\n\"");
    }
    text.push_str(
        "    \".popsection\");\n\
         namespace sycl::detail {\n\
         extern const void *const device_global_objects[] __asm__(\"plumbline_device_globals\");\n\
         } // namespace sycl::detail\n",
    );
}

fn write_globals(text: &mut String, globals: &[DeviceGlobal]) {
    text.push_str("\nconst char *const device_global_names[] = {\n");
    for global in globals {
        let _ = writeln!(text, "    \"{}\",", global.name);
    }
    let _ = write!(
        text,
        "}};\n{EARLY}\nconst sycl::detail::device_global_registration device_global_registration(\n    \
         sycl::detail::device_global_objects, device_global_names);\n"
    );
}

/// A text as C++ writes it: of a file's name, any byte may be part.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted.push('"');
    quoted
}

fn write_parameters(text: &mut String, index: usize, kernel: &Kernel<'_>) {
    if !has_rows(kernel) {
        return;
    }
    let _ = write!(
        text,
        "\n// {}\nconst sycl::detail::kernel_parameter parameters_{index}[] = {{\n",
        crate::llvm::demangle::demangled(&kernel.name)
    );
    for part in &kernel.parts {
        let _ = writeln!(
            text,
            "    {{sycl::detail::kernel_parameter_kind::{}, {}, {}}},",
            part.kind.name(),
            part.size,
            part.offset
        );
    }
    if kernel.lacks_scratch {
        text.push_str("    {sycl::detail::kernel_parameter_kind::scratch, 0, 0},\n");
    }
    text.push_str("};\n");
}

/// Whether there is anything to say of what the kernel takes.
fn has_rows(kernel: &Kernel<'_>) -> bool {
    kernel.lacks_scratch || !kernel.parts.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs have macros of one capital letter, and the header comes before all their text.
    #[test]
    fn has_no_name_of_one_capital_letter() {
        let global = DeviceGlobal {
            host_symbol: "_ZL1x".to_owned(),
            name: "_ZL1x_unit".to_owned(),
        };
        let text = text(&[], &[global], Some("a_unit"));
        assert!(text.contains("unit_tag"), "{text}");
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric()));
        let letters: Vec<_> = words
            .filter(|word| matches!(word.as_bytes(), [letter] if letter.is_ascii_uppercase()))
            .collect();
        assert!(letters.is_empty(), "{letters:?} in {text}");
    }
}
