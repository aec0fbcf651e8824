//! Headers that become precompiled ones, and what of them reaches which half: clang precompiles the
//! host's half, so that device compilations read the text.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::clang_plan::value_of;
use super::clang_words::CLANG_SEPARATE;
use super::options::Options;

/// The ends of names that clang takes for C++ headers.
const HEADERS: &[&str] = &["h", "H", "h++", "hh", "hp", "hpp", "HPP", "hxx", "hm"];

/// The ends that clang tries behind a header's name for its precompiled form.
const PRECOMPILED: [&str; 2] = [".pch", ".gch"];

impl Options {
    /// Whether every input is a header by its name or by `-x`: the command makes precompiled headers
    /// and links nothing.
    #[must_use]
    pub fn has_only_headers(&self) -> bool {
        let mut language = OsString::new();
        let mut found = false;
        let mut rest = self.clang.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if text == "-x" {
                language = rest.next().cloned().unwrap_or_default();
            } else if let Some(joined) = text.strip_prefix("-x") {
                language = joined.into();
            } else if text == "-o" || CLANG_SEPARATE.contains(&text.as_ref()) {
                rest.next();
            } else if text == "-" || !text.starts_with('-') {
                found = true;
                if !is_header(word, &language) {
                    return false;
                }
            }
        }
        found
    }
}

fn is_header(input: &OsStr, language: &OsStr) -> bool {
    match language.to_str() {
        Some("" | "none") => {
            let extension = Path::new(input).extension().and_then(OsStr::to_str);
            extension.is_some_and(|extension| HEADERS.contains(&extension))
        }
        language => is_header_language(language),
    }
}

/// Whether clang's name of a language is that of a header.
pub(super) fn is_header_language(language: Option<&str>) -> bool {
    language.is_some_and(|language| language.ends_with("-header"))
}

/// Whether a source of this language is C++ whose other half is lost, or that only the host's half can
/// be made of.
pub(super) fn is_host_half(language: Option<&str>) -> bool {
    matches!(
        language,
        Some("c++-cpp-output" | "c++-module" | "c++-module-cpp-output")
    )
}

/// clang's words of a host compilation with the header's text in place of its precompiled form, as far
/// as it is known where the text is.
pub(super) fn with_header_text(host: &[OsString], options: &Options) -> Vec<OsString> {
    let mut words = host.to_vec();
    for at in 1..words.len() {
        if words[at - 1] == "-include-pch"
            && let Some(header) = header_of(&words[at], host, options)
        {
            words[at - 1] = "-include".into();
            words[at] = header;
        }
    }
    words
}

/// A precompiled header of a host compilation that no text is known for, where none is named at all:
/// device compilations would lack what it declares.
pub(super) fn without_text<'h>(host: &'h [OsString], options: &Options) -> Option<&'h OsStr> {
    let words = with_header_text(host, options);
    if words.iter().any(|word| word == "-include") {
        return None;
    }
    value_of(host, "-include-pch")
}

/// The header that a precompiled form stands for: what the user includes and clang found it for, or
/// what it has its name of. None where the header is included besides.
fn header_of(precompiled: &OsStr, host: &[OsString], options: &Options) -> Option<OsString> {
    let named = || {
        let name = precompiled.to_str()?;
        let header = PRECOMPILED.iter().find_map(|end| name.strip_suffix(end))?;
        let is_there = options.placed(Path::new(header)).is_file();
        let besides = |pair: &[OsString]| pair[0] == "-include" && pair[1] == header;
        (is_there && !host.windows(2).any(besides)).then(|| header.into())
    };
    included_as(precompiled, &options.clang).or_else(named)
}

/// The header that the user includes and clang found `precompiled` for.
fn included_as(precompiled: &OsStr, clang: &[OsString]) -> Option<OsString> {
    let included = clang.windows(2).filter(|pair| pair[0] == "-include");
    let mut headers = included.map(|pair| &pair[1]);
    let header = headers.find(|header| {
        PRECOMPILED.iter().any(|end| {
            let mut name = (*header).clone();
            name.push(end);
            name == precompiled
        })
    });
    header.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn headers_are_known_by_name_and_by_language() {
        for (line, only) in [
            ("h.h", true),
            ("-x c++-header h.hpp -o h.pch", true),
            ("-xc++-header all.cxx", true),
            ("a.hpp b.cpp", false),
            ("-x c++ h.hpp", false),
            ("-include h.hpp a.cpp", false),
            ("-x c++-header h.hpp -x none a.cpp", false),
            ("-lm", false),
        ] {
            let options = Options::parse(&words(&format!("-fsycl {line}"))).unwrap();
            assert_eq!(options.has_only_headers(), only, "{line}");
        }
    }

    #[test]
    fn device_compilations_read_the_text() {
        let host = words("-cc1 -include-pch d/h.hpp.pch -include-pch own.pch -x c++ a.cpp");
        let options = Options::parse(&words("-O2 -include d/h.hpp -c a.cpp")).unwrap();
        assert_eq!(
            with_header_text(&host, &options),
            words("-cc1 -include d/h.hpp -include-pch own.pch -x c++ a.cpp")
        );
    }

    #[test]
    fn a_header_has_the_name_that_its_precompiled_form_is_called_after() {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("h.hpp");
        std::fs::write(&header, "").unwrap();
        let (header, folder) = (header.display(), folder.path().display());
        let options = Options::parse(&words("-c a.cpp")).unwrap();
        let host = words(&format!("-cc1 -include-pch {header}.gch -x c++ a.cpp"));
        let expected = words(&format!("-cc1 -include {header} -x c++ a.cpp"));
        assert_eq!(with_header_text(&host, &options), expected);
        assert_eq!(without_text(&host, &options), None);
        // CMake includes it besides.
        let host = words(&format!(
            "-cc1 -include-pch {header}.pch -include {header} a.cpp"
        ));
        assert_eq!(with_header_text(&host, &options), host);
        assert_eq!(without_text(&host, &options), None);
        let host = words(&format!("-cc1 -include-pch {folder}/other.pch a.cpp"));
        let lost = format!("{folder}/other.pch");
        assert_eq!(without_text(&host, &options), Some(OsStr::new(&lost)));
    }
}
