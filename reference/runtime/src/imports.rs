//! Images that are linked with a kernel's: those that export the device functions that it imports, and
//! what these import in turn, out of all binaries that are loaded (FEAT, "Changes to the DPC++ runtime").
//!
//! Only what images say of themselves is looked at, never their code.

use std::borrow::Cow;
use std::sync::Arc;

use offload_formats::Malformed;
use offload_formats::demangle::named;
use offload_formats::property_set::{
    EXPORTED_SYMBOLS, FILTERED_KERNELS, IMPORTED_SYMBOLS, PropertySets,
    SPECIALIZATION_CONSTANTS_DEFAULTS,
};
use offload_formats::registration::ImageFormat;
use offload_formats::spirv::linkage;

use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::plugin::Form;
use crate::registry::Image;

/// An image with all that it is linked with.
#[derive(Debug, Clone)]
pub struct Linked {
    /// The image that has the kernel, then the others, in the order in which they were needed.
    parts: Vec<Arc<Image>>,
}

impl Linked {
    /// The image with what it needs out of `all`: of several images that export a function, the one
    /// that was loaded first.
    ///
    /// # Errors
    /// `Build` when no image for the device exports a function that is needed.
    pub fn new(
        kernel: &str,
        image: &Arc<Image>,
        device: &Device,
        all: &[Arc<Image>],
    ) -> Result<Linked> {
        let driver = device.driver();
        let suits = |other: &&Arc<Image>| {
            let form = other.form();
            // One without code was left out by the link, and tells why.
            let as_image = Form {
                format: image.format(),
                ..form
            };
            // A source of the program's gives nothing to others.
            (!other.is_of_source || other.binary == image.binary)
                && (form.format == image.format() || form.format == ImageFormat::None)
                && form.target == image.content.target
                && driver.accepts(&as_image).is_some()
        };
        let name = &device.facts().name;
        Self::out_of(image, all, suits).map_err(|missing| missing.error(kernel, name, all, suits))
    }

    fn out_of(
        image: &Arc<Image>,
        all: &[Arc<Image>],
        suits: impl Fn(&&Arc<Image>) -> bool,
    ) -> Result<Linked, Missing> {
        let mut parts = vec![Arc::clone(image)];
        let mut next = 0;
        while let Some(part) = parts.get(next).cloned() {
            next += 1;
            for symbol in imports(&part.content.properties) {
                if parts.iter().any(|part| exports(part, symbol)) {
                    continue;
                }
                let exporters = || all.iter().filter(&suits).filter(|i| exports(i, symbol));
                let with_code = exporters().find(|i| i.content.format != ImageFormat::None);
                let Some(found) = with_code.or_else(|| exporters().next()) else {
                    return Err(Missing {
                        symbol: symbol.to_owned(),
                        of_kernel: next == 1,
                        needed_in: Arc::clone(&part),
                    });
                };
                parts.push(Arc::clone(found));
            }
        }
        Ok(Linked { parts })
    }

    /// The image that has the kernel.
    #[must_use]
    pub fn image(&self) -> &Arc<Image> {
        &self.parts[0]
    }

    /// All images, that of the kernel first.
    #[must_use]
    pub fn parts(&self) -> &[Arc<Image>] {
        &self.parts
    }

    /// Which symbols a part gives the others, the first of several that could.
    pub fn gives<'a>(&'a self, part: usize) -> impl Fn(&str) -> bool + 'a {
        move |symbol| {
            let mut sets = self.parts.iter().map(|part| &part.content.properties);
            let before = self.parts.iter().take(part);
            sets.any(|sets| imports(sets).any(|import| import == symbol))
                && !before.into_iter().any(|part| exports(part, symbol))
        }
    }

    /// The code of each image as it is linked with that of the others: SPIR-V that has not the kernel
    /// defines nothing else for others but what it is there for, since drivers take no two definitions of
    /// a function or a kernel, and header files may bring the same ones into several binaries.
    ///
    /// # Errors
    /// `Build` when an image cannot be read.
    pub fn codes(&self) -> Result<Vec<Cow<'_, [u8]>>> {
        let mut codes = Vec::with_capacity(self.parts.len());
        for (number, part) in self.parts.iter().enumerate() {
            let code = part.code()?;
            codes.push(match part.format() {
                ImageFormat::SpirV if number > 0 => {
                    let linked = linkage::for_program(code, self.gives(number));
                    Cow::Owned(linked.map_err(|error| unreadable(part, &error))?)
                }
                _ => Cow::Borrowed(code),
            });
        }
        Ok(codes)
    }

    /// Fails where the images cannot become one program.
    ///
    /// # Errors
    /// `KernelNotSupported` when the link left one of them out for the device; `FeatureNotSupported`
    /// when a part that has not the kernel reads specialization constants that
    /// are no part of its code: the kernel hands on the buffer of its own image's.
    pub fn check(&self, kernel: &str) -> Result<()> {
        for part in self.parts.iter().skip(1) {
            let reasons = part.content.properties.set(FILTERED_KERNELS);
            let reason = reasons
                .into_iter()
                .flatten()
                .find_map(|(_, reason)| reason.as_bytes());
            if let Some(reason) = reason.filter(|_| part.format() == ImageFormat::None) {
                let reason = format!(
                    "kernel {} needs device functions of {}: left out for {}: {}",
                    named(kernel),
                    binary_of(part),
                    part.content.target,
                    String::from_utf8_lossy(reason)
                );
                return Err(Error::new(Kind::KernelNotSupported, reason));
            }
        }
        let reads = |part: &&Arc<Image>| {
            let properties = &part.content.properties;
            let defaults = properties.get(SPECIALIZATION_CONSTANTS_DEFAULTS, "all");
            part.format() != ImageFormat::SpirV && defaults.is_some()
        };
        match self.parts.iter().skip(1).find(reads) {
            None => Ok(()),
            Some(part) => Err(Error::new(
                Kind::FeatureNotSupported,
                format!(
                    "kernel {} needs device functions of {} that read specialization constants, which \
                     {} images of one binary only can do",
                    named(kernel),
                    binary_of(part),
                    part.content.target
                ),
            )),
        }
    }
}

