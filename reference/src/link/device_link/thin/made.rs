//! What a ThinLTO link makes of one module, also as bytes: entries of the cache and files of
//! distributed links hold them.

use inkwell::module::Module;
use offload_formats::Bytes;
use offload_formats::property_set::PropertySets;
use offload_formats::registration::ImageFormat;
use serde::{Deserialize, Serialize};

use crate::llvm::{attributes, values};
use crate::shelf::Shelf;
use crate::wrap::DeviceImage;

/// What became of one module.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Made {
    pub(super) images: Vec<DeviceImage>,
    /// What the user should know.
    pub(super) warnings: Vec<String>,
    pub(super) scoped: Vec<Scoped>,
    /// Functions are left to images of other binaries: what these are now decides.
    pub(super) open: bool,
}

/// A variable that one image alone may have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Scoped {
    /// What the host knows it by: units may keep several to themselves under one symbol.
    pub(super) id: String,
    pub(super) symbol: String,
}

/// All but the bytes of the images, which follow it.
#[derive(Serialize, Deserialize)]
struct Head {
    images: Vec<ImageHead>,
    warnings: Vec<String>,
    scoped: Vec<Scoped>,
}

#[derive(Serialize, Deserialize)]
struct ImageHead {
    target: String,
    format: u8,
    size: usize,
    entries: Vec<String>,
    /// As text, a set after the other.
    properties: String,
    compile_options: String,
    link_options: String,
}

impl Made {
    /// Puts the images on a shelf: a link of many units has many.
    pub(super) fn on(mut self, shelf: &Shelf) -> Self {
        for image in &mut self.images {
            image.bytes = shelf.put(&image.bytes);
        }
        self
    }

    /// As bytes.
    ///
    /// # Errors
    /// When a name in the properties is none that their text can hold.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let images = self.images.iter().map(|image| {
            Ok(ImageHead {
                target: image.target.clone(),
                format: image.format.number(),
                size: image.bytes.len(),
                entries: image.entries.clone(),
                properties: image.properties.to_text().map_err(|e| e.to_string())?,
                compile_options: image.compile_options.clone(),
                link_options: image.link_options.clone(),
            })
        });
        let head = Head {
            images: images.collect::<Result<_, String>>()?,
            warnings: self.warnings.clone(),
            scoped: self.scoped.clone(),
        };
        let head = serde_json::to_vec(&head).map_err(|e| e.to_string())?;
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head);
        for image in &self.images {
            bytes.extend(&image.bytes);
        }
        Ok(bytes)
    }

    /// Out of bytes, when they are such.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, mut rest) = rest.split_at_checked(length)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mut images = Vec::with_capacity(head.images.len());
        for image in head.images {
            let (bytes, after) = rest.split_at_checked(image.size)?;
            rest = after;
            images.push(DeviceImage {
                target: image.target,
                format: ImageFormat::from_number(image.format)?,
                bytes: Bytes::copy_from_slice(bytes),
                entries: image.entries,
                properties: PropertySets::parse(&image.properties).ok()?,
                compile_options: image.compile_options,
                link_options: image.link_options,
            });
        }
        rest.is_empty().then_some(Made {
            images,
            warnings: head.warnings,
            scoped: head.scoped,
            open: false,
        })
    }
}

/// The variables of a module that its image alone may have.
pub(super) fn scoped_variables(module: &Module<'_>) -> Vec<Scoped> {
    let of = |global| {
        let text = |key| attributes::of_variable(global, key);
        let scope = text("sycl-device-image-scope");
        if values::is_declaration(global) || scope.is_none_or(|scope| scope == "false") {
            return None;
        }
        let symbol = values::name(global);
        let id = text("sycl-unique-id").unwrap_or_else(|| symbol.clone());
        Some(Scoped { id, symbol })
    };
    values::globals(module).into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use offload_formats::property_set::PropertyValue;

    use super::*;

    #[test]
    fn images_are_the_same_on_a_shelf() {
        assert_eq!(made().on(&Shelf::new()), made());
    }

    fn made() -> Made {
        let mut properties = PropertySets::new();
        properties.set_mut("SYCL/empty");
        properties.insert("SYCL/misc", "optLevel", PropertyValue::U32(2));
        let bytes = PropertyValue::Bytes(vec![0, 255, 10, 61]);
        properties.insert("SYCL/bytes", "key", bytes);
        let image = |bytes: &[u8], format| DeviceImage {
            target: "spir64".to_owned(),
            format,
            bytes: Bytes::copy_from_slice(bytes),
            entries: vec!["k".to_owned(), "\u{e9}".to_owned()],
            properties: properties.clone(),
            compile_options: "-cl-opt-disable".to_owned(),
            link_options: String::new(),
        };
        Made {
            images: vec![
                image(b"SPIR-V", ImageFormat::SpirV),
                image(b"", ImageFormat::None),
            ],
            warnings: vec!["mind".to_owned()],
            scoped: vec![Scoped {
                id: "id".to_owned(),
                symbol: "variable".to_owned(),
            }],
            open: false,
        }
    }

    #[test]
    fn what_was_made_comes_back_as_it_was() {
        for made in [made(), Made::default()] {
            let bytes = made.to_bytes().unwrap();
            assert_eq!(Made::of_bytes(&bytes), Some(made));
        }
    }

    #[test]
    fn other_bytes_are_none() {
        let bytes = made().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert_eq!(Made::of_bytes(&bytes[..length]), None, "{length}");
        }
        assert_eq!(Made::of_bytes(&[&bytes[..], b"x"].concat()), None);
        assert_eq!(Made::of_bytes(&[0xff; 64]), None);
    }
}
