//! The symbols of one object of the host link: of a relocatable object, a shared library, or the
//! bitcode of a link-time optimization.

use std::borrow::Cow;

use inkwell::module::Linkage;
use object::{Object as _, ObjectKind, ObjectSymbol};

use crate::llvm::{self, read, values};

/// A symbol's name.
pub(super) type Name<'a> = Cow<'a, [u8]>;

/// The symbols of one object, by what they do in a link.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a> {
    pub(super) defined: Vec<Name<'a>>,
    /// Without weak ones, for which no member of an archive is taken.
    pub(super) undefined: Vec<Name<'a>>,
    /// The object is compiled when it is linked, by a compiler whose form is not read here: what it
    /// refers to is not known.
    pub(super) is_opaque: bool,
}

/// The symbols of an object. `None` for what is none of the host's.
pub(super) fn symbols(bytes: &[u8]) -> Option<Symbols<'_>> {
    if read::is_bitcode(bytes) {
        return of_bitcode(bytes);
    }
    let object = object::File::parse(bytes).ok()?;
    let mut symbols = Symbols::default();
    if object.kind() == ObjectKind::Dynamic {
        // A stripped library has no others, and to others it shows no others.
        object.dynamic_symbols().for_each(|s| symbols.add(&s));
    } else {
        object.symbols().for_each(|s| symbols.add(&s));
    }
    Some(symbols)
}

impl<'a> Symbols<'a> {
    fn add(&mut self, symbol: &impl ObjectSymbol<'a>) {
        let Ok(name) = symbol.name_bytes() else {
            return;
        };
        // How GCC marks an object that holds nothing but its own intermediate form.
        self.is_opaque |= name == b"__gnu_lto_slim";
        if symbol.is_undefined() {
            if !symbol.is_weak() && !name.is_empty() {
                self.undefined.push(name.into());
            }
        } else if symbol.is_global() && (symbol.is_definition() || symbol.is_common()) {
            self.defined.push(name.into());
        }
    }
}

/// The symbols of host bitcode. What cannot be read is the linker's to refuse, or to read.
fn of_bitcode(bytes: &[u8]) -> Option<Symbols<'static>> {
    let opaque = || Symbols {
        is_opaque: true,
        ..Symbols::default()
    };
    let context = llvm::context();
    let Ok(module) = read::module_lazily(&context, bytes, "bitcode") else {
        return Some(opaque());
    };
    let triple = module.get_triple();
    if is_device(&triple.as_str().to_string_lossy()) {
        return None;
    }
    let mut symbols = Symbols::default();
    for global in values::globals(&module) {
        let name = values::name(global);
        if name.starts_with("llvm.") {
            continue;
        }
        // A name that is not to be mangled is marked so.
        let name = name.strip_prefix('\u{1}').unwrap_or(&name);
        let name = Cow::Owned(name.as_bytes().to_vec());
        match (values::is_declaration(global), global.get_linkage()) {
            (_, Linkage::Internal | Linkage::Private | Linkage::ExternalWeak) => {}
            (true, _) => symbols.undefined.push(name),
            (false, _) => symbols.defined.push(name),
        }
    }
    Some(symbols)
}

/// Whether modules of this triple are device code, which no host linker takes.
fn is_device(triple: &str) -> bool {
    let devices = ["spir", "nvptx", "amdgcn", "fpga"];
    devices.iter().any(|device| triple.starts_with(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::write;

    #[test]
    fn bitcode_of_the_host_has_symbols_and_device_code_has_none() {
        let bitcode = |text: &str| {
            let context = llvm::context();
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            write::bitcode(&module).to_vec()
        };
        let text = "@g = external global i32\n@w = extern_weak global i32\n\
                    define internal void @own() {\n  ret void\n}\n\
                    declare void @llvm.trap()\ndeclare i32 @needed()\n\
                    define i32 @main() {\n  call void @own()\n  call void @llvm.trap()\n\
                    %n = call i32 @needed()\n  %v = load i32, ptr @g\n  %x = load i32, ptr @w\n\
                    ret i32 %n\n}\n";
        let host = bitcode(&format!("target triple = \"x86_64-pc-linux-gnu\"\n{text}"));
        let found = symbols(&host).unwrap();
        assert_eq!(found.defined, [&b"main"[..]]);
        let mut undefined = found.undefined;
        undefined.sort();
        assert_eq!(undefined, [&b"g"[..], b"needed"]);
        assert!(!found.is_opaque);
        let device = bitcode("target triple = \"spir64-unknown-unknown\"\n");
        assert!(symbols(&device).is_none());
        assert!(symbols(b"BC\xC0\xDE").unwrap().is_opaque);
        assert!(symbols(b"a text").is_none());
    }
}
