//! What must hold for any bytes: the bodies of the fuzz targets in `fuzz/`, which the unit tests
//! also run for a moment over broken seeds.
//!
//! A reader gives an error or values, never a panic; values that it gives come back from a writer.

use bytes::Bytes;

use crate::bundle::{self, binary};
use crate::container::{self, Extractor, ignore_bitcode};
use crate::device_input::Origin;
use crate::file_table::FileTable;
use crate::offload_binary::{self, OffloadImage, Version, WriteOptions};
use crate::property_set::PropertySets;
use crate::{cubin, ptx, registration, spirv, symbols};

/// A target: its name, and what must hold for any bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets. Each has a file of its name in `fuzz/fuzz_targets`.
pub const TARGETS: [Target; 8] = [
    ("offload_binary", offload_binary),
    ("bundle", bundle),
    ("containers", containers),
    ("embed", embed),
    ("property_set", property_set),
    ("file_table", file_table),
    ("device_code", device_code),
    ("registration", registration),
];

/// The value; a failure here is what fuzzing looks for.
fn held<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| unreachable!("what was written does not read: {error}"))
}

/// Images that can be read come back from every version that can hold them.
pub fn offload_binary(bytes: &[u8]) {
    let Ok(found) = offload_binary::read(&Bytes::copy_from_slice(bytes)) else {
        return;
    };
    let images: Vec<OffloadImage> = found.into_iter().map(|found| found.image).collect();
    let mut texts = images.iter().flat_map(|image| image.strings.values());
    // Only sized strings can hold a NUL.
    let has_nul = texts.any(|text| text.contains('\0'));
    for version in [Version::V1, Version::V2, Version::V3] {
        if has_nul && version == Version::V1 {
            continue;
        }
        let options = WriteOptions {
            version,
            compression: None,
        };
        let mut written = Vec::new();
        held(offload_binary::write_to(&mut written, &images, options));
        let again = held(offload_binary::read(&Bytes::from(written)));
        let again: Vec<OffloadImage> = again.into_iter().map(|found| found.image).collect();
        assert_eq!(images, again);
    }
}

/// Parts that can be read come back from a binary bundle.
pub fn bundle(bytes: &[u8]) {
    let Ok(parts) = bundle::read(&Bytes::copy_from_slice(bytes)) else {
        return;
    };
    let parts: Vec<_> = parts
        .into_iter()
        .map(|part| (part.target, part.bytes))
        .collect();
    let again = held(binary::read(&Bytes::from(binary::write(&parts, 8))));
    let again: Vec<_> = again
        .into_iter()
        .map(|part| (part.target, part.bytes))
        .collect();
    assert_eq!(parts, again);
}

/// Any file is walked to an end.
pub fn containers(bytes: &[u8]) {
    let extractor = Extractor {
        bitcode: &ignore_bitcode,
    };
    let _ = extractor.bytes(&Bytes::copy_from_slice(bytes), &Origin::file("fuzzed"));
}

/// An object that takes a section still reads, with one image more. Bundled sections go out of any.
pub fn embed(bytes: &[u8]) {
    let object = Bytes::copy_from_slice(bytes);
    let host = container::without_sections(&object, &bundle::is_bundled);
    if let Ok(left) = container::sections(&host.unwrap_or_default()) {
        assert!(
            left.iter()
                .all(|section| !bundle::is_bundled(&section.name))
        );
    }
    let image = Bytes::from(offload_binary::write(&[OffloadImage::default()]));
    let Ok(fat) = container::embed(&object, &image) else {
        return;
    };
    let count = |object: &[u8]| {
        let sections = container::sections(object).ok()?;
        Some(
            sections
                .iter()
                .filter(|section| section.is_offloading)
                .count(),
        )
    };
    if let Some(before) = count(&object) {
        assert_eq!(count(&fat), Some(before + 1));
    }
}

/// Property sets that can be read come back.
pub fn property_set(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(sets) = PropertySets::parse(&text) else {
        return;
    };
    // A name may hold what the reader takes as part of it but the writer refuses.
    if let Ok(written) = sets.to_text() {
        assert_eq!(PropertySets::parse(&written), Ok(sets));
    }
}

/// Tables that can be read come back; so do symbols files.
pub fn file_table(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(table) = FileTable::parse(&text) {
        if let Ok(written) = table.to_text() {
            assert_eq!(FileTable::parse(&written), Ok(table));
        }
    }
    let names = symbols::parse(&text);
    if let Ok(written) = symbols::to_text(&names) {
        assert_eq!(symbols::parse(&written), names);
    }
}

/// Kernels and symbols are looked for in any device code. A module that has symbols keeps them on
/// its way to a link.
pub fn device_code(bytes: &[u8]) {
    let _ = spirv::kernels(bytes);
    let _ = spirv::check::check(bytes);
    if let Ok(symbols) = spirv::linkage::symbols(bytes) {
        for symbol in &symbols {
            let _ = spirv::reach::kernel_that_needs(bytes, &symbol.name);
        }
        let linked = spirv::linkage::for_link(bytes, 0x0001_0600, |_| true).unwrap_or_default();
        let names = spirv::linkage::symbols(&linked).map(|after| after.len());
        assert_eq!(names, Ok(symbols.len()));
    }
    let _ = ptx::kernels(bytes);
    let _ = cubin::kernels(bytes);
}

/// Descriptors are looked for in any object or program.
pub fn registration(bytes: &[u8]) {
    let _ = registration::read_file(&Bytes::copy_from_slice(bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::tests::seeds;
    use proptest::prelude::*;

    #[test]
    fn every_target_has_its_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/fuzz_targets");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut files: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut targets: Vec<_> = TARGETS
            .iter()
            .map(|(name, _)| format!("{name}.rs"))
            .collect();
        files.sort();
        targets.sort();
        assert_eq!(files, targets);
    }

    #[test]
    fn the_seeds_hold() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats");
        let mut seeds = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for (_, target) in TARGETS {
                target(&bytes);
            }
            seeds += 1;
        }
        assert!(seeds > 10, "{seeds} seeds");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Seeds of every form, cut short and with some bytes replaced, go to every target.
        #[test]
        fn broken_seeds_hold(
            which in any::<prop::sample::Index>(),
            keep in any::<prop::sample::Index>(),
            patches in proptest::collection::vec(
                (any::<prop::sample::Index>(), prop_oneof![Just(0u8), Just(255), any::<u8>()]),
                0..6,
            ),
            cut: bool,
        ) {
            let seeds = seeds();
            let mut bytes = which.get(&seeds).to_vec();
            for (at, value) in patches {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if cut {
                bytes.truncate(keep.index(bytes.len()));
            }
            for (_, target) in TARGETS {
                target(&bytes);
            }
        }
    }
}
