//! Device functions that shared libraries of the line export (`FEAT`, "An exported device function"):
//! an image may refer to them, and the runtime links it with theirs.
//!
//! The libraries are read when a symbol is found to be undefined, which most links have none of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use offload_formats::Malformed;
use offload_formats::container::map_file;
use offload_formats::property_set::EXPORTED_SYMBOLS;
use offload_formats::registration;
use offload_formats::targets::Kind;

use crate::link::DeviceTarget;
use crate::link::line::linker_line::LinkerLine;
use crate::translate::builtins;

/// The option of the driver that leaves undefined device functions to libraries that a program loads.
pub(in crate::link) const ALLOW: &str = "-fsycl-allow-device-image-dependencies";

/// The shared libraries of a link.
#[derive(Debug, Default)]
pub struct SharedLibraries {
    files: Vec<PathBuf>,
    /// Device functions that no library exports are left open too.
    any: bool,
    read: OnceLock<Vec<Library>>,
}

/// A shared library with device images.
#[derive(Debug)]
struct Library {
    path: PathBuf,
    /// The exports of each image, with the name that the runtime knows its target by; or why the
    /// library cannot be read.
    images: Result<Vec<Exports>, Malformed>,
}

#[derive(Debug)]
struct Exports {
    target: String,
    symbols: HashSet<String>,
}

/// What a link makes of a device function that its inputs do not define.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::link) enum Undefined {
    /// Another image gives it when the program runs.
    Import,
    /// It is an error, of which there may be more to say.
    Missing(Option<String>),
}

impl SharedLibraries {
    /// The inputs of a line that may be such libraries; `any` leaves open what none of them exports.
    #[must_use]
    pub fn of(line: &LinkerLine, any: bool) -> Self {
        let mut files: Vec<PathBuf> = Vec::new();
        for input in &line.inputs {
            if !files.contains(&input.path) {
                files.push(input.path.clone());
            }
        }
        SharedLibraries {
            files,
            any,
            read: OnceLock::new(),
        }
    }

    /// What becomes of a device function that code for `target` refers to and no input defines.
    pub(in crate::link) fn undefined(&self, symbol: &str, target: &DeviceTarget) -> Undefined {
        let nvidia = target.kind() == Some(Kind::Nvidia);
        if !builtins::may_be_imported(symbol, nvidia) {
            return Undefined::Missing(None);
        }
        let name = target.registered_name();
        let exporter = self.exporter(symbol, name);
        if matches!(target.kind(), Some(Kind::Jit | Kind::Nvidia)) {
            return match exporter {
                Some((library, exported_for)) if !self.any && exported_for != name => {
                    let why = format!(
                        "; '{}' exports it for {exported_for} only",
                        library.display()
                    );
                    Undefined::Missing(Some(why))
                }
                None if !self.any => Undefined::Missing(None),
                _ => Undefined::Import,
            };
        }
        let place = match exporter {
            Some((library, _)) => format!("exported by '{}'", library.display()),
            None if self.any => format!("left by {ALLOW} to other images"),
            None => return Undefined::Missing(None),
        };
        Undefined::Missing(Some(format!(
            "; it is {place}, with which code that is compiled ahead of time for {name} cannot be \
             linked when the program runs"
        )))
    }

    /// Whether a library exports a device function for `target`, so that code for it may be left open.
    pub(in crate::link) fn exports(&self, symbol: &str, target: &DeviceTarget) -> bool {
        let name = target.registered_name();
        matches!(target.kind(), Some(Kind::Jit | Kind::Nvidia))
            && self
                .exporter(symbol, name)
                .is_some_and(|(_, known)| known == name)
    }

    /// What else could be done about undefined functions, as a line of the error; `None` where nothing
    /// can.
    pub(in crate::link) fn hint(&self, target: &DeviceTarget) -> Option<String> {
        if self.any || !matches!(target.kind(), Some(Kind::Jit | Kind::Nvidia)) {
            return None;
        }
        let mut looked = String::new();
        for library in self.libraries() {
            let name = library.path.display();
            looked.push_str(&match &library.images {
                Ok(_) => format!(", not of '{name}'"),
                Err(error) => format!(", not of '{name}', whose images cannot be read: {error}"),
            });
        }
        Some(format!(
            "  (they are no exports of a shared library of the link{looked}; {ALLOW} leaves them to \
             libraries that the program loads)"
        ))
    }

