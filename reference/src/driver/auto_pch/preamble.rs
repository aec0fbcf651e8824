//! Whether a source may be compiled as if `sycl/sycl.hpp` came first: nothing stands before it but
//! comments and headers of the standard library, whose order means nothing.

/// The headers that stand for `sycl/sycl.hpp`: it is the first that they include.
const SYCL: [&str; 2] = ["sycl/sycl.hpp", "CL/sycl.hpp"];

/// The headers of C++ that may come in any order. Not among them: `cassert`, which means something else
/// each time.
const STANDARD: &[&str] = &[
    "algorithm",
    "any",
    "array",
    "atomic",
    "barrier",
    "bit",
    "bitset",
    "charconv",
    "chrono",
    "climits",
    "cmath",
    "compare",
    "complex",
    "concepts",
    "condition_variable",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "format",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "latch",
    "limits",
    "list",
    "locale",
    "map",
    "memory",
    "memory_resource",
    "mutex",
    "new",
    "numbers",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ranges",
    "ratio",
    "regex",
    "semaphore",
    "set",
    "shared_mutex",
    "source_location",
    "span",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string",
    "string_view",
    "system_error",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
];

/// The headers that a source includes before `sycl/sycl.hpp`.
///
/// # Errors
/// What stands before it that may change what it means.
pub(super) fn before_sycl(source: &[u8]) -> Result<Vec<String>, String> {
    let mut included = Vec::new();
    let mut rest = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    loop {
        rest = behind_blanks(rest)?;
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let name = header(line).ok_or_else(|| match line {
            [] => "the source does not include it".to_owned(),
            _ => format!(
                "before it stands '{}'",
                String::from_utf8_lossy(line.trim_ascii())
            ),
        })?;
        if SYCL.contains(&name) {
            let behind = rest.len() - line.len();
            return match source.get(..source.len() - behind) {
                Some(text) if is_plain(text) => Ok(included),
                _ => Err("before it a line ends or goes on in an odd way".to_owned()),
            };
        }
        if !STANDARD.contains(&name) {
            return Err(format!("before it '{name}' is included"));
        }
        included.push(name.to_owned());
        rest = rest.get(line.len()..).unwrap_or_default();
    }
}

/// Whether each line of a text ends where it seems to: none goes on behind a backslash, or its trigraph, and
/// none ends with a carriage return alone, as clang has it.
fn is_plain(text: &[u8]) -> bool {
    let mut pairs = text.iter().zip(text.iter().skip(1).chain([&b'\n']));
    let is_lone_return = |(one, next): (&u8, &u8)| *one == b'\r' && *next != b'\n';
    !text.contains(&b'\\')
        && !text.windows(3).any(|three| three == b"??/")
        && !pairs.any(is_lone_return)
}

/// The text from the first byte that is no blank and in no comment.
fn behind_blanks(mut text: &[u8]) -> Result<&[u8], String> {
    loop {
        text = text.trim_ascii_start();
        if text.starts_with(b"//") {
            let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
            text = text.get(line.len()..).unwrap_or_default();
        } else if text.starts_with(b"/*") {
            let end = text.windows(2).skip(2).position(|two| two == b"*/");
            let end = end.ok_or("a comment does not end")?;
            text = text.get(end + 4..).unwrap_or_default();
        } else {
            return Ok(text);
        }
    }
}

/// The header that a line includes, when it does that alone and by angle brackets: what is in quotes may lie
/// beside the source.
fn header(line: &[u8]) -> Option<&str> {
    let rest = std::str::from_utf8(line)
        .ok()?
        .strip_prefix('#')?
        .trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let (name, behind) = rest.strip_prefix('<')?.split_once('>')?;
    let behind = behind.trim();
    (behind.is_empty() || behind.starts_with("//")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_headers_and_comments_may_come_first() {
        for (source, names) in [
            ("#include <sycl/sycl.hpp>\n", &[][..]),
            (
                "\u{feff}// a\n/* b\n * c */  # include <sycl/sycl.hpp> // d",
                &[],
            ),
            (
                "#include <vector>\r\n#include <cstdio>\r\n#include <CL/sycl.hpp>\r\n",
                &["vector", "cstdio"],
            ),
            ("/**/#include <sycl/sycl.hpp>", &[]),
        ] {
            assert_eq!(before_sycl(source.as_bytes()).unwrap(), names, "{source}");
        }
    }

    #[test]
    fn what_may_change_the_header_keeps_the_text() {
        for (source, reason) in [
            ("", "does not include"),
            ("int main() {}", "'int main() {}'"),
            (
                "#define NDEBUG\n#include <sycl/sycl.hpp>",
                "'#define NDEBUG'",
            ),
            ("#include <cassert>\n#include <sycl/sycl.hpp>", "'cassert'"),
            (
                "#include <mine.hpp>\n#include <sycl/sycl.hpp>",
                "'mine.hpp'",
            ),
            ("#ifdef A\n#include <sycl/sycl.hpp>\n#endif", "'#ifdef A'"),
            ("// a \\\n#include <sycl/sycl.hpp>", "odd way"),
            ("// a \r#define NDEBUG\n#include <sycl/sycl.hpp>", "odd way"),
            ("// a ??/\n#include <sycl/sycl.hpp>", "odd way"),
            (
                "/* a *\\\n/ #define NDEBUG\n/**/\n#include <sycl/sycl.hpp>",
                "odd way",
            ),
            (
                "#include <vector> // a\r#define B\n#include <sycl/sycl.hpp>",
                "odd way",
            ),
            ("#include \"sycl/sycl.hpp\"", "'#include \"sycl/sycl.hpp\"'"),
            (
                "#include \"list\"\n#include <sycl/sycl.hpp>",
                "'#include \"list\"'",
            ),
            ("/* a", "does not end"),
            (
                "#include <sycl/sycl.hpp> /* a\n*/",
                "'#include <sycl/sycl.hpp> /* a'",
            ),
            ("#include HEADER\n", "'#include HEADER'"),
            ("#include <sycl/sycl.hpp", "'#include <sycl/sycl.hpp'"),
        ] {
            let error = before_sycl(source.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{source}: {error}");
        }
    }
}