fn unreadable(image: &Arc<Image>, error: &Malformed) -> Error {
    let reason = format!("an image of {} cannot be linked: {error}", binary_of(image));
    Error::new(Kind::Build, reason)
}

/// A function that no image exports.
struct Missing {
    symbol: String,
    /// The image that imports it.
    needed_in: Arc<Image>,
    /// That image has the kernel.
    of_kernel: bool,
}

impl Missing {
    fn error(
        &self,
        kernel: &str,
        device: &str,
        all: &[Arc<Image>],
        suits: impl Fn(&&Arc<Image>) -> bool,
    ) -> Error {
        let through = match self.of_kernel {
            true => String::new(),
            false => format!(" in {}", binary_of(&self.needed_in)),
        };
        let mut looked: Vec<String> = all.iter().filter(&suits).map(binary_of).collect();
        looked.dedup();
        let elsewhere = all.iter().find(|image| exports(image, &self.symbol));
        let elsewhere = elsewhere.map_or_else(String::new, |image| {
            let (binary, target) = (binary_of(image), &image.content.target);
            format!("; {binary} exports it for {target}")
        });
        Error::new(
            Kind::Build,
            format!(
                "kernel {} needs device function {}{through}, which no loaded image for device \
                 '{device}' exports: there are images of {}{elsewhere}",
                named(kernel),
                named(&self.symbol),
                looked.join(", ")
            ),
        )
    }
}

/// The symbols that an image with these properties needs of others.
fn imports(properties: &PropertySets) -> impl Iterator<Item = &str> {
    let set = properties.set(IMPORTED_SYMBOLS);
    set.into_iter().flatten().map(|(symbol, _)| symbol.as_ref())
}

fn exports(image: &Arc<Image>, symbol: &str) -> bool {
    let properties = &image.content.properties;
    properties.get(EXPORTED_SYMBOLS, symbol).is_some()
}

/// The file that brought an image.
fn binary_of(image: &Arc<Image>) -> String {
    let file = image.binary.and_then(|binary| binary.file());
    file.map_or_else(
        || "an unknown binary".to_owned(),
        |file| format!("'{file}'"),
    )
}

#[cfg(test)]
mod tests {
    use offload_formats::property_set::PropertyValue;

    use super::*;

    fn image(id: u64, exported: &[&str], imported: &[&str]) -> Arc<Image> {
        let mut properties = PropertySets::new();
        for (set, symbols) in [(EXPORTED_SYMBOLS, exported), (IMPORTED_SYMBOLS, imported)] {
            for symbol in symbols {
                properties.insert(set, symbol, PropertyValue::U32(1));
            }
        }
        Arc::new(Image::for_tests(id, properties))
    }

    fn ids(image: &Arc<Image>, all: &[Arc<Image>]) -> Result<Vec<u64>, String> {
        let linked = Linked::out_of(image, all, |_| true).map_err(|missing| missing.symbol)?;
        Ok(linked.parts.iter().map(|part| part.id).collect())
    }

    #[test]
    fn what_is_needed_comes_along_once_and_the_first_that_was_loaded() {
        let all = [
            image(1, &["main"], &["left", "right"]),
            image(2, &["left"], &["bottom"]),
            image(3, &["right"], &["bottom", "main"]),
            image(4, &["bottom", "not needed"], &[]),
            image(5, &["bottom"], &[]),
            image(6, &[], &["missing"]),
        ];
        assert_eq!(ids(&all[0], &all).unwrap(), [1, 2, 3, 4]);
        assert_eq!(ids(&all[4], &all).unwrap(), [5]);
        assert_eq!(ids(&all[5], &all).unwrap_err(), "missing");
        assert_eq!(ids(&all[0], &all[..3]).unwrap_err(), "bottom");
    }

    #[test]
    fn each_part_gives_what_another_imports_and_none_before_it_has() {
        let all = [
            image(1, &["main", "both"], &["one"]),
            image(2, &["one", "both", "alone"], &["both"]),
        ];
        let linked = Linked::out_of(&all[0], &all, |_| true).unwrap_or_else(|_| unreachable!());
        let second = linked.gives(1);
        assert!(second("one"));
        assert!(!second("both") && !second("alone"));
        assert!(linked.gives(0)("both"));
    }
}
