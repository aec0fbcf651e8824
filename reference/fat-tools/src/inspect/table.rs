//! File tables, as `sycl-post-link` writes them: the device code of each row, with what the files
//! beside it say of it.

use std::path::Path;

use indexmap::IndexMap;
use offload_formats::container::{self, ContainerError, Format, identify};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::file_table::{CODE, FileTable, Lines, Row};
use offload_formats::offload_binary::{ImageKind, OffloadKind};
use offload_formats::property_set::PROPERTY_SETS;

use super::{Carrier, Found, kernels};

/// What a table's row says of entry points, under the name that OffloadBinaries have for it.
const SYMBOLS: &str = "symbols";

/// The rows of a file table, in order; `None` for anything else. Relative names are relative to where
/// the inspector runs, as they are for other tools.
///
/// # Errors
/// Names the table and the file of a row that cannot be read.
pub fn rows(bytes: &[u8], origin: &Origin) -> Result<Option<Vec<Found>>, ContainerError> {
    // Property sets begin with a bracket as well, and have no column of code.
    let title = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let title = std::str::from_utf8(title).ok();
    if !title.is_some_and(|title| Lines::parse(title).is_ok_and(|lines| lines.has(CODE))) {
        return Ok(None);
    }
    let fail = |reason: String| ContainerError {
        origin: origin.clone(),
        reason,
    };
    let text = std::str::from_utf8(bytes).map_err(|e| fail(format!("a file table: {e}")))?;
    let table = FileTable::parse(text).map_err(|e| fail(format!("a file table: {e}")))?;
    let rows = table.rows.iter().map(|row| found(row, origin));
    rows.collect::<Result<_, _>>().map(Some)
}

fn found(row: &Row, table: &Origin) -> Result<Found, ContainerError> {
    let fail = |file: &str, error: std::io::Error| ContainerError {
        origin: table.clone(),
        reason: format!("cannot read '{file}': {error}"),
    };
    let text = |file: &str| std::fs::read_to_string(file).map_err(|e| fail(file, e));
    let bytes = container::map_file(Path::new(&row.code)).map_err(|e| fail(&row.code, e))?;
    let mut properties = IndexMap::new();
    if !row.properties.is_empty() {
        properties.insert(PROPERTY_SETS.to_owned(), text(&row.properties)?);
    }
    if !row.symbols.is_empty() {
        let symbols = text(&row.symbols)?;
        let symbols: Vec<&str> = symbols.lines().collect();
        properties.insert(SYMBOLS.to_owned(), symbols.join(" "));
    }
    let image_kind = match identify(&bytes) {
        Format::Bitcode => ImageKind::Bitcode,
        Format::SpirV => ImageKind::SpirV,
        Format::Ptx => ImageKind::Ptx,
        _ => ImageKind::None,
    };
    let mut origin = table.clone();
    origin.members.push(row.code.clone());
    Ok(Found {
        input: DeviceInput {
            kind: OffloadKind::Sycl,
            triple: kernels::triple(image_kind, &bytes),
            arch: String::new(),
            image_kind,
            bytes,
            properties,
            origin,
        },
        carrier: Carrier::Listed,
        stored: None,
        broken: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect;

    #[test]
    fn rows_show_what_their_files_say() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let code = file("a_0.ptx", ".version 7.0\n.target sm_50\n");
        let sets = file(
            "a_0.prop",
            "[SYCL/device requirements]\nreqd_sub_group_size=2|gAAAAAAAAAAIAAAA\n",
        );
        let symbols = file("a_0.sym", "one\ntwo\n");
        let table = format!("[Code|Properties|Symbols]\n{code}|{sets}|{symbols}\n");
        let path = folder.path().join("a.table");
        let bytes = table.into_bytes().into();
        let (format, found) = inspect::images(&path, &bytes).unwrap();
        let text = inspect::to_text(&inspect::report(&path, format, &found));
        for expected in [
            "a.table: file-table, 1 device image\n",
            "image 0: sycl, ptx, 27 bytes\n",
            "listed by the table, file ",
            "  symbols: one two\n",
            "    reqd_sub_group_size = [32]\n",
        ] {
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn what_a_row_names_has_to_be_there() {
        let bytes = b"[Code]\n/nonexistent/a.bc\n".to_vec().into();
        let error = inspect::images(Path::new("a.table"), &bytes).err().unwrap();
        assert!(error.to_string().contains("a.table"), "{error}");
        assert!(error.to_string().contains("/nonexistent/a.bc"), "{error}");
    }

    #[test]
    fn a_broken_table_is_told_with_its_line() {
        for (text, reason) in [
            ("[Code|Properties]\na.bc\n", "1 cells"),
            (
                "[Code|Properties|Symbols]\na.bc||\n",
                "'Properties' is empty",
            ),
        ] {
            let error = rows(text.as_bytes(), &Origin::file("a.table"))
                .err()
                .unwrap();
            let told = error.to_string();
            assert!(told.contains("a.table") && told.contains(reason), "{told}");
        }
    }

    #[test]
    fn other_texts_are_no_tables() {
        for text in ["[SYCL/misc properties]\noptLevel=1|2\n", "[", "", "Code\n"] {
            let rows = rows(text.as_bytes(), &Origin::file("x")).unwrap();
            assert!(rows.is_none(), "{text}");
        }
    }
}
