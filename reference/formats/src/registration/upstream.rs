//! Reading what programs register that upstream's linker wrapper made: OffloadBinaries as they are,
//! with the names of the entry points in the string `symbols`.

use std::ffi::c_void;

use bytes::Bytes;
use object::elf::{EM_NONE, EM_X86_64, Machine};

use super::layout::{ImageFormat, target};
use super::memory::{RegisteredImage, RegistrationError};
use crate::offload_binary::{self, ImageKind, MAGIC, OffloadKind};
use crate::property_set::PropertySets;

/// The machine of ELF files for Intel's GPUs.
const EM_INTELGT: Machine = Machine(205);

/// Whether what is registered are OffloadBinaries. A descriptor begins with its version, 1.
///
/// # Safety
/// `registered` must be null, or the first of four bytes or more.
#[must_use]
pub unsafe fn is_offload_binary(registered: *const c_void) -> bool {
    // SAFETY: the caller gives four bytes.
    let first = unsafe { registered.cast::<[u8; 4]>().as_ref() };
    first.is_some_and(|bytes| *bytes == MAGIC)
}

/// Reads OffloadBinaries that stand back to back. Images of another offload kind are left out.
///
/// # Errors
/// When they are malformed, or there are images of SYCL and none of them is SPIR-V or what upstream's device
/// linker has an offline compiler of Intel's make of it: the others are left out.
///
/// # Safety
/// `first` must be the first of `size` bytes that stay in place, unchanged, for as long as the images
/// are used: the memory of a loaded program or library does until that is unloaded.
pub unsafe fn read_offload_binaries(
    first: *const u8,
    size: usize,
) -> Result<Vec<RegisteredImage>, RegistrationError> {
    // SAFETY: the caller vouches for the span.
    let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(first, size) };
    images_in(bytes)
}

fn images_in(bytes: &'static [u8]) -> Result<Vec<RegisteredImage>, RegistrationError> {
    let found = offload_binary::read(&Bytes::from_static(bytes));
    let found = found.map_err(|error| RegistrationError {
        image: 0,
        reason: error.to_string(),
    })?;
    let of_sycl = found
        .into_iter()
        .filter(|found| found.image.offload_kind == OffloadKind::Sycl);
    let images = of_sycl.enumerate().map(|(image, found)| {
        let offload_binary::OffloadImage {
            image_kind,
            strings,
            image: code,
            ..
        } = found.image;
        let string = |key: &str| strings.get(key).map_or("", String::as_str);
        let triple = string("triple");
        let (format, target) = match image_kind {
            _ if !triple.starts_with("spir") => None,
            ImageKind::SpirV => Some((ImageFormat::SpirV, target::SPIR64)),
            ImageKind::Object => device_of(&code).map(|target| (ImageFormat::Native, target)),
            _ => None,
        }
        .ok_or_else(|| RegistrationError {
            image,
            reason: format!(
                "what is there for '{triple}' is neither SPIR-V nor code of an Intel device ({image_kind})"
            ),
        })?;
        let entries = string("symbols").lines();
        Ok(RegisteredImage {
            format,
            target: target.to_owned(),
            compile_options: String::new(),
            link_options: String::new(),
            bytes: placed(bytes, &code),
            entries: entries.map(str::to_owned).collect(),
            properties: PropertySets::new(),
        })
    });
    let (taken, refused): (Vec<_>, Vec<_>) = images.partition(Result::is_ok);
    match refused.into_iter().next() {
        Some(Err(none)) if taken.is_empty() => Err(none),
        _ => Ok(taken.into_iter().flatten().collect()),
    }
}

/// The target whose devices take a file of ELF's: upstream names an architecture alone, and it is opencl-aot's
/// for a processor and ocloc's for a GPU. `None` for any other file.
fn device_of(code: &[u8]) -> Option<&'static str> {
    // Two fields, since `object` reads no header whose version is 0, as opencl-aot's is.
    if !code.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let machine = code.get(18..20)?.try_into().ok()?;
    match Machine(u16::from_le_bytes(machine)) {
        EM_X86_64 => Some(target::SPIR64_X86_64),
        // The older form of code for Intel's GPUs has no machine.
        EM_NONE | EM_INTELGT => Some(target::SPIR64_GEN),
        _ => None,
    }
}

