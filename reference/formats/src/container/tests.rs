//! Objects are made with the `object` crate, given images, and read back.

mod round_trips;

use bytes::Bytes;
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, Object as _, ObjectSection as _};
use object::{ObjectSymbol as _, SymbolFlags, SymbolKind, SymbolScope};

use super::*;
use crate::bundle::TargetId;
use crate::device_input::DeviceInput;
use crate::offload_binary::{OffloadImage, OffloadKind, write};

fn binary(image: &'static [u8]) -> Bytes {
    let strings = [("triple".to_owned(), "spir64".to_owned())].into();
    Bytes::from(write(&[OffloadImage {
        offload_kind: OffloadKind::Sycl,
        strings,
        image: Bytes::from_static(image),
        ..OffloadImage::default()
    }]))
}

fn host(format: BinaryFormat, architecture: Architecture, endian: Endianness) -> Bytes {
    let mut object = Object::new(format, architecture, endian);
    let text = object.section_id(StandardSection::Text);
    object.append_section_data(text, &[0xC3; 5], 4);
    object.add_symbol(Symbol {
        name: b"a_function_with_a_long_name".to_vec(),
        value: 0,
        size: 5,
        kind: SymbolKind::Text,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Section(text),
        flags: SymbolFlags::None,
    });
    Bytes::from(object.write().unwrap())
}

fn hosts() -> Vec<Bytes> {
    use BinaryFormat::{Coff, Elf};
    vec![
        host(Elf, Architecture::X86_64, Endianness::Little),
        host(Elf, Architecture::I386, Endianness::Little),
        host(Elf, Architecture::PowerPc64, Endianness::Big),
        host(Coff, Architecture::X86_64, Endianness::Little),
    ]
}

fn extract(bytes: &Bytes) -> Result<Vec<DeviceInput>, ContainerError> {
    let extractor = Extractor {
        bitcode: &ignore_bitcode,
    };
    extractor.bytes(bytes, &Origin::file("input"))
}

fn archive(members: &[(&str, &[u8])]) -> Bytes {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let name = format!("{name}/");
        out.extend(
            format!(
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                0,
                0,
                0,
                644,
                bytes.len()
            )
            .bytes(),
        );
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    Bytes::from(out)
}

fn old_format(object: &[u8]) -> Bytes {
    let device: TargetId = "sycl-spir64-unknown-unknown".parse().unwrap();
    let host: TargetId = "host-x86_64-unknown-linux-gnu".parse().unwrap();
    let names = [bundle::section_name(&host), bundle::section_name(&device)];
    let [host, device] =
        [(&names[0], &b"\0"[..]), (&names[1], b"BC\xC0\xDE")].map(|(name, data)| NewSection {
            name,
            data,
            used_as: SectionUse::LinkInput,
        });
    Bytes::from(append_sections(object, &[host, device]).unwrap())
}

/// Files of every form that this package reads, for tests that break them.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = hosts().iter().map(|object| object.to_vec()).collect();
    for object in hosts() {
        seeds.push(embed(&object, &binary(b"device code")).unwrap());
        seeds.push(old_format(&object).to_vec());
    }
    let inner = archive(&[("a.o", &seeds[4]), ("b.o", &seeds[0])]);
    seeds.push(archive(&[("bare", &binary(b"bare")), ("inner.a", &inner)]).to_vec());
    seeds.push(binary(b"bare").to_vec());
    seeds.extend(packaged());
    seeds.extend(bundles());
    seeds.push(crate::spirv::tests::module());
    seeds.push(crate::cubin::tests::sample(&[
        (
            ".nv.info.k",
            b"\x04\x10\x0c\0\x08\0\0\0\x04\0\0\0\x01\0\0\0",
        ),
        (".nv.constant0.k", b"\0\0\0\0"),
    ]));
    for text in [
        ".version 7.0\n.entry k(.param .u64 p)\n.reqntid 8, 4, 1\n{ ret; }\n",
        "[Code|Properties|Symbols]\na_0.bc|a_0.prop|a_0.sym\n",
        "[SYCL/device requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\n[S]\noptLevel=1|2\n",
    ] {
        seeds.push(text.as_bytes().to_vec());
    }
    seeds
}

