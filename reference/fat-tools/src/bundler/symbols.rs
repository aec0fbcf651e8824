//! What the parts of an object define, in the section [`SYMBOLS_SECTION`](bundle::SYMBOLS_SECTION).

use object::{Object as _, ObjectSymbol as _};
use offload_formats::Bytes;
use offload_formats::bundle::TargetId;
use offload_formats::container::{Format, identify};

use super::Definitions;
use crate::tool::Failure;

/// For each symbol that a part of kind `sycl` defines for others: the target, a dot and its name, ended
/// by a NUL. Parts that are neither bitcode nor objects have no symbols.
///
/// # Errors
/// When bitcode or an object cannot be read.
pub(super) fn list(
    parts: &[(TargetId, Bytes)],
    definitions: Definitions<'_>,
) -> Result<Vec<u8>, Failure> {
    let mut listed = Vec::new();
    for (target, bytes) in parts.iter().filter(|(target, _)| target.kind == "sycl") {
        let names = match identify(bytes) {
            Format::Bitcode => definitions(bytes),
            Format::Elf | Format::Coff => of_object(bytes).map_err(|error| error.to_string()),
            _ => Ok(Vec::new()),
        };
        let names = names.map_err(|reason| {
            Failure::Job(format!(
                "cannot list what the part for '{target}' defines: {reason}"
            ))
        })?;
        // Other tools know the target without what pads it.
        let target = target.to_string();
        let target = target.trim_end_matches('-');
        for name in names {
            listed.extend_from_slice(format!("{target}.{name}\0").as_bytes());
        }
    }
    Ok(listed)
}

/// The symbols that an object defines for others.
fn of_object(bytes: &[u8]) -> object::Result<Vec<String>> {
    let object = object::File::parse(bytes)?;
    let defined = object
        .symbols()
        .filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    defined
        .map(|symbol| Ok(String::from_utf8_lossy(symbol.name_bytes()?).into_owned()))
        .collect()
}
