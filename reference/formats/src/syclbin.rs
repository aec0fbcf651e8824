//! SYCLBIN: the file that DPC++'s run-time compiler gives for what it made, read.
//!
//! It is an OffloadBinary of version 2 with one entry, whose kind of image is DPC++'s own, so that no
//! other reader takes it. The image has a header, a table of *abstract modules* (images of one split
//! part, which share their property sets), a table of modules in an intermediate language, a table of
//! native images, then the property sets as text, then the modules.

use bytes::Bytes;

use crate::Malformed;
use crate::le::View;
use crate::property_set::PropertySets;

/// What an OffloadBinary begins with, and what the image in it does.
const BINARY: &[u8] = &[0x10, 0xff, 0x10, 0xad];
const MAGIC: &[u8] = b"IBYS";
/// The size of the header, and of each entry of the tables that follow it.
const HEADER: u64 = 56;
const ENTRY: u64 = 32;
/// What the modules behind the texts are aligned to.
const ALIGNMENT: u64 = 8;
/// A kernel is listed twice: under its name, and with this behind the name of its source before it.
const OF_SOURCE: char = '$';
/// The set whose keys are the kernels.
const KERNELS: &str = "SYCL/kernel names";

/// A part of the split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// What it says of itself.
    pub properties: PropertySets,
    /// Its code, in the languages that there are: SPIR-V for all targets here.
    pub code: Vec<Bytes>,
}

impl Module {
    /// The names of its kernels, as they are in the code.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let kernels = self.properties.set(KERNELS).into_iter();
        let names = kernels.flat_map(|set| set.keys().map(String::as_str));
        names.filter(|name| !name.contains(OF_SOURCE))
    }
}

/// The modules of a SYCLBIN file, without those that are native code.
///
/// # Errors
/// Says where in the file something is not of the form.
pub fn read(file: &Bytes) -> Result<Vec<Module>, Malformed> {
    let view = View(file);
    if !file.starts_with(BINARY) || view.u32(4, "the version")? != 2 {
        return Err(Malformed::new(0, "this is no OffloadBinary of version 2"));
    }
    let entry = view.u64(16, "the place of the entry")?;
    let field = |behind: u64, what| view.u64(entry.saturating_add(behind), what);
    let start = field(24, "the place of the image")?;
    let size = field(32, "the size of the image")?;
    let image = file.slice_ref(view.slice(start, size, "the image")?);
    modules(&image).map_err(|error| error.shifted(start))
}

fn modules(image: &Bytes) -> Result<Vec<Module>, Malformed> {
    let view = View(image);
    if !image.starts_with(MAGIC) {
        return Err(Malformed::new(0, "the image is no SYCLBIN"));
    }
    let count = |at| view.u32(at, "a number of entries").map(u64::from);
    let (abstract_modules, languages, natives) = (count(8)?, count(12)?, count(16)?);
    let texts = HEADER + ENTRY * (abstract_modules + languages + natives);
    let texts_size = view.u64(24, "the size of the texts")?;
    let code = texts.saturating_add(texts_size);
    let code = code.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT);
    let part = |base: u64, at: u64, what| {
        let offset = view.u64(at, "an offset")?;
        let size = view.u64(at + 8, "a size")?;
        view.slice(base.saturating_add(offset), size, what)
    };
    let mut all = Vec::new();
    for index in 0..abstract_modules {
        let entry = HEADER + ENTRY * index;
        let text = part(texts, entry, "the properties of a module")?;
        let text = std::str::from_utf8(text)
            .map_err(|_| Malformed::new(entry, "properties are not UTF-8"))?;
        let properties =
            PropertySets::parse(text).map_err(|error| Malformed::new(entry, error.to_string()))?;
        let (number, first) = (count(entry + 16)?, count(entry + 20)?);
        if first + number > languages {
            return Err(Malformed::new(
                entry,
                "a module has code that is not listed",
            ));
        }
        let one = |index| {
            let entry = HEADER + ENTRY * (abstract_modules + index);
            part(code, entry + 16, "a module's code").map(|bytes| image.slice_ref(bytes))
        };
        all.push(Module {
            properties,
            code: (first..first + number).map(one).collect::<Result<_, _>>()?,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[SYCL/kernel names]\nrtc_0$a=1|1\na=1|1\n";

    /// A file of one module with `code`.
    fn file(code: &[u8]) -> Vec<u8> {
        let number = |value: usize| (value as u64).to_le_bytes();
        let mut image = MAGIC.to_vec();
        for value in [1u32, 1, 1, 0, 0] {
            image.extend(value.to_le_bytes());
        }
        for value in [TEXT.len(), code.len(), 0, 0] {
            image.extend(number(value));
        }
        image.extend([number(0), number(TEXT.len())].concat());
        image.extend([1u32, 0, 0, 0].map(u32::to_le_bytes).concat());
        image.extend([0, 0, 0, code.len()].map(number).concat());
        image.extend(TEXT.as_bytes());
        image.resize(image.len().next_multiple_of(ALIGNMENT as usize), 0);
        image.extend(code);
        let mut file = [BINARY, &2u32.to_le_bytes()].concat();
        file.extend([0, 24, 1].map(number).concat()[..16].iter());
        // The entry: kinds and flags, strings, then the image.
        file.extend([7, 0, 0, 24 + 40, image.len()].map(number).concat());
        file.extend(image);
        file
    }

    #[test]
    fn modules_have_their_code_and_kernels() {
        let modules = read(&Bytes::from(file(b"spirv"))).unwrap();
        assert_eq!(modules.len(), 1);
        assert_eq!(modules[0].code, [Bytes::from_static(b"spirv")]);
        assert_eq!(modules[0].kernels().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn whatever_is_cut_or_changed_is_an_error_or_read() {
        let whole = file(b"spirv");
        for end in 0..whole.len() {
            assert!(
                read(&Bytes::copy_from_slice(&whole[..end])).is_err(),
                "{end}"
            );
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut other = whole.clone();
                other[at] = value;
                let _ = read(&Bytes::from(other));
            }
        }
    }
}
