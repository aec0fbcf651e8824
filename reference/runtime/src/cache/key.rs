//! What tells kept programs apart.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::device::Device;
use crate::plugin::{BuildInput, DeviceFacts, DeviceType};

/// The beginnings of variables by which drivers' compilers are told what code to make.
const COMPILERS: [&str; 4] = ["CL_CONFIG_", "IGC_", "POCL_", "VISA_"];

/// A hash of all that decides what a driver makes of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of what is built for a device.
    pub fn of(device: &Device, input: &BuildInput<'_>) -> Key {
        let mut fields = Fields::default();
        // What this runtime itself tells compilers changes with it.
        fields.text(env!("CARGO_PKG_VERSION"));
        let (platform, facts) = (device.platform(), device.facts());
        fields.text(platform.driver.backend().name());
        for code in 1..=3 {
            fields.text(&platform.driver.text(code).unwrap_or_default());
        }
        fields.device(facts);
        if device.driver().kind() != DeviceType::Gpu {
            fields.text(processor());
        }
        let mut variables: Vec<_> = std::env::vars_os().collect();
        variables.sort_unstable();
        for (name, value) in variables {
            let name = name.to_string_lossy();
            if COMPILERS.iter().any(|known| name.starts_with(known)) {
                fields.text(&name);
                fields.bytes(value.as_encoded_bytes());
            }
        }
        fields.input(input);
        fields.key()
    }

    /// The key of what these decide, and this version.
    pub fn of_texts(texts: &[String]) -> Key {
        let mut fields = Fields::default();
        fields.text(env!("CARGO_PKG_VERSION"));
        for text in texts {
            fields.text(text);
        }
        fields.key()
    }

    /// The hash.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Fields one after the other, each with its length, so that no two lists of them are the same text.
#[derive(Default)]
struct Fields(Sha256);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    fn device(&mut self, facts: &DeviceFacts) {
        let driver = &facts.driver_version;
        for text in [&facts.name, &facts.vendor, &facts.version, driver] {
            self.text(text);
        }
        self.bytes(&facts.uuid.unwrap_or_default());
    }

    fn input(&mut self, input: &BuildInput<'_>) {
        self.number(input.format as u64);
        self.number(input.parts.len() as u64);
        for part in input.parts {
            self.bytes(part.bytes);
            self.text(part.options);
            self.number(part.spec_values.len() as u64);
            for value in part.spec_values {
                self.number(value.id.into());
                self.bytes(&value.bytes);
            }
        }
    }

    fn key(self) -> Key {
        Key(self.0.finalize().into())
    }
}

/// The instructions that the machine's processor has: a home that several machines share may see
/// processors of one name and driver that differ in them, as virtual machines do.
fn processor() -> &'static str {
    use std::io::Read as _;
    use std::sync::LazyLock;
    static FEATURES: LazyLock<String> = LazyLock::new(|| {
        let mut text = Vec::new();
        // The first processor speaks for all of them.
        let read = std::fs::File::open("/proc/cpuinfo")
            .and_then(|file| file.take(16 << 10).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).into_owned();
        let features = |line: &&str| line.starts_with("flags") || line.starts_with("Features");
        let line = text.lines().find(features).filter(|_| read.is_ok());
        line.unwrap_or_default().to_owned()
    });
    &FEATURES
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::plugin::{Part, SpecValue};
    use offload_formats::registration::ImageFormat;

    /// A key that only these parts decide.
    pub fn key_of(parts: &[Part<'_>]) -> Key {
        let format = ImageFormat::SpirV;
        let mut fields = Fields::default();
        fields.input(&BuildInput { format, parts });
        fields.key()
    }

    #[test]
    fn a_driver_that_was_updated_finds_nothing_of_the_one_before() {
        let key = |change: fn(&mut DeviceFacts)| {
            let mut facts = DeviceFacts::default();
            change(&mut facts);
            let mut fields = Fields::default();
            fields.device(&facts);
            fields.key()
        };
        let changes: [fn(&mut DeviceFacts); 4] = [
            |_| {},
            |facts| facts.driver_version = "2".to_owned(),
            |facts| facts.name = "2".to_owned(),
            |facts| facts.uuid = Some([2; 16]),
        ];
        let keys = changes.map(key);
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "key {i}");
        }
    }

    #[test]
    fn bytes_options_and_constants_tell_programs_apart() {
        let part = |bytes, options, spec_values| Part {
            bytes,
            options,
            spec_values,
        };
        let constant = |id, value: u8| SpecValue {
            id,
            bytes: vec![value],
        };
        let [one, two, other] = [[constant(0, 1)], [constant(0, 2)], [constant(1, 1)]];
        let keys = [
            key_of(&[part(b"image", "", &[])]),
            key_of(&[part(b"imagf", "", &[])]),
            key_of(&[part(b"image", "-O0", &[])]),
            key_of(&[part(b"image-O0", "", &[])]),
            key_of(&[part(b"image", "", &one)]),
            key_of(&[part(b"image", "", &two)]),
            key_of(&[part(b"image", "", &other)]),
            key_of(&[part(b"image", "", &[]), part(b"", "", &[])]),
            key_of(&[part(b"im", "", &[]), part(b"age", "", &[])]),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "key {i}");
        }
        assert_eq!(keys[4], key_of(&[part(b"image", "", &one)]));
        assert_eq!(keys[0].to_string().len(), 64);
    }
}
