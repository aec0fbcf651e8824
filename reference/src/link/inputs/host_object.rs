//! The symbols of one object of the host link: of a relocatable object, a shared library, or the
//! bitcode of a link-time optimization.

use std::borrow::Cow;

use object::{Object as _, ObjectKind, ObjectSymbol};

use crate::llvm::read::{self, Role};

/// A symbol's name.
pub(in crate::link) type Name<'a> = Cow<'a, [u8]>;

/// The symbols of one object, by what they do in a link.
#[derive(Debug, Default)]
pub(in crate::link) struct Symbols<'a> {
    pub(in crate::link) defined: Vec<Name<'a>>,
    /// Variables without a value (`SHN_COMMON`), for which a definition with one is still welcome.
    pub(in crate::link) common: Vec<Name<'a>>,
    /// Without weak ones, for which no member of an archive is taken.
    pub(in crate::link) undefined: Vec<Name<'a>>,
    /// The object is compiled when it is linked, by a compiler whose form is not read here: what it
    /// refers to is not known.
    pub(in crate::link) is_opaque: bool,
    /// The object is a shared library.
    pub(in crate::link) is_shared: bool,
}

/// The symbols of an object. `None` for what is none of the host's.
pub(in crate::link) fn symbols(bytes: &[u8]) -> Option<Symbols<'_>> {
    if read::is_bitcode(bytes) {
        return of_bitcode(bytes);
    }
    let object = object::File::parse(bytes).ok()?;
    let mut symbols = Symbols {
        is_shared: object.kind() == ObjectKind::Dynamic,
        ..Symbols::default()
    };
    if symbols.is_shared {
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
        } else if symbol.is_common() {
            self.common.push(name.into());
        } else if symbol.is_global() {
            // Of any kind: thread-local, indirect and absolute ones too.
            self.defined.push(name.into());
        }
    }
}

/// The symbols of host bitcode. What has no table that can be read is the linker's to refuse, or to
/// read.
fn of_bitcode(bytes: &[u8]) -> Option<Symbols<'static>> {
    if read::triple(bytes).is_some_and(|triple| is_device(&triple)) {
        return None;
    }
    let mut symbols = Symbols::default();
    let Some(table) = read::symbols(bytes) else {
        symbols.is_opaque = true;
        return Some(symbols);
    };
    for symbol in table.into_iter().filter(|symbol| !symbol.is_special) {
        let name = Cow::Owned(symbol.name.into_bytes());
        match symbol.role {
            Role::Undefined if symbol.is_weak => {}
            Role::Undefined => symbols.undefined.push(name),
            Role::Common => symbols.common.push(name),
            Role::Defined => symbols.defined.push(name),
        }
    }
    Some(symbols)
}

/// Whether bitcode is code of the host, as far as its triple tells.
pub(in crate::link) fn is_host_bitcode(bytes: &[u8]) -> bool {
    read::triple(bytes).is_some_and(|triple| !is_device(&triple))
}

/// Whether modules of this triple are device code, which no host linker takes.
fn is_device(triple: &str) -> bool {
    let devices = ["spir", "nvptx", "amdgcn", "fpga"];
    devices.iter().any(|device| triple.starts_with(device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{self, write};

    #[test]
    fn bitcode_of_the_host_has_symbols_and_device_code_has_none() {
        let bitcode = |text: &str| {
            let context = llvm::context();
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            write::bitcode(&module).to_vec()
        };
        let text = "@g = external global i32\n@w = extern_weak global i32\n\
                    define internal void @own() {\n  ret void\n}\n\
                    @common = common global i32 0\n@t = thread_local global i32 1\n\
                    define available_externally i32 @inline() {\n  ret i32 1\n}\n\
                    declare void @llvm.trap()\ndeclare i32 @needed()\n\
                    define i32 @main() {\n  call void @own()\n  call void @llvm.trap()\n\
                    %n = call i32 @needed()\n  %v = load i32, ptr @g\n  %x = load i32, ptr @w\n\
                    ret i32 %n\n}\n";
        let host = bitcode(&format!(
            "target datalayout = \"e-i64:64\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n{text}"
        ));
        let found = symbols(&host).unwrap();
        assert_eq!(found.defined, [&b"main"[..], b"t"]);
        assert_eq!(found.common, [&b"common"[..]]);
        let mut undefined = found.undefined;
        undefined.sort();
        assert_eq!(undefined, [&b"g"[..], b"inline", b"needed"]);
        assert!(!found.is_opaque);
        let device = bitcode("target triple = \"spir64-unknown-unknown\"\n");
        assert!(symbols(&device).is_none());
        assert!(symbols(b"BC\xC0\xDE").unwrap().is_opaque);
        assert!(symbols(b"a text").is_none());
    }

    #[test]
    fn symbols_of_every_kind_are_defined_and_common_ones_stand_apart() {
        use object::elf;
        use object::write::{Object, Symbol, SymbolSection};
        use object::{Architecture, BinaryFormat, Endianness, SectionKind};
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = object.add_section(vec![], b".text".to_vec(), SectionKind::Text);
        let text = SymbolSection::Section(text);
        let thread = object.add_section(vec![], b".tbss".to_vec(), SectionKind::UninitializedTls);
        let thread = SymbolSection::Section(thread);
        let (absolute, common) = (SymbolSection::Absolute, SymbolSection::Common);
        for (name, section, bind, kind) in [
            ("thread", thread, elf::STB_GLOBAL, elf::STT_TLS),
            ("indirect", text, elf::STB_GLOBAL, elf::STT_GNU_IFUNC),
            ("absolute", absolute, elf::STB_GLOBAL, elf::STT_NOTYPE),
            ("unique", text, elf::STB_GNU_UNIQUE, elf::STT_FUNC),
            ("weak", text, elf::STB_WEAK, elf::STT_FUNC),
            ("local", text, elf::STB_LOCAL, elf::STT_FUNC),
            ("common", common, elf::STB_GLOBAL, elf::STT_OBJECT),
        ] {
            object.add_symbol(Symbol {
                name: name.into(),
                value: 0,
                size: 4,
                kind: object::SymbolKind::Data,
                scope: object::SymbolScope::Dynamic,
                weak: false,
                section,
                flags: object::SymbolFlags::Elf {
                    st_info: elf::SymbolInfo::new(bind, kind),
                    st_other: Default::default(),
                },
            });
        }
        let bytes = object.write().unwrap();
        let found = symbols(&bytes).unwrap();
        let defined = ["thread", "indirect", "absolute", "unique", "weak"].map(str::as_bytes);
        assert_eq!(found.defined, defined);
        assert_eq!(found.common, [&b"common"[..]]);
    }
}
