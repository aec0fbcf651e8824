//! What programs may ask of the compiler for a source of theirs.

use super::Source;
use crate::error::{Error, Kind, Result};

/// Options that another word belongs to.
const WITH_VALUE: [&str; 17] = [
    "-D",
    "-U",
    "-I",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "--include-directory",
    "--define-macro",
    "--undefine-macro",
    "-mllvm",
    "-Xclang",
    "-Xarch_host",
    "-Xarch_device",
];

/// Beginnings of options that have the compiler read no file.
const OF_NO_FILE: [&str; 8] = ["-D", "-U", "-O", "-W", "-g", "-m", "-f", "-std="];

/// Beginnings of those among them that may.
const OF_FILES: [&str; 10] = [
    "-Wp,",
    "-Wa,",
    "-Wl,",
    "-fprofile",
    "-fplugin",
    "-fpass-plugin",
    "-fsanitize",
    "-fmodule",
    "-fbuild-session",
    "-mllvm",
];

/// Variables that name folders to look for headers in.
const FOLDERS: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

/// Beginnings of options that say what is made, of what, for whom or where it goes, which the runtime says.
const REFUSED: [&str; 21] = [
    "-#",
    "--help",
    "--version",
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

/// The beginning of options that begin as one of those and are none.
const TAKEN: &str = "-cl-";

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

/// Whether what is made of a source is the same each time, as far as options and text tell: nothing says
/// where else to look for headers, or asks what there is.
#[must_use]
pub fn is_closed(source: &Source<'_>) -> bool {
    let begins = |option: &str, known: &[&str]| known.iter().any(|known| option.starts_with(known));
    let mut options = source.options.iter();
    let texts = [source.text].into_iter();
    let mut texts = texts.chain(source.files.iter().map(|(_, text)| *text));
    options.all(|option| begins(option, &OF_NO_FILE) && !begins(option, &OF_FILES))
        && texts.all(|text| !text.contains("__has_") && !text.contains("embed"))
        && FOLDERS.iter().all(|name| std::env::var_os(name).is_none())
}

fn is_refused(option: &str) -> bool {
    let begins = |known: &[&str]| known.iter().any(|known| option.starts_with(known));
    !option.starts_with('-')
        || WITH_VALUE.contains(&option)
        || option == "-"
        || (begins(&REFUSED) && !option.starts_with(TAKEN))
}

/// Whether a path names a file below the folder that it starts from.
fn is_within(name: &str) -> bool {
    use std::path::{Component, Path};
    let own = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !name.is_empty() && !name.ends_with('/') && Path::new(name).components().all(own)
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
            &["-###"],
            &["-ofast"],
        ] {
            assert!(!is_taken(options), "{options:?}");
        }
    }

    #[test]
    fn what_may_read_other_files_is_not_kept() {
        let is_kept = |options: &[&str], text| {
            is_closed(&Source {
                text,
                files: &[],
                options,
                names: &[],
            })
        };
        assert!(is_kept(
            &["-O0", "-DA=1", "-ffast-math", "-std=c++20", "-Wall"],
            ""
        ));
        assert!(!is_kept(&["-isystem", "folder"], ""));
        assert!(!is_kept(&["-fprofile-use=file"], ""));
        assert!(!is_kept(&["-Wp,-include,file"], ""));
        assert!(!is_kept(&[], "#if __has_include(<a.h>)"));
    }

    #[test]
    fn include_files_lie_in_their_folder() {
        for name in ["a.h", "a/b.h", "a/b/c", "./a.h"] {
            assert!(is_within(name), "{name}");
        }
        for name in ["", "/a.h", "../a.h", "a/../../b.h", "a/", "./../a"] {
            assert!(!is_within(name), "{name}");
        }
    }
}
