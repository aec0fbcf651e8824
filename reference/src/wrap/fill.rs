//! Puts images into an object that was emitted with zeros in their places: no code generator has to
//! hold them.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, ReadCache};
use offload_formats::container::let_go_of;

use super::{DeviceImage, WrapError};

/// Writes the bytes of `images` where their `symbols` stand in the object at `path`. Each image is let go
/// of as soon as it is there.
pub(super) fn fill(
    path: &Path,
    symbols: &[String],
    images: Vec<DeviceImage>,
) -> Result<(), WrapError> {
    let fail = |reason: String| WrapError::Emit(format!("'{}': {reason}", path.display()));
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|e| fail(e.to_string()))?;
    let places = places(&file).map_err(|e| fail(e.to_string()))?;
    for (symbol, image) in symbols.iter().zip(images) {
        let place = places.get(symbol);
        let (offset, room) = place.ok_or_else(|| fail(format!("it has no symbol '{symbol}'")))?;
        if (image.bytes.len() as u64) > *room {
            return Err(fail(format!("'{symbol}' does not fit into its section")));
        }
        let written = file.write_all_at(&image.bytes, *offset);
        written.map_err(|e| fail(e.to_string()))?;
        let_go_of(&image.bytes);
    }
    Ok(())
}

/// Where in the file each symbol stands, and how much of its section is left there.
fn places(file: &File) -> object::Result<HashMap<String, (u64, u64)>> {
    let cache = ReadCache::new(file);
    let object = object::File::parse(&cache)?;
    let mut places = HashMap::new();
    for symbol in object.symbols() {
        let Some(section) = symbol.section_index() else {
            continue;
        };
        let section = object.section_by_index(section)?;
        let begin = symbol.address().checked_sub(section.address());
        if let (Some((offset, size)), Some(begin)) = (section.file_range(), begin) {
            let room = size.saturating_sub(begin);
            places.insert(symbol.name()?.to_owned(), (offset + begin, room));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use offload_formats::Bytes;
    use offload_formats::property_set::PropertySets;
    use offload_formats::registration::ImageFormat;

    use super::super::{HostTarget, wrap};
    use super::*;

    #[test]
    fn the_object_is_the_one_that_llvm_writes_of_the_images_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let image = |target: &str, bytes: &[u8]| DeviceImage {
            target: target.to_owned(),
            format: ImageFormat::SpirV,
            bytes: Bytes::copy_from_slice(bytes),
            entries: vec!["kernel".to_owned()],
            properties: PropertySets::new(),
            compile_options: String::new(),
            link_options: String::new(),
        };
        let images = vec![
            image("spir64", &[7; 100]),
            image("spir64_x86_64", b"another section"),
            image("spir64", b""),
            image("spir64", &[0; 40]),
            image("spir64", &[9; 33]),
        ];
        for triple in [
            "x86_64-unknown-linux-gnu",
            "aarch64-linux-gnu",
            "x86_64-pc-windows-msvc",
        ] {
            let host = HostTarget {
                triple: triple.to_owned(),
            };
            let (whole, filled) = (
                folder.path().join("whole.o"),
                folder.path().join("filled.o"),
            );
            assert!(wrap(images.clone(), &host, true, &whole).unwrap().is_some());
            assert_eq!(wrap(images.clone(), &host, false, &filled).unwrap(), None);
            let filled = std::fs::read(&filled).unwrap();
            assert!(
                filled.windows(100).any(|window| window == [7; 100]),
                "{triple}"
            );
            assert!(filled == std::fs::read(&whole).unwrap(), "{triple}");
        }
    }
}
