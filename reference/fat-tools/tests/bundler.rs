//! Random bundles of every form come apart into what was bundled, and cut ones give no wrong part.

use std::collections::HashSet;
use std::path::Path;

use fat_tools::bundler::{self, BundleOptions, FileType, Input, OfArchive, Taken};
use object::write::{Object, StandardSection};
use object::{Architecture, BinaryFormat, Endianness};
use offload_formats::bundle::TargetId;
use offload_formats::device_input::Origin;
use offload_formats::offload_binary::Compression;
use offload_formats::{Bytes, archive, container};
use proptest::prelude::*;

const HOST: &str = "host-x86_64-unknown-linux-gnu";

const DEVICES: [&str; 6] = [
    "sycl-spir64-unknown-unknown",
    "sycl-spir64_gen-unknown-unknown",
    "openmp-nvptx64-nvidia-cuda--sm_70",
    "hip-amdgcn-amd-amdhsa--gfx906:xnack+",
    "hip-amdgcn-amd-amdhsa--gfx90a",
    "hipv4-amdgcn-amd-amdhsa--gfx1030",
];

type Parts = Vec<(TargetId, Bytes)>;

fn target(id: &str) -> TargetId {
    id.parse().unwrap()
}

/// A host object, so that bundles of it have sections.
fn host_object(format: BinaryFormat, text: &[u8]) -> Bytes {
    let mut object = Object::new(format, Architecture::X86_64, Endianness::Little);
    let section = object.section_id(StandardSection::Text);
    object.append_section_data(section, text, 16);
    Bytes::from(object.write().unwrap())
}

/// Bytes among them some that mean something in bundles.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        // What begins so is no object by chance.
        proptest::collection::vec(any::<u8>(), 0..200)
            .prop_map(|bytes| [b"x", &bytes[..]].concat()),
        "[ -~\n]{0,200}".prop_map(String::into_bytes),
        proptest::sample::select(vec![
            b"__CLANG_OFFLOAD_BUNDLE__".to_vec(),
            b"CCOB\x02\x00".to_vec(),
            b"\0".to_vec(),
            b"\n\n# no marker\n".to_vec(),
        ]),
    ]
}

/// A host and some devices in any order. The host is an object where one is asked for.
fn parts() -> impl Strategy<Value = (Parts, Option<BinaryFormat>)> {
    let devices = proptest::sample::subsequence(DEVICES.to_vec(), 1..5);
    let devices = devices.prop_flat_map(|ids| {
        let count = ids.len();
        (Just(ids), proptest::collection::vec(contents(), count))
    });
    let formats = vec![None, Some(BinaryFormat::Elf), Some(BinaryFormat::Coff)];
    (contents(), devices, proptest::sample::select(formats)).prop_flat_map(
        |(host, (ids, contents), format)| {
            let host = match format {
                Some(format) => host_object(format, &host),
                // Whatever follows, it is no object.
                None => Bytes::from([b"text ", &host[..]].concat()),
            };
            let devices = ids.iter().map(|id| target(id));
            let mut parts: Parts = devices.zip(contents.into_iter().map(Bytes::from)).collect();
            parts.push((target(HOST), host));
            (Just(parts).prop_shuffle(), Just(format))
        },
    )
}

fn kinds() -> impl Strategy<Value = FileType> {
    let kinds = ["ii", "s", "ll", "bc", "o"].map(|name| FileType::parse(name).unwrap());
    proptest::sample::select(kinds.to_vec())
}

fn options() -> impl Strategy<Value = BundleOptions> {
    let compress = vec![
        None,
        Some((Compression::Zstd, None)),
        Some((Compression::Zlib, Some(1))),
    ];
    (0u32..13, proptest::sample::select(compress)).prop_map(|(shift, compress)| BundleOptions {
        alignment: 1 << shift,
        compress,
        symbols: true,
    })
}

