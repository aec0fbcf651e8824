//! `offload-inspect`'s library on what the wrapper makes.

use std::path::Path;

use fat_tools::inspect::{self, Carrier, ImageReport};
use offload_formats::Bytes;
use offload_formats::property_set::{DEVICE_REQUIREMENTS, PropertySets, PropertyValue};
use offload_formats::registration::ImageFormat;
use reference::wrap::{DeviceImage, HostTarget, wrap};

fn wrapped(triple: &str) -> Vec<u8> {
    let mut properties = PropertySets::new();
    let aspects = PropertyValue::u32_array(&[6]);
    properties.insert(DEVICE_REQUIREMENTS, "aspect", aspects);
    properties.insert("SYCL/misc properties", "optLevel", PropertyValue::U32(2));
    let image = |target: &str| DeviceImage {
        target: target.to_owned(),
        format: ImageFormat::SpirV,
        bytes: vec![3, 2, 0x23, 7, 0, 0, 1, 0].into(),
        entries: vec!["_ZTS3Add".to_owned(), "_ZTS3Sub".to_owned()],
        properties: properties.clone(),
        compile_options: "-cl-x".to_owned(),
        link_options: String::new(),
    };
    let host = HostTarget {
        triple: triple.to_owned(),
    };
    let images = vec![image("spir64"), image("spir64_gen")];
    let file = tempfile::NamedTempFile::new().unwrap();
    wrap(images, &host, false, file.path()).unwrap();
    std::fs::read(file.path()).unwrap()
}

#[test]
fn what_a_wrapped_object_registers_is_found() {
    for triple in ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"] {
        let object = Bytes::from(wrapped(triple));
        let (_, found) = inspect::images(Path::new("w.o"), &object).unwrap();
        let targets: Vec<_> = found.iter().map(|found| &found.input.triple[..]).collect();
        assert_eq!(targets, ["spir64", "spir64_gen"], "{triple}");
        let report = ImageReport::of(&found[0]);
        assert_eq!(report.carrier, Carrier::Registered);
        let registered = report.registered.unwrap();
        assert_eq!(registered.entries, ["_ZTS3Add", "_ZTS3Sub"]);
        assert_eq!(registered.compile_options, "-cl-x");
        let requirements = &registered.properties[DEVICE_REQUIREMENTS];
        assert_eq!(requirements["aspect"], serde_json::json!(["fp64"]));
        assert_eq!(registered.properties["SYCL/misc properties"]["optLevel"], 2);
    }
}
