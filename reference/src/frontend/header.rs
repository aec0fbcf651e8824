//! The integration header: what the host compilation learns about a translation unit's kernels
//! (OFF, "Integration header"; ARCHITECTURE.md, "Front end to headers").

use std::fmt::Write as _;

use super::kernels::Kernel;

/// The line that every integration header begins with.
pub const FIRST_LINE: &str =
    "// Written by the device compilation for the host compilation of the same source.\n";

/// The text of the integration header; `tag` is that of a unit that has names of its own.
#[must_use]
pub fn text(kernels: &[Kernel<'_>], tag: Option<&str>) -> String {
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
    if kernels.is_empty() {
        return text;
    }
    text.push_str("\nnamespace {\nnamespace plumbline_integration {\n");
    for (index, kernel) in kernels.iter().enumerate() {
        write_parameters(&mut text, index, kernel);
    }
    text.push_str("\nconst sycl::detail::kernel_info kernels[] = {\n");
    for (index, kernel) in kernels.iter().enumerate() {
        let made_of = quoted(&kernel.made_of);
        let _ = write!(
            text,
            "    {{\"{}\", {}, {made_of}",
            kernel.name, kernel.functor_size
        );
        if !kernel.parts.is_empty() {
            let _ = write!(text, ", parameters_{index}");
        }
        text.push_str("},\n");
    }
    text.push_str(
        "};\n\nconst sycl::detail::kernel_registration registration(kernels);\n\n\
         } // namespace plumbline_integration\n} // namespace\n",
    );
    text
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
    if kernel.parts.is_empty() {
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
    text.push_str("};\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs have macros of one capital letter, and the header comes before all their text.
    #[test]
    fn has_no_name_of_one_capital_letter() {
        let text = text(&[], Some("a_unit"));
        assert!(text.contains("unit_tag"), "{text}");
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        let words = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric()));
        let letters: Vec<_> = words
            .filter(|word| matches!(word.as_bytes(), [letter] if letter.is_ascii_uppercase()))
            .collect();
        assert!(letters.is_empty(), "{letters:?} in {text}");
    }
}