/// An image where the program has it. One that was compressed is in no such place, and is kept for
/// as long as the process runs.
fn placed(bytes: &'static [u8], image: &Bytes) -> &'static [u8] {
    let start = (image.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
    let end = start.wrapping_add(image.len());
    match bytes.get(start..end) {
        Some(place) => place,
        None => Box::leak(image.to_vec().into_boxed_slice()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload_binary::{OffloadImage, Version, WriteOptions, write_to};

    fn image(image_kind: ImageKind, offload_kind: OffloadKind, symbols: &str) -> OffloadImage {
        let strings = [("triple", "spirv64-unknown-unknown"), ("symbols", symbols)];
        let strings = strings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        OffloadImage {
            image_kind,
            offload_kind,
            strings: strings.into_iter().collect(),
            image: Bytes::from_static(&[3, 2, 35, 7]),
            ..OffloadImage::default()
        }
    }

    fn registered(
        images: &[OffloadImage],
    ) -> (
        &'static [u8],
        Result<Vec<RegisteredImage>, RegistrationError>,
    ) {
        let mut bytes = Vec::new();
        let version = Version::V2;
        let options = WriteOptions {
            version,
            ..WriteOptions::default()
        };
        write_to(&mut bytes, images, options).unwrap();
        let bytes: &'static [u8] = Vec::leak(bytes);
        // SAFETY: the bytes were leaked above.
        let images = unsafe { read_offload_binaries(bytes.as_ptr(), bytes.len()) };
        (bytes, images)
    }

    #[test]
    fn images_of_sycl_read_with_their_entry_points() {
        let (bytes, images) = registered(&[
            image(ImageKind::SpirV, OffloadKind::Sycl, "_ZTS1A\0_ZTS1B\0"),
            image(ImageKind::Object, OffloadKind::OpenMp, ""),
            image(ImageKind::SpirV, OffloadKind::Sycl, ""),
        ]);
        let images = images.unwrap();
        assert_eq!(images.len(), 2);
        assert_eq!(images[0].entries, ["_ZTS1A", "_ZTS1B"]);
        assert_eq!(images[0].target, "spir64");
        assert_eq!(images[0].bytes, [3, 2, 35, 7]);
        assert!(bytes.as_ptr_range().contains(&images[0].bytes.as_ptr()));
        assert!(images[1].entries.is_empty());
        // SAFETY: the pointers are null, or those of four bytes and more.
        unsafe {
            assert!(is_offload_binary(bytes.as_ptr().cast()));
            assert!(!is_offload_binary([1u8, 0, 1, 0].as_ptr().cast()));
            assert!(!is_offload_binary(std::ptr::null()));
        }
    }

    #[test]
    fn code_of_an_intel_device_is_told_by_the_machine_of_its_file() {
        let elf = |machine: u16| {
            let mut header = vec![0; 64];
            header[..6].copy_from_slice(b"\x7fELF\x02\x01");
            header[18..20].copy_from_slice(&machine.to_le_bytes());
            OffloadImage {
                image: header.into(),
                ..image(ImageKind::Object, OffloadKind::Sycl, "_ZTS1A\0")
            }
        };
        let (_, images) = registered(&[elf(62), elf(205), elf(0), elf(183)]);
        let images = images.unwrap();
        let targets = images
            .iter()
            .map(|image| (image.format, image.target.as_str()));
        let expected = ["spir64_x86_64", "spir64_gen", "spir64_gen"]
            .map(|target| (ImageFormat::Native, target));
        assert_eq!(targets.collect::<Vec<_>>(), expected);
        assert_eq!(images[0].entries, ["_ZTS1A"]);
    }

    #[test]
    fn what_no_device_takes_is_left_out_and_refused_where_there_is_nothing_else() {
        let object = image(ImageKind::Object, OffloadKind::Sycl, "");
        let spirv = image(ImageKind::SpirV, OffloadKind::Sycl, "_ZTS1A\0");
        let (_, images) = registered(&[object.clone(), spirv]);
        assert_eq!(images.unwrap()[0].entries, ["_ZTS1A"]);
        let (_, images) = registered(&[object]);
        let error = images.unwrap_err();
        assert_eq!(error.image, 0);
        assert!(error.reason.contains("(object)"), "{error}");
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        let (bytes, _) = registered(&[image(ImageKind::SpirV, OffloadKind::Sycl, "")]);
        // SAFETY: the bytes were leaked.
        let read = unsafe { read_offload_binaries(bytes.as_ptr(), bytes.len() - 8) };
        assert!(read.unwrap_err().reason.contains("bytes"));
    }
}