fn input(bytes: Bytes, kind: FileType) -> Input<'static> {
    Input {
        path: Path::new("bundle"),
        bytes,
        kind,
        hip_is_openmp: false,
        excluded: &[],
    }
}

/// What the bundle gives for one target.
fn part(bytes: &Bytes, kind: FileType, target: &TargetId) -> Option<Bytes> {
    let taken = input(bytes.clone(), kind).unbundle(std::slice::from_ref(target), false);
    match taken.ok()?.pop()? {
        Taken::File(bytes) => Some(bytes),
        Taken::List(..) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_bundled_comes_apart((parts, _) in parts(), kind in kinds(), options in options()) {
        let bundled = Bytes::from(bundler::bundle(kind, &parts, options).unwrap());
        let ids = input(bundled.clone(), kind).list().unwrap();
        let ids: HashSet<TargetId> = ids.iter().map(|id| target(id)).collect();
        prop_assert_eq!(ids, parts.iter().map(|(target, _)| target.clone()).collect());
        let (targets, contents): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let back = input(bundled.clone(), kind).unbundle(&targets, false).unwrap();
        let contents: Vec<_> = contents.into_iter().map(Taken::File).collect();
        prop_assert_eq!(back, contents);
        let other = target("openmp-spir64-intel");
        prop_assert!(input(bundled, kind).check_part(&other).is_err());
    }

    #[test]
    fn archives_of_bundles_come_apart(
        bundles in proptest::collection::vec((parts(), options()), 1..4),
    ) {
        let members: Vec<(String, Bytes)> = bundles
            .iter()
            .enumerate()
            .map(|(index, ((parts, _), options))| {
                let bundled = bundler::bundle(FileType::Object, parts, *options).unwrap();
                (format!("member-{index}.o"), Bytes::from(bundled))
            })
            .collect();
        let library = Bytes::from(archive::write(&members).unwrap());
        for id in DEVICES.iter().chain([&HOST]) {
            let wanted = target(id);
            let expected: Vec<&Bytes> = bundles
                .iter()
                .flat_map(|((parts, _), _)| parts)
                .filter(|(target, _)| *target == wanted)
                .map(|(_, bytes)| bytes)
                .collect();
            let wanted = [wanted];
            let of = |of: OfArchive| {
                input(library.clone(), FileType::Archive(of)).unbundle(&wanted, true)
            };
            let list = Taken::List("o", expected.iter().copied().cloned().collect());
            prop_assert_eq!(of(OfArchive::List("o")).unwrap(), [list]);
            let Taken::File(taken) = of(OfArchive::Archive).unwrap().remove(0) else {
                panic!("an archive is a file");
            };
            let taken = container::members(&taken, &Origin::file("taken")).unwrap();
            let taken: Vec<&Bytes> = taken.iter().map(|member| &member.bytes).collect();
            prop_assert_eq!(&taken, &expected);
            match (of(OfArchive::Only), &expected[..]) {
                (Ok(only), [one]) => prop_assert_eq!(only, [Taken::File((*one).clone())]),
                (Ok(only), []) => prop_assert_eq!(only, [Taken::File(Bytes::new())]),
                (Err(_), [_, _, ..]) => {}
                (only, expected) => prop_assert!(false, "{:?} of {}", only.is_ok(), expected.len()),
            }
        }
    }

    #[test]
    fn a_cut_bundle_gives_no_wrong_part(
        (parts, _) in parts(), kind in kinds(), options in options(),
    ) {
        let bundled = Bytes::from(bundler::bundle(kind, &parts, options).unwrap());
        // Alignment makes long files of zeros.
        let step = (bundled.len() / 400).max(1);
        for keep in (0..bundled.len()).step_by(step) {
            let cut = bundled.slice(..keep);
            let _ = input(cut.clone(), kind).list();
            for (target, bytes) in parts.iter().filter(|(target, _)| !target.is_host()) {
                if let Some(given) = part(&cut, kind, target) {
                    prop_assert_eq!(&given, bytes, "cut at {}", keep);
                }
            }
        }
    }
}
