//! Golden files: long expected texts, kept by `insta` under `golden/`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The file, within the golden folder, of the golden text `name` of the case `case`.
#[must_use]
pub fn file_name(case: &str, name: &str) -> String {
    format!("{case}.{name}.snap")
}

/// Holds `text` against the golden file; in blessing mode (`INSTA_UPDATE=always`) writes it instead.
///
/// # Errors
/// When they differ; the difference itself goes to standard error.
pub fn compare(folder: &Path, case: &str, name: &str, text: &str) -> Result<(), String> {
    let mut settings = insta::Settings::clone_current();
    let file = format!("{case}.{name}");
    let (place, stem) = file.rsplit_once('/').unwrap_or(("", &file));
    settings.set_snapshot_path(folder.join(place));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(case);
    let compared = catch_unwind(AssertUnwindSafe(|| {
        settings.bind(|| insta::assert_snapshot!(stem, text));
    }));
    compared.map_err(|_| format!("differs from golden/{}", file_name(case, name)))
}
