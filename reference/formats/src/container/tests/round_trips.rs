//! Random images of any size go through every container and come back the same.

use bytes::Bytes;
use proptest::prelude::*;

use super::{extract, hosts};
use crate::archive;
use crate::bundle::{self, TargetId, binary, compressed, text};
use crate::container::{NewSection, SectionUse, append_sections, embed};
use crate::offload_binary::{
    Compression, OffloadImage, OffloadKind, Version, WriteOptions, write_to,
};

/// Bytes that compress a little: noise in which runs repeat.
fn noise(seed: u64, size: usize) -> Bytes {
    let mut state = seed | 1;
    let mut bytes = Vec::with_capacity(size + 64);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let run = 1 + (state >> 60) as usize;
        bytes.extend(state.to_le_bytes().repeat(run));
    }
    bytes.truncate(size);
    Bytes::from(bytes)
}

/// Sizes of a few bytes, of a few pages, and of some hundred KiB.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..300, 4000usize..9000, 100_000usize..400_000]
}

fn contents() -> impl Strategy<Value = Bytes> {
    (any::<u64>(), size()).prop_map(|(seed, size)| noise(seed, size))
}

fn images() -> impl Strategy<Value = Vec<OffloadImage>> {
    let image = (
        contents(),
        "[a-z0-9_]{1,12}",
        "[a-z0-9:+]{0,6}",
        "[a-z]{1,5}",
    );
    let image = image.prop_map(|(image, triple, arch, value)| OffloadImage {
        offload_kind: OffloadKind::Sycl,
        strings: [("arch", arch), ("triple", triple), ("option", value)]
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
        image,
        ..OffloadImage::default()
    });
    proptest::collection::vec(image, 1..4)
}

fn options() -> impl Strategy<Value = WriteOptions> {
    let forms = [
        (Version::V1, None),
        (Version::V2, None),
        (Version::V3, None),
        (Version::V3, Some(Compression::Zlib)),
        (Version::V3, Some(Compression::Zstd)),
    ];
    proptest::sample::select(forms.to_vec()).prop_map(|(version, compression)| WriteOptions {
        version,
        compression,
    })
}

fn packaged(images: &[OffloadImage], options: WriteOptions) -> Bytes {
    let mut bytes = Vec::new();
    write_to(&mut bytes, images, options).unwrap();
    Bytes::from(bytes)
}

/// What an image says of itself, and its bytes.
fn seen(bytes: &Bytes) -> Vec<(String, String, Option<String>, Bytes)> {
    let found = extract(bytes).unwrap().into_iter();
    found
        .map(|i| {
            (
                i.triple,
                i.arch,
                i.properties.get("option").cloned(),
                i.bytes,
            )
        })
        .collect()
}

fn said(images: &[OffloadImage]) -> Vec<(String, String, Option<String>, Bytes)> {
    let text = |image: &OffloadImage, key: &str| image.strings.get(key).cloned();
    images
        .iter()
        .map(|image| {
            let (triple, arch) = (text(image, "triple"), text(image, "arch"));
            let (triple, arch) = (triple.unwrap_or_default(), arch.unwrap_or_default());
            (triple, arch, text(image, "option"), image.image.clone())
        })
        .collect()
}

fn in_archive(members: &[(&str, &Bytes)]) -> Bytes {
    let members: Vec<_> = members
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), (*bytes).clone()))
        .collect();
    Bytes::from(archive::write(&members).unwrap())
}

fn target(id: &str) -> TargetId {
    id.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn packaged_embedded_and_archived_images_come_back(
        first in images(), second in images(), options in options(), which in 0usize..4,
    ) {
        let (one, two) = (packaged(&first, options), packaged(&second, options));
        prop_assert_eq!(seen(&one), said(&first));

        let object = Bytes::from(embed(&hosts()[which], &one).unwrap());
        prop_assert_eq!(seen(&object), said(&first));
        let object = Bytes::from(embed(&object, &two).unwrap());
        let both = [said(&first), said(&second)].concat();
        prop_assert_eq!(&seen(&object), &both);

        let inner = in_archive(&[("a-member-with-a-long-name.o", &object), ("odd", &two)]);
        let outer = in_archive(&[("bare", &one), ("inner.a", &inner)]);
        let all = [said(&first), both, said(&second)].concat();
        prop_assert_eq!(seen(&outer), all);
    }

    #[test]
    fn bundled_parts_come_back(
        host in contents(), device in contents(), which in 0usize..4, form in 0usize..5,
    ) {
        let targets = ["host-x86_64-unknown-linux-gnu", "sycl-spir64-unknown-unknown"].map(target);
        let bytes = if form == 4 {
            let names = targets.clone().map(|target| bundle::section_name(&target));
            let section = |name, data| NewSection { name, data, used_as: SectionUse::LinkInput };
            let sections = [section(&names[0], &b"\0"[..]), section(&names[1], &device)];
            append_sections(&hosts()[which], &sections).unwrap()
        } else {
            let parts = targets.into_iter().zip([host.clone(), device.clone()]).collect::<Vec<_>>();
            let plain = binary::write(&parts, 1 << which);
            match form {
                0 => plain,
                1 => compressed::compress(&plain, Compression::Zlib, None).unwrap(),
                2 => compressed::compress(&plain, Compression::Zstd, Some(1)).unwrap(),
                _ => text::write(&parts, "#"),
            }
        };
        let archived = in_archive(&[("member.o", &Bytes::from(bytes.clone()))]);
        for bytes in [Bytes::from(bytes), archived] {
            let found = extract(&bytes).unwrap();
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].triple, "spir64-unknown-unknown");
            prop_assert!(found[0].bytes == device, "{} bytes of {}", found[0].bytes.len(), device.len());
        }
    }
}
