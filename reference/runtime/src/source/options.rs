//! What programs may ask of the compiler for a source of theirs.

use super::Source;
use crate::error::{Error, Kind, Result};

/// Options that another word belongs to.
const WITH_VALUE: [&str; 9] = [
    "-D",
    "-U",
    "-I",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-Xclang",
];

/// Beginnings of options that say what is made, of what, for whom or where it goes, which the runtime says.
const REFUSED: [&str; 18] = [
    "-o",
    "-c",
    "-S",
    "-E",
    "-M",
    "-x",
    "-l",
    "-L",
    "-T",
    "-shared",
    "-static",
    "-fsycl-targets",
    "-fsycl-device-only",
    "-fsyntax-only",
    "-fsycl-link",
    "-emit-",
    "--target",
    "-target",
];

/// Options that begin as one of those and are none.
const TAKEN: [&str; 3] = ["-ofast", "-cl-", "-std"];

/// Holds a source to what the runtime takes.
///
/// # Errors
/// `Invalid` for an option that is not taken, and for a file that would lie elsewhere.
pub fn check(source: &Source<'_>) -> Result<()> {
    let mut options = source.options.iter();
    while let Some(option) = options.next() {
        if WITH_VALUE.contains(option) && options.next().is_some() {
            continue;
        }
        if is_refused(option) {
            let reason = format!("'{option}' is no option for a source that a program builds");
            return Err(Error::new(Kind::Invalid, reason));
        }
    }
    for (name, _) in source.files {
        if !is_within(name) {
            let reason = format!("'{name}' is no name for an include file of a source");
            return Err(Error::new(Kind::Invalid, reason));
        }
    }
    Ok(())
}

fn is_refused(option: &str) -> bool {
    let begins = |known: &[&str]| known.iter().any(|known| option.starts_with(known));
    !option.starts_with('-')
        || WITH_VALUE.contains(&option)
        || option == "-"
        || (begins(&REFUSED) && !begins(&TAKEN))
}

/// Whether a path names a file below the folder that it starts from.
fn is_within(name: &str) -> bool {
    use std::path::{Component, Path};
    let mut parts = Path::new(name).components();
    !name.is_empty()
        && !name.ends_with('/')
        && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_say_what_is_made_are_refused() {
        let is_taken = |options: &[&str]| {
            let source = Source {
                text: "",
                files: &[],
                options,
                names: &[],
            };
            check(&source).is_ok()
        };
        for options in [
            &["-O0", "-g"] as &[&str],
            &["-D", "A=1", "-DB", "-I", "folder", "-std=c++20"],
            &["-fsycl-device-code-split=per_kernel", "-ffast-math"],
            &[],
        ] {
            assert!(is_taken(options), "{options:?}");
        }
        for options in [
            &["-o"] as &[&str],
            &["-c"],
            &["other.cpp"],
            &["-D"],
            &["-fsycl-targets=spir64_gen"],
            &["-shared"],
            &["-MD"],
            &["-"],
            &["-DA", "other.o"],
        ] {
            assert!(!is_taken(options), "{options:?}");
        }
    }

    #[test]
    fn include_files_lie_in_their_folder() {
        for name in ["a.h", "a/b.h", "a/b/c"] {
            assert!(is_within(name), "{name}");
        }
        for name in ["", "/a.h", "../a.h", "a/../../b.h", "a/", "./../a"] {
            assert!(!is_within(name), "{name}");
        }
    }
}