/// OffloadBinaries of the versions that [`binary`] does not write.
fn packaged() -> Vec<Vec<u8>> {
    use crate::offload_binary::{Compression, Version, WriteOptions, read, write_to};
    let found = read(&binary(b"device code")).unwrap();
    let images: Vec<_> = found.into_iter().map(|found| found.image).collect();
    let forms = [
        (Version::V2, None),
        (Version::V3, None),
        (Version::V3, Some(Compression::Zlib)),
        (Version::V3, Some(Compression::Zstd)),
    ];
    let written = forms.map(|(version, compression)| {
        let mut bytes = Vec::new();
        let options = WriteOptions {
            version,
            compression,
        };
        write_to(&mut bytes, &images, options).unwrap();
        bytes
    });
    written.to_vec()
}

/// Bundles that are files by themselves.
fn bundles() -> Vec<Vec<u8>> {
    use crate::bundle::{binary, compressed, text};
    use crate::offload_binary::Compression;
    let part = |id: &str| (id.parse().unwrap(), Bytes::from_static(b"contents"));
    let parts = [
        part("host-x86_64-unknown-linux-gnu"),
        part("sycl-spir64-unknown-unknown"),
    ];
    let plain = binary::write(&parts, 8);
    let compressed = |method| compressed::compress(&plain, method, None).unwrap();
    vec![
        text::write(&parts, "#"),
        compressed(Compression::Zlib),
        compressed(Compression::Zstd),
        plain.clone(),
    ]
}

#[test]
fn images_come_back_from_every_object_and_the_host_part_stays() {
    for object in hosts() {
        let fat = Bytes::from(embed(&object, &binary(b"device code")).unwrap());
        let inputs = extract(&fat).unwrap();
        assert_eq!(inputs.len(), 1);
        assert_eq!(inputs[0].bytes, "device code");
        assert_eq!(inputs[0].triple, "spir64");
        assert_eq!(
            inputs[0].origin.section.as_deref(),
            Some(OFFLOADING_SECTION)
        );
        assert!(fat.as_ptr_range().contains(&inputs[0].bytes.as_ptr()));

        let (before, after) = (parse(&object), parse(&fat));
        assert_eq!(before, after[..before.len()]);
    }
}

/// Sections and symbols by name, with their data.
fn parse(object: &[u8]) -> Vec<(String, Vec<u8>)> {
    let file = object::File::parse(object).unwrap();
    let symbols = file.symbols().map(|s| {
        (
            s.name().unwrap().to_owned(),
            s.address().to_le_bytes().to_vec(),
        )
    });
    let sections = file
        .sections()
        .filter(|s| !s.name().unwrap().contains("strtab"));
    let sections = sections.map(|s| (s.name().unwrap().to_owned(), s.data().unwrap().to_vec()));
    symbols.chain(sections).collect()
}

#[test]
fn a_second_embedding_adds_a_second_image() {
    for object in hosts() {
        let once = Bytes::from(embed(&object, &binary(b"one")).unwrap());
        let twice = Bytes::from(embed(&once, &binary(b"two")).unwrap());
        let inputs = extract(&twice).unwrap();
        let images: Vec<_> = inputs.iter().map(|input| &input.bytes[..]).collect();
        assert_eq!(images, [b"one", b"two"]);
    }
}

#[test]
fn sections_of_the_old_format_are_extracted() {
    for object in hosts() {
        let inputs = extract(&old_format(&object)).unwrap();
        assert_eq!(inputs.len(), 1);
        assert_eq!(inputs[0].kind, OffloadKind::Sycl);
        assert_eq!(inputs[0].triple, "spir64-unknown-unknown");
        assert_eq!(
            inputs[0].image_kind,
            crate::offload_binary::ImageKind::Bitcode
        );
    }
}