    /// Which library exports the symbol, and for which target: the one given, or else another.
    fn exporter(&self, symbol: &str, target: &str) -> Option<(&Path, &str)> {
        let images = self.libraries().iter().flat_map(|library| {
            let images = library.images().iter();
            images.map(move |image| (library.path.as_path(), image))
        });
        let exporters: Vec<(&Path, &str)> = images
            .filter(|(_, image)| image.symbols.contains(symbol))
            .map(|(path, image)| (path, image.target.as_str()))
            .collect();
        let for_target = exporters.iter().find(|(_, known)| *known == target);
        for_target.or_else(|| exporters.first()).copied()
    }

    /// The libraries that hold device images.
    #[must_use]
    pub fn with_images(&self) -> Vec<&Path> {
        let libraries = self.libraries().iter();
        libraries.map(|library| &*library.path).collect()
    }

    fn libraries(&self) -> &[Library] {
        self.read.get_or_init(|| {
            let read = self.files.iter().filter_map(|path| Library::read(path));
            read.collect()
        })
    }
}

impl Library {
    /// Reads what is exported; `None` for a file that is no shared library, or has no images.
    fn read(path: &Path) -> Option<Library> {
        // What cannot be opened is the linker's to tell.
        let file = map_file(path).ok()?;
        if !is_shared(&file) {
            return None;
        }
        let images = registration::read_file(&file).map(|images| {
            let exports = images.into_iter().map(|image| Exports {
                symbols: {
                    let symbols = image.properties.set(EXPORTED_SYMBOLS);
                    let symbols = symbols.into_iter().flatten();
                    symbols.map(|(symbol, _)| symbol.clone()).collect()
                },
                target: image.target,
            });
            exports.collect::<Vec<_>>()
        });
        let has_none = images.as_ref().is_ok_and(Vec::is_empty);
        (!has_none).then(|| Library {
            path: path.to_owned(),
            images,
        })
    }

    fn images(&self) -> &[Exports] {
        self.images.as_deref().unwrap_or_default()
    }
}

fn is_shared(file: &[u8]) -> bool {
    let kind = object::File::parse(file).map(|file| object::Object::kind(&file));
    kind.is_ok_and(|kind| kind == object::ObjectKind::Dynamic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn libraries(images: &[(&str, &str)], any: bool) -> SharedLibraries {
        let images = images.iter().map(|(target, symbol)| Exports {
            target: (*target).to_owned(),
            symbols: [(*symbol).to_owned()].into(),
        });
        let library = Library {
            path: "libx.so".into(),
            images: Ok(images.collect()),
        };
        SharedLibraries {
            files: Vec::new(),
            any,
            read: OnceLock::from(vec![library]),
        }
    }

    fn missing(found: Undefined) -> String {
        match found {
            Undefined::Missing(why) => why.unwrap_or_default(),
            Undefined::Import => "an import".to_owned(),
        }
    }

    #[test]
    fn what_a_library_exports_for_the_target_is_left_to_it() {
        let jit = DeviceTarget::new("spir64", "");
        let libraries = libraries(&[("spir64", "_Z1fv"), ("nvptx64", "_Z1gv")], false);
        assert_eq!(libraries.undefined("_Z1fv", &jit), Undefined::Import);
        assert!(missing(libraries.undefined("_Z1gv", &jit)).contains("for nvptx64 only"));
        assert_eq!(missing(libraries.undefined("_Z1hv", &jit)), "");
        let hint = libraries.hint(&jit).unwrap();
        assert!(hint.contains("not of 'libx.so'"), "{hint}");
    }

    #[test]
    fn code_compiled_ahead_of_time_is_left_nothing() {
        let cpu = DeviceTarget::new("spir64_x86_64", "");
        for any in [false, true] {
            let libraries = libraries(&[("spir64_x86_64", "_Z1fv")], any);
            let why = missing(libraries.undefined("_Z1fv", &cpu));
            assert!(
                why.contains("'libx.so'") && why.contains("ahead of time"),
                "{why}"
            );
            assert_eq!(libraries.hint(&cpu), None);
        }
    }

    #[test]
    fn anything_but_the_compilers_own_is_left_open_when_asked() {
        let libraries = libraries(&[], true);
        for kind in ["spir64", "nvptx64"] {
            let target = DeviceTarget::new(kind, "");
            assert_eq!(libraries.undefined("_Z1fv", &target), Undefined::Import);
            assert_eq!(missing(libraries.undefined("__nv_sin", &target)), "");
            assert_eq!(libraries.hint(&target), None);
        }
    }
}
