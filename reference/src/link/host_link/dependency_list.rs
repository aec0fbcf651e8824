//! The host linker's own list of what it read (`--dependency-file`), with what only this link knows
//! of taken out: the name under which the output grows, and the object of the images.

use std::path::Path;

/// The list with the output under its own name and without `object`, which is gone by now.
#[must_use]
pub(in crate::link) fn mended(
    list: &str,
    grown: &Path,
    output: &Path,
    object: Option<&Path>,
) -> String {
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let list = list.replacen(&name(grown), &name(output), 1);
    // The name of a temporary file is like no other, however its folder is written.
    let object = object.and_then(Path::file_name);
    let object = object.map(|object| object.to_string_lossy().into_owned());
    let is_object = |line: &str| object.as_ref().is_some_and(|object| line.contains(object));
    let mut lines: Vec<&str> = Vec::new();
    for line in list.lines() {
        if !is_object(line) {
            lines.push(line);
        } else if !line.ends_with('\\') {
            // It ended the rule.
            if let Some(last) = lines.last_mut().filter(|last| last.ends_with('\\')) {
                *last = last.trim_end_matches('\\').trim_end();
            }
        }
    }
    let mut mended = lines.join("\n");
    mended.extend(list.ends_with('\n').then_some('\n'));
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> String {
        let object = Path::new("/t m/images-1.o");
        mended(
            list,
            Path::new("d/.grown-app"),
            Path::new("d/app"),
            Some(object),
        )
    }

    #[test]
    fn the_output_has_its_own_name_and_the_object_is_gone() {
        assert_eq!(
            of(
                "d/.grown-app: \\\n  a.o \\\n  /t\\ m/images-1.o \\\n  b.o\n\na.o:\n\n/t\\ m/images-1.o:\n\nb.o:\n"
            ),
            "d/app: \\\n  a.o \\\n  b.o\n\na.o:\n\n\nb.o:\n"
        );
    }

    #[test]
    fn a_rule_that_the_object_ended_ends_before_it() {
        assert_eq!(
            of("d/.grown-app: \\\n  a.o \\\n  /t m/images-1.o\n\n/t m/images-1.o:\n"),
            "d/app: \\\n  a.o\n\n"
        );
    }
}