#[test]
fn members_are_typed_by_themselves_and_archives_nest() {
    let objects = hosts();
    let fat = embed(&objects[0], &binary(b"in elf")).unwrap();
    let coff = embed(&objects[3], &binary(b"in coff")).unwrap();
    let inner = archive(&[("c.obj", &coff)]);
    let outer = archive(&[
        ("a.o", &fat),
        ("text.txt", b"just text"),
        ("i.a", &inner),
        ("b", &binary(b"bare")),
    ]);
    let inputs = extract(&outer).unwrap();
    let found: Vec<_> = inputs
        .iter()
        .map(|i| (&i.bytes[..], i.origin.to_string()))
        .collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].0, b"in elf");
    assert_eq!(found[1].1, "input(i.a)(c.obj), section .llvm.offloading");
    assert_eq!(found[2].1, "input(b)");
}

#[test]
fn the_two_formats_do_not_mix() {
    let object = &hosts()[0];
    let both = embed(&old_format(object), &binary(b"new")).unwrap();
    let error = extract(&Bytes::from(both)).unwrap_err();
    assert!(error.to_string().contains("cannot be mixed"), "{error}");

    let new = embed(object, &binary(b"new")).unwrap();
    let mixed = archive(&[("new.o", &new), ("old.o", &old_format(object))]);
    let error = extract(&mixed).unwrap_err().to_string();
    assert!(
        error.contains("input(old.o)") && error.contains("input(new.o)"),
        "{error}"
    );
}

#[test]
fn endless_nesting_is_refused() {
    let mut bytes = archive(&[]);
    for _ in 0..20 {
        bytes = archive(&[("in.a", &bytes)]);
    }
    let error = extract(&bytes).unwrap_err();
    assert!(error.reason.contains("nest deeper"), "{error}");
}

#[test]
fn a_thin_archive_that_names_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("me.a");
    let mut bytes = b"!<thin>\n".to_vec();
    bytes.extend(
        format!(
            "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            "me.a/", 0, 0, 0, 644, 68
        )
        .bytes(),
    );
    std::fs::write(&path, bytes).unwrap();
    let extractor = Extractor {
        bitcode: &ignore_bitcode,
    };
    let error = extractor.file(&path).unwrap_err();
    assert!(error.reason.contains("nest deeper"), "{error}");
}

#[test]
fn a_thin_archive_names_members_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let inner = archive(&[("x.o", b"first"), ("x.o", b"second")]);
    // The header of the second stands behind the first's five bytes and one that fills up.
    let second = 8 + 60 + 6;
    let thin = |place: &str| {
        let header = |name: &str, size: usize| {
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
        };
        let text = [
            "!<thin>\n".to_owned(),
            header("//", 16),
            "deep/inner.a/\n\n\n".to_owned(),
            header(place, 6),
            header("b.o/", 1),
        ];
        Bytes::from(text.concat())
    };
    std::fs::create_dir(folder.path().join("deep")).unwrap();
    std::fs::write(folder.path().join("deep/inner.a"), &inner).unwrap();
    std::fs::write(folder.path().join("b.o"), "b").unwrap();
    let origin = Origin::file(folder.path().join("thin.a"));
    let found = members(&thin(&format!("/0:{second}")), &origin).unwrap();
    let [one, other] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((&*one.name, &*one.bytes), ("x.o", &b"second"[..]));
    assert_eq!(one.origin.members, ["deep/inner.a", "x.o"]);
    assert_eq!(*one.origin.numbers, [0, 1]);
    assert_eq!((&*other.name, &*other.bytes), ("b.o", &b"b"[..]));
    for place in ["/0:7", "/0:9999999999", "/0:x", "/0:", "/99:8"] {
        let error = members(&thin(place), &origin).unwrap_err();
        assert!(error.reason.contains("malformed"), "{place}: {error}");
    }
    // No place in the table of names: the name of a file that is not there.
    let error = members(&thin("/:8"), &origin).unwrap_err();
    assert!(error.reason.contains("cannot read"), "{error}");
}

#[test]
fn an_impossible_member_size_is_refused() {
    let mut bytes = archive(&[("a.o", b"contents")]).to_vec();
    bytes[8 + 48..8 + 58].copy_from_slice(b"9999999999");
    let error = extract(&Bytes::from(bytes)).unwrap_err();
    assert!(error.reason.contains("cannot be read"), "{error}");
}

#[test]
fn a_symbol_count_without_symbols_is_left_out() {
    let mut object = hosts()[3].to_vec();
    object[8..12].fill(0);
    let fat = Bytes::from(embed(&object.into(), &binary(b"image")).unwrap());
    assert_eq!(extract(&fat).unwrap()[0].bytes, "image");
}

#[test]
fn embedding_into_what_is_no_relocatable_object_is_refused() {
    let mut executable = hosts()[0].to_vec();
    executable[16] = 2;
    for bytes in [
        Bytes::from(executable),
        Bytes::from_static(b"text"),
        archive(&[]),
    ] {
        let error = embed(&bytes, &binary(b"x")).unwrap_err();
        assert!(error.reason.contains("relocatable"), "{error}");
    }
}

#[test]
fn the_host_s_part_of_the_old_format_comes_back() {
    for object in hosts() {
        let fat = old_format(&object);
        assert_ne!(fat, object);
        let host = without_sections(&fat, &bundle::is_bundled).unwrap();
        assert!(host == object, "{} bytes of {}", host.len(), object.len());
    }
}

#[test]
fn a_truncated_file_is_an_error_with_an_offset() {
    let fat = |object: &Bytes| Bytes::from(embed(object, &binary(b"device code")).unwrap());
    let mut whole: Vec<Bytes> = hosts().iter().map(fat).collect();
    whole.push(archive(&[("a.o", &whole[0]), ("b", b"text")]));
    let mut refused = 0;
    for bytes in whole {
        for keep in 16..bytes.len() {
            if let Err(error) = extract(&bytes.slice(..keep)) {
                assert!(error.to_string().contains("offset 0x"), "{keep}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 3000, "{refused} refused");
}

#[test]
fn sections_go_from_between_others_too() {
    for object in &hosts()[..2] {
        // What is appended later stands behind; what was there before stays.
        let fat = old_format(object);
        let fat = embed(&fat, &binary(b"device code")).unwrap();
        let host = without_sections(&fat, &bundle::is_bundled).unwrap();
        let names = |bytes: &[u8]| -> Vec<String> {
            let sections = sections(bytes).unwrap().into_iter();
            let named = sections.map(|section| section.name.into_owned());
            named.filter(|name| !name.is_empty()).collect()
        };
        let mut expected = names(object);
        expected.push(OFFLOADING_SECTION.to_owned());
        assert_eq!(names(&host), expected);
        assert!(host.len() < fat.len(), "{} {}", host.len(), fat.len());
        assert_eq!(
            extract(&Bytes::from(host.clone())).unwrap()[0].bytes,
            "device code"
        );
        let symbols = |bytes: &[u8]| -> Vec<(String, u64)> {
            let file = object::File::parse(bytes).unwrap();
            let symbols = file.symbols();
            symbols
                .map(|s| (s.name().unwrap().to_owned(), s.address()))
                .collect()
        };
        assert_eq!(symbols(&host), symbols(object));
    }
}

#[test]
fn what_is_let_go_of_comes_again() {
    let mut file = tempfile::tempfile().unwrap();
    let bytes: Vec<u8> = (0..300_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    let whole = map_open_file(&file).unwrap();
    let part = map_part(&file, 70_001, 100_000).unwrap();
    for part in [
        &whole[..],
        &whole[5..6],
        &whole[299_999..],
        &whole[..0],
        &part,
    ] {
        let_go_of(part);
    }
    assert!(whole == bytes && part == bytes[70_001..170_001]);
    // What comes from no file stays as it is.
    let_go_of(&bytes);
    drop((whole, part));
    assert_eq!(bytes[1], 1);
}
